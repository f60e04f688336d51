/**
 * DOM primitives that a page cannot shadow.
 *
 * Rule: a form's fields and a document's named images become its properties (`form.children` may be
 * an <input name="children">), in an isolated world too. So elements and documents are read through the
 * prototypes' own accessors here and nowhere else by plain property.
 */

function getter(prototype, name) {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (subject) => get.call(subject);
}

function setter(prototype, name) {
  const { set } = Object.getOwnPropertyDescriptor(prototype, name);
  return (subject, value) => set.call(subject, value);
}

function method(prototype, name) {
  const call = prototype[name];
  return (subject, ...args) => call.apply(subject, args);
}

export const nodeType = getter(Node.prototype, "nodeType");
export const parentNode = getter(Node.prototype, "parentNode");
export const firstChild = getter(Node.prototype, "firstChild");
export const nextSibling = getter(Node.prototype, "nextSibling");
export const isConnected = getter(Node.prototype, "isConnected");
export const ownerDocument = getter(Node.prototype, "ownerDocument");
export const baseUri = getter(Node.prototype, "baseURI");
export const textContent = getter(Node.prototype, "textContent");
export const shallowCopy = method(Node.prototype, "cloneNode");
export const rootNode = method(Node.prototype, "getRootNode");
export const dispatch = method(EventTarget.prototype, "dispatchEvent");
export const listen = method(EventTarget.prototype, "addEventListener");

export const localName = getter(Element.prototype, "localName");
export const shadowRoot = getter(Element.prototype, "shadowRoot");
export const assignedSlot = getter(Element.prototype, "assignedSlot");
export const firstElement = getter(Element.prototype, "firstElementChild");
export const nextElement = getter(Element.prototype, "nextElementSibling");
export const attribute = method(Element.prototype, "getAttribute");
export const attributeNs = method(Element.prototype, "getAttributeNS");
export const hasAttribute = method(Element.prototype, "hasAttribute");
export const matches = method(Element.prototype, "matches");
export const closest = method(Element.prototype, "closest");
export const rect = method(Element.prototype, "getBoundingClientRect");
export const rects = method(Element.prototype, "getClientRects");
export const scrollIntoView = method(Element.prototype, "scrollIntoView");
export const checkVisibility = method(Element.prototype, "checkVisibility");
export const descendants = method(Element.prototype, "getElementsByTagName");
export const outerHtml = getter(Element.prototype, "outerHTML");

export const innerText = getter(HTMLElement.prototype, "innerText");
export const isContentEditable = getter(HTMLElement.prototype, "isContentEditable");
export const focus = method(HTMLElement.prototype, "focus");
export const styleIn = getter(HTMLElement.prototype, "style");

const inputValue = getter(HTMLInputElement.prototype, "value");
const textareaValue = getter(HTMLTextAreaElement.prototype, "value");
export const setInputValue = setter(HTMLInputElement.prototype, "value");
export const inputType = getter(HTMLInputElement.prototype, "type");
export const inputChecked = getter(HTMLInputElement.prototype, "checked");
export const selectInput = method(HTMLInputElement.prototype, "select");
export const selectTextarea = method(HTMLTextAreaElement.prototype, "select");
export const selectOptions = getter(HTMLSelectElement.prototype, "options");
export const selectMultiple = getter(HTMLSelectElement.prototype, "multiple");
export const setSelectedIndex = setter(HTMLSelectElement.prototype, "selectedIndex");
export const optionSelected = getter(HTMLOptionElement.prototype, "selected");
export const optionLabel = getter(HTMLOptionElement.prototype, "label");
export const optionValue = getter(HTMLOptionElement.prototype, "value");
export const labelControl = getter(HTMLLabelElement.prototype, "control");
export const buttonType = getter(HTMLButtonElement.prototype, "type");
export const tableRows = getter(HTMLTableElement.prototype, "rows");
export const anchorHref = getter(HTMLAnchorElement.prototype, "href");
export const areaHref = getter(HTMLAreaElement.prototype, "href");
export const slotNodes = method(HTMLSlotElement.prototype, "assignedNodes");
export const formElements = getter(HTMLFormElement.prototype, "elements");
const frameDocument = getter(HTMLIFrameElement.prototype, "contentDocument");

const documentBody = getter(Document.prototype, "body");
const documentRoot = getter(Document.prototype, "documentElement");
const documentView = getter(Document.prototype, "defaultView");
const documentTitle = getter(Document.prototype, "title");
const documentState = getter(Document.prototype, "readyState");
const documentActive = getter(Document.prototype, "activeElement");
const shadowActive = getter(ShadowRoot.prototype, "activeElement");
const documentHit = method(Document.prototype, "elementFromPoint");
const shadowHit = method(ShadowRoot.prototype, "elementFromPoint");
const queryDocument = method(Document.prototype, "querySelectorAll");
const queryFragment = method(DocumentFragment.prototype, "querySelectorAll");
const queryElement = method(Element.prototype, "querySelectorAll");
export const createRange = method(Document.prototype, "createRange");
export const implementation = getter(Document.prototype, "implementation");

