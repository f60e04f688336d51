/**
 * The snapshot: the page as a bounded tree of what it says and offers.
 *
 * Over the limit, what is in the viewport comes first; a cursor continues with what was not shown yet.
 */
import * as dom from "./dom.js";
import { focused } from "./edit.js";
import { completenessOf, Gauge } from "./gauge.js";
import { Eye } from "./hidden.js";
import { label, textNode } from "./labels.js";
import { isMasked } from "./masks.js";
import { isEditingHost, nameOf, textOf } from "./names.js";
import { chosenLabels } from "./options.js";
import { Refusal } from "./refusal.js";
import { highest, refOf } from "./refs.js";
import { checkDocument, documentId, findOne } from "./resolve.js";
import { isForeign, ownerOf } from "./frames.js";
import { asksRows, rowCount, rowNumber, rowsAsked } from "./rows.js";
import { isPassword, isSecret, MASK, maskedAddress, masker, tellable } from "./secrets.js";
import { selectorOf } from "./selectors.js";
import { line } from "./text.js";
import { frameOffset, viewPart } from "./visible.js";
import { walk } from "./walk.js";

const SERIES_MAX = 8;
// The pipe bounds JSON depth; a level of the tree costs two.
const TREE_DEPTH_MAX = 20;
const FILTER_TEXT_CHARS_MAX = 2000;
const NODES = /^nodes=(\d{1,7})(?:-(\d{1,7}))?$/;
const NAMELESS = new Set(["row", "list", "table", "grid", "rowgroup", "listitem", "treegrid"]);
const NAMING = ["aria-label", "aria-labelledby", "title"];

let generation = 0;
let seriesLast = 0;
const series = new Map();

/** What one answer shares between its nodes. */
export class Lens {
  constructor(chars) {
    this.chars = chars;
    this.mask = masker();
    this.eye = new Eye();
    this.focused = focused();
    this.offsets = new Map();
    this.rows = new Map();
  }

  /** Return the box of *item* in the top viewport. */
  box(item) {
    if (item.box) return item.box;
    const doc = dom.ownerDocument(item.element);
    if (!this.offsets.has(doc)) this.offsets.set(doc, frameOffset(doc));
    const [dx, dy] = this.offsets.get(doc);
    const box = item.node ? textBox(doc, item.node) : dom.rect(item.element);
    item.box = [box.x + dx, box.y + dy, box.width, box.height].map((side) => Math.round(side) + 0);
    return item.box;
  }

  /** Return whether *item* is at least partly in the viewport. */
  inView(item) {
    const [x, y, width, height] = this.box(item);
    const [left, top, right, bottom] = viewPart();
    return width > 0 && height > 0 && x < right && y < bottom && x + width > left && y + height > top;
  }
}

