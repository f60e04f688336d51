/**
 * Secrets: which fields hold one, and how its text is kept out of every answer.
 *
 * Passwords, payment cards, and what the policy masks. A field that was ever of type password stays one ("show
 * password" makes it a text field).
 */
import { isCardField, maskCards } from "./cards.js";
import * as dom from "./dom.js";
import { isMasked, MASK, maskedValues, unmasked } from "./masks.js";
import { chosenLabels } from "./options.js";
import { rootsUnder } from "./roots.js";
import { isVisible } from "./visible.js";
import { bearWitness, isVouchedFor } from "./witness.js";

export { MASK };
// A shorter value is a word of the page sooner than a leak of the field; a Han character weighs two.
const WEIGHT_MIN = 4;
const CARD_DIGITS_MIN = 12;
const SPACED_DIGITS_MIN = 8;
const FIELDS_MAX = 50;
const INPUTS_MAX = 5000;
const FRAMES_MAX = 50;
const TEXTS_MAX = 100_000;
const SILENT = new Set("script style noscript template head title".split(" "));
const FIELDS = "input,textarea,select";
const TOKEN_FIELD = /csrf|xsrf|token|secret|session|passw|auth|nonce/i;
const PASSWORD_TOKENS = /(^|\s)(current-password|new-password|one-time-code)(\s|$)/;

