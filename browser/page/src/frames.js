/**
 * Frames of another origin: which elements hold one, and where their documents stand in this viewport.
 *
 * The host finds the document of such an element; its own bundle answers for what is in it.
 */
import * as dom from "./dom.js";
import { Refusal } from "./refusal.js";
import { serialOf } from "./refs.js";
import { frameOffset, setPart, viewPart } from "./visible.js";

const OWNERS_MAX = 60;
const NODES_MAX = 50_000;

const owners = new Map();

/** Return whether *element* holds a document that this one cannot reach. */
export function isForeign(element) {
  return dom.isHtml(element, "iframe") && dom.documentOf(element) === null;
}

/** Return the number of *element*, a frame of another origin, under which the host may ask for it. */
export function ownerOf(element) {
  const number = serialOf(element);
  owners.set(number, new WeakRef(element));
  return number;
}

function owner(number) {
  const element = owners.get(number)?.deref();
  return element && dom.isConnected(element) ? element : null;
}

/** Return the element of number *n* itself: the host asks the browser which frame it holds. */
export function frameElement(number) {
  return owner(number);
}

/** Answer the numbers of all frames of another origin in this document, through open roots and frames. */
export function frameOwners() {
  const found = [];
  let seen = 0;
  const visit = (root) => {
    for (const element of dom.query(root, "*")) {
      if (found.length >= OWNERS_MAX || ++seen > NODES_MAX) return;
      if (isForeign(element)) found.push(ownerOf(element));
      const inner = dom.shadowRoot(element) ?? (dom.isHtml(element, "iframe") ? dom.documentOf(element) : null);
      if (inner) visit(inner);
    }
  };
  visit(document);
  return { owners: found };
}

/**
 * Answer where the document in a frame starts in this viewport, and which part of it is in view.
 *
 * `part` is the visible part of this document itself, when it stands in a frame.
 */
export function frameBox({ owner: number, reveal, part }) {
  const element = owner(number);
  if (!element) throw new Refusal("not_found", "the frame left the page");
  setPart(part);
  if (reveal) dom.scrollIntoView(element, { block: "nearest", inline: "nearest", behavior: "instant" });
  const [dx, dy] = frameOffset(dom.ownerDocument(element));
  const box = dom.rect(element);
  const style = getComputedStyle(element);
  const side = (name) => parseFloat(style[name]) || 0;
  const x = box.x + dx + dom.clientLeft(element) + side("paddingLeft");
  const y = box.y + dy + dom.clientTop(element) + side("paddingTop");
  const width = dom.clientWidth(element) - side("paddingLeft") - side("paddingRight");
  const height = dom.clientHeight(element) - side("paddingTop") - side("paddingBottom");
  const [left, top, right, bottom] = viewPart();
  return {
    x,
    y,
    left: Math.max(0, left - x),
    top: Math.max(0, top - y),
    right: Math.min(width, right - x),
    bottom: Math.min(height, bottom - y),
  };
}
