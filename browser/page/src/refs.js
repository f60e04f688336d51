/**
 * Refs: `@n` names one element of one document for good.
 *
 * A number is never given twice in a tab, so an old ref can be stale but never mean another element.
 */
import * as dom from "./dom.js";
import { Refusal } from "./refusal.js";

const REFS_MAX = 20_000;

const numbers = new WeakMap();
const table = new Map();
let last = 0;

/** Begin numbering after *base*, which this tab's other documents reached: no ref ever means two elements. */
export function startAfter(base) {
  if (last === 0 && Number.isSafeInteger(base) && base > 0) last = base;
}

/** Return the highest number given so far. */
export function highest() {
  return last;
}

/** Return the number of *element*, given at its first mention and kept for good. */
export function serialOf(element) {
  let number = numbers.get(element);
  if (number === undefined) numbers.set(element, (number = ++last));
  return number;
}

/** Return the ref of *element* and note *role* and *name* as what was shown under it. */
export function refOf(element, role, name) {
  const number = serialOf(element);
  if (!table.has(number) && table.size >= REFS_MAX) table.delete(table.keys().next().value);
  table.set(number, { element: new WeakRef(element), role, name });
  return `@${number}`;
}

/** Return the ref an element already has, null when it was never shown. */
export function knownRef(element) {
  const number = numbers.get(element);
  return number !== undefined && table.has(number) ? `@${number}` : null;
}

/** Return the element that *ref* names, or refuse when it is gone or no longer what was shown. */
export function elementOf(ref, identify) {
  const entry = table.get(Number(ref.slice(1)));
  if (!entry) throw new Refusal("stale_ref", `${ref} was not issued by this document`);
  const element = entry.element.deref();
  if (!element || !dom.isConnected(element)) throw new Refusal("stale_ref", `the element of ${ref} has left the page`);
  const now = identify(element);
  if (now.role !== entry.role || now.name !== entry.name) {
    throw new Refusal("stale_ref", `${ref} was ${entry.role} "${entry.name}" and is now ${now.role} "${now.name}"`);
  }
  return element;
}