const FORM_OWNERS = {
  button: getter(HTMLButtonElement.prototype, "form"),
  input: getter(HTMLInputElement.prototype, "form"),
  select: getter(HTMLSelectElement.prototype, "form"),
  textarea: getter(HTMLTextAreaElement.prototype, "form"),
  output: getter(HTMLOutputElement.prototype, "form"),
  fieldset: getter(HTMLFieldSetElement.prototype, "form"),
};
const HTML = "http://www.w3.org/1999/xhtml";
const namespace = getter(Element.prototype, "namespaceURI");

export const ELEMENT = 1;
export const TEXT = 3;
export const DOCUMENT = 9;
export const FRAGMENT = 11;

/** Return whether *element* is the HTML element *name*, not one of another namespace so called. */
export function isHtml(element, name) {
  return localName(element) === name && namespace(element) === HTML;
}

/** Return whether *element* belongs to HTML at all (an SVG <a> has no innerText). */
export function inHtml(element) {
  return namespace(element) === HTML;
}

export const body = (doc = document) => documentBody(doc);
export const documentElement = (doc = document) => documentRoot(doc);
export const view = (doc = document) => documentView(doc);
export const title = () => documentTitle(document);
export const readyState = () => documentState(document);

/** Return the elements under *root* (document, shadow root or element) that match *css*. */
export function query(root, css) {
  const type = nodeType(root);
  if (type === DOCUMENT) return queryDocument(root, css);
  return type === FRAGMENT ? queryFragment(root, css) : queryElement(root, css);
}

/** Return the focused element of *root*, a document or shadow root. */
export function activeIn(root) {
  return nodeType(root) === DOCUMENT ? documentActive(root) : shadowActive(root);
}

/** Return the top element of *root* at (x, y). */
export function hitIn(root, x, y) {
  return nodeType(root) === DOCUMENT ? documentHit(root, x, y) : shadowHit(root, x, y);
}

/** Return whether *node* is a shadow root. */
export function isShadowRoot(node) {
  return nodeType(node) === FRAGMENT && Boolean(hostOf(node));
}

const shadowHost = getter(ShadowRoot.prototype, "host");

/** Return the host of a shadow root, null for another fragment. */
export function hostOf(fragment) {
  try {
    return shadowHost(fragment);
  } catch {
    return null;
  }
}

/** Return the child nodes of *element* in the flat tree. */
export function flatChildren(element) {
  const assigned = isHtml(element, "slot") ? slotNodes(element, { flatten: true }) : [];
  if (assigned.length > 0) return assigned;
  const nodes = [];
  for (let node = firstChild(shadowRoot(element) ?? element); node; node = nextSibling(node)) nodes.push(node);
  return nodes;
}

/** Return the parent of *node* in the flat tree; null at the top of its document. */
export function flatParent(node) {
  const slot = nodeType(node) === ELEMENT ? assignedSlot(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (nodeType(parent) === FRAGMENT) return hostOf(parent);
  return nodeType(parent) === ELEMENT ? parent : null;
}

const LABELS = Object.fromEntries(
  [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement, HTMLMeterElement, HTMLProgressElement, HTMLOutputElement].map(
    ({ name, prototype }) => [name.replace(/^HTML|Element$/g, "").replace("TextArea", "textarea").toLowerCase(), getter(prototype, "labels")],
  ),
);

/** Return the labels of *element*, none when it takes none. */
export function labelsOf(element) {
  const labels = inHtml(element) ? LABELS[localName(element)] : undefined;
  return labels ? Array.from(labels(element) ?? []) : [];
}

/** Return the form that *element* belongs to, null when it has none. */
export function formOwner(element) {
  const owner = inHtml(element) ? FORM_OWNERS[localName(element)] : undefined;
  return owner ? owner(element) : closest(element, "form");
}

/** Return the form around *element*: its owner, or one that a shadow root stands in. */
export function formAround(element) {
  for (let current = element; current; current = flatParent(current)) {
    const form = formOwner(current);
    if (form) return form;
  }
  return null;
}

/** Return whether *element* is a field marked readonly (`:read-only` also holds for what cannot be). */
export function isReadonly(element) {
  const isField = isHtml(element, "textarea") || (isHtml(element, "input") && !["color", "range"].includes(inputType(element)));
  return isField && hasAttribute(element, "readonly");
}

/** Return the current value of an <input> or <textarea>. */
export function valueOf(element) {
  return isHtml(element, "textarea") ? textareaValue(element) : inputValue(element);
}

/** Return the document of a same-origin iframe, null for another. */
export function documentOf(frame) {
  try {
    const inner = frameDocument(frame);
    // document.domain opens other hosts' frames to scripts; their origin stays what it is.
    return inner && originOf(inner) === origin ? inner : null;
  } catch {
    return null;
  }
}

/** Return the origin of *doc* as its window has it, "null" when it has no window. */
export function originOf(doc) {
  return documentView(doc)?.origin ?? "null";
}
