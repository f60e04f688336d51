/**
 * The walk: which elements of the flat tree a snapshot may show, in document order.
 *
 * Cheap on purpose: it reads tags, attributes and visibility; names and boxes are for what is shown.
 */
import * as dom from "./dom.js";
import { CONTENT_NAMED, isEditingHost, roleOf, styleOf } from "./names.js";
import { isPassword } from "./secrets.js";
import { shown } from "./visible.js";

export const ELEMENTS_MAX = 50_000;
const DEPTH_MAX = 700;
const CONTENT_CHARS_MAX = 200;

const SKIPPED = new Set("script style noscript template head meta link object embed base param track source".split(" "));
const UNKEPT = new Set(
  `generic none presentation rowgroup paragraph strong emphasis code superscript subscript insertion deletion term
  definition mark time blockquote legend caption document directory suggestion`.split(/\s+/),
);
/** What a page puts before everything else. */
const FRONT = new Set(["dialog", "alertdialog", "alert"]);
const INLINE = new Set(
  "a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time u var wbr".split(" "),
);
const INTERACTIVE =
  "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio]," +
  "[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=switch],[role=combobox]," +
  "[role=textbox],[role=searchbox],[role=slider],[role=spinbutton],[role=treeitem],[onclick],[tabindex]:not([tabindex^='-'])";
const STRUCTURE = "table,form,ul,ol,dl,iframe,h1,h2,h3,h4,h5,h6,fieldset";

/** One walk: the items met, and whether a bound cut it short. */
class Walk {
  constructor() {
    this.items = [];
    this.elements = 0;
    this.cut = false;
    this.layouts = new Map();
  }
}

/** Return the items under *root*: `{element, role, parent, interactive, named, text?}`. */
export function walk(root) {
  const state = new Walk();
  visit(state, root, { parent: null, named: false, muted: false, pointer: false, interactive: false, block: root, deep: 0 });
  return state;
}

function visit(state, element, around) {
  if (++state.elements > ELEMENTS_MAX || around.deep > DEPTH_MAX) {
    state.cut = true;
    return;
  }
  const tag = dom.localName(element);
  if (SKIPPED.has(tag) || dom.attribute(element, "aria-hidden") === "true") return;
  if (dom.isHtml(element, "input")) {
    if (dom.inputType(element) === "hidden") return;
    isPassword(element);
  }
  const look = shown(element);
  if (look === "gone") return;
  const inside = { ...around, deep: around.deep + 1, muted: look === "muted", block: INLINE.has(tag) ? around.block : element };
  if (look === "shown") keep(state, element, tag, inside);
  if (tag === "select") options(state, element, inside);
  else if (tag === "iframe") frame(state, element, inside);
  else if (tag !== "textarea" && tag !== "svg" && !isEditingHost(element)) children(state, element, inside);
}

/** Note *element* when it says something, and change *inside* for what stands below it. */
function keep(state, element, tag, inside) {
  if (tag === "label") return label(state, element, inside);
  if (tag === "legend" || tag === "caption") inside.named = true;
  let role = tableRole(state, element, tag, roleOf(element));
  const isPointer = !inside.pointer && isPointed(element, tag);
  const interactive = dom.matches(element, INTERACTIVE) || isEditingHost(element) || (isPointer && !inside.interactive);
  inside.pointer ||= isPointer;
  if (UNKEPT.has(role)) role = "";
  if (!role && !interactive) return undefined;
  // A picture inside a name is already said by it, one without a name says nothing.
  if (role === "img" && !interactive && (inside.named || isNameless(element))) return undefined;
  const named = (!role || CONTENT_NAMED.has(role)) && (interactive || isLeafLike(element));
  add(state, inside, { element, role: role || "generic", interactive, named });
  inside.named ||= named;
  inside.interactive ||= interactive;
  return undefined;
}

function add(state, inside, item) {
  item.parent = inside.parent;
  item.front = inside.parent?.front || FRONT.has(item.role);
  state.items.push(item);
  inside.parent = item;
}

function isNameless(picture) {
  return dom.isHtml(picture, "img") && !["alt", "aria-label", "aria-labelledby", "title"].some((name) => dom.attribute(picture, name));
}

/** A cell or card that holds structure is a container; its text is not its name. */
function isLeafLike(element) {
  return (dom.textContent(element) ?? "").length <= CONTENT_CHARS_MAX && !hasStructure(element);
}

function hasStructure(element) {
  return dom.firstElement(element) !== null && dom.query(element, STRUCTURE).length > 0;
}

function isPointed(element, tag) {
  return tag !== "label" && tag !== "html" && tag !== "body" && styleOf(element).cursor === "pointer";
}

/** The label of a shown control says no more than the control's name; of a hidden one it is the control. */
function label(state, element, inside) {
  const control = dom.labelControl(element);
  if (!control) return;
  if (dom.checkVisibility(control, { visibilityProperty: true })) {
    inside.named = true;
    return;
  }
  add(state, inside, { element, role: roleOf(control) || "generic", interactive: true, named: true, control });
  inside.named = true;
  inside.interactive = true;
}

function tableRole(state, element, tag, role) {
  if (tag === "table" && role === "table" && isLayout(state, element)) return "";
  if ((tag === "tr" && role === "row") || (tag === "td" && role === "cell")) {
    const table = dom.closest(element, "table");
    if (table && isLayout(state, table)) return "";
  }
  return role;
}

/** Old pages lay out with tables: one without headers that holds forms or tables is no data. */
function isLayout(state, table) {
  let answer = state.layouts.get(table);
  if (answer === undefined) {
    const isSaid = ["role", "border", "summary", "aria-label", "aria-labelledby"].some((name) => dom.hasAttribute(table, name));
    answer = !isSaid && dom.query(table, "th,caption,thead").length === 0 && (dom.query(table, "table,form").length > 0 || dom.tableRows(table).length <= 1);
    state.layouts.set(table, answer);
  }
  return answer;
}

function options(state, element, inside) {
  for (const option of dom.selectOptions(element)) {
    if (++state.elements > ELEMENTS_MAX) {
      state.cut = true;
      return;
    }
    add(state, { ...inside }, { element: option, role: "option", interactive: false, named: true, isOption: true });
  }
}

function frame(state, element, inside) {
  const doc = dom.documentOf(element);
  const inner = doc ? dom.body(doc) : null;
  if (inner) visit(state, inner, { ...inside, block: inner, named: false, interactive: false });
}

function children(state, element, inside) {
  if (dom.isHtml(element, "slot")) {
    const assigned = dom.slotNodes(element, { flatten: true });
    if (assigned.length > 0) {
      for (const node of assigned) child(state, node, inside, element);
      return;
    }
  }
  for (let node = dom.firstChild(dom.shadowRoot(element) ?? element); node; node = dom.nextSibling(node)) {
    child(state, node, inside, element);
    if (state.cut) return;
  }
}

function child(state, node, inside, element) {
  const type = dom.nodeType(node);
  if (type === dom.ELEMENT) visit(state, node, inside);
  else if (type === dom.TEXT && !inside.named && !inside.muted) words(state, node, inside, element);
}

/** Note text that no name holds; runs of one block are one item. */
function words(state, node, inside, element) {
  const text = dom.textContent(node);
  if (text.trim() === "") return;
  const before = state.items.at(-1);
  if (before?.role === "text" && before.block === inside.block && before.parent === inside.parent) {
    if (before.text.length < 4000) before.text += ` ${text}`;
    return;
  }
  add(state, { ...inside }, { element, role: "text", interactive: false, named: true, text, node, block: inside.block });
}
