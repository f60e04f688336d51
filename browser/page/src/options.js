/** The options of a <select>: which one a command means, which are chosen. */
import * as dom from "./dom.js";
import { line } from "./text.js";

const LABEL_CHARS_MAX = 200;

/** Return the label of *option* as it is shown. */
export function labelOf(option, max = LABEL_CHARS_MAX) {
  return line(dom.optionLabel(option), max);
}

/** Return the options of *list* that can be chosen. */
export function freeOptions(list) {
  return Array.from(dom.selectOptions(list)).filter((option) => !dom.matches(option, ":disabled"));
}

/** Return the option of *list* whose value or visible label is *wanted*, undefined when there is none. */
export function optionFor(list, wanted) {
  const free = freeOptions(list);
  const label = line(wanted, LABEL_CHARS_MAX);
  return free.find((each) => dom.optionValue(each) === wanted) ?? free.find((each) => labelOf(each) === label);
}

/** Return the labels of the chosen options of *list*. */
export function chosenLabels(list) {
  return Array.prototype.filter.call(dom.selectOptions(list), dom.optionSelected).map((option) => labelOf(option));
}