const seen = new WeakSet();
// Kept besides, so that a field in a shadow root or frame is masked elsewhere once it was met.
const met = new Set();
const observer = new MutationObserver(note);
observer.observe(document, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
bearWitness(wasPassword);
let mask = null;
let covering = false;

function note(records) {
  for (const { oldValue, target } of records) {
    if (oldValue !== null && oldValue.toLowerCase() === "password") remember(target);
  }
}

function remember(field) {
  if (seen.has(field)) return;
  seen.add(field);
  meet(field);
}

function meet(field) {
  if ([...met].some((reference) => reference.deref() === field)) return;
  met.add(new WeakRef(field));
  if (met.size > FIELDS_MAX) met.delete(met.values().next().value);
  mask = null;
}

/** Return whether *field* of this document was ever of type password. */
function wasPassword(field) {
  note(observer.takeRecords());
  return seen.has(field);
}

/** Return whether *element* is a field for a password. */
export function isPassword(element) {
  if (!dom.isHtml(element, "input")) return false;
  if (wasPassword(element)) return true;
  if (!isVouchedFor(element)) {
    meet(element); // its words are masked elsewhere as well, as long as nobody vouches for it
    return true;
  }
  const secret =
    dom.inputType(element) === "password" ||
    PASSWORD_TOKENS.test((dom.attribute(element, "autocomplete") ?? "").toLowerCase()) ||
    (!covering && !["", "none"].includes(getComputedStyle(element).getPropertyValue("-webkit-text-security")));
  if (secret) remember(element);
  return secret;
}

/** Return whether what *element* holds is nobody's: a password, a payment card, or masked by the policy. */
export function isSecret(element) {
  return isPassword(element) || isCard(element) || isMasked(element);
}

function isCard(element) {
  const answer = isCardField(element);
  if (answer && dom.rootNode(element) !== document) meet(element);
  return answer;
}

/** Return what may be told of the value of a field: *value* itself, its last digits, or that there is one. */
export function tellable(element, value) {
  if (!value) return "";
  if (isPassword(element) || isMasked(element)) return MASK;
  if (!isCard(element)) return masker()(dom.matches(element, FIELDS) ? value : unmasked(element, value));
  const digits = value.replace(/\D/g, "");
  return digits.length >= CARD_DIGITS_MIN ? "•".repeat(digits.length - 4) + digits.slice(-4) : MASK;
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
  const passwords = [...fieldsIn(doc), ...metFields()].filter(isPassword);
  return passwords.some(
    (field) => dom.ownerDocument(field) === doc && dom.formAround(field) === form && (form !== null || isVisible(field)),
  );
}

function fieldsIn(doc) {
  return Array.prototype.slice.call(dom.query(doc, FIELDS), 0, INPUTS_MAX);
}

function metFields() {
  return [...met].map((reference) => reference.deref()).filter(Boolean);
}

/** Return this document and those of its origin in frames below it, cheaper than all roots. */
function documents() {
  const found = [document];
  for (let place = 0; place < found.length; place++) {
    for (const frame of dom.query(found[place], "iframe")) {
      const inner = found.length < FRAMES_MAX ? dom.documentOf(frame) : null;
      if (inner) found.push(inner);
    }
  }
  return found;
}

/** Return every field for a password or a card, in frames too, and those met in shadow roots. */
function secretFields() {
  const fields = [...documents().flatMap(fieldsIn), ...metFields()];
  return [...new Set(fields)].filter((field) => isPassword(field) || isCardField(field));
}

function valueIn(field) {
  return dom.isHtml(field, "select") ? chosenLabels(field).join(", ") : dom.valueOf(field);
}

function weightOf(value) {
  return [...value].reduce((weight, char) => weight + (char > "\u2e7f" ? 2 : 1), 0);
}

/** Return the patterns of each secret the page holds at this moment: passwords first, then the longest. */
function patternsNow() {
  const fields = secretFields();
  const isHeavy = (value) => weightOf(value) >= WEIGHT_MIN;
  const longestFirst = (values) => [...new Set(values)].filter(isHeavy).sort((a, b) => b.length - a.length);
  const passwords = longestFirst(fields.filter(isPassword).map(valueIn));
  const others = longestFirst([...fields.filter((field) => !isPassword(field)).map(valueIn), ...maskedValues()]);
  return { passwords, others: others.map(patternOf) };
}

/** Return the pattern that finds *value* as a whole: no longer number, other blanks, other grouping. */
function patternOf(value) {
  const trimmed = value.trim();
  const digits = trimmed.replace(/[\s-]/g, "");
  const isNumber = /^\d+$/.test(digits) && digits.length >= SPACED_DIGITS_MIN;
  const body = isNumber ? [...digits].join("[\\s-]?") : trimmed.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace(/\s+/g, "\\s+");
  return new RegExp(`${/^\d/.test(trimmed) ? "(?<!\\d)" : ""}${body}${/\d$/.test(trimmed) ? "(?!\\d)" : ""}`, "g");
}

/** Return a function that masks in a text each secret the page holds at this moment. */
export function masker() {
  if (mask === null) {
    const { passwords, others } = patternsNow();
    mask = (text) => {
      if (!text) return text;
      const withoutPasswords = passwords.reduce((masked, secret) => masked.split(secret).join(MASK), text);
      return others.reduce((masked, pattern) => masked.replace(pattern, MASK), maskCards(withoutPasswords));
    };
    // Good for this turn: until it ends, nothing of the page can write a secret anywhere.
    queueMicrotask(() => {
      mask = null;
    });
  }
  return mask;
}

/** Say whether a cover stands over the page: it looks as if every covered field were for a password. */
export function setCovering(now) {
  covering = now;
}

/** Return the fields that would show a secret in a picture: one that is not masked by its type, or a copy in another field. */
export function showingFields() {
  const change = masker();
  const shows = (field) => dom.inHtml(field) && (isCardField(field) || change(valueIn(field)) !== valueIn(field));
  const secret = [...rootsUnder(document).flatMap(fieldsIn), ...metFields()].filter((field) => isPassword(field) || shows(field));
  const isPlain = (field) => !dom.isHtml(field, "input") || dom.inputType(field) !== "password";
  return [...new Set(secret)].filter((field) => dom.isConnected(field) && isPlain(field));
}

/** Return the elements whose own text shows a secret in a picture: a card number, or a copy of a field. */
export function showingTexts() {
  const found = new Set();
  const change = masker();
  for (const root of rootsUnder(document)) {
    const walker = dom.textWalker(root);
    for (let left = TEXTS_MAX, node = walker.nextNode(); node && left > 0; node = walker.nextNode(), left--) {
      const text = dom.textContent(node);
      const parent = dom.parentNode(node);
      if (change(text) !== text) found.add(dom.nodeType(parent) === dom.ELEMENT ? parent : dom.hostOf(parent));
    }
  }
  return [...found].filter((element) => element && !SILENT.has(dom.localName(element)));
}

/** Return the address *url* with each secret in it masked; its origin stays, for the policy to judge. */
export function maskedAddress(url) {
  const [origin] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url) ?? [""];
  return origin + masker()(url.slice(origin.length));
}
