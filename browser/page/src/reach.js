/** Whether any scrolling brings a box into view: not what lies before the start of its page or container. */
import * as dom from "./dom.js";
import { styleOf } from "./names.js";
import { frameOf } from "./visible.js";

const TINY_PX = 2;
const PAGE = "page";
const WINDOW = "window";

/** Return whether *box*, of something in *home*, is out of reach; *eye* keeps what was found on the way. */
export function isAway(eye, box, home) {
  return isAwayFrom(eye, box, clipOf(eye, home), home);
}

function isAwayFrom(eye, box, clip, home) {
  const doc = dom.ownerDocument(home);
  if (clip === PAGE) return isBeforePage(box, doc) || isFrameAway(eye, doc);
  if (clip === WINDOW) return isOutOfWindow(box, doc) || isFrameAway(eye, doc);
  return isCutBy(box, clip, home) || clip.isAway;
}

/** Return what cuts the children of *element*: the nearest container that clips, the page, or for what is fixed the window. */
function clipOf(eye, element) {
  let clip = eye.clips.get(element);
  if (clip === undefined) eye.clips.set(element, (clip = clipping(eye, element)));
  return clip;
}

function clipping(eye, element) {
  const style = styleOf(element);
  const isRoot = dom.isHtml(element, "html") || dom.isHtml(element, "body");
  if (!isRoot && (style.overflowX !== "visible" || style.overflowY !== "visible") && style.display !== "inline" && style.display !== "contents") {
    const box = dom.rect(element);
    const clip = { element, box, style, left: dom.scrollLeft(element), top: dom.scrollTop(element), isAway: false };
    clip.isAway = isAwayFrom(eye, box, around(eye, element, style), element);
    return clip;
  }
  return around(eye, element, style);
}

/** Return what cuts *element* itself: what is positioned is held by the next that holds positioned ones. */
function around(eye, element, style) {
  const isFixed = style.position === "fixed";
  let parent = dom.flatParent(element);
  if (isFixed || style.position === "absolute") {
    while (parent && !holds(styleOf(parent), isFixed)) parent = dom.flatParent(parent);
  }
  if (parent) return clipOf(eye, parent);
  return isFixed ? WINDOW : PAGE;
}

function holds(style, isFixed) {
  if (!isFixed && style.position !== "static") return true;
  return style.transform !== "none" || style.filter !== "none" || style.perspective !== "none" || /transform|filter|perspective/.test(style.willChange) || /paint|layout|strict|content/.test(style.contain);
}

function isBeforePage(box, doc) {
  const root = dom.documentElement(doc);
  const style = styleOf(root);
  if (style.writingMode !== "horizontal-tb") return false;
  const { scrollX, scrollY } = dom.view(doc);
  if (box.bottom + scrollY <= 0) return true;
  return style.direction === "rtl" ? box.left + scrollX >= dom.clientWidth(root) : box.right + scrollX <= 0;
}

function isOutOfWindow(box, doc) {
  const { innerWidth: width, innerHeight: height } = dom.view(doc);
  return box.right <= 0 || box.bottom <= 0 || box.left >= width || box.top >= height;
}

function isFrameAway(eye, doc) {
  const frame = frameOf(doc);
  if (!frame) return false;
  const box = dom.rect(frame);
  return box.width <= 1 || box.height <= 1 || isAwayFrom(eye, box, around(eye, frame, styleOf(frame)), frame);
}

function isCutBy(box, { box: frame, style, left, top }, home) {
  if ((style.overflowX !== "visible" && frame.width <= TINY_PX) || (style.overflowY !== "visible" && frame.height <= TINY_PX)) return true;
  if (isClipped(style.overflowX) && (box.right <= frame.left || box.left >= frame.right)) return true;
  if (isClipped(style.overflowY) && (box.bottom <= frame.top || box.top >= frame.bottom)) return true;
  // An indent pushes words out on either side.
  if (style.overflowX === "hidden" && box.left >= frame.right && parseFloat(styleOf(home).textIndent) !== 0) return true;
  if (style.writingMode !== "horizontal-tb" || style.flexDirection.endsWith("reverse")) return false;
  if (style.overflowY !== "visible" && box.bottom - frame.top + top <= 0) return true;
  return style.overflowX !== "visible" && style.direction !== "rtl" && box.right - frame.left + left <= 0;
}

function isClipped(overflow) {
  return overflow === "clip";
}
