/**
 * Auto-wait: an element is acted upon when it is attached, visible, enabled, at rest and not covered.
 *
 * A wait that ends without that names the condition that failed.
 */
import * as dom from "./dom.js";
import { landsOn, missed } from "./landing.js";
import { Refusal } from "./refusal.js";
import { checkDocument, described, findAll } from "./resolve.js";
import { activated, checkTarget } from "./target.js";
import { hitAt, isVisible, pointsOf, setPart } from "./visible.js";
import { nextFrame, pause } from "./wait.js";

const RETRY_MS = 40;
const AMBIGUOUS_MS_MAX = 500;
// Each try scrolls another way: a sticky header may cover what stands at one edge.
const ALIGNMENTS = ["center", "end", "start", "nearest"];
function isDisabled(element) {
  return (
    dom.matches(element, ":disabled") ||
    dom.closest(element, '[aria-disabled="true"],[inert]') !== null
  );
}

function isReadonly(element) {
  return dom.isReadonly(element) || dom.attribute(element, "aria-readonly") === "true";
}

function boxKey(element) {
  const box = dom.rect(element);
  return `${box.x},${box.y},${box.width},${box.height}`;
}

function clickPoint(element) {
  const points = pointsOf(element);
  if (points.length === 0) return { why: "out_of_view" };
  let covering = "";
  for (const point of points) {
    const hit = hitAt(point.x, point.y);
    if (hit && landsOn(element, hit)) return { point };
    covering ||= missed(element, hit);
  }
  return { why: `covered by ${covering}` };
}

function isOutside(element) {
  const box = dom.rect(element);
  return pointsOf(element).length === 0 || (box.height < innerHeight && (box.top < 0 || box.bottom > innerHeight));
}

async function atRest(element) {
  let before = boxKey(element);
  for (let frames = 0; frames < 2; frames++) {
    await nextFrame();
    const now = boxKey(element);
    if (now !== before) return false;
    before = now;
  }
  return true;
}

/** Return `{point}` when *element* can be acted upon now, else `{why}`. */
async function tried(element, need, round) {
  if (!isVisible(element)) return { why: "not_visible" };
  if (need === "visible") return { point: pointsOf(element)[0] ?? null };
  const control = activated(element);
  if (isDisabled(element) || isDisabled(control)) return { why: "disabled" };
  if (need === "edit" && isReadonly(element)) return { why: "readonly" };
  if (isOutside(element) || round > 0) {
    dom.scrollIntoView(element, { block: ALIGNMENTS[round % ALIGNMENTS.length], inline: "nearest", behavior: "instant" });
  }
  // The keyboard goes where the focus is, wherever that moves: only a press needs the element at rest.
  if (need === "edit") return { point: pointsOf(element)[0] ?? null };
  if (!(await atRest(element))) return { why: "moving" };
  if (!dom.isConnected(element)) return { why: "not_attached" };
  return clickPoint(element);
}

function chosen(arg, waited) {
  const elements = findAll(arg.selector);
  if (arg.need === "click" || arg.need === "edit") {
    if (elements.length <= 1) return elements[0] ?? null;
    if (waited >= AMBIGUOUS_MS_MAX || waited >= arg.timeout_ms) {
      throw new Refusal("ambiguous", `${elements.length} elements match ${arg.selector}`);
    }
    return null;
  }
  return elements.find(isVisible) ?? (arg.need === "attached" ? elements[0] : null) ?? null;
}

function hiddenNow(arg) {
  try {
    return !findAll(arg.selector).some(isVisible);
  } catch (error) {
    if (error instanceof Refusal && error.code === "stale_ref") return true;
    throw error;
  }
}

async function attempt(arg, waited, round) {
  if (arg.need === "hidden") return hiddenNow(arg) ? { gone: true } : { why: "still_visible" };
  const element = chosen(arg, waited);
  if (!element) return { why: arg.need === "visible" && findAll(arg.selector).length > 0 ? "not_visible" : "not_attached" };
  if (arg.need === "attached") return { element, point: pointsOf(element)[0] ?? null };
  return { element, ...(await tried(element, arg.need, round)) };
}

/** Wait until the element is ready for *need*; answer its point and what it is. */
export async function ready(arg) {
  const want = { need: "click", timeout_ms: 10_000, ...arg };
  const started = performance.now();
  let why = "not_attached";
  for (let round = 0; ; ) {
    checkDocument(want);
    setPart(want.part);
    const now = await attempt(want, performance.now() - started, round);
    checkDocument(want);
    if (now.gone) return { count: 0, hidden: true };
    if (!now.why) {
      checkTarget(now.element, want);
      return { x: now.point?.x ?? null, y: now.point?.y ?? null, ...described(now.element, want) };
    }
    why = now.why;
    if (why.startsWith("covered") || why === "out_of_view") round++;
    if (performance.now() - started >= want.timeout_ms) throw new Refusal("timeout", why);
    await pause(RETRY_MS);
  }
}
