/** Role and accessible name of an element, as assistive technology would say them. */
import { getRole } from "dom-accessibility-api";
import { accessibleName } from "./accname.js";
import * as dom from "./dom.js";
import { unmasked } from "./masks.js";
import { line } from "./text.js";

export const NAME_CHARS_MAX = 300;
const CONTENT_CHARS_MAX = 200;
const CONTENT_NODES_MAX = 1000;
const STRUCTURE = "table,form,ul,ol,dl,iframe,h1,h2,h3,h4,h5,h6,fieldset";

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
  slot template`.split(/\s+/),
);
const INPUT_ROLES = {
  password: "textbox", date: "textbox", time: "textbox", month: "textbox", week: "textbox",
  "datetime-local": "textbox", color: "button", file: "button",
};
const SECTIONING = "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";

/** Roles whose name may come from their content. */
export const CONTENT_NAMED = new Set(
  `button link heading cell gridcell columnheader rowheader option tab menuitem menuitemcheckbox menuitemradio checkbox radio
  switch treeitem tooltip math`.split(/\s+/),
);

const LISTS = "ul,ol,menu";

let styles = new Map();
let layouts = new Map();

/** Forget the styles of the last answer; style objects are live, so within one they are shared. */
export function freshStyles() {
  styles = new Map();
  layouts = new Map();
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

/** Return "table", "grid" or "treegrid" for a part of such a table, "" where the table is none. */
function tableRole(part) {
  const table = dom.closest(part, "table");
  if (!table) return "";
  const explicit = explicitRole(table);
  if (explicit) return ["table", "grid", "treegrid"].includes(explicit) ? explicit : "";
  return isLayout(table) ? "" : "table";
}

/** Old pages lay out with tables: one without headers that holds forms or tables is no data. */
function isLayout(table) {
  let answer = layouts.get(table);
  if (answer === undefined) {
    const isSaid = ["border", "summary", "aria-label", "aria-labelledby"].some((name) => dom.hasAttribute(table, name));
    answer = !isSaid && dom.query(table, "th,caption,thead").length === 0 && (dom.query(table, "table,form").length > 0 || dom.tableRows(table).length <= 1);
    layouts.set(table, answer);
  }
  return answer;
}

function isInList(item) {
  const list = dom.parentNode(item);
  if (!list || dom.nodeType(list) !== dom.ELEMENT || !dom.matches(list, LISTS)) return true;
  const explicit = explicitRole(list);
  return explicit === "" || explicit === "list" || explicit === "directory";
}

function nativeRole(element, tag) {
  switch (tag) {
    case "input":
      return INPUT_ROLES[dom.inputType(element)] ?? getRole(element) ?? "";
    case "table":
      return isLayout(element) ? "" : "table";
    case "tr":
      return tableRole(element) ? "row" : "";
    case "td":
      return { "": "", table: "cell" }[tableRole(element)] ?? "gridcell";
    case "th":
      return tableRole(element) ? headerRole(element) : "";
    case "li":
      return isInList(element) ? "listitem" : "";
    case "canvas":
      return isNamed(element) ? "img" : "";
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
  // A region is a landmark by its name only.
  if (explicit === "region" && !isNamed(element)) return "";
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

/** Return the accessible name of *element*, its placeholder when it has no other. */
export function nameOf(element, max = NAME_CHARS_MAX) {
  const name = accessibleName(element, CONTENT_NAMED.has(roleOf(element)));
  const said = name.trim() ? name : (dom.attribute(element, "placeholder") ?? dom.attribute(element, "aria-placeholder") ?? "");
  return line(unmasked(element, said), max);
}

/** Return whether *element* is small enough for its text to be its name; a card that holds structure is a container. */
export function isLeafLike(element) {
  return hasFewWords(element) && !hasStructure(element);
}

/** Counted node by node, because a page may hold megabytes in nested controls. */
function hasFewWords(element) {
  if (dom.firstElement(element) === null) return (dom.textContent(element) ?? "").length <= CONTENT_CHARS_MAX;
  let [chars, nodes] = [0, 0];
  for (let node = dom.firstChild(element); node; node = following(node, element)) {
    if (dom.nodeType(node) === dom.TEXT) chars += dom.textContent(node).length;
    if (chars > CONTENT_CHARS_MAX || ++nodes > CONTENT_NODES_MAX) return false;
  }
  return true;
}

/** Return the node after *node* in document order, null after the last one in *around*. */
function following(node, around) {
  const inner = dom.firstChild(node);
  if (inner) return inner;
  for (let each = node; each && each !== around; each = dom.parentNode(each)) {
    const next = dom.nextSibling(each);
    if (next) return next;
  }
  return null;
}

function hasStructure(element) {
  return dom.firstElement(element) !== null && dom.query(element, STRUCTURE).length > 0;
}

/** Return the visible text of *element*, for elements that have no accessible name. */
export function textOf(element, max = NAME_CHARS_MAX) {
  return line(unmasked(element, (dom.inHtml(element) ? dom.innerText(element) : dom.textContent(element)) ?? ""), max);
}
