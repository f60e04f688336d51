/** Reading: text and HTML of an element, without any secret; and scrolling. */
import * as dom from "./dom.js";
import { isMasked, MASK } from "./masks.js";
import { Refusal } from "./refusal.js";
import { checkDocument, found } from "./resolve.js";
import { isHiddenToken, isSecret, masker, tellable } from "./secrets.js";
import { fieldText, shownText } from "./shown.js";
import { cut, withoutInvisible } from "./text.js";

const ELEMENTS_MAX = 50_000;
// What an element of which nothing may be told still says of itself.
const TOLD = new Set("id class name type role for".split(" "));
const INLINE = new Set("a abbr b bdi bdo cite code em font i kbd label mark q s samp small span strong sub sup u var".split(" "));

function plainText(element) {
  if (isHiddenToken(element)) return { text: "", hidden: 0 };
  const value = fieldText(element);
  return value === null ? shownText(element) : { text: tellable(element, value), hidden: 0 };
}

/**
 * Answer the visible text of an element, or the value of a field.
 *
 * `hidden_chars` tells how much text stands there that nobody sees; it is counted, not told.
 */
export function text(arg) {
  const element = found({ selector: "body", ...arg });
  const { text: words, hidden } = plainText(element);
  const part = cut(masker()(withoutInvisible(words)), arg.max_chars ?? 20_000);
  const answer = { text: part.text, truncated: part.truncated };
  return hidden > 0 ? { ...answer, hidden_chars: hidden } : answer;
}

/** Answer the HTML of an element without comments and without anything that a secret stands in. */
export function html(arg) {
  const element = found({ selector: "body", ...arg });
  // Copied into a document without a window: nothing loads and no custom element of the page runs.
  const inert = dom.implementation(document).createHTMLDocument("");
  const copy = inert.importNode(element, true);
  const originals = [element, ...dom.query(element, "*")];
  const copies = [copy, ...dom.query(copy, "*")];
  if (copies.length > ELEMENTS_MAX) throw new Refusal("page_failed", `more than ${ELEMENTS_MAX} elements`);
  const mask = masker();
  originals.forEach((original, place) => clear(original, copies[place], mask));
  clearTexts(copy, mask);
  const part = cut(mask(dom.outerHtml(copy)), arg.max_chars ?? 40_000);
  return { html: part.text, truncated: part.truncated };
}

/** Take from *copy* what its *original* must not tell. */
function clear(original, copy, mask) {
  const isCovered = isMasked(original);
  if (isCovered || isHiddenToken(original) || isSecret(original)) {
    copy.removeAttribute("value");
    if (isCovered || dom.isHtml(original, "textarea") || dom.isHtml(original, "select")) dom.setText(copy, dom.textContent(original) ? MASK : "");
  }
  for (const name of copy.getAttributeNames()) {
    if (isCovered && !TOLD.has(name)) copy.removeAttribute(name);
    else {
      const value = dom.attribute(copy, name);
      const changed = mask(value);
      if (changed !== value) copy.setAttribute(name, changed);
    }
  }
}

/** Mask the texts of *copy*; a number written over several inline elements is one. */
function clearTexts(copy, mask) {
  const walker = dom.nodeWalker(copy);
  let run = [];
  const end = () => {
    maskRun(run, mask);
    run = [];
  };
  const comments = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const type = dom.nodeType(node);
    if (type === dom.COMMENT) comments.push(node);
    else if (type === dom.TEXT) run.push(node);
    else if (!INLINE.has(dom.localName(node))) end();
  }
  end();
  for (const comment of comments) dom.drop(comment);
}

function maskRun(nodes, mask) {
  for (const node of nodes) {
    const words = dom.textContent(node);
    const masked = mask(words);
    if (masked !== words) dom.setText(node, masked);
  }
  if (nodes.length < 2) return;
  const whole = nodes.map(dom.textContent).join("");
  const masked = mask(whole);
  if (masked === whole) return;
  // Card numbers keep their length; another secret over several elements goes as a whole.
  const isKept = masked.length === whole.length;
  let place = 0;
  nodes.forEach((node, number) => {
    const size = dom.textContent(node).length;
    dom.setText(node, isKept ? masked.slice(place, place + size) : number === 0 ? masked : "");
    place += size;
  });
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
