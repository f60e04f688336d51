/**
 * Payment cards: numbers of them in any text, and the fields that ask for one.
 *
 * A number counts when issuer, length and check digit fit and it is written as cards are: in one run, or in the
 * groups of a card. What passes by chance (one long number in ten that starts like a card) cannot be told apart.
 */
import * as dom from "./dom.js";

const BULLET = "•";
const SHOWN_DIGITS = 4;
// Invisible characters may stand between digits; separators make groups.
const DIGIT = "[0-9\\uff10-\\uff19]";
const CHAIN = new RegExp(`${DIGIT}(?:[\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff]*[ \\u00a0\\u2007\\u2009\\u202f‐‑–-]?${DIGIT}){12,}`, "g");
const GROUP = new RegExp(`(?:${DIGIT}[\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff]*)+`, "g");
const ANY_DIGIT = new RegExp(DIGIT, "g");
// Visa, Mastercard, American Express, UnionPay, in the lengths they are issued in; Visa's old 13 digits are barcodes sooner.
const ISSUED = /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|62(?:\d{14}|\d{16,17}))$/;
const GROUPINGS = [/^4,4,4,4,[1-3]$/, /^4,4,4,4$/, /^4,6,5$/, /^6,(?:[7-9]|1[0-3])$/];
const SINGLE_MAX = 19;
// A citizen's number of Gansu begins with 62 as well.
const CITIZEN = /^\d{6}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}$/;
const CITIZEN_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

const FIELD_TOKEN = /(?:^|\s)cc-(?:number|csc|exp(?:-month|-year)?)(?:\s|$)/;
const FIELD_NAME = /(?:^| )(?:(?:bank|credit|debit|cc|pay)?card ?(?:no|num|number|nr|cvv|cvc|csc)|cc ?(?:no|num|number|cvv|cvc|csc|exp)|c(?:vv|vc)2?)(?: |$)/;
const OTHER_CARD = /(?:^| )(?:id|identity|member|membership|time|gift|loyalty|badge|sim) ?card/;
const FIELD_LABEL =
  /(?:银行|信用|借记|贷记|储蓄|支付|付款|收款)卡[号码]|(?<!会员|考勤|门禁|工|油|饭|餐|校园|员工|就诊|医保|社保|购物|储值|礼品|SIM)卡号|安全码|\b(?:credit|debit|bank|payment) ?card\b|(?<!(?:id|identity|member|membership|time|gift|loyalty|badge|sim) )\bcard (?:no\b|num\b|number)|\bc(?:vv|vc)2?\b/i;
const LABEL_CHARS_MAX = 60;
const OTHER_TYPES = new Set("hidden checkbox radio submit button reset image file range color date".split(" "));

/** Return *text* with every digit of a card number but the last four as a bullet; its length stays. */
export function maskCards(text) {
  return text.replace(CHAIN, (chain, place) => maskedChain(chain, text[place - 1] === "." && /\d/.test(text[place - 2] ?? "")));
}

function maskedChain(chain, isFraction) {
  const groups = [...chain.matchAll(GROUP)].map(({ 0: written, index }) => ({ written, index, digits: plain(written) }));
  let masked = chain;
  for (let first = 0; first < groups.length; ) {
    const count = isFraction && first === 0 ? 0 : cardAt(groups, first);
    if (count > 0) {
      const last = groups[first + count - 1];
      const [start, end] = [groups[first].index, last.index + last.written.length];
      masked = masked.slice(0, start) + bullets(chain.slice(start, end)) + masked.slice(end);
    }
    first += Math.max(count, 1);
  }
  return masked;
}

function plain(written) {
  return (written.match(ANY_DIGIT) ?? []).map((digit) => digit.normalize("NFKC")).join("");
}

/** Return how many of *groups* from *first* on make a card number, 0 when none do. */
function cardAt(groups, first) {
  if (isCard(groups[first].digits)) return 1;
  const sizes = groups.slice(first, first + SINGLE_MAX).map(({ digits }) => digits.length);
  for (const count of [5, 4, 3, 2]) {
    if (sizes.length < count || !GROUPINGS.some((grouping) => grouping.test(sizes.slice(0, count).join()))) continue;
    if (isCard(joined(groups, first, count))) return count;
  }
  const singles = sizes.findIndex((size) => size !== 1);
  for (let count = singles < 0 ? sizes.length : singles; count >= 15; count--) {
    if (isCard(joined(groups, first, count))) return count;
  }
  return 0;
}

function joined(groups, first, count) {
  return groups.slice(first, first + count).map(({ digits }) => digits).join("");
}

function isCard(digits) {
  return ISSUED.test(digits) && hasCheckDigit(digits) && !isCitizen(digits);
}

/** Return whether the last of *digits* is the check digit of the others (Luhn). */
function hasCheckDigit(digits) {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const twice = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += place % 2 === 1 ? twice : digit;
  }
  return sum % 10 === 0;
}

function isCitizen(digits) {
  if (!CITIZEN.test(digits)) return false;
  const sum = CITIZEN_WEIGHTS.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return "10X98765432"[sum % 11] === digits[17];
}

function bullets(number) {
  let left = (number.match(ANY_DIGIT) ?? []).length - SHOWN_DIGITS;
  return number.replace(ANY_DIGIT, (digit) => (left-- > 0 ? BULLET : digit));
}

/** Return whether *element* is a field for the number, the code or the end of a payment card. */
export function isCardField(element) {
  const isInput = dom.isHtml(element, "input");
  if (!isInput && !dom.isHtml(element, "select") && !dom.isHtml(element, "textarea")) return false;
  if (isInput && OTHER_TYPES.has(dom.inputType(element))) return false;
  if (FIELD_TOKEN.test((dom.attribute(element, "autocomplete") ?? "").toLowerCase())) return true;
  const names = ["name", "id"].map((name) => spelled(dom.attribute(element, name) ?? ""));
  if (names.some((name) => FIELD_NAME.test(name) && !OTHER_CARD.test(name))) return true;
  if (!isInput) return false;
  const labels = [dom.attribute(element, "aria-label"), dom.attribute(element, "placeholder"), ...dom.labelsOf(element).map(dom.textContent)];
  return labels.some((label) => label && label.length <= LABEL_CHARS_MAX && FIELD_LABEL.test(label));
}

/** Return *name* as lower-case words: `cardNo`, `card_no` and `card-no` are the same. */
function spelled(name) {
  return name.slice(0, 100).replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().replace(/[^a-z0-9]+/g, " ").trim();
}
