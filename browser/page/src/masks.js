/**
 * Masks: the elements that the administrator's policy keeps from everybody but the person.
 *
 * The host gives them by origin with the bundle itself. A selector that cannot be read fails closed: no question
 * about such a document is answered. A document without an origin of its own keeps to every mask of the policy.
 */
import * as dom from "./dom.js";
import { chosenLabels } from "./options.js";
import { Refusal } from "./refusal.js";
import { rootsUnder } from "./roots.js";
import { frameOf } from "./visible.js";

export const MASK = "••••••";
const DEPTH_MAX = 700;
const MASKED_MAX = 500;
const NAMING_MAX = 50;
const TEXT_CHARS_MAX = 200;
const PROBE = dom.implementation(document).createHTMLDocument("").createElement("sg-probe");
const FIELDS = "input,textarea,select";
const UNTYPED = new Set("checkbox radio submit button reset image file".split(" "));

let masks = new Map();
let bad = "";

/** Take the selectors to mask, by origin; the host gives them with the bundle. */
export function configure({ masks: given }) {
  masks = new Map(Object.entries(given ?? {}));
  bad = [...new Set(cssFor(location.origin))].find((css) => !isCss(css)) ?? "";
  return {};
}

/** Return whether *css* is a whole selector: one left open would swallow those joined to it. */
function isCss(css) {
  try {
    return dom.matches(PROBE, `${css},sg-probe`);
  } catch {
    return false;
  }
}

function cssFor(origin) {
  return origin === "null" ? [...masks.values()].flat() : (masks.get(origin) ?? []);
}

/** Refuse every question while a mask of this document cannot be read. */
export function checkMasks() {
  if (bad) throw new Refusal("bad_mask", bad);
}

/** Return the selector of all that is masked in *doc*, "" when nothing is. */
function cssIn(doc) {
  return masks.size === 0 ? "" : cssFor(dom.originOf(doc)).join(",");
}

/** Return whether *element* is masked itself, or stands in what is. */
export function isMasked(element) {
  if (masks.size === 0) return false;
  let css = cssIn(dom.ownerDocument(element));
  for (let current = element, deep = 0; current && deep < DEPTH_MAX; deep++) {
    if (css && dom.matches(current, css)) return true;
    const above = dom.flatParent(current);
    current = above ?? frameOf(dom.ownerDocument(current));
    if (current && !above) css = cssIn(dom.ownerDocument(current));
  }
  return false;
}

/** Return the masked elements under *top*, a document, shadow root or element, through roots and frames within. */
export function maskedIn(top) {
  if (masks.size === 0) return [];
  const found = rootsUnder(top).flatMap((root) => {
    const css = cssIn(dom.nodeType(root) === dom.DOCUMENT ? root : dom.ownerDocument(root));
    return css ? Array.prototype.slice.call(dom.query(root, css), 0, MASKED_MAX) : [];
  });
  return found.slice(0, MASKED_MAX);
}

/** Return what masked elements of the page hold at this moment, fields and words. */
export function maskedValues() {
  const values = new Set();
  for (const element of maskedIn(document)) {
    for (const value of heldBy(element)) values.add(value);
    if (values.size > MASKED_MAX) break;
  }
  return [...values];
}

function heldBy(element) {
  const fields = dom.matches(element, FIELDS) ? [element] : [...dom.query(element, FIELDS)].slice(0, MASKED_MAX);
  const values = fields.flatMap(fieldValues);
  if (fields[0] === element) return values;
  const whole = clean(dom.textContent(element));
  if (whole.length <= TEXT_CHARS_MAX) values.push(whole);
  const pieces = textsIn(element);
  // The captions of a masked block are no secret elsewhere; numbers are.
  return [...values, ...pieces.filter((piece) => /\d/.test(piece))].filter(Boolean);
}

function fieldValues(field) {
  if (dom.isHtml(field, "select")) return chosenLabels(field);
  if (dom.isHtml(field, "input") && UNTYPED.has(dom.inputType(field))) return [];
  return dom.inHtml(field) ? [dom.valueOf(field)] : [];
}

function textsIn(element) {
  const pieces = [];
  const visit = (parent, deep) => {
    for (let node = dom.firstChild(parent); node && pieces.length < MASKED_MAX && deep < DEPTH_MAX; node = dom.nextSibling(node)) {
      if (dom.nodeType(node) === dom.TEXT) pieces.push(clean(dom.textContent(node)));
      else if (dom.nodeType(node) === dom.ELEMENT) visit(node, deep + 1);
    }
  };
  visit(element, 0);
  return pieces;
}

function clean(text) {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

/** Return *words*, the name or text of *element*, without what a mask covers in them. */
export function unmasked(element, words) {
  if (masks.size === 0 || !words) return words;
  if (isMasked(element)) return MASK;
  const near = [element, ...dom.labelsOf(element), ...labelledBy(element)].slice(0, NAMING_MAX);
  const held = new Set(near.flatMap((each) => (isMasked(each) ? [each] : maskedIn(each))).flatMap((each) => [...heldBy(each), ...textsIn(each)]));
  const longest = [...held].filter(Boolean).sort((a, b) => b.length - a.length);
  return longest.reduce((text, value) => text.split(value).join(MASK), words.replace(/\s+/g, " "));
}

function labelledBy(element) {
  const ids = (dom.attribute(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean).slice(0, 10);
  return ids.flatMap((id) => [...dom.query(dom.rootNode(element), `#${CSS.escape(id)}`)].slice(0, 1));
}
