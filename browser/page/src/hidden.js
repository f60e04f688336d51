/**
 * Whether a person sees a text: what is drawn clear, tiny, in the colour of its ground, cut away or out of reach is not.
 *
 * Rule: what cannot be known (a picture below, a blend) counts as seen. An Eye is good for one answer: it keeps what
 * it found about each element.
 */
import { colourOf, gradientColours, isSame, over, WHITE } from "./colours.js";
import * as dom from "./dom.js";
import { styleOf } from "./names.js";
import { isAway } from "./reach.js";
import { frameOf } from "./visible.js";

const OPACITY_MIN = 0.05;
const FONT_PX_MAX = 1;
const PAINTERS_MAX = 3000;
const CANDIDATES_MAX = 12;
const MEDIA = new Set("img video canvas svg iframe object embed picture".split(" "));
const ROOT = { opacity: 1, cut: false, blended: false };

/** What one answer knows of what is seen. */
export class Eye {
  constructor() {
    this.looks = new Map();
    this.grounds = new Map();
    this.inks = new Map();
    this.clips = new Map();
    this.painters = new Map();
    this.drawn = new Map();
  }

  /** Return whether a person sees the text *node*. */
  sees(node) {
    const home = dom.homeOf(node);
    if (!home) return false;
    if (this.isBlank(home)) return false;
    const range = dom.createRange(dom.ownerDocument(home));
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 1 || box.height <= 1) return false;
    return !isAway(this, box, home) && this.isInked(home, box);
  }

  /** Return whether a person sees what *element* itself shows, the text of a field for one. */
  seesElement(element) {
    const box = dom.rect(element);
    if (this.isBlank(element) || box.width <= 1 || box.height <= 1) return false;
    return !isAway(this, box, element) && this.isInked(element, box);
  }

  isBlank(home) {
    return this.look(home).cut || parseFloat(styleOf(home).fontSize) <= FONT_PX_MAX;
  }

  /** Return what *element* and all around it do to what stands in it. */
  look(element) {
    let look = this.looks.get(element);
    if (look) return look;
    const parent = dom.flatParent(element);
    const frame = parent ? null : frameOf(dom.ownerDocument(element));
    const above = parent ? this.look(parent) : frame ? this.look(frame) : ROOT;
    const style = styleOf(element);
    const opacity = above.opacity * Number(style.opacity) * (style.filter === "none" ? 1 : filterOpacity(style.filter));
    const cut = above.cut || opacity < OPACITY_MIN || (style.clipPath !== "none" && isPathAway(style.clipPath, element)) || isClipAway(style);
    look = { opacity, cut, blended: above.blended || style.mixBlendMode !== "normal" };
    this.looks.set(element, look);
    return look;
  }

  /** Return whether text in *home* at *box* stands out from what is behind it. */
  isInked(home, box) {
    let ink = this.inks.get(home);
    if (ink === undefined) this.inks.set(home, (ink = this.inkOf(home)));
    return ink === "seen" || (ink !== "clear" && this.standsOnOther(home, box, ink));
  }

  /** Return "seen", "clear" (no ink at all), or the ink that is the colour of its ground. */
  inkOf(home) {
    const style = styleOf(home);
    const ink = colourOf(dom.isSvg(home) ? style.fill : style.webkitTextFillColor);
    if (ink === null || this.look(home).blended) return "seen";
    if (isOutlined(home, style, ink)) return "seen";
    if (ink[3] < OPACITY_MIN) return isCutFromGround(home) ? "seen" : "clear";
    const grounds = this.ground(home);
    return grounds === null || grounds.some((ground) => !isSame(over(ink, ground), ground)) ? "seen" : ink;
  }

  /** Return the colours that may be behind what stands in *element*, null when a picture is. */
  ground(element) {
    let grounds = this.grounds.get(element);
    if (grounds === undefined) this.grounds.set(element, (grounds = this.groundOf(element)));
    return grounds;
  }

  groundOf(element) {
    const style = styleOf(element);
    if (style.backgroundImage !== "none") {
      const colours = gradientColours(style.backgroundImage);
      return colours && this.laid([...colours, colourOf(style.backgroundColor)], element);
    }
    const own = colourOf(style.backgroundColor);
    if (own === null) return null;
    return own[3] === 1 ? [own] : this.laid([own], element);
  }

  laid(colours, element) {
    const below = this.below(element);
    if (below === null || below.length * colours.length > CANDIDATES_MAX) return null;
    return below.flatMap((ground) => colours.map((colour) => over(colour, ground)));
  }

  below(element) {
    const parent = dom.flatParent(element);
    if (parent) return this.ground(parent);
    const doc = dom.ownerDocument(element);
    const frame = frameOf(doc);
    if (frame) return this.ground(frame);
    return isDark(element, doc) ? null : [WHITE];
  }

  /** Return whether something that is not around the text in *home* is painted behind it, and the text shows on that. */
  standsOnOther(home, box, ink) {
    if (this.drawnAround(home).some((each) => stands(each, ink))) return true;
    const doc = dom.ownerDocument(home);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const around = new Set();
    for (let current = home; current; current = dom.flatParent(current)) around.add(current);
    const stack = dom.stackIn(doc, x, y);
    const place = stack.findIndex((element) => around.has(element));
    if (place < 0) return this.painted(doc).some((each) => !around.has(each.element) && covers(each.box, x, y) && stands(each, ink));
    for (const element of stack.slice(place + 1)) {
      const isAround = around.has(element);
      if (!isAround && stands(paintOf(element), ink)) return true;
      if ((colourOf(styleOf(element).backgroundColor)?.[3] ?? 0) === 1) return false;
    }
    // What lets presses through is in no stack.
    return this.painted(doc).some((each) => each.isLoose && !around.has(each.element) && covers(each.box, x, y) && stands(each, ink));
  }

  /** Return what `::before` and `::after` paint around *element*, up to the next ground that lets nothing through. */
  drawnAround(element) {
    let drawn = this.drawn.get(element);
    if (drawn) return drawn;
    const parent = dom.flatParent(element);
    const isGround = (colourOf(styleOf(element).backgroundColor)?.[3] ?? 0) === 1;
    drawn = [...paintedPseudos(element), ...(isGround || !parent ? [] : this.drawnAround(parent))];
    this.drawn.set(element, drawn);
    return drawn;
  }

  /** Return what paints something in *doc* besides text. */
  painted(doc) {
    let painters = this.painters.get(doc);
    if (painters) return painters;
    const elements = Array.prototype.slice.call(dom.query(doc, "body *"), 0, PAINTERS_MAX);
    painters = elements.map(paintOf).filter(({ isPicture, colour }) => isPicture || (colour?.[3] ?? 0) > OPACITY_MIN);
    for (const each of painters) {
      each.box = dom.rect(each.element);
      each.isLoose = styleOf(each.element).pointerEvents === "none";
    }
    this.painters.set(doc, painters);
    return painters;
  }
}

