/**
 * Passwords: which fields hold one, and how their text is kept out of every answer.
 *
 * A field that was ever of type password stays one ("show password" makes it a text field).
 */
import * as dom from "./dom.js";
import { isVisible } from "./visible.js";

export const MASK = "••••••";
// A shorter value is a word of the page sooner than a leak of the field.
const SECRET_CHARS_MIN = 4;
const FIELDS_MAX = 50;
const INPUTS_MAX = 5000;
const TOKEN_FIELD = /csrf|xsrf|token|secret|session|passw|auth|nonce/i;
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

/** Return whether *element* is a hidden field that holds a token of the page. */
export function isHiddenToken(element) {
  if (!dom.isHtml(element, "input") || dom.inputType(element) !== "hidden") return false;
  return TOKEN_FIELD.test(`${dom.attribute(element, "name")} ${dom.attribute(element, "id")}`);
}

/** Return whether a password is asked for around *element*: by its form, or by a visible field that no form sets apart. */
export function inPasswordForm(element) {
  const form = dom.formAround(element);
  const owned = form ? Array.prototype.slice.call(dom.formElements(form), 0, INPUTS_MAX) : [];
  if (owned.some(isPassword)) return true;
  const doc = dom.ownerDocument(element);
  return passwordFields(doc).some(
    (field) => dom.ownerDocument(field) === doc && dom.formAround(field) === form && (form !== null || isVisible(field)),
  );
}

/** Return the password fields of *doc*, and those met in shadow roots and frames. */
function passwordFields(doc = document) {
  const inputs = Array.prototype.slice.call(dom.query(doc, "input"), 0, INPUTS_MAX).filter(isPassword);
  return [...new Set([...inputs, ...metFields()])];
}

function metFields() {
  return [...met].map((reference) => reference.deref()).filter(Boolean);
}

/** Return each password the page holds at this moment, the longest first. */
function secretsNow() {
  const values = passwordFields().map(dom.valueOf).filter((value) => value.length >= SECRET_CHARS_MIN);
  return values.sort((a, b) => b.length - a.length);
}

/** Return a function that masks in a text each password the page holds at this moment. */
export function masker() {
  const secrets = secretsNow();
  if (secrets.length === 0) return (text) => text;
  return (text) => secrets.reduce((masked, secret) => masked.split(secret).join(MASK), text);
}

/** Return the fields that would show a password in a picture: switched to text, or a copy in another field. */
export function showingFields() {
  const secrets = secretsNow();
  const holdsSecret = (field) => dom.inHtml(field) && secrets.some((secret) => dom.valueOf(field).includes(secret));
  const copies = Array.prototype.slice.call(dom.query(document, "input,textarea"), 0, INPUTS_MAX).filter(holdsSecret);
  const fields = [...new Set([...passwordFields(), ...copies])];
  return fields.filter((field) => dom.isConnected(field) && (dom.isHtml(field, "textarea") || dom.inputType(field) !== "password"));
}
