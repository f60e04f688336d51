/**
 * The walk: which elements of the flat tree a snapshot may show, in document order.
 *
 * Cheap on purpose: it reads tags, attributes and visibility; names and boxes are for what is shown.
 */
import { isListened, listenedNow } from "./assist.js";
import * as dom from "./dom.js";
import { Gauge } from "./gauge.js";
import { CONTENT_NAMED, isEditingHost, isLeafLike, roleOf, styleOf } from "./names.js";
import { isSecret } from "./secrets.js";
import { shown } from "./visible.js";

export const ELEMENTS_MAX = 50_000;
const DEPTH_MAX = 700;
const POINTED_SHAPES_MAX = 300;
const INSIDE_MAX = 50;

const SKIPPED = new Set(
  `script style noscript template head meta link object embed base param track source
  defs desc title symbol clipPath mask pattern linearGradient radialGradient marker filter metadata`.split(/\s+/),
);
/** What an SVG is drawn with; only what can be pressed of it is met. */
const SHAPES = new Set("path rect circle line polyline polygon ellipse use image".split(" "));
const UNKEPT = new Set(
  `generic none presentation rowgroup paragraph strong emphasis code superscript subscript insertion deletion term
  definition mark time blockquote legend caption document directory suggestion`.split(/\s+/),
);
/** What a page puts before everything else. */
const FRONT = new Set(["dialog", "alertdialog", "alert"]);
const INLINE = new Set(
  "a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tspan u var wbr".split(" "),
);
export const INTERACTIVE =
  "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio]," +
  "[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=switch],[role=combobox]," +
  "[role=textbox],[role=searchbox],[role=slider],[role=spinbutton],[role=treeitem],[onclick],[tabindex]:not([tabindex^='-'])";

/** One walk: the items met, and whether a bound cut it short. */
class Walk {
  constructor() {
    this.items = [];
    this.elements = 0;
    this.shapes = 0;
    this.cut = false;
    this.gauge = new Gauge();
    this.listened = listenedNow();
  }
}

const OUTSIDE = { parent: null, named: false, muted: false, pointer: false, interactive: false, native: false, press: null, deep: 0 };

/** Return the items under *root*: `{element, role, parent, interactive, named, text?}`. */
export function walk(root) {
  const state = new Walk();
  visit(state, root, { ...OUTSIDE, block: root });
  return state;
}

/** Return the items of *rows* alone, under *table* that holds them. */
export function walkRows(table, rows) {
  const state = new Walk();
  const inside = { ...OUTSIDE, block: table };
  add(state, inside, { element: table, role: roleOf(table) || "table", interactive: false, named: false });
  for (const row of rows) visit(state, row, inside);
  return state;
}

function visit(state, element, around) {
  if (++state.elements > ELEMENTS_MAX || around.deep > DEPTH_MAX) {
    state.cut = true;
    return;
  }
  const tag = dom.localName(element);
  if (SHAPES.has(tag) && !isPressedShape(state, element, tag, around)) return;
  if (SKIPPED.has(tag) || dom.attribute(element, "aria-hidden") === "true") return;
  if (dom.isHtml(element, "input")) {
    if (dom.inputType(element) === "hidden") return;
    isSecret(element);
  }
  const look = shown(element);
  if (look === "gone") return;
  const inside = { ...around, deep: around.deep + 1, muted: look === "muted", block: INLINE.has(tag) ? around.block : element };
  if (look === "shown") keep(state, element, tag, inside);
  if (tag === "select") options(state, element, inside);
  else if (tag === "iframe") frame(state, element, inside);
  else if (tag !== "textarea" && !isEditingHost(element)) children(state, element, inside);
}