function paintOf(element) {
  const style = styleOf(element);
  const isPicture = MEDIA.has(dom.localName(element)) || style.backgroundImage !== "none";
  return { element, isPicture, colour: colourOf(style.backgroundColor) };
}

function stands({ isPicture, colour }, ink) {
  if (isPicture || colour === null) return true;
  return colour[3] >= OPACITY_MIN && !isSame(over(ink, colour), over(colour, ink));
}

function covers(box, x, y) {
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
}

function paintedPseudos(element) {
  const styles = ["::before", "::after"].map((pseudo) => styleOf(element, pseudo));
  const isDrawn = ({ content, position }) => content !== "none" && content !== "normal" && position !== "static";
  return styles.filter(isDrawn).map((style) => ({ isPicture: style.backgroundImage !== "none", colour: colourOf(style.backgroundColor) }));
}

/** Return whether a shadow or an outline of another colour makes the letters seen. */
function isOutlined(home, style, ink) {
  const shadow = style.textShadow === "none" ? null : colourOf(/^(?:rgba?|color|lab|lch|oklab|oklch)\([^)]*\)/.exec(style.textShadow)?.[0] ?? "");
  const stroke = parseFloat(style.webkitTextStrokeWidth) > 0 ? colourOf(style.webkitTextStrokeColor) : null;
  const line = dom.isSvg(home) && style.stroke !== "none" ? colourOf(style.stroke) : null;
  return [shadow, stroke, line].some((colour) => colour && colour[3] > 0.2 && !isSame(over(colour, WHITE), over(ink, WHITE)));
}

/** Return whether the letters are cut out of the background around them. */
function isCutFromGround(home) {
  for (let current = home; current; current = dom.flatParent(current)) {
    if (styleOf(current).webkitBackgroundClip.includes("text")) return true;
  }
  return false;
}

function isDark(root, doc) {
  if (styleOf(root).colorScheme.includes("dark")) return true;
  return dom.query(doc, 'meta[name="color-scheme"][content*="dark" i]').length > 0;
}

function filterOpacity(filter) {
  const share = /opacity\(([\d.e-]+)(%?)\)/.exec(filter);
  return share ? Number(share[1]) / (share[2] ? 100 : 1) : 1;
}

/** Return whether `clip` leaves nothing of an absolutely positioned element. */
function isClipAway(style) {
  if (style.clip === "auto" || (style.position !== "absolute" && style.position !== "fixed")) return false;
  const sides = style.clip.match(/-?[\d.]+/g)?.map(Number) ?? [];
  return sides.length === 4 && !style.clip.includes("auto") && (sides[1] - sides[3] <= 1 || sides[2] - sides[0] <= 1);
}

/** Return whether `clip-path` leaves nothing of *element*. */
function isPathAway(path, element) {
  const [, shape, inside] = /^(\w+)\((.*)\)/.exec(path) ?? [];
  const box = dom.rect(element);
  if (shape === "inset" || shape === "rect" || shape === "xywh") {
    const sides = inside.split(" round ")[0].trim().split(/\s+/);
    const [top, right = top, bottom = top, left = right] = sides;
    return length(top, box.height) + length(bottom, box.height) >= box.height - 1 || length(left, box.width) + length(right, box.width) >= box.width - 1;
  }
  if (shape === "circle" || shape === "ellipse") return /^0(?:px|%)?(?:\s|$)/.test(inside.trim());
  if (shape !== "polygon") return false;
  const points = inside.split(",").map((point) => point.trim().split(/\s+/).slice(-2));
  return [0, 1].some((axis) => new Set(points.map((point) => parseFloat(point[axis]))).size === 1);
}

function length(written, whole) {
  return (parseFloat(written) || 0) * (written.endsWith("%") ? whole / 100 : 1);
}
