/**
 * Passwords: which fields hold one, and how their text is kept out of every answer.
 *
 * A field that was ever of type password stays one ("show password" makes it a text field).
 */
import * as dom from "./dom.js";

export const MASK = "••••••";
// A shorter value is a word of the page sooner than a leak of the field.
const SECRET_CHARS_MIN = 4;
const FIELDS_MAX = 50;
const INPUTS_MAX = 5000;
const PASSWORD_TOKENS = /(^|\s)(current-password|new-password|one-time-code)(\s|$)/;

const seen = new WeakSet();
// Kept besides, so that a field in a shadow root or frame is masked elsewhere once it was met.
const met = new Set();
const observer = new MutationObserver(note);
observer.observe(document, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });

function note(records) {
  for (const { oldValue, target } of records) {
    if (oldValue !== null && oldValue.toLowerCase() === "password") remember(target);
  }
}

function remember(field) {
  if (seen.has(field)) return;
  seen.add(field);
  met.add(new WeakRef(field));
  if (met.size > FIELDS_MAX) met.delete(met.values().next().value);
}

/** Return whether *element* is a field for a password. */
export function isPassword(element) {
  if (!dom.isHtml(element, "input")) return false;
  note(observer.takeRecords());
  if (seen.has(element)) return true;
  const secret =
    dom.inputType(element) === "password" ||
    PASSWORD_TOKENS.test((dom.attribute(element, "autocomplete") ?? "").toLowerCase()) ||
    !["", "none"].includes(getComputedStyle(element).getPropertyValue("-webkit-text-security"));
  if (secret) remember(element);
  return secret;
}

/** Return whether the form around *element* asks for a password (without a form: the page does). */
export function inPasswordForm(element) {
  const form = dom.formOwner(element);
  const fields = form ? dom.formElements(form) : dom.query(dom.rootNode(element), "input");
  let looked = 0;
  for (const field of fields) {
    if (!dom.isHtml(field, "input") || (!form && dom.formOwner(field))) continue;
    if (isPassword(field)) return true;
    if (++looked > INPUTS_MAX) break;
  }
  return false;
}

/** Return a function that masks in a text each password the page holds at this moment. */
export function masker() {
  let looked = 0;
  for (const field of dom.query(document, "input")) {
    isPassword(field);
    if (++looked > INPUTS_MAX) break;
  }
  const secrets = [...met]
    .map((reference) => reference.deref())
    .filter((field) => field && dom.isHtml(field, "input"))
    .map(dom.valueOf)
    .filter((value) => value.length >= SECRET_CHARS_MIN);
  if (secrets.length === 0) return (text) => text;
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.split(secret).join(MASK), text);
}
