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
export const setText = setter(Node.prototype, "textContent");
export const shallowCopy = method(Node.prototype, "cloneNode");
const comparePosition = method(Node.prototype, "compareDocumentPosition");
export const rootNode = method(Node.prototype, "getRootNode");
export const dispatch = method(EventTarget.prototype, "dispatchEvent");
export const listen = method(EventTarget.prototype, "addEventListener");

export const localName = getter(Element.prototype, "localName");
const openRoot = getter(Element.prototype, "shadowRoot");
const assignedSlot = getter(Element.prototype, "assignedSlot");
export const firstElement = getter(Element.prototype, "firstElementChild");
export const nextElement = getter(Element.prototype, "nextElementSibling");
export const previousElement = getter(Element.prototype, "previousElementSibling");
export const attribute = method(Element.prototype, "getAttribute");
export const attributeNs = method(Element.prototype, "getAttributeNS");
export const hasAttribute = method(Element.prototype, "hasAttribute");
export const dropAttribute = method(Element.prototype, "removeAttribute");
export const matches = method(Element.prototype, "matches");
export const closest = method(Element.prototype, "closest");
export const clientLeft = getter(Element.prototype, "clientLeft");
export const clientTop = getter(Element.prototype, "clientTop");
export const clientWidth = getter(Element.prototype, "clientWidth");
export const clientHeight = getter(Element.prototype, "clientHeight");
export const scrollLeft = getter(Element.prototype, "scrollLeft");
export const scrollHeight = getter(Element.prototype, "scrollHeight");
export const scrollTop = getter(Element.prototype, "scrollTop");
export const setScrollTop = setter(Element.prototype, "scrollTop");
export const rect = method(Element.prototype, "getBoundingClientRect");
export const rects = method(Element.prototype, "getClientRects");
export const scrollIntoView = method(Element.prototype, "scrollIntoView");
export const checkVisibility = method(Element.prototype, "checkVisibility");
export const descendants = method(Element.prototype, "getElementsByTagName");
export const outerHtml = getter(Element.prototype, "outerHTML");

export const innerText = getter(HTMLElement.prototype, "innerText");
export const isContentEditable = getter(HTMLElement.prototype, "isContentEditable");
export const focus = method(HTMLElement.prototype, "focus");
export const blur = method(HTMLElement.prototype, "blur");
const htmlStyle = getter(HTMLElement.prototype, "style");
const svgStyle = getter(SVGElement.prototype, "style");

const inputValue = getter(HTMLInputElement.prototype, "value");
const textareaValue = getter(HTMLTextAreaElement.prototype, "value");
export const setInputValue = setter(HTMLInputElement.prototype, "value");
export const inputType = getter(HTMLInputElement.prototype, "type");
export const inputChecked = getter(HTMLInputElement.prototype, "checked");
export const inputFiles = getter(HTMLInputElement.prototype, "files");
export const inputMultiple = getter(HTMLInputElement.prototype, "multiple");
const inputMaxLength = getter(HTMLInputElement.prototype, "maxLength");
const areaMaxLength = getter(HTMLTextAreaElement.prototype, "maxLength");
const inputCaret = [getter(HTMLInputElement.prototype, "selectionStart"), getter(HTMLInputElement.prototype, "selectionEnd")];
const areaCaret = [getter(HTMLTextAreaElement.prototype, "selectionStart"), getter(HTMLTextAreaElement.prototype, "selectionEnd")];
export const selectInput = method(HTMLInputElement.prototype, "select");
export const selectTextarea = method(HTMLTextAreaElement.prototype, "select");
export const selectOptions = getter(HTMLSelectElement.prototype, "options");
export const selectMultiple = getter(HTMLSelectElement.prototype, "multiple");
export const setSelectedIndex = setter(HTMLSelectElement.prototype, "selectedIndex");
export const optionSelected = getter(HTMLOptionElement.prototype, "selected");
export const setOptionSelected = setter(HTMLOptionElement.prototype, "selected");
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

