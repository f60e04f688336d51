/** What can be seen, and where: visibility, boxes in the top viewport, the element at a point. */
import * as dom from "./dom.js";
import { styleOf } from "./names.js";

const SEEN = { visibilityProperty: true };
const FRAMES_DEEP_MAX = 8;

let part = null;

/** Set which part of this viewport is in view, [left, top, right, bottom]; null is all of it. */
export function setPart(given) {
  part = Array.isArray(given) ? given.map(Number) : null;
}

/** Return the part of this viewport that is in view. */
export function viewPart() {
  return part ?? [0, 0, innerWidth, innerHeight];
}

/** Return how *element* is shown: "shown", "contents" (no box, its text is), "muted" (its children may be) or "gone". */
export function shown(element) {
  if (dom.checkVisibility(element, SEEN)) return "shown";
  const style = styleOf(element);
  if (style.display === "none") return "gone";
  const isVisibility = style.visibility === "visible";
  if (style.display === "contents") return isVisibility ? "contents" : "muted";
  // A child may undo visibility:hidden; nothing undoes what else hides an element.
  return !isVisibility && dom.checkVisibility(element) ? "muted" : "gone";
}

/** Return the frame element that holds *doc*, null for the top document. */
export function frameOf(doc) {
  try {
    return dom.view(doc)?.frameElement ?? null;
  } catch {
    return null;
  }
}

/** Return how far the document in *frame* stands from its edges: border and padding. */
function inset(frame) {
  const style = styleOf(frame);
  const side = (name) => parseFloat(style[name]) || 0;
  return [dom.clientLeft(frame) + side("paddingLeft"), dom.clientTop(frame) + side("paddingTop")];
}

/** Return [x, y] of the viewport of *doc* in the top viewport. */
export function frameOffset(doc) {
  let [x, y] = [0, 0];
  let frame = doc === document ? null : frameOf(doc);
  for (let deep = 0; frame && deep < FRAMES_DEEP_MAX; deep++) {
    const box = dom.rect(frame);
    const [left, top] = inset(frame);
    x += box.x + left;
    y += box.y + top;
    const outer = dom.ownerDocument(frame);
    frame = outer === document ? null : frameOf(outer);
  }
  return [x, y];
}

/** Return whether *element* is visible and has a size. */
export function isVisible(element) {
  if (!dom.checkVisibility(element, SEEN)) return false;
  const box = dom.rect(element);
  if (box.width <= 0 || box.height <= 0) return false;
  const frame = dom.ownerDocument(element) === document ? null : frameOf(dom.ownerDocument(element));
  return frame ? isVisible(frame) : true;
}

/** Return the deepest element of the top document at (x, y), through shadow roots and frames. */
export function hitAt(x, y) {
  let root = document;
  let met = null;
  for (let deep = 0; deep < 64; deep++) {
    const hit = dom.hitIn(root, x, y);
    if (!hit || hit === met) return met;
    met = hit;
    const inner = dom.isHtml(hit, "iframe") ? dom.documentOf(hit) : null;
    if (inner) {
      const box = dom.rect(hit);
      const [left, top] = inset(hit);
      x -= box.x + left;
      y -= box.y + top;
      root = inner;
    } else {
      const shadow = dom.shadowRoot(hit);
      if (!shadow) return met;
      root = shadow;
    }
  }
  return met;
}

/** Return points of *element* in the top viewport where a click could land, the best first. */
export function pointsOf(element) {
  const [dx, dy] = frameOffset(dom.ownerDocument(element));
  const boxes = [...dom.rects(element)].slice(0, 8).map((box) => visiblePart(box, dx, dy)).filter(Boolean);
  boxes.sort((a, b) => b.width * b.height - a.width * a.height);
  const centres = boxes.map((box) => at(box, 0.5, 0.5));
  const sides = boxes.slice(0, 1).flatMap((box) => [at(box, 0.25, 0.5), at(box, 0.75, 0.5), at(box, 0.5, 0.2), at(box, 0.5, 0.8)]);
  return [...centres, ...sides];
}

function at(box, across, down) {
  return { x: box.x + box.width * across, y: box.y + box.height * down };
}

function visiblePart(box, dx, dy) {
  const [seenLeft, seenTop, seenRight, seenBottom] = viewPart();
  const left = Math.max(box.left + dx, seenLeft);
  const top = Math.max(box.top + dy, seenTop);
  const right = Math.min(box.right + dx, seenRight);
  const bottom = Math.min(box.bottom + dy, seenBottom);
  return right - left > 0 && bottom - top > 0 ? { x: left, y: top, width: right - left, height: bottom - top } : null;
}
