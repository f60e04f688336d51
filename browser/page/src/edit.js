/** Editing: focus for typing and for keys, values that are not typed, and the choice in a list. */
import * as dom from "./dom.js";
import { isForeign } from "./frames.js";
import { currentValue, heldAfter } from "./held.js";
import { takesText } from "./keys.js";
import { isEditingHost, roleOf } from "./names.js";
import { labelOf, optionsMeant } from "./options.js";
import { Refusal } from "./refusal.js";
import { refOf } from "./refs.js";
import { described, found, identify } from "./resolve.js";
import { isPassword, tellable } from "./secrets.js";
import { checkTarget, wayUp } from "./target.js";
import { line } from "./text.js";
import { nextFrame } from "./wait.js";

const VALUE_CHARS_MAX = 20_000;
const FILE_FIELDS_TOLD_MAX = 5;
const TYPED = new Set(["text", "search", "email", "tel", "url", "number", "password"]);
/** Inputs made of parts or pickers: their value is set, not typed. */
const SET = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);

// What was typed into last: its element, and what stands before the new text.
let last = null;

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
  if (dom.isHtml(element, "input") && dom.inputType(element) === "file") throw new Refusal("not_editable", "it takes files");
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
export async function focus(arg) {
  const { element, kind } = editable(arg);
  const clear = arg.clear !== false;
  if (kind !== "rich" && !dom.isHtml(element, "textarea") && /[\r\n]/.test(arg.text ?? "")) {
    throw new Refusal("one_line", "");
  }
  dom.focus(element, { preventScroll: true });
  const active = focused();
  if (active !== element && !(kind === "rich" && active && isEditingHost(active))) {
    throw new Refusal("not_editable", "the element does not take the focus");
  }
  if (kind !== "value") selectContent(element, kind, clear);
  // An editor of the page's own learns of the selection a moment later.
  if (kind === "rich") await nextFrame();
  // What the page did on the focus counts: it is this field that gets the text.
  checkTarget(element, arg);
  const value = currentValue(element);
  last = { element, before: clear || kind === "value" ? "" : value };
  return { ...described(element, arg), insert: kind === "value" ? "value" : "text", empty: value === "" };
}

/** Answer what the field that was focused last holds now, and whether that is *text*. */
export async function held(arg) {
  if (!last) throw new Refusal("page_failed", "nothing was typed");
  const { element, before } = last;
  const again = () => {
    try {
      return found(arg);
    } catch {
      return null;
    }
  };
  const { how, value } = await heldAfter(element, before + String(arg.text), again);
  return { how, value: tellable(element, value.slice(0, VALUE_CHARS_MAX).toWellFormed()) };
}

/** Answer what a field holds. */
export function valueAfter(arg) {
  const element = found(arg);
  return { value: tellable(element, currentValue(element).slice(0, VALUE_CHARS_MAX).toWellFormed()) };
}

/**
 * Let this top document hold the focus, unless a frame does, before one of another process is to get it.
 *
 * A new page gets the window's focus with our first text or key. A busy top document hears of that before it hears
 * which frame has the focus; it would then take it for itself, and the element in the frame would lose it.
 */
export function focusPage() {
  const active = focused();
  if (!dom.hasFocus() && !(active && isForeign(active))) window.focus();
  return {};
}

/** Focus an element for keys alone; the page's body stands for no focus at all. */
export function holdFocus(arg) {
  const element = found(arg);
  checkTarget(element, arg);
  if (isPassword(element)) throw new Refusal("password_field", "a password is typed by the person, never by the agent");
  if (dom.isHtml(element, "body")) {
    const active = focused();
    if (active && active !== element) dom.blur(active);
  } else if (!hasFocus(element)) dom.focus(element, { preventScroll: true });
  if (!hasFocus(element)) throw new Refusal("takes_no_keys", named(element));
  checkTarget(element, arg);
  return described(element, arg);
}

/** Refuse unless the element still has the focus itself, so that Enter or Space reach it and nothing else. */
export function keyReady(arg) {
  const element = found(arg);
  checkTarget(element, arg);
  const active = focused();
  const isOwn = active ? hasFocusFor(element, active) : dom.isHtml(element, "body");
  if (!isOwn) throw new Refusal("focus_moved", active ? named(active) : "nothing");
  return described(element, arg);
}

/** Return whether a key to *active* is one to *element*: it is that itself, or the text that it holds. */
export function hasFocusFor(element, active) {
  return active === element || (takesText(element) && wayUp(active).includes(element));
}

function hasFocus(element) {
  const active = focused();
  if (dom.isHtml(element, "body")) return !active || active === element;
  return active !== null && wayUp(active).includes(element);
}

function named(element) {
  const id = dom.attribute(element, "id");
  const name = described(element, {}).target.name;
  return line(`${roleOf(element) || dom.localName(element)}${id ? `#${id}` : ""}${name ? ` “${name}”` : ""}`, 160);
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
  return { ...described(element, arg), value: tellable(element, dom.valueOf(element)) };
}

/** Choose the option that *value* means (of a list of many each of its lines) and tell the page. */
export function selectOption(arg) {
  const element = found(arg);
  if (!dom.isHtml(element, "select")) throw new Refusal("not_a_select", `${dom.localName(element)} is no <select>`);
  if (dom.matches(element, ":disabled")) throw new Refusal("not_editable", "the list is disabled");
  checkTarget(element, arg);
  const meant = optionsMeant(element, String(arg.value));
  const options = Array.from(dom.selectOptions(element));
  if (dom.selectMultiple(element)) options.forEach((each) => dom.setOptionSelected(each, meant.includes(each)));
  else dom.setSelectedIndex(element, options.indexOf(meant[0]));
  announce(element);
  return {
    ...described(element, arg),
    selected: tellable(element, meant.map((each) => labelOf(each)).join("\n")),
    value: tellable(element, meant.map((each) => dom.optionValue(each).toWellFormed()).join("\n")),
  };
}

function fileField(arg) {
  const element = found(arg);
  checkTarget(element, arg);
  if (!dom.isHtml(element, "input") || dom.inputType(element) !== "file") throw new Refusal("not_editable", "it takes no files");
  if (dom.matches(element, ":disabled") || dom.closest(element, "[inert]")) throw new Refusal("not_editable", "the field is disabled");
  return element;
}

/** Refuse unless the element takes *count* files now. */
export function fileFieldReady(arg) {
  const element = fileField(arg);
  if (dom.hasAttribute(element, "webkitdirectory")) throw new Refusal("not_editable", "it takes a whole folder");
  if (arg.count > 1 && !dom.inputMultiple(element)) throw new Refusal("not_editable", "it takes one file only");
  return described(element, arg);
}

/** Return the field itself, for the browser to fill. */
export function fileNode(arg) {
  return fileField(arg);
}

/** Answer name and size of the files that the field holds. */
export function filesHeld(arg) {
  const files = Array.from(dom.inputFiles(found(arg)) ?? []);
  return { files: files.map((file) => [file.name, file.size]) };
}

/** Answer a ref of each field for files around the element, hidden ones too. */
export function fileFields(arg) {
  let roots = [document];
  try {
    const element = found(arg);
    roots = [...new Set([dom.rootNode(element), dom.ownerDocument(element)])];
  } catch {
    // The element has gone with the click; its document may hold the field still.
  }
  const all = roots.flatMap((root) => [...dom.query(root, "input[type=file]")]);
  const fields = [...new Set(all)].slice(0, FILE_FIELDS_TOLD_MAX);
  return { refs: fields.map((each) => refOf(each, ...Object.values(identify(each)))) };
}
