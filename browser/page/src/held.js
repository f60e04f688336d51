/**
 * What a field holds after an edit, and whether that is what was typed.
 *
 * Rule: a page may lay its own signs around what was typed, and nothing more; a lost sign, digit or word is a failure.
 */
import * as dom from "./dom.js";
import { chosenLabels } from "./options.js";
import { isHiddenToken, isPassword, MASK } from "./secrets.js";
import { nextFrame, pause } from "./wait.js";

const RENDERS_MS = 400;
const LOOK_MS = 40;
const NUMBER = /^[-+]?[\d.,]*\d[\d.,]*$/;
// What a page may put around a number without changing it.
const AROUND_NUMBER = /[\s,¥￥$€£%]/g;
const SIGNS = /[^\p{L}\p{N}]/gu;

/** Return what *element* holds: the value of a field, the choice of a list, else its text. */
export function currentValue(element) {
  if (isPassword(element)) return MASK;
  if (isHiddenToken(element)) return "";
  if (isField(element)) return dom.valueOf(element);
  if (dom.isHtml(element, "select")) return chosenLabels(element).join(", ");
  return (dom.inHtml(element) ? dom.innerText(element) : dom.textContent(element)) ?? "";
}

function isField(element) {
  return dom.isHtml(element, "input") || dom.isHtml(element, "textarea");
}

/**
 * Wait until the page had its say, then answer `{how, value}` of *element*, that *wanted* was typed into.
 *
 * *how*: "held" as it was typed, "formatted", "completed" by a suggestion, "cut" at its length, "lost", or "gone".
 */
export async function heldAfter(element, wanted, latest = () => element) {
  await nextFrame();
  const ends = performance.now() + RENDERS_MS;
  for (;;) {
    // A page may put a new element in the place of the one that was typed into.
    const now = dom.isConnected(element) ? element : latest();
    if (!now) return { how: "gone", value: "" };
    const value = currentValue(now);
    const how = judged(now, value, wanted);
    if (how !== "lost" || performance.now() >= ends) return { how, value };
    await pause(LOOK_MS);
  }
}

function judged(element, got, wanted) {
  if (same(element, got, wanted)) return "held";
  if (isField(element)) {
    const limit = dom.maxLengthOf(element);
    if (limit >= 0 && got.length >= limit && wanted.length > limit) return "cut";
    if (isCompletion(element, got, wanted)) return "completed";
    if (dom.isHtml(element, "input") && dom.inputType(element) === "email" && got === ascii(wanted)) return "formatted";
  }
  return isFormatOf(got, wanted) ? "formatted" : "lost";
}

function same(element, got, wanted) {
  if (isField(element)) return unified(got) === unified(wanted);
  // Blocks and line breaks of rich text read as any blank.
  return blanks(got) === blanks(wanted);
}

function unified(text) {
  return text.replace(/\r\n?/g, "\n");
}

function blanks(text) {
  return text.replace(/[\s\u200b\ufeff]+/g, " ").trim();
}

/** Return whether the rest of *got* is a suggestion that the next key would replace. */
function isCompletion(element, got, wanted) {
  const [start, end] = dom.caretOf(element);
  return start !== null && start < end && start <= wanted.length && end === got.length && got.startsWith(wanted);
}

function ascii(address) {
  const [name, domain] = address.split("@");
  try {
    return `${name}@${new URL(`http://${domain}`).hostname}`;
  } catch {
    return address;
  }
}

function isFormatOf(got, wanted) {
  const [has, asked] = [got, wanted].map((text) => text.normalize("NFKC").trim());
  const numeral = asked.replace(AROUND_NUMBER, "");
  if (NUMBER.test(asked)) {
    const shown = has.replace(AROUND_NUMBER, "");
    if (shown === numeral) return true;
    if (NUMBER.test(shown)) return shown.includes(".") && Number(shown) === Number(numeral) && shown.startsWith(numeral);
  }
  const [bare, wish] = [has, asked].map((text) => text.replace(SIGNS, "").toLowerCase());
  if (wish === "" || bare !== wish) return false;
  // A number's own signs mean something: they must all be there.
  return !NUMBER.test(asked) || [...numeral].filter((sign) => !/\d/.test(sign)).every((sign) => has.includes(sign));
}
