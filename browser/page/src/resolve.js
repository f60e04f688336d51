/**
 * From a selector to exactly one element, and what that element is.
 *
 * Rule: origin, document and element are compared in one turn; more than one match is refused, never guessed.
 */
import { asksValue } from "./css.js";
import * as dom from "./dom.js";
import { isForeign, ownerOf } from "./frames.js";
import { isLocator, located } from "./locator.js";
import { isLeafLike, nameOf, roleOf, textOf } from "./names.js";
import { Refusal } from "./refusal.js";
import { elementOf, knownRef } from "./refs.js";
import { isPassword, maskedAddress, masker } from "./secrets.js";
import { activated, targetOf } from "./target.js";
import { line } from "./text.js";
import { frameOf } from "./visible.js";

const REF = /^@\d{1,9}$/;
const MATCHES_MAX = 1000;
const NOTHING = new DocumentFragment();

export const documentId = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function checkOrigin(expected, actual) {
  if (actual !== expected) throw new Refusal("origin_changed", `expected ${expected}, the document is ${actual}`);
}

/** Refuse when the document or its origin is not the one the host expects. */
export function checkDocument({ expected_origin: expected, document_id: id }) {
  if (typeof expected === "string") checkOrigin(expected, location.origin);
  if (typeof id === "string" && id !== documentId) throw new Refusal("stale_document", "the page was loaded anew");
}

function checkSelector(part) {
  // Asked often enough, a condition on a value spells out a password letter by letter.
  if (asksValue(part)) throw new Refusal("bad_selector", "no condition on the attribute value is allowed; use a ref");
  try {
    dom.query(NOTHING, part);
  } catch {
    throw new Refusal("bad_selector", part ? `${part} is no CSS selector` : ">>> needs a selector on both sides");
  }
}

/**
 * Return every element that *selector* matches, through open shadow roots and frames of this origin.
 *
 * A frame of another origin on the way is refused as `enter_frame`, with its number and how many parts led to it:
 * the host goes on in the frame's own document.
 */
export function findAll(selector) {
  if (typeof selector !== "string" || !selector.trim()) throw new Refusal("bad_selector", "the selector is empty");
  const written = selector.trim();
  if (REF.test(written)) return [elementOf(written, identify)];
  if (isLocator(written)) return located(written);
  const parts = written.split(/\s*>>>\s*/);
  parts.forEach(checkSelector);
  let roots = [document];
  let found = [];
  parts.forEach((part, place) => {
    found = roots.flatMap((root) => Array.prototype.slice.call(dom.query(root, part), 0, MATCHES_MAX));
    if (place === parts.length - 1) return;
    if (found.length === 1 && isForeign(found[0])) throw new Refusal("enter_frame", `${ownerOf(found[0])} ${place + 1}`);
    roots = found.map((each) => dom.shadowRoot(each) ?? (dom.isHtml(each, "iframe") ? dom.documentOf(each) : null)).filter(Boolean);
  });
  return found;
}

/** Answer how many elements *selector* means, and whether the page around reaches into this document itself. */
export function count({ selector }) {
  return { count: findAll(selector).length, reached: frameOf(document) !== null };
}

/** Return the one element that *selector* matches. */
export function findOne(selector) {
  const found = findAll(selector);
  if (found.length === 0) throw new Refusal("not_found", selector);
  if (found.length > 1) throw new Refusal("ambiguous", `${found.length} elements match ${selector}`);
  return found[0];
}

/** Return the one element that *arg* means in the document it expects. */
export function found(arg) {
  checkDocument(arg);
  const element = findOne(arg.selector);
  if (typeof arg.expected_origin === "string") checkOrigin(arg.expected_origin, originAround(element));
  return element;
}

/** Return role and name of *element* as a ref remembers them. */
export function identify(element) {
  const mask = masker();
  const role = roleOf(element);
  const isWorded = (!role || role === "listitem") && isLeafLike(element);
  return { role: role || "generic", name: mask(nameOf(element) || (isWorded ? textOf(element) : "")) };
}

/** Return the origin of the document that *element* stands in. */
function originAround(element) {
  const doc = dom.ownerDocument(element);
  const around = dom.originOf(doc);
  return doc === document || around === origin ? location.origin : around;
}

/** Return the answer about *element* that resolve and ready share. */
export function described(element, arg) {
  // A page may move an element into another document.
  const around = originAround(element);
  if (typeof arg.expected_origin === "string") checkOrigin(arg.expected_origin, around);
  return {
    count: 1,
    origin: around,
    document_id: documentId,
    target: targetOf(element, arg),
    is_password: isPassword(activated(element)),
    ref: knownRef(element),
    owner: isForeign(element) ? ownerOf(element) : null,
  };
}

/** Answer what the selector means, without touching it. */
export function resolve(arg) {
  return described(found(arg), arg);
}

/** Answer which document this is. */
export function identity() {
  return {
    origin: location.origin,
    url: maskedAddress(location.href.toWellFormed()),
    title: masker()(line(dom.title(), 200)),
    document_id: documentId,
    ready_state: dom.readyState(),
  };
}
