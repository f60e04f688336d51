/**
 * What script in this world cannot see and the host tells it: press listeners of the page, closed shadow roots.
 *
 * The browser knows both; here is kept what it told, by element, so that what leaves the page is forgotten.
 */
import * as dom from "./dom.js";

const SCANNED_MAX = 20_000;
const ASKED_AT_ONCE_MAX = 50;
// A component may get its root after its element: what is empty is asked about again.
const ASKED_MAX = 3;
const LISTENED_MAX = 5000;
/** Elements of HTML that may have a shadow root, besides custom ones. */
const CAPABLE = new Set("article aside blockquote div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));

const listened = new WeakMap();
const askedTimes = new WeakMap();
const current = new Set();
let left = 0;

/** Return whether the page listens for presses on *element* itself. */
export function isListened(element) {
  return listened.has(element);
}

/** Return how many elements that may hide a closed shadow root were not asked about yet. */
export function unaskedCount() {
  return left;
}

/** Return the elements with press listeners, and what stands around each visible one of them. */
export function listenedNow() {
  const around = new Set();
  const visible = [...current].map((each) => each.deref()).filter((each) => each && dom.isConnected(each) && dom.checkVisibility(each));
  for (const element of visible) {
    for (let above = dom.flatParent(element); above && !around.has(above); above = dom.flatParent(above)) around.add(above);
  }
  return { count: visible.length, around };
}

/** Note *nodes*: elements the page listens on, or shadow roots. Answer how many closed roots are new. */
export function adopt(nodes) {
  let adopted = 0;
  for (const node of nodes) {
    const type = dom.nodeType(node);
    if (type === dom.ELEMENT && isOwn(node)) remember(node);
    if (type === dom.FRAGMENT && dom.adopt(node)) adopted++;
    // What is listened on may stand in a closed root that nothing else names.
    for (let root = dom.rootNode(node); root && dom.isShadowRoot(root); root = dom.rootNode(dom.hostOf(root))) {
      if (dom.adopt(root)) adopted++;
    }
  }
  return { adopted };
}

/** Forget that the page listens on *nodes*. */
export function forget(nodes) {
  for (const node of nodes) {
    const reference = dom.nodeType(node) === dom.ELEMENT ? listened.get(node) : undefined;
    if (!reference) continue;
    listened.delete(node);
    current.delete(reference);
  }
  return {};
}

function isOwn(element) {
  return !dom.isHtml(element, "html") && !dom.isHtml(element, "body");
}

function remember(element) {
  if (listened.has(element)) return;
  const reference = new WeakRef(element);
  listened.set(element, reference);
  current.add(reference);
  if (current.size <= LISTENED_MAX) return;
  for (const each of current) if (!each.deref()) current.delete(each);
}

/**
 * Return elements that may hide a closed shadow root, each not asked about too often; null when there are none.
 *
 * Custom elements come first: there it is usual.
 */
export function unseen() {
  const [usual, rare] = [[], []];
  const roots = [document];
  let seen = 0;
  for (let root = roots.pop(); root; root = roots.pop()) {
    for (const element of dom.query(root, "*")) {
      if (++seen > SCANNED_MAX) break;
      const inner = dom.shadowRoot(element) ?? (dom.isHtml(element, "iframe") ? dom.documentOf(element) : null);
      if (inner) roots.push(inner);
      const name = dom.localName(element);
      const isCustom = name.includes("-");
      if (inner || !(isCustom || CAPABLE.has(name)) || !mayHide(element, isCustom)) continue;
      (isCustom ? usual : rare).push(element);
    }
  }
  const all = [...usual, ...rare];
  const asked = all.slice(0, ASKED_AT_ONCE_MAX);
  left = all.length - asked.length;
  for (const element of asked) askedTimes.set(element, (askedTimes.get(element) ?? 0) + 1);
  return asked.length > 0 ? asked : null;
}

function mayHide(element, isCustom) {
  const times = askedTimes.get(element) ?? 0;
  const isBlank = dom.firstElement(element) === null && !hasText(element);
  if (times >= (isBlank && isCustom ? ASKED_MAX : 1) || (!isBlank && !isCustom)) return false;
  const box = dom.rect(element);
  return box.width > 0 && box.height > 0 && dom.checkVisibility(element);
}

function hasText(element) {
  for (let node = dom.firstChild(element); node; node = dom.nextSibling(node)) {
    if (dom.nodeType(node) === dom.TEXT && dom.textContent(node).trim() !== "") return true;
  }
  return false;
}
