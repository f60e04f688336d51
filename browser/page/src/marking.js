/**
 * Where the controls in view stand in a picture: the box of each that a person can see and press.
 *
 * Rule: nothing in the page is touched. What is covered, scrolled out of its container or without area has no box.
 */
import * as dom from "./dom.js";
import { frameElement } from "./frames.js";
import { missed } from "./landing.js";
import { styleOf } from "./names.js";
import { checkDocument, documentId, found } from "./resolve.js";
import { serialOf } from "./refs.js";
import { selectorOf } from "./selectors.js";
import { Lens, nodeOf } from "./snapshot.js";
import { activated } from "./target.js";
import { frameOf, frameOffset, hitAt, viewPart } from "./visible.js";
import { walk } from "./walk.js";

const SIDE_MIN = 3;
const RECTS_MAX = 8;
const TEXTS_MAX = 60;
// A link as wide as the page is boxed by its words.
const WIDE_PX = 320;
const DRAWN = "button,input,select,textarea,img,canvas,svg,video,summary,table,tr,td,th,[role=row],[contenteditable]";
const POINTS = [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.2], [0.5, 0.8], [0.05, 0.1], [0.95, 0.9]];
const EVERYWHERE = [-1e9, -1e9, 1e9, 1e9];

let last = [];

/**
 * Answer the controls in view, at most `limit`, each as a node with its `box`; `more` counts the others.
 *
 * `owners` are frames of another origin whose selectors are wanted as well.
 */
export function marking(arg) {
  checkDocument(arg);
  const limit = Math.max(0, Number(arg.limit) || 0);
  const sight = new Sight();
  const root = dom.body() ?? dom.documentElement();
  const items = (root ? walk(root).items : []).filter((item) => item.interactive);
  const met = items.map((item) => ({ item, box: sight.boxOf(item.element) })).filter(({ box }) => box !== null);
  const single = withoutDoubles(met);
  const shown = single.slice(0, limit);
  last = shown.map(({ item }) => new WeakRef(item.element));
  const lens = new Lens(Math.max(1, Number(arg.name_chars) || 200));
  return {
    ...viewport(),
    nodes: shown.map(({ item, box }) => ({ ...nodeOf(item, lens), box: rounded(box) })),
    more: single.length - shown.length,
    frames: framesHere(arg.owners ?? [], lens),
  };
}

/** Answer the boxes of the controls of the last answer as they are now, null for one that is gone. */
export function marked(arg) {
  checkDocument(arg);
  const sight = new Sight();
  const boxes = last.map((each) => {
    const element = each.deref();
    const box = element && dom.isConnected(element) ? sight.boxOf(element) : null;
    return box && rounded(box);
  });
  return { ...viewport(), boxes };
}

/** Scroll the element of *arg* into view when it is not, and answer its box and the number of its control. */
export function elementBox(arg) {
  const element = found(arg);
  const doc = dom.ownerDocument(element);
  if (!isInside(element)) dom.scrollIntoView(element, { block: "center", inline: "nearest", behavior: "instant" });
  return { box: rounded(moved(sides(dom.rect(element)), frameOffset(doc))), serial: serialOf(activated(element)) };
}

/** Answer for each of *points* of this viewport whether something lies over the frame with element *owner* there. */
export function overFrame({ owner, points }) {
  const element = frameElement(owner);
  return { over: points.map(([x, y]) => element === null || missed(element, hitAt(x, y)) !== "") };
}

/** Answer which document this is and how large its viewport. */
export function viewport(arg = {}) {
  checkDocument(arg);
  return { document_id: documentId, origin: location.origin, width: innerWidth, height: innerHeight };
}

function isInside(element) {
  const box = moved(sides(dom.rect(element)), frameOffset(dom.ownerDocument(element)));
  return isArea(box) && intersection(box, viewPart()).every((side, place) => Math.abs(side - box[place]) < 1);
}

/** Return the selector of each frame whose number is in *owners*. */
function framesHere(owners, lens) {
  const selectors = {};
  for (const owner of owners) {
    const element = frameElement(owner);
    const selector = element && selectorOf(element);
    if (selector && lens.mask(selector) === selector) selectors[owner] = selector;
  }
  return selectors;
}

function rounded([left, top, right, bottom]) {
  const [x, y] = [Math.round(left), Math.round(top)];
  return [x, y, Math.max(1, Math.round(right) - x), Math.max(1, Math.round(bottom) - y)];
}

/** What one answer knows of clipping: each ancestor is looked at once. Boxes are [left, top, right, bottom]. */
class Sight {
  constructor() {
    this.clips = new Map();
    this.windows = new Map();
    this.offsets = new Map();
  }