export const drop = method(CharacterData.prototype, "remove");
const textSlot = getter(Text.prototype, "assignedSlot");
const documentBody = getter(Document.prototype, "body");
const documentRoot = getter(Document.prototype, "documentElement");
const documentView = getter(Document.prototype, "defaultView");
const documentTitle = getter(Document.prototype, "title");
const documentState = getter(Document.prototype, "readyState");
const documentHasFocus = method(Document.prototype, "hasFocus");
const documentActive = getter(Document.prototype, "activeElement");
const shadowActive = getter(ShadowRoot.prototype, "activeElement");
const documentHit = method(Document.prototype, "elementFromPoint");
const shadowHit = method(ShadowRoot.prototype, "elementFromPoint");
const queryDocument = method(Document.prototype, "querySelectorAll");
const queryFragment = method(DocumentFragment.prototype, "querySelectorAll");
const queryElement = method(Element.prototype, "querySelectorAll");
export const createRange = method(Document.prototype, "createRange");
const createWalker = method(Document.prototype, "createTreeWalker");
const documentHits = method(Document.prototype, "elementsFromPoint");
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
const SVG = "http://www.w3.org/2000/svg";
const namespace = getter(Element.prototype, "namespaceURI");

export const ELEMENT = 1;
export const TEXT = 3;
export const COMMENT = 8;
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

/** Return whether *element* belongs to SVG. */
export function isSvg(element) {
  return namespace(element) === SVG;
}

/** Return the style attribute of *element*, null when it can have none. */
export function styleIn(element) {
  if (inHtml(element)) return htmlStyle(element);
  return isSvg(element) ? svgStyle(element) : null;
}

/** Return a walker over the text nodes of *root*. */
export function textWalker(root) {
  return createWalker(nodeType(root) === DOCUMENT ? root : ownerDocument(root), root, NodeFilter.SHOW_TEXT);
}

/** Return a walker over the elements, texts and comments under *root*. */
export function nodeWalker(root) {
  return createWalker(ownerDocument(root), root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
}

/** Return the elements of *doc* at (x, y), the top one first; what stands in a shadow root counts as its host. */
export function stackIn(doc, x, y) {
  return documentHits(doc, x, y);
}

export const body = (doc = document) => documentBody(doc);
export const documentElement = (doc = document) => documentRoot(doc);
export const view = (doc = document) => documentView(doc);
export const title = () => documentTitle(document);
export const readyState = () => documentState(document);
export const hasFocus = () => documentHasFocus(document);

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

const closedRoots = new WeakMap();
let hasClosedRoots = false;

/** Note *root*, a closed shadow root that the host found: from now on it is read as an open one. */
export function adopt(root) {
  const host = hostOf(root);
  if (!host || openRoot(host) || closedRoots.get(host) === root) return false;
  closedRoots.set(host, root);
  hasClosedRoots = true;
  return true;
}

/** Return the shadow root of *element*: an open one, or a closed one that was adopted. */
export function shadowRoot(element) {
  return openRoot(element) ?? (hasClosedRoots ? (closedRoots.get(element) ?? null) : null);
}

/** Return whether the shadow root of *element* is a closed one. */
export function isClosedHost(element) {
  return hasClosedRoots && closedRoots.has(element);
}

/** Return the slot that shows *node*; a closed root does not say, so its slots are asked. */
function slotOf(node) {
  const slot = assignedSlot(node);
  if (slot || !hasClosedRoots) return slot;
  const host = parentNode(node);
  const root = host && nodeType(host) === ELEMENT ? closedRoots.get(host) : undefined;
  return root ? (Array.from(query(root, "slot")).find((each) => slotNodes(each).includes(node)) ?? null) : null;
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
  const slot = nodeType(node) === ELEMENT ? slotOf(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (nodeType(parent) === FRAGMENT) return hostOf(parent);
  return nodeType(parent) === ELEMENT ? parent : null;
}

/** Return the element that *text* is drawn in: the slot that shows it, else its parent. */
export function homeOf(text) {
  const slot = textSlot(text);
  if (slot) return slot;
  const parent = parentNode(text);
  return !parent || nodeType(parent) === ELEMENT ? parent : hostOf(parent);
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

/** Return whether *one* stands before *other* in the document. */
export function precedes(one, other) {
  return (comparePosition(one, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** Return how many characters an <input> or <textarea> takes, -1 when nothing bounds it. */
export function maxLengthOf(element) {
  return isHtml(element, "textarea") ? areaMaxLength(element) : inputMaxLength(element);
}

/** Return [start, end] of what is selected in an <input> or <textarea>, nulls where its type has none. */
export function caretOf(element) {
  return (isHtml(element, "textarea") ? areaCaret : inputCaret).map((read) => read(element));
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
