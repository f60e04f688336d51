/**
 * Where the words of a node come from: seen on the page, hidden in it, or only an attribute.
 *
 * Rule: a name stays what assistive technology says; it is labelled unless visible words say all of it. What a person
 * sees in the element and its name does not say stands beside it, so nothing visible is lost and nothing hidden passes.
 */
import * as dom from "./dom.js";
import { styleOf } from "./names.js";
import { chosenLabels } from "./options.js";
import { isMasked, MASK } from "./masks.js";
import { withoutInvisible } from "./text.js";
import { shown } from "./visible.js";

const NODES_MAX = 400;
const CHARS_MAX = 4000;
const DEPTH_MAX = 100;
const SILENT = new Set("script style noscript template head meta link object embed base param track source iframe".split(" "));
const WORD = /[\p{L}\p{N}]/u;
const BUTTONS = new Set(["submit", "reset", "button"]);

/** The words in an element: `seen` by a person, `unseen` in the page, `quiet` seen but marked as decoration. */
class Words {
  constructor(eye, withPseudo = false) {
    this.eye = eye;
    this.withPseudo = withPseudo;
    this.seen = [];
    this.unseen = [];
    this.said = [];
    this.evidence = [];
    this.left = NODES_MAX;
  }

  /** Read *element* and what stands in it. */
  read(element, deep = 0, isQuiet = false) {
    const tag = dom.localName(element);
    if (SILENT.has(tag) || deep > DEPTH_MAX) return this;
    const look = shown(element);
    if (look === "gone") return this;
    if (isMasked(element)) {
      for (const words of [this.seen, this.said, this.evidence]) words.push(MASK);
      return this;
    }
    const quiet = isQuiet || dom.attribute(element, "aria-hidden") === "true";
    if (this.withPseudo) this.drawn(element, "::before");
    if (dom.matches(element, "input,textarea,select")) this.field(element);
    else {
      for (const node of dom.flatChildren(element)) {
        if (this.left <= 0) break;
        const type = dom.nodeType(node);
        if (type === dom.ELEMENT) this.read(node, deep + 1, quiet);
        else if (type === dom.TEXT && look !== "muted") this.text(node, quiet);
      }
    }
    if (this.withPseudo) this.drawn(element, "::after");
    return this;
  }

  text(node, quiet) {
    const text = dom.textContent(node).slice(0, CHARS_MAX);
    if (text.trim() === "") return;
    this.left -= 1;
    const isSeen = this.eye.sees(node);
    if (isSeen) this.evidence.push(text);
    if (quiet) return;
    this.said.push(text);
    (isSeen ? this.seen : this.unseen).push(text);
  }

  /** A field in a label says its value. */
  field(element) {
    const value = dom.isHtml(element, "select") ? chosenLabels(element).join(" ") : dom.valueOf(element);
    if (value && this.eye.seesElement(element)) this.evidence.push(value);
    this.said.push(value);
  }

  drawn(element, pseudo) {
    const content = styleOf(element, pseudo).content;
    if (content.startsWith('"') && !this.eye.isBlank(element)) this.evidence.push(content.replace(/^"|"(?: \/.*)?$/g, "").replace(/\\(.)/g, "$1"));
  }
}

/**
 * Return where *name*, of the element of *item*, comes from, and what it leaves out: `{source, rest}`.
 *
 * `source` is undefined for words a person sees; `rest` is the visible text that has to stand beside the name.
 */
export function sourceOf(item, name, eye) {
  const { element } = item;
  if (item.isOption) return { source: eye.seesElement(dom.closest(element, "select") ?? element) ? undefined : "hidden", rest: "" };
  const isWhole = item.named || item.control;
  const wanted = squeezed(name);
  if (!wanted && !isWhole) return { rest: "" };
  const own = new Words(eye).read(element);
  const source = wanted && !says(own.evidence, wanted) ? sourceElsewhere(item, wanted, own, eye) : undefined;
  return { source, rest: isWhole ? restOf(wanted, source, own) : "" };
}

/** Return where *wanted* comes from when the element's own text does not say it. */
function sourceElsewhere(item, wanted, own, eye) {
  const control = item.control ?? item.element;
  if (dom.isHtml(control, "input") && BUTTONS.has(dom.inputType(control))) return eye.seesElement(control) ? undefined : "hidden";
  const near = new Words(eye);
  for (const other of [...labelledBy(control), ...dom.labelsOf(control)]) near.read(other);
  if (says(near.evidence, wanted)) return undefined;
  if (says(new Words(eye, true).read(item.element).evidence, wanted)) return undefined;
  return says(own.said, wanted) || says(near.said, wanted) ? "hidden" : "attribute";
}

/** Return the seen text of an element that its name does not say, or says among words that nobody sees. */
function restOf(wanted, source, own) {
  const seen = squeezed(own.seen.join(""));
  // A sign alone, the cross of a button for one, says nothing that its name does not.
  if (!WORD.test(seen) || (!source && (wanted.includes(seen) || isCut(wanted, seen)))) return "";
  return own.seen.join(" ");
}

/** A long name ends with an ellipsis. */
function isCut(wanted, words) {
  return wanted.endsWith("…") && words.startsWith(wanted.slice(0, -1));
}

function says(pieces, wanted) {
  const words = squeezed(pieces.join(""));
  if (words.includes(wanted) || isCut(wanted, words)) return true;
  if (!wanted.includes(MASK)) return false;
  let from = 0;
  return wanted.split(MASK).every((piece) => {
    const place = words.indexOf(piece, from);
    from = place + piece.length;
    return place >= 0;
  });
}

/** Return *text* without blanks, in one case: CSS changes both. */
function squeezed(text) {
  return withoutInvisible(text).replace(/\s+/g, "").toLowerCase();
}

function labelledBy(element) {
  const ids = (dom.attribute(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean).slice(0, 10);
  return ids.flatMap((id) => [...dom.query(dom.rootNode(element), `#${CSS.escape(id)}`)].slice(0, 1));
}

/** Return the text of the *nodes* of one run as `{seen, unseen}`, each on one line. */
export function splitText(nodes, eye) {
  const [seen, unseen] = [[], []];
  for (const node of nodes) (eye.sees(node) ? seen : unseen).push(dom.textContent(node));
  return { seen: seen.join(" "), unseen: unseen.join(" ") };
}

/** Return the text in an editing host as `{seen, unseen}`. */
export function editedText(element, eye) {
  const words = new Words(eye).read(element);
  return { seen: words.seen.join(" "), unseen: words.unseen.join(" ") };
}
