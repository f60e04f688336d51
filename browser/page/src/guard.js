/**
 * The click guard: while our own click is under way, no press reaches anything but the approved element.
 *
 * It stands in every frame, before the page's own listeners. What it judges is known by time: an event made before
 * the guard's end is judged, however late it comes; what a person does afterwards is not. So it ends by itself.
 */
import * as dom from "./dom.js";
import { focused, hasFocusFor, keyReady } from "./edit.js";
import { defaultButton } from "./keys.js";
import { landsOn, pressed, shortly } from "./landing.js";
import { Refusal } from "./refusal.js";
import { described, found } from "./resolve.js";
import { checkTarget, wayUp } from "./target.js";

const DROPS = ["dragenter", "dragover", "drop"];
const JUDGED = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu", ...DROPS];
const RELEASES = new Set(["pointerup", "mouseup", ...DROPS]);
const KEYS = ["keydown", "keypress", "keyup"];
// A frame that prevents this takes the drop.
const TAKES = new Set(["dragenter", "dragover"]);
const ARMED_MS = 5000;

let aimed = null;
watch();

function watch() {
  // Given again it changes nothing, unless document.open() took it away.
  for (const type of [...JUDGED, ...KEYS]) dom.listen(window, type, judge, { capture: true, passive: false });
}

function judge(event) {
  if (!aimed || !event.isTrusted || event.timeStamp > aimed.until) return;
  const isKey = KEYS.includes(event.type);
  if (isKey && !aimed.keys) return; // somebody types while we click
  const hit = isKey ? holder(event) : pressed(event);
  const approved = aimed.element?.deref();
  if (approved && isElement(hit) && (isKey ? hasFocusFor(approved, hit) : landsOn(approved, hit))) return deliver(approved);
  if (aimed.delivered && follows(event.type, hit)) return undefined;
  event.stopImmediatePropagation();
  if (!TAKES.has(event.type)) event.preventDefault();
  if (!aimed.stopped) tell("stopped", (aimed.stopped = named(hit)));
  return undefined;
}

/** A press may rebuild what it hit; then its release comes elsewhere, and the click to what stood around it. */
function follows(type, hit) {
  return RELEASES.has(type) || type === "keyup" || (type === "click" && (aimed.around.has(hit) || aimed.sends === hit));
}

function deliver(approved) {
  if (aimed.delivered) return;
  aimed.delivered = true;
  aimed.around = new WeakSet(wayUp(approved));
  // A key that sends a form is told as a click on the button that sends it.
  const form = aimed.keys ? dom.formAround(approved) : null;
  aimed.sends = form && defaultButton(form);
  tell("delivered");
}

/** Return what the key of *event* goes to, in a closed shadow root too. */
function holder(event) {
  const [hit] = event.composedPath();
  return isElement(hit) && dom.isClosedHost(hit) ? (focused() ?? hit) : hit;
}

function isElement(hit) {
  return hit !== window && dom.nodeType(hit) === dom.ELEMENT;
}

function named(hit) {
  return isElement(hit) ? shortly(hit) : "the page";
}

/** Tell the host at once: the document may be gone before it can ask. */
function tell(what, by = "") {
  globalThis.__sg_told?.(JSON.stringify({ key: aimed.key, what, by }));
}

/** Let no press through in this frame from now on, except to the element that `aim` marks under the same key. */
export function arm({ key, keys = false, ms = ARMED_MS }) {
  const until = performance.now() + ms;
  aimed = { key, keys, until, element: null, delivered: false, stopped: "", around: null, sends: null };
  watch();
  // The key is the name of an event that only the host and this world know.
  dom.listen(window, key, mark, { capture: true, once: true });
  return {};
}

function mark(event) {
  event.stopImmediatePropagation();
  event.preventDefault();
  if (event.type === aimed?.key) aimed.element = new WeakRef(event.composedPath()[0]);
}

/** Mark the element of *arg* as the one that may be pressed, when it is still what was approved. */
export function aim(arg) {
  const element = found(arg);
  checkTarget(element, arg);
  markApproved(element, arg);
  return described(element, arg);
}

/** Mark the element of *arg* as the one whose keys may come, when it is still what was approved and has the focus. */
export function aimKey(arg) {
  const answer = keyReady(arg);
  markApproved(found(arg), { ...arg, keys: true });
  return answer;
}

function markApproved(element, arg) {
  arm(arg);
  // The element may stand in a frame with a guard of its own; the frames were armed before.
  const isMarked = !dom.dispatch(element, new Event(arg.key, { composed: true, cancelable: true }));
  if (!isMarked) throw new Refusal("page_failed", "the frame of the element cannot be guarded");
  // A closed shadow root names only its host on the event's path.
  if (dom.ownerDocument(element) === document) aimed.element = new WeakRef(element);
}

/** End the guard of the click *key*; answer what it saw. */
export function release({ key }) {
  if (aimed?.key !== key) return {};
  aimed.until = Math.min(aimed.until, performance.now());
  return { delivered: aimed.delivered, stopped: aimed.stopped };
}