  /** Return the part of *element* that can be seen and pressed, in the top viewport; null when there is none. */
  boxOf(element) {
    const doc = dom.ownerDocument(element);
    if (!this.offsets.has(doc)) this.offsets.set(doc, frameOffset(doc));
    const offset = this.offsets.get(doc);
    const whole = moved(sides(shape(element)), offset);
    const seen = intersection(whole, this.window(doc));
    if (!isArea(seen)) return null;
    const parent = dom.flatParent(element);
    const clipped = parent ? intersection(seen, moved(this.clip(parent), offset)) : seen;
    // What is positioned past its container is not cut by it; then the press decides alone.
    const box = isArea(clipped) ? clipped : seen;
    return canPress(element, box) ? box : null;
  }

  /** Return what of *doc* is in view: its frame may be cut by the documents around it. */
  window(doc) {
    if (doc === document) return viewPart();
    if (this.windows.has(doc)) return this.windows.get(doc);
    const frame = frameOf(doc);
    let seen = [0, 0, 0, 0];
    if (frame) {
      const outer = dom.ownerDocument(frame);
      const parent = dom.flatParent(frame);
      const offset = frameOffset(outer);
      const around = intersection(this.window(outer), parent ? moved(this.clip(parent), offset) : EVERYWHERE);
      seen = intersection(moved(sides(dom.rect(frame)), offset), around);
    }
    this.windows.set(doc, seen);
    return seen;
  }

  /** Return the box, in its own document, that *element* and everything around it leave to its children. */
  clip(element) {
    const known = this.clips.get(element);
    if (known) return known;
    const parent = dom.flatParent(element);
    let clip = parent ? this.clip(parent) : EVERYWHERE;
    const style = styleOf(element);
    if (style.position === "fixed") clip = EVERYWHERE;
    const isRoot = dom.isHtml(element, "html") || dom.isHtml(element, "body");
    if (!isRoot && (style.overflowX !== "visible" || style.overflowY !== "visible")) clip = intersection(clip, sides(dom.rect(element)));
    this.clips.set(element, clip);
    return clip;
  }
}

/** Return what of *element* a box is drawn around: its largest line, or the words of a wide block. */
function shape(element) {
  const lines = Array.prototype.slice.call(dom.rects(element), 0, RECTS_MAX);
  const rect = lines.length > 1 ? lines.reduce((best, each) => (area(each) > area(best) ? each : best)) : dom.rect(element);
  if (rect.width < WIDE_PX || dom.matches(element, DRAWN) || isPainted(element)) return rect;
  return wordsBox(element) ?? rect;
}

function area(rect) {
  return rect.width * rect.height;
}

function isPainted(element) {
  const style = styleOf(element);
  const isClear = style.backgroundColor === "rgba(0, 0, 0, 0)" && style.backgroundImage === "none";
  return !isClear || (style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0 && style.borderLeftStyle !== "none");
}

/** Return the box around the words and pictures in *element*, null when it has none or too many. */
function wordsBox(element) {
  const doc = dom.ownerDocument(element);
  const boxes = [];
  const visit = (node, deep) => {
    if (boxes.length > TEXTS_MAX || deep > 40) return;
    const type = dom.nodeType(node);
    if (type === dom.TEXT && dom.textContent(node).trim()) {
      const range = dom.createRange(doc);
      range.selectNodeContents(node);
      boxes.push(range.getBoundingClientRect());
    } else if (type === dom.ELEMENT) {
      if (dom.matches(node, DRAWN)) boxes.push(dom.rect(node));
      else for (const child of dom.flatChildren(node)) visit(child, deep + 1);
    }
  };
  visit(element, 0);
  const drawn = boxes.filter((box) => box.width > 0 && box.height > 0).map(sides);
  if (drawn.length === 0 || boxes.length > TEXTS_MAX) return null;
  const [left, top, right, bottom] = drawn.reduce((a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function sides(rect) {
  return [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height];
}

function moved([left, top, right, bottom], [dx, dy]) {
  return [left + dx, top + dy, right + dx, bottom + dy];
}

function intersection(a, b) {
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
}

function isArea([left, top, right, bottom]) {
  return right - left >= SIDE_MIN && bottom - top >= SIDE_MIN;
}

function canPress(element, [left, top, right, bottom]) {
  return POINTS.some(([across, down]) => missed(element, hitAt(left + (right - left) * across, top + (bottom - top) * down)) === "");
}

/** Leave out what has nearly the box of a control around it or in it: one control is marked once. */
function withoutDoubles(met) {
  const places = new Map(met.map((each) => [each.item.element, each]));
  const dropped = new Set();
  for (const inner of met) {
    for (let current = dom.flatParent(inner.item.element), deep = 0; current && deep < 6; current = dom.flatParent(current), deep++) {
      const outer = places.get(current);
      if (!outer || dropped.has(outer) || !isSame(inner.box, outer.box)) continue;
      // Of the two the one with a role of its own says more.
      dropped.add(outer.item.role === "generic" || outer.item.role === "" ? outer : inner);
    }
  }
  return met.filter((each) => !dropped.has(each));
}

function isSame(a, b) {
  const common = intersection(a, b);
  if (!isArea(common)) return false;
  const size = ([left, top, right, bottom]) => (right - left) * (bottom - top);
  return size(common) > 0.8 * Math.max(size(a), size(b));
}
