/** Text of a page as one clean line: nothing invisible, nothing that breaks JSON. */

// Controls become blanks; zero-width, bidi and tag characters only hide or reorder text.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e0fff}]/gu;

/** Return *text* without the characters that only hide or reorder text. */
export function withoutInvisible(text) {
  return text.replace(INVISIBLE, "");
}

/** Return *text* on one line without invisible characters, cut to *max* characters with an ellipsis. */
export function line(text, max) {
  // Ten times is room enough for what gets collapsed; it bounds the work on a page-long string.
  const raw = text.length > max * 10 ? text.slice(0, max * 10) : text;
  const clean = raw.toWellFormed().replace(CONTROLS, " ").replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean;
}

/** Return the first *max* characters of *text*, and whether some were cut. */
export function cut(text, max) {
  const whole = text.toWellFormed();
  if (whole.length <= max) return { text: whole, truncated: false };
  const high = whole.charCodeAt(max - 1);
  const end = high >= 0xd800 && high <= 0xdbff ? max - 1 : max;
  return { text: whole.slice(0, end), truncated: true };
}
