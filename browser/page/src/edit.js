/** Editing: focus for typing, values that are not typed, and the choice in a list. */
import * as dom from "./dom.js";
import { line } from "./text.js";
import { isEditingHost } from "./names.js";
import { chosenLabels, freeOptions, labelOf, optionFor } from "./options.js";
import { Refusal } from "./refusal.js";
import { described, found } from "./resolve.js";
import { isHiddenToken, isPassword, MASK } from "./secrets.js";
import { checkTarget } from "./target.js";

const OPTIONS_TOLD_MAX = 20;
const TYPED = new Set(["text", "search", "email", "tel", "url", "number", "password"]);
/** Inputs made of parts or pickers: their value is set, not typed. */
const SET = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);

function editKind(element) {
  if (dom.isHtml(element, "textarea")) return "text";
  if (dom.isHtml(element, "input")) {
    const type = dom.inputType(element);
    return TYPED.has(type) ? "text" : SET.has(type) ? "value" : null;
  }
  return isEditingHost(element) || (dom.inHtml(element) && dom.isContentEditable(element)) ? "rich" : null;
}

function editable(arg) {
  const element = found(arg);
  checkTarget(element, arg);
  if (isPassword(element)) throw new Refusal("password_field", "a password is typed by the person, never by the agent");
  const kind = editKind(element);
  if (!kind) throw new Refusal("not_editable", `${dom.localName(element)} takes no text`);
  if (dom.matches(element, ":disabled") || dom.closest(element, "[inert]")) throw new Refusal("not_editable", "the field is disabled");
  if (dom.isReadonly(element)) throw new Refusal("not_editable", "the field is read-only");
  return { element, kind };
}

/** Return the focused element, through shadow roots and frames of the same origin. */
export function focused() {
  let active = dom.activeIn(document);
  for (let deep = 0; active && deep < 64; deep++) {
    const frame = dom.isHtml(active, "iframe") ? dom.documentOf(active) : null;
    const root = frame ?? dom.shadowRoot(active);
    const inner = root ? dom.activeIn(root) : null;
    if (!inner) return active;
    active = inner;
  }
  return active;
}

function selectContent(element, kind, all) {
  if (kind === "text") {
    const isArea = dom.isHtml(element, "textarea");
    (isArea ? dom.selectTextarea : dom.selectInput)(element);
    // Typing at the end: collapsing the selection works for number and email too.
    if (!all) dom.view(dom.ownerDocument(element)).getSelection().collapseToEnd();
    return;
  }
  const owner = dom.ownerDocument(element);
  const range = dom.createRange(owner);
  range.selectNodeContents(element);
  if (!all) range.collapse(false);
  const selection = dom.view(owner).getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

/** Focus an editable element; with *clear* select what it holds, so that typing replaces it. */
export function focus(arg) {
  const { element, kind } = editable(arg);
  dom.focus(element, { preventScroll: true });
  const active = focused();
  if (active !== element && !(kind === "rich" && active && isEditingHost(active))) {
    throw new Refusal("not_editable", "the element does not take the focus");
  }
  if (kind !== "value") selectContent(element, kind, arg.clear !== false);
  // What the page did on the focus counts: it is this field that gets the text.
  checkTarget(element, arg);
  return { ...described(element, arg), insert: kind === "value" ? "value" : "text", empty: currentValue(element) === "" };
}

function currentValue(element) {
  if (isPassword(element)) return MASK;
  if (isHiddenToken(element)) return "";
  if (dom.isHtml(element, "input") || dom.isHtml(element, "textarea")) return dom.valueOf(element);
  if (dom.isHtml(element, "select")) return chosenLabels(element).join(", ");
  return (dom.inHtml(element) ? dom.innerText(element) : dom.textContent(element)) ?? "";
}

/** Answer what a field holds after an edit. */
export function valueAfter(arg) {
  return { value: currentValue(found(arg)).slice(0, 20_000).toWellFormed() };
}

function announce(element) {
  dom.dispatch(element, new Event("input", { bubbles: true, composed: true }));
  dom.dispatch(element, new Event("change", { bubbles: true }));
}

/** Set a field that is not typed into (date, colour, range) and tell the page. */
export function setValue(arg) {
  const { element, kind } = editable(arg);
  if (kind !== "value") throw new Refusal("not_editable", "this field is typed into");
  const before = dom.valueOf(element);
  dom.setInputValue(element, String(arg.value));
  if (dom.valueOf(element) !== String(arg.value).trim()) {
    dom.setInputValue(element, before);
    throw new Refusal("bad_value", `${dom.inputType(element)} does not take ${line(String(arg.value), 80)}`);
  }
  announce(element);
  return { ...described(element, arg), value: dom.valueOf(element) };
}

/** Choose the option whose value or visible label is *value* and tell the page. */
export function selectOption(arg) {
  const element = found(arg);
  if (!dom.isHtml(element, "select")) throw new Refusal("not_a_select", `${dom.localName(element)} is no <select>`);
  if (dom.matches(element, ":disabled")) throw new Refusal("not_editable", "the list is disabled");
  checkTarget(element, arg);
  const option = optionFor(element, String(arg.value));
  if (!option) throw new Refusal("no_such_option", told(element, String(arg.value)));
  dom.setSelectedIndex(element, Array.prototype.indexOf.call(dom.selectOptions(element), option));
  announce(element);
  return { ...described(element, arg), selected: labelOf(option), value: dom.optionValue(option).toWellFormed() };
}

function told(element, wanted) {
  const free = freeOptions(element);
  const first = free.slice(0, OPTIONS_TOLD_MAX).map((each) => labelOf(each, 60) || dom.optionValue(each));
  const more = free.length > first.length ? ` (${free.length} in all)` : "";
  return `${line(wanted, 200)}; there are: ${first.join(" | ")}${more}`.slice(0, 500);
}
