/**
 * The text of an element as `innerText` lays it out, without what nobody sees and with masks in their places.
 *
 * Rule: where all is seen, it is `innerText` to the letter. Where not, the letters of the text nodes are found again
 * in it, one after the other; if they are not those (a transform changed them), the seen texts are put together plainly.
 */
import * as dom from "./dom.js";
import { Eye } from "./hidden.js";
import { isMasked, MASK, maskedIn } from "./masks.js";
import { styleOf } from "./names.js";
import { chosenLabels } from "./options.js";
import { shown } from "./visible.js";

const NODES_MAX = 50_000;
const DEPTH_MAX = 700;
const SILENT = new Set("script style noscript template head iframe object video audio canvas textarea".split(" "));
const INLINE = new Set("a abbr b bdi bdo cite code em font i kbd label mark q s samp small span strong sub sup u var".split(" "));
const BLANK = /\s/;

/** Return `{text, hidden}`: the visible text of *element* and how many characters of it nobody sees. */
export function shownText(element) {
  const whole = (dom.inHtml(element) ? dom.innerText(element) : dom.textContent(element)) ?? "";
  if (isMasked(element)) return { text: whole ? MASK : "", hidden: 0 };
  const { pieces, isPut } = new Drawing(element);
  const isPlain = pieces.every(({ kind }) => kind === "seen");
  if (isPlain) return { text: isPut && lettersOf(whole).length < lengthOf(pieces) ? joined(pieces) : whole, hidden: 0 };
  return { text: aligned(whole, pieces) ?? joined(pieces), hidden: lengthOf(pieces.filter(({ kind }) => kind === "unseen")) };
}

function lengthOf(pieces) {
  return pieces.reduce((sum, { letters }) => sum + letters.length, 0);
}

/** The texts drawn in an element, in order: `pieces` of `{kind, letters, text, block}`. */
class Drawing {
  constructor(element) {
    this.eye = new Eye();
    this.masked = new Set(maskedIn(element));
    this.pieces = [];
    // The browser may put off drawing what is far below; `innerText` leaves it out.
    this.isPut = false;
    this.visit(element, false, element, 0);
  }

  visit(parent, isCovered, block, deep) {
    const tag = dom.localName(parent);
    if (SILENT.has(tag) || deep > DEPTH_MAX || this.pieces.length > NODES_MAX) return;
    const look = shown(parent);
    if (look === "gone") return;
    this.isPut ||= styleOf(parent).contentVisibility === "auto";
    if (tag === "select") {
      this.list(parent, isCovered);
      return;
    }
    for (let node = dom.firstChild(parent); node; node = dom.nextSibling(node)) {
      const type = dom.nodeType(node);
      if (type === dom.ELEMENT) this.visit(node, isCovered || this.masked.has(node), INLINE.has(dom.localName(node)) ? block : node, deep + 1);
      else if (type === dom.TEXT && look !== "muted") this.add(dom.textContent(node), block, isCovered, () => this.eye.sees(node));
    }
  }

  /** What a list offers is drawn when it opens; it is seen when the list is. */
  list(select, isCovered) {
    for (const option of dom.selectOptions(select)) this.add(dom.textContent(option), option, isCovered || this.masked.has(option), () => this.eye.seesElement(select));
  }

  add(text, block, isCovered, isSeen) {
    const letters = lettersOf(text);
    if (letters) this.pieces.push({ kind: isCovered ? "masked" : isSeen() ? "seen" : "unseen", letters, text, block });
  }
}

function lettersOf(text) {
  return text.replace(/\s+/g, "");
}

/** Return *whole* without the unseen *pieces*, null when it is not made of all of them. */
function aligned(whole, pieces) {
  const letters = pieces.map((piece) => piece.letters).join("").toLowerCase();
  if (letters !== lettersOf(whole).toLowerCase()) return null;
  let [text, place, index, kindBefore] = ["", 0, 0, ""];
  for (const char of whole.split("")) {
    if (BLANK.test(char)) {
      text += char;
      continue;
    }
    while (place >= pieces[index].letters.length) [place, index] = [0, index + 1];
    const { kind } = pieces[index];
    if (kind === "seen") text += char;
    else if (kind === "masked" && kindBefore !== "masked") text += MASK;
    kindBefore = kind;
    place += 1;
  }
  return text.replace(/ {2,}/g, " ").replace(/ +\n/g, "\n").replace(/\n(?:[^\S\n]*\n){2,}/g, "\n\n").trim();
}

/** Return the seen *pieces* block by block. */
function joined(pieces) {
  let [text, block] = ["", null];
  for (const piece of pieces) {
    if (piece.kind === "unseen") continue;
    const words = piece.kind === "masked" ? MASK : piece.text.replace(/\s+/g, " ");
    text += text && piece.block !== block ? `\n${words}` : words;
    block = piece.block;
  }
  return text.trim();
}

/** Return the value of a field as it is shown, null for what is none. */
export function fieldText(element) {
  if (dom.isHtml(element, "input") || dom.isHtml(element, "textarea")) return dom.valueOf(element);
  return dom.isHtml(element, "select") ? chosenLabels(element).join(", ") : null;
}
