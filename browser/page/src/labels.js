/** Labels: what of a node nobody sees on the page, told apart from what is seen. */
import * as dom from "./dom.js";
import { isMasked, MASK } from "./masks.js";
import { isEditingHost } from "./names.js";
import { editedText, sourceOf, splitText } from "./source.js";
import { line } from "./text.js";

const NUMBER = /^[\d.,:%\s+-]*$/;

/** Return *node* with a run of text; the part that nobody sees stands below it, or is all of it, labelled. */
export function textNode(item, node, lens) {
  if (isMasked(item.element)) return { ...node, name: MASK };
  const { seen, unseen } = splitText(item.nodes, lens.eye);
  node.name = lens.mask(line(unseen ? seen : item.text, lens.chars));
  return withUnseen(node, unseen, lens);
}

/** Put *text* that nobody sees into *node*, when it says nothing else, or below it. */
function withUnseen(node, text, lens) {
  const words = lens.mask(line(text, lens.chars));
  if (!words) return node;
  if (node.role === "text" && !node.name) return { ...node, name: words, source: "hidden" };
  (node.children ??= []).push({ role: "text", name: words, bounds: node.bounds, source: "hidden" });
  return node;
}

/** Label *node* when nobody sees what it says, and put below it the visible words that its name leaves out. */
export function label(node, item, name, lens) {
  const control = item.control ?? item.element;
  const { source, rest } = sourceOf(item, name, lens.eye);
  const said = source ?? (node.value ? valueSource(control, node.value, lens) : undefined);
  if (said) node.source = said;
  const words = lens.mask(line(rest, lens.chars));
  if (words) node.children = [{ role: "text", name: words, bounds: node.bounds }];
  if (!isEditingHost(control) || !node.value) return;
  const { seen, unseen } = editedText(control, lens.eye);
  if (!line(unseen, lens.chars)) return;
  node.value = lens.mask(line(seen, lens.chars));
  withUnseen(node, unseen, lens);
}

function valueSource(control, value, lens) {
  if (dom.matches(control, "input,textarea,select")) return lens.eye.seesElement(control) ? undefined : "hidden";
  return isEditingHost(control) || NUMBER.test(value) ? undefined : "attribute";
}
