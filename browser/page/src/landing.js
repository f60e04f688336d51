/** Where a press lands: whether the element under the pointer hands it to the element that was meant. */
import * as dom from "./dom.js";
import { nameOf, roleOf } from "./names.js";
import { activated } from "./target.js";

const DEPTH_MAX = 256;
const NESTED =
  "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=tab]," +
  "[role=menuitem],[role=option],[role=switch]";

/** Return "" when a click at the hit lands on *element*, else what it would land on. */
export function missed(element, hit) {
  if (!hit) return "nothing";
  for (let current = hit, deep = 0; current && deep < DEPTH_MAX; deep++, current = dom.flatParent(current)) {
    if (current === element) return "";
    // A control inside the target would take the click for itself.
    if (dom.matches(current, NESTED) && !isPartOf(current, element)) return shortly(current);
    if (dom.isHtml(current, "label") && dom.labelControl(current) === element) return "";
  }
  return shortly(hit);
}

/** Return whether a press on *hit* is one on *element*, on the control around it, or on its label's control. */
export function landsOn(element, hit) {
  const control = activated(element);
  return hit === control || missed(element, hit) === "" || missed(control, hit) === "";
}

function isPartOf(control, element) {
  return dom.isHtml(element, "label") && dom.labelControl(element) === control;
}

/** Return what *event* hit: of what stands in a closed shadow root, a listener outside is told the host only. */
export function pressed(event) {
  let [hit] = event.composedPath();
  if (hit === window || dom.nodeType(hit) !== dom.ELEMENT || !("clientX" in event)) return hit;
  for (let deep = 0; deep < DEPTH_MAX; deep++) {
    const root = deep > 0 || dom.isClosedHost(hit) ? dom.shadowRoot(hit) : null;
    const inner = root ? dom.hitIn(root, event.clientX, event.clientY) : null;
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/** Return role, id and name of *element* in few words. */
export function shortly(element) {
  const id = dom.attribute(element, "id");
  const name = nameOf(element, 60);
  return `${roleOf(element) || dom.localName(element)}${id ? `#${id}` : ""}${name ? ` "${name}"` : ""}`.slice(0, 160);
}
