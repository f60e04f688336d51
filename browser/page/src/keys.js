/**
 * What a key press on an element would set off: a click on it, the sending of its form, the loss of a row.
 *
 * Rule: Enter counts as a click on whatever has the focus, Space on whatever takes no text.
 */
import * as dom from "./dom.js";
import { isEditingHost } from "./names.js";

const TEXT_TYPES = new Set(
  "text search email tel url number password date time month week datetime-local".split(" "),
);
const FIELDS_MAX = 20_000;
const IMAGES = "input[type=image]";

/** Return whether *element* takes typed text. */
export function takesText(element) {
  if (dom.isHtml(element, "textarea")) return true;
  if (dom.isHtml(element, "input")) return TEXT_TYPES.has(dom.inputType(element));
  return isEditingHost(element) || (dom.inHtml(element) && dom.isContentEditable(element));
}

function plainKey(key) {
  return key.slice(key.lastIndexOf("+") + 1);
}

function pressesEnter(keys) {
  return keys.some((key) => plainKey(key) === "Enter");
}

/** Return whether one of *keys* would do to *element* what a click does. */
export function presses(element, keys = []) {
  return pressesEnter(keys) || (keys.some((key) => plainKey(key) === "Space") && !takesText(element));
}

/** Return whether one of *keys* may take away what *element* stands for: a row, a node, a chip. */
export function removes(element, keys = []) {
  return keys.some((key) => ["Delete", "Backspace"].includes(plainKey(key))) && !takesText(element);
}

/** Return the form that one of *keys* in *element* would send, null for none. */
export function sentForm(element, keys = []) {
  const form = pressesEnter(keys) ? dom.formAround(element) : null;
  if (!form) return null;
  // A page often sends a long text with Ctrl+Enter; Enter alone is a new line there.
  if (takesText(element) && !dom.isHtml(element, "input")) return keys.some(isShortcutEnter) ? form : null;
  if (!dom.isHtml(element, "input") && !dom.isHtml(element, "select")) return null;
  if (dom.isHtml(element, "input") && ["file", "color", "button", "reset"].includes(dom.inputType(element))) return null;
  const button = defaultButton(form);
  if (button) return dom.matches(button, ":disabled") ? null : form;
  return fieldsOf(form).filter(blocksSending).length <= 1 ? form : null;
}

/** Return the button that sending *form* by a key presses, null when it has none. */
export function defaultButton(form) {
  const listed = fieldsOf(form).find(isSubmit);
  const [image] = Array.prototype.filter.call(dom.query(form, IMAGES), (each) => dom.formOwner(each) === form);
  if (!listed || !image) return listed ?? image ?? null;
  return dom.precedes(image, listed) ? image : listed;
}

function isShortcutEnter(key) {
  return /^(Control|Alt)\+Enter$/.test(key);
}

function fieldsOf(form) {
  return Array.prototype.slice.call(dom.formElements(form), 0, FIELDS_MAX);
}

function isSubmit(field) {
  if (dom.isHtml(field, "button")) return dom.buttonType(field) === "submit";
  return dom.isHtml(field, "input") && dom.inputType(field) === "submit";
}

function blocksSending(field) {
  return dom.isHtml(field, "input") && TEXT_TYPES.has(dom.inputType(field));
}
