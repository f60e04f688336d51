/** The options of a <select>: which ones a command means, which are chosen. */
import * as dom from "./dom.js";
import { Refusal } from "./refusal.js";
import { tellable } from "./secrets.js";
import { line } from "./text.js";

const LABEL_CHARS_MAX = 200;
const WANTED_MAX = 100;
const TOLD_MAX = 20;

/** Return the label of *option* as it is shown. */
export function labelOf(option, max = LABEL_CHARS_MAX) {
  return line(dom.optionLabel(option), max);
}

/** Return the options of *list* that can be chosen. */
export function freeOptions(list) {
  return Array.from(dom.selectOptions(list)).filter((option) => !dom.matches(option, ":disabled"));
}

/** Return the labels of the chosen options of *list*. */
export function chosenLabels(list) {
  return Array.prototype.filter.call(dom.selectOptions(list), dom.optionSelected).map((option) => labelOf(option));
}

/**
 * Return the options of *list* that *value* means: one by its value, its label or `group / label`; in a list
 * of many one for each line.
 *
 * Refuses what is not there and what several options are called; it never takes the first of them.
 */
export function optionsMeant(list, value) {
  const lines = dom.selectMultiple(list) ? value.split("\n").filter((each) => each.trim()) : [value];
  if (lines.length > WANTED_MAX) throw new Refusal("no_such_option", `more than ${WANTED_MAX} lines`);
  return lines.map((each) => optionMeant(list, each));
}

function optionMeant(list, wanted) {
  const free = freeOptions(list);
  const label = line(wanted, LABEL_CHARS_MAX);
  const readings = [(each) => dom.optionValue(each) === wanted, (each) => labelOf(each) === label, (each) => inGroup(each) === label];
  const [met] = readings.map((reading) => free.filter(reading)).filter((found) => found.length > 0);
  if (!met) throw new Refusal("no_such_option", told(wanted, free.map((each) => tellable(list, labelOf(each, 60) || dom.optionValue(each)))));
  if (met.length > 1) throw new Refusal("several_options", several(wanted, met.map((each) => tellable(list, inGroup(each) || dom.optionValue(each)))));
  return met[0];
}

function inGroup(option) {
  const group = dom.closest(option, "optgroup");
  return group ? line(`${dom.attribute(group, "label") ?? ""} / ${labelOf(option)}`, LABEL_CHARS_MAX) : "";
}

/** Return the words for an option that is not there, with the *labels* that are. */
export function told(wanted, labels) {
  const first = labels.slice(0, TOLD_MAX);
  const more = labels.length > first.length ? ` (${labels.length} in all)` : "";
  return `${line(wanted, 200)}; there are: ${first.join(" | ")}${more}`.slice(0, 500);
}

/** Return the words for *labels* that are all called *wanted*. */
export function several(wanted, labels) {
  return `${line(wanted, 200)} is ${labels.length} options: ${labels.slice(0, TOLD_MAX).join(" | ")}`.slice(0, 500);
}
