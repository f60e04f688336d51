/**
 * What a click or an edit on an element would meet: the Target of the policy.
 *
 * Rule: an event climbs, so everything around the element counts; a submit button or link anywhere above makes it one.
 */
import * as dom from "./dom.js";
import { formState } from "./form.js";
import { NAME_CHARS_MAX, nameOf, roleOf, styleOf, textOf } from "./names.js";
import { defaultButton, presses, removes, sentForm } from "./keys.js";
import { labelOf, optionsMeant } from "./options.js";
import { Refusal } from "./refusal.js";
import { serialOf } from "./refs.js";
import { inPasswordForm, maskedAddress, masker } from "./secrets.js";
import { line } from "./text.js";
import { wordsAround, wordsOf } from "./words.js";

const DEPTH_MAX = 256;
const HREF_CHARS_MAX = 2000;
const XLINK = "http://www.w3.org/1999/xlink";
const CONTROLS =
  "a[href],area[href],button,input,select,textarea,summary,label,[role=button],[role=link],[role=checkbox],[role=radio]," +
  "[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=switch],[role=treeitem]," +
  "[role=combobox],[role=textbox],[role=searchbox],[role=slider],[role=spinbutton]";
const LIST_INSIDE = "[role=combobox],[role=listbox],input[readonly],[aria-haspopup=listbox]";
const NATIVE = "a[href],button,input,select,textarea,summary";
const HEARING = "[onclick],[onmousedown],[onmouseup],[onpointerdown],[onpointerup]";

/** Return *element* and what stands around it, the way an event climbs. */
export function wayUp(element) {
  const way = [];
  for (let current = element; current && way.length < DEPTH_MAX; current = dom.flatParent(current)) way.push(current);
  return way;
}

/** Return what a click on *element* sets off: the control around it, a label's control, or itself. */
export function activated(element) {
  const control = wayUp(element).find((each) => dom.matches(each, CONTROLS));
  if (!control) return element;
  return (dom.isHtml(control, "label") && dom.labelControl(control)) || sole(control) || control;
}

/** Return the one link or button in a control of its own that goes by the control's name: a tab around its link. */
function sole(control) {
  if (dom.matches(control, NATIVE)) return null;
  const inner = dom.query(control, NATIVE);
  return inner.length === 1 && nameOf(inner[0]) === nameOf(control) ? inner[0] : null;
}

function submits(element) {
  if (dom.isHtml(element, "button")) return dom.buttonType(element) === "submit" && dom.formOwner(element) !== null;
  // Even without a form of its own: a page may submit by script what looks like a submit control.
  return dom.isHtml(element, "input") && ["submit", "image"].includes(dom.inputType(element));
}

function hrefOf(element) {
  if (dom.isHtml(element, "a")) return dom.anchorHref(element);
  if (dom.isHtml(element, "area")) return dom.areaHref(element);
  if (dom.localName(element) !== "a") return "";
  const written = dom.attribute(element, "href") ?? dom.attributeNs(element, XLINK, "href");
  if (written === null) return "";
  try {
    return new URL(written, dom.baseUri(element)).href;
  } catch {
    return written;
  }
}

/** Return the elements whose words count: the control, what reacts to a click around it, every control above. */
function steps(element, control, way) {
  const found = new Set([element, control]);
  for (let current = dom.flatParent(element); current && isSensitive(current); current = dom.flatParent(current)) found.add(current);
  for (const each of way) if (dom.matches(each, CONTROLS)) found.add(each);
  return found;
}

function isSensitive(element) {
  if (dom.isHtml(element, "body") || dom.isHtml(element, "html")) return false;
  return styleOf(element).cursor === "pointer" || dom.matches(element, HEARING);
}

function said(element, control, way, { action, choice, keys }) {
  if (action === "click") return wordsOf(steps(element, control, way)) || wordsAround(element);
  if (action === "type") return saidToKeys(element, control, way, keys);
  if (action !== "select") return "";
  if (!dom.isHtml(element, "select")) return isListField(control) ? "" : wordsOf(new Set([element, control]));
  const pieces = meant(element, choice).flatMap((option) => [
    labelOf(option),
    dom.optionValue(option),
    dom.attribute(option, "title"),
    dom.textContent(option),
  ]);
  return pieces.filter(Boolean).map((piece) => line(piece, HREF_CHARS_MAX)).join("\n");
}

/** Return the words of what *keys* set off: of the element, and of what it points to as active in it. */
function saidToKeys(element, control, way, keys) {
  if (removes(element, keys)) return "delete";
  if (!presses(element, keys)) return "";
  const active = activeIn(element);
  return wordsOf(active ? new Set([...steps(element, control, way), active]) : steps(element, control, way));
}

function activeIn(element) {
  const id = dom.attribute(element, "aria-activedescendant");
  return id ? (dom.query(dom.rootNode(element), `#${CSS.escape(id)}`)[0] ?? null) : null;
}

/** Return whether *control* is a list that shows its choice: not its words count then, but the option's. */
function isListField(control) {
  return dom.isHtml(control, "input") || dom.matches(control, "[role=combobox],[role=listbox]") || dom.query(control, LIST_INSIDE).length > 0;
}

function meant(list, choice) {
  try {
    return optionsMeant(list, String(choice));
  } catch {
    return [];
  }
}

function stateAround(element, control, way, { action, keys }) {
  if (action === "type") {
    const form = sentForm(element, keys);
    // What is typed goes into the form; all else in it must stay what the person saw.
    return form ? formState(form, defaultButton(form) ?? element, element) : "";
  }
  if (action !== "click" && action !== "select") return "";
  const button = way.find(submits) ?? control;
  const form = dom.formAround(button);
  return form ? formState(form, button) : "";
}

function typingSubmits(element, way, keys) {
  return sentForm(element, keys) !== null || (presses(element, keys) && way.some(submits));
}

/** Return the Target fields of *element* for the action that *arg* names. */
export function targetOf(element, arg) {
  const control = activated(element);
  // A label's control may stand elsewhere; its own surroundings get the click as well.
  const way = [...new Set([...wayUp(element), ...wayUp(control)])];
  const mask = masker();
  const words = mask(said(element, control, way, arg));
  return {
    role: roleOf(control) || "generic",
    name: mask(nameOf(control) || textOf(control)) || line(arg.action === "click" ? words : "", NAME_CHARS_MAX),
    tag: dom.localName(control),
    input_type: dom.isHtml(control, "input") ? dom.inputType(control) : "",
    submits: arg.action === "type" ? typingSubmits(element, way, arg.keys) : way.some(submits),
    in_password_form: inPasswordForm(control),
    href: maskedAddress(way.map(hrefOf).find(Boolean) ?? "").slice(0, HREF_CHARS_MAX).toWellFormed(),
    serial: serialOf(control),
    form_state: stateAround(element, control, way, arg),
    said: words,
  };
}

/** Refuse when *element* is no longer what `expected_target` says, in each field that it names. */
export function checkTarget(element, arg) {
  if (!arg.expected_target) return;
  const now = targetOf(element, arg);
  for (const [field, was] of Object.entries(arg.expected_target)) {
    if (now[field] !== was) throw new Refusal("stale_element", changed(field, was, now[field]));
  }
}

function changed(field, was, now) {
  if (field === "serial") return "another element has taken its place";
  if (field === "form_state") return "what its form holds has changed";
  return `its ${field} was “${line(String(was), 80)}” and is now “${line(String(now), 80)}”`;
}
