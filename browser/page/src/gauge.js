/**
 * How much of what can be pressed the snapshot can name (O4), and whether the layout says what words do not.
 *
 * Fields count as named: their role and value are there, and the words beside them stand in the tree.
 */
import { unaskedCount } from "./assist.js";
import * as dom from "./dom.js";
import { nameOf, styleOf, textOf } from "./names.js";

const FIELDS = new Set("textbox searchbox combobox listbox spinbutton slider checkbox radio switch option scrollbar".split(" "));
const NAMED_MAX = 200;
const DRAWINGS_MAX = 200;
const LARGE_SHARE = 0.2;
const SHAPES_MIN = 10;
const PLACED_MIN = 3;
// Glyphs of icon fonts: they have no meaning as text.
const GLYPHS = /[\ue000-\uf8ff\u{f0000}-\u{10fffd}\s]/gu;

/** Return the share of what can be pressed that has words. */
export function completenessOf({ named, missed }) {
  return missed === 0 ? 1 : Math.round((named / (named + missed)) * 1000) / 1000;
}

/** What one walk met that can be pressed, and what is drawn. */
export class Gauge {
  #presses = [];
  #drawings = [];

  /** Note *item*, which can be pressed and stands in what *above* is; return it as the one that words speak for. */
  press(item, above) {
    const noted = { item, above, said: FIELDS.has(item.role) };
    this.#presses.push(noted);
    return noted;
  }

  /** Return whether no word was met yet in what *press* is. */
  isSilent(press) {
    return press !== null && !press.said;
  }

  /** Note that there are words in *press* and so in all that stands around it. */
  say(press) {
    for (let each = press; each && !each.said; each = each.above) each.said = true;
  }

  /** Note the canvas, SVG or picture *element*. */
  draw(element, isInteractive) {
    if (dom.isHtml(element, "img") && !dom.hasAttribute(element, "usemap")) return;
    if (this.#drawings.length < DRAWINGS_MAX) this.#drawings.push({ element, isInteractive });
  }

  /** Answer `{named, missed, visual}`: how many presses have words, how many have none, whether the look tells more. */
  answer() {
    const nameless = this.#nameless();
    const missed = nameless.length + this.#unmapped() + unaskedCount();
    return { named: this.#presses.length - nameless.length, missed, visual: this.#isVisual(nameless) };
  }

  #nameless() {
    let tries = 0;
    return this.#presses.filter((each) => !each.said && (++tries > NAMED_MAX || !isNamed(each.item))).map((each) => each.item);
  }

  /** Count the areas of image maps: they have no box of their own. */
  #unmapped() {
    let count = 0;
    for (const { element } of this.#drawings) {
      if (dom.isHtml(element, "img")) count += areasOf(element).length;
    }
    return count;
  }

  #isVisual(nameless) {
    const inDrawing = new Set(nameless.filter(({ element }) => !dom.inHtml(element)).map(({ element }) => svgAround(element)));
    const isPlaced = ({ element }) => styleOf(element).position === "absolute";
    return (
      this.#drawings.some(({ element, isInteractive }) => tellsByLook(element, isInteractive || inDrawing.has(element))) ||
      nameless.filter(isPlaced).length >= PLACED_MIN
    );
  }
}

function isNamed(item) {
  const element = item.control ?? item.element;
  const name = nameOf(element) || (item.named ? textOf(item.element) : "");
  return name.replace(GLYPHS, "") !== "";
}

function areasOf(picture) {
  const name = (dom.attribute(picture, "usemap") ?? "").replace(/^#/, "");
  if (!name) return [];
  return Array.from(dom.query(dom.rootNode(picture), `map[name="${CSS.escape(name)}"] area[href]`));
}

function svgAround(shape) {
  let found = shape;
  for (let each = shape; each && !dom.inHtml(each); each = dom.parentNode(each)) found = each;
  return found;
}

function tellsByLook(element, isPressed) {
  if (dom.isHtml(element, "img")) return areasOf(element).length > 0;
  const box = dom.rect(element);
  const isLarge = box.width * box.height >= LARGE_SHARE * innerWidth * innerHeight;
  if (dom.isHtml(element, "canvas")) return isPressed || isLarge;
  if (isPressed && dom.descendants(element, "*").length >= SHAPES_MIN) return true;
  return isLarge && dom.descendants(element, "*").length >= SHAPES_MIN;
}
