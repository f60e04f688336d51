/** Role and accessible name of an element, as assistive technology would say them. */
import { computeAccessibleName, getRole } from "dom-accessibility-api";
import * as dom from "./dom.js";
import { line } from "./text.js";

export const NAME_CHARS_MAX = 300;
const NAMED_DESCENDANTS_MAX = 1000;

const ROLES = new Set(
  `alert alertdialog application article banner blockquote button caption cell checkbox code columnheader
  combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid
  gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem
  menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup
  region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript
  suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid
  treeitem`.split(/\s+/),
);
/** Tags without a role of their own: the answer without asking the library. */
const PLAIN = new Set(
  `div span p b i u s em strong small font center label legend caption tbody thead tfoot br wbr code pre
  sub sup time mark abbr bdi bdo cite dfn kbd q samp var data ins del dl address blockquote hgroup picture colgroup col body
  slot template canvas`.split(/\s+/),
);
const INPUT_ROLES = {
  password: "textbox", date: "textbox", time: "textbox", month: "textbox", week: "textbox",
  "datetime-local": "textbox", color: "button", file: "button",
};
const SECTIONING = "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";

/** Roles whose name may come from their content. */
export const CONTENT_NAMED = new Set(
  `button link heading cell gridcell columnheader rowheader option tab menuitem menuitemcheckbox menuitemradio checkbox radio
  switch treeitem tooltip`.split(/\s+/),
);

let styles = new Map();

/** Forget the styles of the last answer; style objects are live, so within one they are shared. */
export function freshStyles() {
  styles = new Map();
}

/** Return the computed style of *element*, one object per answer. */
export function styleOf(element, pseudo) {
  if (pseudo) return getComputedStyle(element, pseudo);
  let style = styles.get(element);
  if (!style) styles.set(element, (style = getComputedStyle(element)));
  return style;
}

function explicitRole(element) {
  const written = dom.attribute(element, "role");
  if (written === null) return "";
  return written.toLowerCase().split(/\s+/).find((token) => ROLES.has(token)) ?? "";
}

function isNamed(element) {
  return ["aria-label", "aria-labelledby", "title"].some((name) => dom.attribute(element, name)?.trim());
}

function headerRole(cell) {
  const scope = (dom.attribute(cell, "scope") ?? "").toLowerCase();
  if (scope.startsWith("row")) return "rowheader";
  if (scope.startsWith("col")) return "columnheader";
  const row = dom.parentNode(cell);
  // Without a scope a header beside plain cells heads its row.
  return row && dom.nodeType(row) === dom.ELEMENT && dom.query(row, ":scope > td").length > 0 ? "rowheader" : "columnheader";
}

function nativeRole(element, tag) {
  switch (tag) {
    case "input":
      return INPUT_ROLES[dom.inputType(element)] ?? getRole(element) ?? "";
    case "th":
      return headerRole(element);
    case "section":
      return isNamed(element) ? "region" : "";
    case "form":
      return isNamed(element) ? "form" : "";
    case "header":
    case "footer":
      return dom.closest(element, SECTIONING) ? "" : tag === "header" ? "banner" : "contentinfo";
    case "meter":
      return "meter";
    case "iframe":
      return "iframe";
    case "svg":
      return isNamed(element) || dom.query(element, ":scope > title").length > 0 ? "img" : "";
    case "search":
      return "search";
    default:
      return dom.inHtml(element) ? (getRole(element) ?? "") : dom.hasAttribute(element, "href") ? "link" : "";
  }
}

function withoutRole(element) {
  const bare = dom.shallowCopy(element);
  bare.removeAttribute("role");
  return bare;
}

/** Return the ARIA role of *element*, "" when it has none that says anything. */
export function roleOf(element) {
  const tag = dom.localName(element);
  const explicit = explicitRole(element);
  if (explicit && explicit !== "none" && explicit !== "presentation") return explicit === "image" ? "img" : explicit;
  // A focusable or labelled element keeps its meaning whatever role=none says (ARIA conflict resolution).
  if (explicit) {
    const isActive = dom.matches(element, "a[href],button,input,select,textarea");
    return isActive ? nativeRole(withoutRole(element), tag) : isNamed(element) || dom.hasAttribute(element, "tabindex") ? "generic" : "";
  }
  if (PLAIN.has(tag)) return isEditingHost(element) ? "textbox" : "";
  return nativeRole(element, tag) || (isEditingHost(element) ? "textbox" : "");
}

/** Return whether *element* is the outermost element of an editable region. */
export function isEditingHost(element) {
  const written = dom.attribute(element, "contenteditable");
  return written !== null && written.toLowerCase() !== "false" && dom.inHtml(element) && dom.isContentEditable(element);
}

/** Return the accessible name of *element* as the library, a placeholder or plain words give it. */
export function nameOf(element, max = NAME_CHARS_MAX) {
  const role = roleOf(element);
  const fromContent = CONTENT_NAMED.has(role);
  let name = "";
  try {
    // A form's own fields may pose as its properties; the library reads those.
    // Where it reads another role than we do (role="x button") it would find no name.
    const isMisread = fromContent && dom.hasAttribute(element, "role") && getRole(element) !== role;
    const isVast = fromContent && dom.descendants(element, "*").length > NAMED_DESCENDANTS_MAX;
    name =
      dom.isHtml(element, "form") || isMisread || isVast
        ? plainName(element, fromContent)
        : computeAccessibleName(element, { computedStyleSupportsPseudoElements: true, getComputedStyle: styleOf });
  } catch {
    // So may the named images and forms of a document.
    name = plainName(element, fromContent);
  }
  if (!name.trim()) name = dom.attribute(element, "placeholder") ?? dom.attribute(element, "aria-placeholder") ?? "";
  return line(name, max);
}

function plainName(element, fromContent) {
  const ids = (dom.attribute(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean).slice(0, 10);
  const referenced = ids.flatMap((id) => [...dom.query(dom.rootNode(element), `#${CSS.escape(id)}`)].slice(0, 1));
  return (
    referenced.map((other) => dom.textContent(other)).join(" ").trim() ||
    dom.attribute(element, "aria-label")?.trim() ||
    dom.labelsOf(element).map((label) => textOf(label)).join(" ") ||
    dom.attribute(element, "alt")?.trim() ||
    dom.attribute(element, "title")?.trim() ||
    (fromContent ? (dom.textContent(element) ?? "").slice(0, NAME_CHARS_MAX * 10) : "")
  );
}

/** Return the visible text of *element*, for elements that have no accessible name. */
export function textOf(element, max = NAME_CHARS_MAX) {
  return line((dom.inHtml(element) ? dom.innerText(element) : dom.textContent(element)) ?? "", max);
}
