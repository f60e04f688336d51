/**
 * The page's own storage, one key at a time.
 *
 * Rule: a key is the page's business, a credential in it nobody's: a value that looks like one is masked here, at
 * the source, and the answer says so.
 */
import { Refusal } from "./refusal.js";
import { checkDocument } from "./resolve.js";
import { MASK, masker } from "./secrets.js";

const SECRET_NAME = new RegExp(
  [
    "token|auth(?!or)|session|jwt|csrf|xsrf|passw|passphrase|secret|credential|cookie|bearer|nonce|signature",
    "api[-_.]?key|access[-_.]?key|private[-_.]?key|refresh[-_.]?key|(^|[^a-z])(sid|pwd|otp|pin)([^a-z]|$)",
    "令牌|密码|口令|凭证|密钥|会话|验证码",
  ].join("|"),
  "i",
);
const JWT = /eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g;
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
// One word so long, of letters and digits, is no word of a person.
const OPAQUE = /^[\w.~+/=-]{40,}$/;
const DEPTH_MAX = 20;
const KEY_CHARS_SHOWN = 100;

/** Return what *use* does with the storage that *arg* names. */
function withStorage(arg, use) {
  try {
    return use(arg.area === "session" ? sessionStorage : localStorage);
  } catch (error) {
    const code = error?.name === "QuotaExceededError" ? "storage_full" : "storage_disabled";
    throw new Refusal(code, `${arg.key.slice(0, KEY_CHARS_SHOWN)}: ${error?.message ?? error}`);
  }
}

const isName = (text) => SECRET_NAME.test(text) || SECRET_NAME.test(text.replace(/([a-z])([A-Z])/g, "$1_$2"));
const isOpaque = (text) => OPAQUE.test(text) && /\d/.test(text) && /[a-z]/i.test(text);

function maskedText(text, mask) {
  if (isOpaque(text)) return MASK;
  return mask(text).replace(JWT, MASK).replace(BEARER, MASK);
}

/** Return *value* of a document with each credential in it masked. */
function maskedPart(value, depth, mask) {
  if (depth > DEPTH_MAX) return MASK;
  if (typeof value === "string") return maskedDocument(value, depth + 1, mask) ?? maskedText(value, mask);
  if (Array.isArray(value)) return value.map((part) => maskedPart(part, depth + 1, mask));
  if (value === null || typeof value !== "object") return value;
  const isSecret = (name, part) => isName(name) && part !== null && typeof part !== "boolean";
  const pairs = Object.entries(value).map(([name, part]) => [name, isSecret(name, part) ? MASK : maskedPart(part, depth + 1, mask)]);
  return Object.fromEntries(pairs);
}

/** Return the text of a JSON document with its credentials masked, null when *text* is none or holds none. */
function maskedDocument(text, depth, mask) {
  if (!/^\s*[[{]/.test(text)) return null;
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  const masked = JSON.stringify(maskedPart(document, depth, mask));
  return masked === JSON.stringify(document) ? null : masked;
}

function masked(key, value) {
  if (isName(key)) return MASK;
  const mask = masker();
  return maskedDocument(value, 0, mask) ?? maskedText(value, mask);
}

/** Answer what *key* holds in this document's storage, credentials masked. */
export function storageGet(arg) {
  checkDocument(arg);
  const value = withStorage(arg, (store) => store.getItem(arg.key));
  if (value === null) return { value: null };
  if (value.length > arg.chars_max) throw new Refusal("storage_too_large", `${arg.key.slice(0, KEY_CHARS_SHOWN)}: ${value.length} > ${arg.chars_max}`);
  const shown = masked(arg.key, value).toWellFormed();
  return shown === value.toWellFormed() ? { value: shown } : { value: shown, masked: true };
}

/** Set *key* in this document's storage, or clear it with null. */
export function storageSet(arg) {
  checkDocument(arg);
  withStorage(arg, (store) => (arg.value === null ? store.removeItem(arg.key) : store.setItem(arg.key, arg.value)));
  return { stored: arg.value !== null };
}
