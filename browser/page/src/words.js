/**
 * Every word on and around an element, for the rule that asks a person: names, visible text, titles, values.
 *
 * A control's words are its own: another control or list inside does not speak for it.
 */
import * as dom from "./dom.js";
import { nameOf, roleOf, styleOf } from "./names.js";
import { line } from "./text.js";
import { shown } from "./visible.js";

const NODES_MAX = 3000;
const LINE_CHARS_MAX = 4000;
const SAID_CHARS_MAX = 20_000;
// An icon that says nothing is named by the little text beside it; a page around it does not count.
const AROUND_LEVELS = 5;
const AROUND_CHARS_MAX = 100;
const APART =
  "a[href],button,input,select,textarea,summary,script,style,template,noscript,ul,ol,menu,dialog,table,iframe,[role=button],[role=link]," +
  "[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=option],[role=switch],[role=menu],[role=listbox],[role=dialog]";
const INLINE = new Set("a abbr b bdi bdo cite code em font i img ins kbd label mark q s samp small span strong sub sup u var".split(" "));
const FIELDS = "input,select,textarea";
// Their name is all they contain, the controls in them too.
const CONTAINERS = new Set("row cell gridcell rowheader columnheader treeitem heading".split(" "));
const SPEAKING = ["aria-label", "title", "alt"];

/** Return the words of *steps*, the elements that a click sets off, one line for each piece. */
export function wordsOf(steps) {
  const lines = new Set();
  const budget = { nodes: NODES_MAX };
  for (const step of steps) {
    for (const piece of spoken(step, steps, budget)) {
      const clean = line(piece, LINE_CHARS_MAX);
      if (clean) lines.add(clean);
    }
  }
  return [...lines].join("\n").slice(0, SAID_CHARS_MAX);
}

/** Return the words that stand around a *step* that has none of its own: little text, else its id and class. */
export function wordsAround(step) {
  let current = dom.flatParent(step);
  for (let level = 0; current && level < AROUND_LEVELS; level++, current = dom.flatParent(current)) {
    if (dom.isHtml(current, "body")) break;
    const words = wordsOf(new Set([current]));
    if (words.length > AROUND_CHARS_MAX) break;
    if (words) return words;
  }
  return ["id", "class"].map((name) => line(dom.attribute(step, name) ?? "", LINE_CHARS_MAX)).filter(Boolean).join("\n");
}

function spoken(step, steps, budget) {
  const name = CONTAINERS.has(roleOf(step)) ? "" : nameOf(step, LINE_CHARS_MAX);
  const pieces = [name, ...attributes(step), generated(step, "::before"), generated(step, "::after")];
  if (isValued(step)) pieces.push(dom.attribute(step, "value") ?? "");
  return dom.matches(step, FIELDS) ? pieces : [...pieces, ...textLines(step, steps, budget)];
}

function attributes(element) {
  return SPEAKING.map((name) => dom.attribute(element, name) ?? "");
}

function isValued(element) {
  if (dom.isHtml(element, "button")) return true;
  return dom.isHtml(element, "input") && ["submit", "button", "reset", "image"].includes(dom.inputType(element));
}

function generated(element, pseudo) {
  const content = styleOf(element, pseudo).content;
  return content.startsWith('"') ? content.slice(1, -1) : "";
}

/** Return the visible text of *step*; blocks stand on lines of their own, so that no word spans two. */
function textLines(step, steps, budget) {
  const lines = [""];
  const visit = (element) => {
    for (const node of dom.flatChildren(element)) {
      if (--budget.nodes < 0) return;
      const type = dom.nodeType(node);
      if (type === dom.TEXT) lines[lines.length - 1] += ` ${dom.textContent(node)}`;
      if (type !== dom.ELEMENT || (!steps.has(node) && dom.matches(node, APART)) || shown(node) === "gone") continue;
      const isBlock = !INLINE.has(dom.localName(node));
      if (isBlock) lines.push("");
      lines[lines.length - 1] += ` ${attributes(node).join(" ")}`;
      visit(node);
      if (isBlock) lines.push("");
    }
  };
  visit(step);
  return lines;
}
