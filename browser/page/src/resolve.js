/**
 * From a selector to exactly one element, and what that element is.
 *
 * Rule: origin, document and element are compared in one turn; more than one match is refused, never guessed.
 */
import * as dom from "./dom.js";
import { nameOf, roleOf, textOf } from "./names.js";
import { Refusal } from "./refusal.js";
import { elementOf, knownRef } from "./refs.js";
import { inPasswordForm, isPassword, masker } from "./secrets.js";
import { line } from "./text.js";

const REF = /^@\d{1,9}$/;
const MATCHES_MAX = 1000;
const NOTHING = new DocumentFragment();
const CONTROLS =
  "a[href],area[href],button,input,select,textarea,summary,label,[role=button],[role=link],[role=checkbox],[role=radio]," +
  "[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=switch],[role=treeitem]," +
  "[role=combobox],[role=textbox],[role=searchbox],[role=slider],[role=spinbutton]";

export const documentId = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Refuse when the document or its origin is not the one the host expects. */
export function checkDocument({ expected_origin: origin, document_id: id }) {
  if (typeof origin === "string" && origin !== location.origin) {
    throw new Refusal("origin_changed", `expected ${origin}, the document is ${location.origin}`);
  }
  if (typeof id === "string" && id !== documentId) throw new Refusal("stale_document", "the page was loaded anew");
}

function checkSelector(part) {
  try {
    dom.query(NOTHING, part);
  } catch {
    throw new Refusal("bad_selector", part ? `${part} is no CSS selector` : ">>> needs a selector on both sides");
  }
}

/** Return every element that *selector* matches, through open shadow roots. */
export function findAll(selector) {
  if (typeof selector !== "string" || !selector.trim()) throw new Refusal("bad_selector", "the selector is empty");
  const written = selector.trim();
  if (REF.test(written)) return [elementOf(written, identify)];
  const parts = written.split(/\s*>>>\s*/);
  parts.forEach(checkSelector);
  let roots = [document];
  let found = [];
  for (const part of parts) {
    found = roots.flatMap((root) => Array.prototype.slice.call(dom.query(root, part), 0, MATCHES_MAX));
    roots = found.map(dom.shadowRoot).filter(Boolean);
  }
  return found;
}

/** Return the one element that *selector* matches. */
export function findOne(selector) {
  const found = findAll(selector);
  if (found.length === 0) throw new Refusal("not_found", selector);
  if (found.length > 1) throw new Refusal("ambiguous", `${found.length} elements match ${selector}`);
  return found[0];
}

/** Return the one element that *arg* means in the document it expects. */
export function found(arg) {
  checkDocument(arg);
  return findOne(arg.selector);
}

/** Return what a click on *element* sets off: the control around it, a label's control, or itself. */
export function activated(element) {
  let current = element;
  for (let deep = 0; current && deep < 64; deep++, current = dom.flatParent(current)) {
    if (!dom.matches(current, CONTROLS)) continue;
    return (dom.isHtml(current, "label") && dom.labelControl(current)) || current;
  }
  return element;
}

/** Return role and name of *element* as a ref remembers them. */
export function identify(element) {
  const mask = masker();
  const role = roleOf(element);
  return { role: role || "generic", name: mask(nameOf(element) || (role ? "" : textOf(element))) };
}

function submits(element) {
  if (dom.isHtml(element, "button")) return dom.buttonType(element) === "submit" && dom.formOwner(element) !== null;
  // Even without a form of its own: a page may submit by script what looks like a submit control.
  return dom.isHtml(element, "input") && ["submit", "image"].includes(dom.inputType(element));
}

function hrefOf(element) {
  const link = dom.closest(element, "a[href],area[href]");
  if (!link) return "";
  if (dom.isHtml(link, "a")) return dom.anchorHref(link);
  if (dom.isHtml(link, "area")) return dom.areaHref(link);
  return dom.attribute(link, "href") ?? "";
}

/** Return the Target fields of *element*: what a click or an edit there would meet. */
export function targetOf(element) {
  const control = activated(element);
  const mask = masker();
  const role = roleOf(control);
  const isForm = ["button", "input", "select", "textarea"].includes(dom.localName(control));
  return {
    role: role || "generic",
    name: mask(nameOf(control) || textOf(control)),
    tag: dom.localName(control),
    input_type: dom.isHtml(control, "input") ? dom.inputType(control) : "",
    submits: submits(control),
    in_password_form: isForm || role === "button" || dom.closest(control, "form") !== null ? inPasswordForm(control) : false,
    href: hrefOf(control).slice(0, 2000).toWellFormed(),
  };
}

/** Return the answer about *element* that resolve and ready share. */
export function described(element) {
  return {
    count: 1,
    origin: location.origin,
    document_id: documentId,
    target: targetOf(element),
    is_password: isPassword(activated(element)),
    ref: knownRef(element),
  };
}

/** Answer what the selector means, without touching it. */
export function resolve(arg) {
  return described(found(arg));
}

/** Answer which document this is. */
export function identity() {
  return {
    origin: location.origin,
    url: location.href.toWellFormed(),
    title: masker()(line(dom.title(), 200)),
    document_id: documentId,
    ready_state: dom.readyState(),
  };
}
