/** Menus that open under the mouse: where to move it so that a hidden element may come out. */
import * as dom from "./dom.js";
import { found } from "./resolve.js";
import { wayUp } from "./target.js";
import { isVisible, pointsOf } from "./visible.js";

const PLACES_MAX = 4;

/** Answer the places around a hidden element that a person would try, the nearest first; none when it is visible. */
export function hoverPlaces(arg) {
  const element = found(arg);
  if (isVisible(element)) return { places: [] };
  const way = wayUp(element);
  const opener = way.find((each) => each !== element && isVisible(each));
  const hidden = way[way.indexOf(opener) - 1];
  // A menu stands in its opener or beside it.
  const tried = [beside(hidden), opener].filter((each) => each && !isWhole(each));
  return { places: tried.flatMap((each) => pointsOf(each).slice(0, 1)).slice(0, PLACES_MAX) };
}

function beside(element) {
  for (let node = element && dom.previousElement(element); node; node = dom.previousElement(node)) {
    if (isVisible(node)) return node;
  }
  return null;
}

function isWhole(element) {
  return dom.isHtml(element, "body") || dom.isHtml(element, "html");
}
