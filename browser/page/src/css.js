/** What a CSS selector asks about, read as a CSS parser reads it. */

// In this order: an escape may hide a quote, a string may hold a bracket. An unclosed string ends with the selector.
const TOKENS = /\\(?:([0-9a-f]{1,6})\s?|[^])|"(?:\\[^]|[^"\\])*(?:"|$)|'(?:\\[^]|[^'\\])*(?:'|$)|\/\*/gi;
const NAME_CHAR = /[\w-]/;
const VALUE_CONDITION = /\[\s*(?:[^\s[\]=|]*\|(?!=))?\s*value\s*(?:[\]=~|^$*]|$)/i;

/** Return whether *css* asks anywhere, however it is spelled, about the attribute `value`. */
export function asksValue(css) {
  return VALUE_CONDITION.test(css.replace(TOKENS, plain));
}

function plain(token, hex) {
  if (token[0] === '"' || token[0] === "'") return '""';
  if (token === "/*") return "";
  const point = hex === undefined ? token.codePointAt(1) : parseInt(hex, 16);
  const char = point <= 0x10ffff ? String.fromCodePoint(point ?? 0) : "";
  return NAME_CHAR.test(char) ? char : "\ufffd";
}