function textBox(doc, node) {
  const range = dom.createRange(doc);
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

/** Answer the tree of the page, or of one element of it. */
export function snapshot(arg) {
  checkDocument(arg);
  const limit = Math.max(1, Math.min(Number(arg.limit) || 300, 5000));
  const root = arg.selector ? findOne(arg.selector) : (dom.body() ?? dom.documentElement());
  const met = root ? (rowsAsked(root, arg.filter) ?? walk(root)) : { items: [], cut: false, gauge: new Gauge() };
  // After the walk, which may have met a password field in a shadow root or frame.
  const lens = new Lens(Math.max(1, Number(arg.name_chars) || 200));
  const items = filtered(met.items, arg.filter);
  const shownBefore = continued(arg.cursor);
  const rest = items.filter((item) => !shownBefore.has(item.node ?? item.element));
  const chosen = choose(rest, limit, lens);
  const left = rest.length - rest.filter((item) => chosen.has(item)).length;
  const gauged = met.gauge.answer();
  generation += 1;
  return {
    ...gauged,
    nodes: tree(met.items, chosen, lens),
    total: items.length,
    highest: highest(),
    truncated: left > 0 || met.cut || rest.length < items.length,
    cursor: left > 0 ? remember(arg.cursor, shownBefore, chosen) : null,
    page: {
      url: maskedAddress(location.href.toWellFormed()),
      origin: location.origin,
      title: lens.mask(line(dom.title(), 200)),
      document_id: documentId,
      generation,
      missed: gauged.missed,
      completeness: completenessOf(gauged),
      visual: gauged.visual,
    },
  };
}

function continued(cursor) {
  if (cursor === undefined || cursor === null || cursor === "") return new WeakSet();
  const before = series.get(String(cursor));
  if (!before) throw new Refusal("stale_cursor", "this list is no longer kept; take a new snapshot");
  return before;
}

/** Keep what was shown, so that the next page continues even if the page has changed. */
function remember(cursor, before, chosen) {
  const key = cursor || `c${++seriesLast}`;
  for (const item of chosen) before.add(item.node ?? item.element);
  series.delete(key);
  series.set(key, before);
  if (series.size > SERIES_MAX) series.delete(series.keys().next().value);
  return key;
}

/** Return the first *limit* items, open dialogs and what is in view before others, each with its ancestors. */
function choose(items, limit, lens) {
  const chosen = new Set();
  let order = items;
  if (items.length > limit) {
    const [front, near, far] = [[], [], []];
    for (const item of items) (!lens.inView(item) ? far : item.front ? front : near).push(item);
    order = [...front, ...near, ...far];
  }
  for (const item of order) {
    const missing = [];
    for (let each = item; each && !chosen.has(each); each = each.parent) missing.push(each);
    if (chosen.size + missing.length > limit && chosen.size > 0) {
      if (missing.length > 1) continue;
      break;
    }
    for (const each of missing) chosen.add(each);
  }
  return chosen;
}

function filtered(items, filter) {
  if (filter === undefined || filter === null || filter === "" || asksRows(filter)) return items;
  const [, first, last] = NODES.exec(filter) ?? [];
  if (first !== undefined) return items.slice(Math.max(0, Number(first) - 1), Number(last ?? first));
  if (filter === "interactive") return items.filter((item) => item.interactive);
  const role = /^role=([a-z]+)$/.exec(filter)?.[1];
  if (role) return items.filter((item) => item.role === role);
  const wanted = String(filter).toLowerCase();
  const hits = new Set(items.filter((item) => saysIt(item, wanted)));
  const rows = new Set([...hits].map(rowOf).filter(Boolean));
  return items.filter((item) => hits.has(item) || rows.has(rowOf(item)));
}

function rowOf(item) {
  for (let each = item; each; each = each.parent) if (each.role === "row") return each;
  return null;
}

function saysIt(item, wanted) {
  const { element } = item;
  const words = [item.text ?? ""];
  if (!item.node && (item.named || item.interactive)) {
    const content = dom.textContent(element) ?? "";
    if (content.length <= FILTER_TEXT_CHARS_MAX) words.push(content);
  }
  for (const name of ["aria-label", "title", "placeholder", "alt"]) words.push(item.node ? "" : (dom.attribute(element, name) ?? ""));
  if (dom.isHtml(element, "select")) words.push(...chosenLabels(element));
  else if ((dom.isHtml(element, "input") || dom.isHtml(element, "textarea")) && !isSecret(element)) words.push(dom.valueOf(element));
  const mask = masker();
  // Asked often enough, a filter over what is masked would spell it out.
  return !isMasked(element) && words.some((each) => mask(each).replace(/\s+/g, " ").toLowerCase().includes(wanted));
}

function tree(items, chosen, lens) {
  const top = [];
  const places = new Map();
  for (const item of items) {
    if (!chosen.has(item)) continue;
    const above = item.parent ? places.get(item.parent) : null;
    const siblings = above ? above.children : top;
    const node = nodeOf(item, lens);
    siblings.push(node);
    const deep = (above?.deep ?? 0) + 1;
    // Past the bound the children stand beside their parent: flat, but none is lost.
    places.set(item, deep < TREE_DEPTH_MAX ? { children: (node.children ??= []), deep } : { children: siblings, deep: deep - 1 });
  }
  return top.map(withoutEmpty);
}

function withoutEmpty(node) {
  if (node.children?.length) node.children = node.children.map(withoutEmpty);
  else delete node.children;
  return node;
}

/** Return the node of *item*. */
export function nodeOf(item, lens) {
  const { element, role } = item;
  const node = { role, name: "", bounds: lens.box(item) };
  if (item.text !== undefined) return textNode(item, node, lens);
  const said = nodeName(item);
  const name = lens.mask(said);
  node.name = name.length > lens.chars ? line(name, lens.chars) : name;
  const control = item.control ?? element;
  const isCovered = isMasked(control);
  const value = valueFor(control, role, lens);
  if (value !== null) node.value = isCovered && value ? MASK : value;
  if (!isCovered) label(node, item, said, lens);
  const checked = isCovered ? null : checkedFor(control, role);
  if (checked !== null) node.checked = checked;
  if (element === lens.focused || control === lens.focused) node.focused = true;
  if (role === "table" || role === "grid" || role === "treegrid") node.row_count = rowCount(element);
  const number = role === "row" ? rowNumber(element, lens.rows) : 0;
  if (Number.isSafeInteger(number) && number > 0) node.row = number;
  const isFrame = isForeign(control);
  if (isFrame && !isCovered) node.owner = ownerOf(control);
  if (!item.interactive && !isFrame) return node;
  if (dom.matches(control, ":disabled") || dom.closest(control, '[aria-disabled="true"],[inert]')) node.disabled = true;
  const selector = selectorOf(element);
  // A password may stand in an attribute; then the ref must do.
  if (selector !== null && !isCovered && lens.mask(selector) === selector) node.selector = selector;
  node.ref = refOf(element, role, name);
  return node;
}

/** Return the name under which *item* is shown. */
export function nodeName(item) {
  const { element, role } = item;
  if (item.isOption) return isMasked(element) ? MASK : line(dom.optionLabel(element), 300);
  if (NAMELESS.has(role) && !item.named && !dom.isHtml(element, "table") && !NAMING.some((name) => dom.hasAttribute(element, name))) return "";
  if (!item.named && !item.interactive && (role === "cell" || role === "gridcell")) return "";
  if (item.control) return nameOf(item.control) || textOf(element);
  return nameOf(element) || (item.named && (role === "generic" || role === "listitem") ? textOf(element) : "");
}

function valueFor(element, role, lens) {
  const tag = dom.localName(element);
  if (dom.isHtml(element, "select")) return line(tellable(element, chosenLabels(element).join(", ")), lens.chars);
  if (dom.isHtml(element, "textarea")) return line(tellable(element, dom.valueOf(element)), lens.chars);
  if (dom.isHtml(element, "input")) {
    const isStated = !isPassword(element) && ["button", "checkbox", "radio", "switch"].includes(role);
    return isStated ? null : line(tellable(element, dom.valueOf(element)), lens.chars);
  }
  if (isEditingHost(element)) return lens.mask(textOf(element, lens.chars));
  if (tag === "progress" || tag === "meter") return Number.isFinite(parseFloat(dom.attribute(element, "value"))) ? String(parseFloat(dom.attribute(element, "value"))) : null;
  const said = dom.attribute(element, "aria-valuetext") ?? dom.attribute(element, "aria-valuenow");
  return said === null ? null : lens.mask(line(said, lens.chars));
}

function checkedFor(element, role) {
  if (dom.isHtml(element, "input") && ["checkbox", "radio"].includes(dom.inputType(element))) return dom.inputChecked(element);
  if (dom.isHtml(element, "option")) return dom.optionSelected(element);
  for (const name of ["aria-checked", "aria-pressed"]) {
    const said = dom.attribute(element, name);
    if (said !== null) return said === "true";
  }
  if (!["option", "tab", "treeitem", "row", "gridcell"].includes(role)) return null;
  const selected = dom.attribute(element, "aria-selected");
  return selected === null ? null : selected === "true";
}
