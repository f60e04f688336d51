/** The trees of a page: this document, shadow roots, and frames of its origin. */
import * as dom from "./dom.js";

const ELEMENTS_MAX = 50_000;
const ROOTS_MAX = 1000;

/** Return *top* (a document, shadow root or element) and every shadow root and frame document of its origin below it. */
export function rootsUnder(top) {
  const roots = [top];
  let seen = 0;
  const enter = (element) => {
    const inner = dom.shadowRoot(element) ?? (dom.isHtml(element, "iframe") ? dom.documentOf(element) : null);
    if (inner && roots.length < ROOTS_MAX) roots.push(inner);
  };
  for (let place = 0; place < roots.length; place++) {
    if (dom.nodeType(roots[place]) === dom.ELEMENT) enter(roots[place]);
    for (const element of dom.query(roots[place], "*")) {
      if (++seen > ELEMENTS_MAX) return roots;
      enter(element);
    }
  }
  return roots;
}
