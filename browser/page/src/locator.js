/**
 * Locators: an element as the page text writes it, `button "保存"` or `button "保存" #2`.
 *
 * What a locator may mean is what a snapshot would show: the same walk, the same roles, the same names.
 */
import * as dom from "./dom.js";
import { NAME_CHARS_MAX } from "./names.js";
import { masker } from "./secrets.js";
import { nodeName } from "./snapshot.js";
import { line } from "./text.js";
import { walk } from "./walk.js";

// The page text may say where a name comes from; that is no part of it.
const LOCATOR = /^([a-z]{1,30})\s+(?:\((?:attribute|hidden)\)\s+)?"((?:[^"\\]|\\.)*)"(?:\s+#([1-9]\d{0,3}))?$/s;

/** Return whether *selector* is written as a locator; no CSS selector is. */
export function isLocator(selector) {
  return LOCATOR.test(selector);
}

/** Return the elements that *locator* means: all of that role and name, or the one it numbers. */
export function located(locator) {
  const [, role, quoted, place] = LOCATOR.exec(locator);
  const name = quoted.replace(/\\(.)/gs, "$1");
  const root = dom.body() ?? dom.documentElement();
  const items = root ? walk(root).items : [];
  const mask = masker();
  const said = wordsOf(items);
  const isIt = (item) =>
    item.role === role && !item.isOption && item.text === undefined && isNamed(mask(nodeName(item) || (said.get(item) ?? "")), name);
  const found = items.filter(isIt).map((item) => item.element);
  return place ? found.slice(place - 1, place) : found;
}

/** Return the one text that each item without more in it holds: the page text calls a nameless item by that. */
function wordsOf(items) {
  const inside = new Map();
  for (const item of items) if (item.parent) inside.set(item.parent, inside.has(item.parent) ? null : item);
  return new Map([...inside].filter(([, only]) => only?.text !== undefined).map(([item, only]) => [item, line(only.text, NAME_CHARS_MAX)]));
}

function isNamed(name, wanted) {
  // The text a model reads may end a long name with an ellipsis.
  return name === wanted || (wanted.length > 20 && wanted.endsWith("…") && name.startsWith(wanted.slice(0, -1)));
}
