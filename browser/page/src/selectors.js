/**
 * CSS selectors for an element: stable attributes first, a path last, always verified unique.
 *
 * ` >>> ` enters a shadow root or a frame.
 */
import * as dom from "./dom.js";
import { frameOf } from "./visible.js";

export const PIERCE = " >>> ";
const TEST_IDS = ["data-testid", "data-test", "data-cy"];
const VALUE_CHARS_MAX = 120;
const STEPS_MAX = 64;

function isUnique(root, css) {
  return dom.query(root, css).length === 1;
}

function quoted(value) {
  const escaped = value.replace(/["\\]/g, "\\$&").replace(/[\u0000-\u001f\u007f]/g, (c) => `\\${c.charCodeAt(0).toString(16)} `);
  return `"${escaped}"`;
}

function usable(value) {
  return value && value.length <= VALUE_CHARS_MAX && !value.includes(">>>") && value.isWellFormed();
}

function byAttribute(root, element, tag) {
  for (const name of [...TEST_IDS, "id", "name", "aria-label"]) {
    const value = dom.attribute(element, name);
    if (!usable(value)) continue;
    const css = name === "id" ? `#${CSS.escape(value)}` : `${tag}[${name}=${quoted(value)}]`;
    if (isUnique(root, css)) return css;
  }
  return null;
}

let places = new Map();

/** Forget where the elements stood in the last answer. */
export function freshPlaces() {
  places = new Map();
}

/** Number the children of *parent* by tag, once per answer: `{place: element -> n, same: tag -> count}`. */
function numbered(parent) {
  let numbers = places.get(parent);
  if (numbers) return numbers;
  numbers = { place: new Map(), same: new Map() };
  for (let child = dom.firstChild(parent); child; child = dom.nextSibling(child)) {
    if (dom.nodeType(child) !== dom.ELEMENT) continue;
    const tag = dom.localName(child);
    const place = (numbers.same.get(tag) ?? 0) + 1;
    numbers.same.set(tag, place);
    numbers.place.set(child, place);
  }
  places.set(parent, numbers);
  return numbers;
}

function step(element) {
  const tag = dom.localName(element);
  const numbers = numbered(dom.parentNode(element));
  const place = numbers.place.get(element);
  const same = numbers.same.get(tag);
  return same > 1 ? `${CSS.escape(tag)}:nth-of-type(${place})` : CSS.escape(tag);
}

function byPath(root, element) {
  const steps = [];
  for (let current = element; current && dom.nodeType(current) === dom.ELEMENT; current = dom.parentNode(current)) {
    const id = current === element ? null : dom.attribute(current, "id");
    if (usable(id) && isUnique(root, `#${CSS.escape(id)}`)) {
      steps.unshift(`#${CSS.escape(id)}`);
      break;
    }
    steps.unshift(step(current));
    // The browser checks such a path against every element; a ref does as well.
    if (steps.length > STEPS_MAX) return null;
    if (dom.isHtml(current, "body")) break;
  }
  const path = steps.join(" > ");
  return isUnique(root, path) ? path : null;
}

function within(root, element) {
  const tag = CSS.escape(dom.localName(element));
  return byAttribute(root, element, tag) ?? byPath(root, element);
}

/** Return a selector that resolves to exactly *element*, null when none does (detached). */
export function selectorOf(element) {
  const parts = [];
  for (let current = element; current; ) {
    const root = dom.rootNode(current);
    const type = dom.nodeType(root);
    if (type !== dom.DOCUMENT && type !== dom.FRAGMENT) return null;
    const css = within(root, current);
    if (css === null) return null;
    parts.unshift(css);
    if (root === document) return parts.join(PIERCE);
    current = type === dom.FRAGMENT ? dom.hostOf(root) : frameOf(root);
  }
  return null;
}