/** Note *element* when it says something, and change *inside* for what stands below it. */
function keep(state, element, tag, inside) {
  if (tag === "label") return label(state, element, inside);
  if (tag === "legend" || tag === "caption") inside.named = true;
  let role = roleOf(element);
  const isPointer = !inside.pointer && isPointed(element, tag);
  const isNative = dom.matches(element, INTERACTIVE) || isEditingHost(element);
  const isOwn = isPressed(state, element);
  // The mouse pointer alone says that something is pressed here, not that it is this: what listens in it is.
  const isHinted = isPointer && !inside.interactive && !(state.listened.around.has(element) && !isListened(element));
  const interactive = isNative || (isOwn && !inside.native) || isHinted;
  inside.pointer ||= isPointer;
  if (UNKEPT.has(role)) role = "";
  if (isDrawing(tag)) state.gauge.draw(element, interactive);
  if (!role && !interactive) return undefined;
  if (role === "img" && !isNameless(element)) state.gauge.say(inside.press);
  // A picture inside a name is already said by it, one without a name says nothing.
  if (role === "img" && !interactive && (inside.named || isNameless(element))) return undefined;
  const isByContent = role !== "" && CONTENT_NAMED.has(role);
  const named = isByContent ? interactive || isLeafLike(element) : (!role || (role === "listitem" && interactive)) && isLeafLike(element);
  add(state, inside, { element, role: role || "generic", interactive, named });
  inside.named ||= named;
  inside.interactive ||= interactive;
  inside.native ||= isNative;
  return undefined;
}

function isDrawing(tag) {
  return tag === "canvas" || tag === "svg" || tag === "img";
}

/** Return whether the page listens for presses on *element*, and nothing in it stands for them. */
function isPressed(state, element) {
  if (state.listened.count === 0 || !isListened(element)) return false;
  // What holds others that listen is one of them only as a row of words is: a panel only hears what they let through.
  if (state.listened.around.has(element) && !(isLeafLike(element) && saysMore(element))) return false;
  const controls = Array.prototype.slice.call(dom.query(element, INTERACTIVE), 0, INSIDE_MAX);
  return !controls.some((control) => dom.checkVisibility(control)) && !holdsMost(element);
}

/** Return whether no single element in *element* that listens too says all of its words. */
function saysMore(element) {
  const words = (each) => (dom.textContent(each) ?? "").trim();
  const inner = Array.prototype.slice.call(dom.descendants(element, "*"), 0, INSIDE_MAX).filter(isListened);
  return inner.every((each) => words(each) !== words(element));
}

/** A root of the page hears the presses of everything in it; it is no control itself. */
function holdsMost(element) {
  if (isLeafLike(element)) return false;
  const all = dom.descendants(dom.documentElement(dom.ownerDocument(element)), "*").length;
  return dom.descendants(element, "*").length * 2 > all;
}

function isPressedShape(state, element, tag, around) {
  if (dom.inHtml(element) || isListened(element) || dom.matches(element, INTERACTIVE)) return true;
  return !around.pointer && ++state.shapes <= POINTED_SHAPES_MAX && isPointed(element, tag);
}

function add(state, inside, item) {
  item.parent = inside.parent;
  item.front = inside.parent?.front || FRONT.has(item.role);
  state.items.push(item);
  inside.parent = item;
  if (item.interactive) inside.press = state.gauge.press(item, inside.press);
}

function isNameless(picture) {
  return dom.isHtml(picture, "img") && !["alt", "aria-label", "aria-labelledby", "title"].some((name) => dom.attribute(picture, name));
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
  else if (type === dom.TEXT && !inside.muted) words(state, node, inside, element);
}

/** Note text that no name holds; runs of one block are one item. */
function words(state, node, inside, element) {
  if (inside.named && !state.gauge.isSilent(inside.press)) return;
  const text = dom.textContent(node);
  if (text.trim() === "") return;
  state.gauge.say(inside.press);
  if (inside.named) return;
  const before = state.items.at(-1);
  if (before?.role === "text" && before.block === inside.block && before.parent === inside.parent) {
    if (before.text.length < 4000) {
      before.text += ` ${text}`;
      before.nodes.push(node);
    }
    return;
  }
  add(state, { ...inside }, { element, role: "text", interactive: false, named: true, text, node, nodes: [node], block: inside.block });
}
