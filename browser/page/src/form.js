/** What a form holds now, as one hash: it stays the same only while nothing that would be sent changes. */
import * as dom from "./dom.js";
import { isPassword } from "./secrets.js";
import { sha256 } from "./sha256.js";

const FIELDS_MAX = 20_000;
const SENDING = ["action", "method", "enctype", "target"];
const SENDING_BY_BUTTON = ["formaction", "formmethod", "formenctype", "formtarget", "name", "value"];
// Nobody can find a hidden value by trying: the hash is over this document's own secret too.
const salt = crypto.getRandomValues(new Uint32Array(4)).join();

/** Return the hash of *form*, but for *except*, with *button* as what sends it; of a password only that it is there. */
export function formState(form, button, except = null) {
  const held = [
    SENDING.map((name) => dom.attribute(form, name)),
    SENDING_BY_BUTTON.map((name) => dom.attribute(button, name)),
    Array.prototype.slice.call(dom.formElements(form), 0, FIELDS_MAX).map((field) => (field === except ? "" : fieldState(field))),
    Array.from(dom.query(form, "[contenteditable]")).map((each) => (each === except ? "" : dom.textContent(each))),
  ];
  return sha256(salt + JSON.stringify(held));
}

function fieldState(field) {
  const state = [dom.localName(field), dom.attribute(field, "name"), dom.matches(field, ":disabled")];
  if (dom.isHtml(field, "input")) {
    if (isPassword(field)) return "password";
    return [...state, dom.inputType(field), dom.inputChecked(field), dom.valueOf(field)];
  }
  if (dom.isHtml(field, "textarea")) return [...state, dom.valueOf(field)];
  if (dom.isHtml(field, "select")) {
    const chosen = Array.prototype.filter.call(dom.selectOptions(field), dom.optionSelected);
    return [...state, chosen.map(dom.optionValue)];
  }
  return [...state, dom.attribute(field, "value")];
}
