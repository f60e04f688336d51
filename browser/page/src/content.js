/** Reading: text and HTML of an element, without any password; and scrolling. */
import * as dom from "./dom.js";
import { chosenLabels } from "./options.js";
import { Refusal } from "./refusal.js";
import { checkDocument, found } from "./resolve.js";
import { isHiddenToken, isPassword, MASK, masker } from "./secrets.js";
import { cut } from "./text.js";

const FIELDS_MAX = 20_000;

function plainText(element) {
  if (isPassword(element)) return dom.valueOf(element) ? MASK : "";
  if (isHiddenToken(element)) return "";
  if (dom.isHtml(element, "input") || dom.isHtml(element, "textarea")) return dom.valueOf(element);
  if (dom.isHtml(element, "select")) return chosenLabels(element).join(", ");
  return (dom.inHtml(element) ? dom.innerText(element) : dom.textContent(element)) ?? "";
}

/** Answer the visible text of an element, or the value of a field. */
export function text(arg) {
  const element = found({ selector: "body", ...arg });
  const part = cut(masker()(plainText(element)), arg.max_chars ?? 20_000);
  return { text: part.text, truncated: part.truncated };
}

/** Answer the HTML of an element without the values of passwords and hidden tokens. */
export function html(arg) {
  const element = found({ selector: "body", ...arg });
  // Copied into a document without a window: nothing loads and no custom element of the page runs.
  const inert = dom.implementation(document).createHTMLDocument("");
  const copy = inert.importNode(element, true);
  let originals = [...dom.query(element, "input")];
  let copies = [...dom.query(copy, "input")];
  if (dom.isHtml(element, "input")) [originals, copies] = [[element], [copy]];
  if (copies.length > FIELDS_MAX) throw new Refusal("page_failed", `more than ${FIELDS_MAX} fields`);
  copies.forEach((field, place) => {
    if (isHiddenToken(field) || isPassword(originals[place])) field.removeAttribute("value");
  });
  const part = cut(masker()(dom.outerHtml(copy)), arg.max_chars ?? 40_000);
  return { html: part.text, truncated: part.truncated };
}

/** Scroll an element into view, or the page to a place; answer where the page stands. */
export function scroll(arg) {
  if (arg.selector) dom.scrollIntoView(found(arg), { block: "center", inline: "nearest", behavior: "instant" });
  else {
    checkDocument(arg);
    window.scrollTo({ left: Number(arg.x ?? 0) || 0, top: Number(arg.y ?? 0) || 0, behavior: "instant" });
  }
  return { x: Math.round(scrollX), y: Math.round(scrollY) };
}
