/**
 * The witness: the bundle of each document tells those around it which of its fields never held a password.
 *
 * A frame of this origin is read from here, but only its own bundle saw its fields from the start. The question is an
 * event whose name the host made up, so no page can hear it. No answer means no: a field without a witness is secret.
 */
import * as dom from "./dom.js";

let name = "";
let wasPassword = () => true;

function testify(event) {
  event.stopImmediatePropagation();
  const [field] = event.composedPath();
  if (dom.isHtml(field, "input") && !wasPassword(field)) event.preventDefault();
}

function listen() {
  if (name) dom.listen(window, name, testify, { capture: true });
}

/** Answer for the fields of this document with *told*: whether one was ever of type password. */
export function bearWitness(told) {
  wasPassword = told;
  // document.open() takes the listener away, and the document's children with it.
  new MutationObserver(listen).observe(document, { childList: true });
}

/** Take the *witness*, the name of the question; the host gives it with the bundle. */
export function callWitness({ witness }) {
  name = String(witness ?? "");
  listen();
}

/** Return whether the bundle of the document of *field* says that it never held a password, or none is needed. */
export function isVouchedFor(field) {
  const doc = dom.ownerDocument(field);
  if (!name || doc === document || !dom.isConnected(field) || !dom.view(doc)) return true;
  return !dom.dispatch(field, new Event(name, { composed: true, cancelable: true }));
}
