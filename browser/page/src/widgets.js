/**
 * Lists of the page's own (comboboxes, listboxes, menus): what opens them, which options they show, what they say.
 *
 * Rule: an option is meant only when its whole label is the value; none or several is told, never guessed.
 */
import * as dom from "./dom.js";
import { currentValue } from "./held.js";
import { missed } from "./landing.js";
import { nameOf, roleOf, styleOf } from "./names.js";
import { several, told } from "./options.js";
import { Refusal } from "./refusal.js";
import { refOf } from "./refs.js";
import { checkDocument, described, found, identify } from "./resolve.js";
import { isPassword, tellable } from "./secrets.js";
import { checkTarget, wayUp } from "./target.js";
import { line } from "./text.js";
import { hitAt, isVisible, pointsOf } from "./visible.js";
import { nextFrame, pause } from "./wait.js";

const LABEL_CHARS_MAX = 200;
const SHOWN_MAX = 2000;
const LABELS_MAX = 5000;
const LOOK_MS = 50;
const LEVELS_UP = 3;
const STICKS_MS = 1500;
const DRAWS_MS = 300;
const OPENS = "[role=combobox],[role=listbox],[aria-haspopup]:not([aria-haspopup=false]),input[readonly],select";
const FIELDS = "input:not([type=hidden]),select,textarea,button,[role=combobox],[role=button]";
const OUTER = "form,fieldset,body,table,tr,td,main,dialog,[role=dialog],[role=row],[role=group]";
// What an option is, the surest sign first.
const KINDS = [
  "[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]",
  "li",
  "[aria-selected],[class*=option i],[class*=item i]",
];

// What could pass for an option before the list was opened: it is none of it.
let before = new WeakSet();
// The list of the command under way: what it says may change its name, and with it what a ref means.
let list = null;

function labelOf(option) {
  return line(dom.inHtml(option) ? dom.innerText(option) : dom.textContent(option), LABEL_CHARS_MAX) || nameOf(option, LABEL_CHARS_MAX);
}

function isCalled(option, wanted) {
  return labelOf(option) === wanted || nameOf(option, LABEL_CHARS_MAX) === wanted;
}

/** Return whether *element* is shown and not folded into nothing by what stands around it. */
function isShown(element) {
  if (!isVisible(element)) return false;
  return wayUp(element).every((each) => {
    const box = dom.rect(each);
    return (box.width >= 1 && box.height >= 1) || styleOf(each).overflow === "visible" || styleOf(each).display === "contents";
  });
}

function rootsOf(element) {
  const own = dom.rootNode(element);
  return [...new Set([own, dom.ownerDocument(element), dom.shadowRoot(element)])].filter(Boolean);
}

function shownIn(roots, css) {
  const all = roots.flatMap((root) => Array.prototype.slice.call(dom.query(root, css), 0, SHOWN_MAX));
  const shown = [...new Set(all)].filter((each) => isShown(each) && labelOf(each));
  // A branch is no option, its leaves are.
  const around = new Set(shown.flatMap((each) => wayUp(each).slice(1)));
  return shown.filter((each) => !around.has(each));
}

/** Return the elements that *element* names as its list, by id. */
function namedLists(element) {
  const holders = [element, ...Array.prototype.slice.call(dom.query(element, "[aria-controls],[aria-owns]"), 0, 5)];
  const ids = holders.flatMap((each) => ["aria-controls", "aria-owns"].flatMap((name) => (dom.attribute(each, name) ?? "").split(/\s+/)));
  return ids.filter(Boolean).flatMap((id) => rootsOf(element).flatMap((root) => [...dom.query(root, `#${CSS.escape(id)}`)]));
}

/** Return the options that the list of *element* shows now. */
function optionsOf(element) {
  const own = [element, ...namedLists(element)];
  for (const css of KINDS.slice(0, 2)) {
    const options = shownIn(own, css);
    if (options.length > 0) return options;
  }
  for (const css of KINDS) {
    const options = shownIn(rootsOf(element), css).filter((each) => !before.has(each) && !dom.matches(each, FIELDS));
    if (options.length > 0) return options;
  }
  return [];
}

function isOpen(element) {
  const said = [element, ...dom.query(element, "[aria-expanded]")].find((each) => dom.hasAttribute(each, "aria-expanded"));
  if (said && dom.attribute(said, "aria-expanded") === "false") return false;
  return optionsOf(element).length > 0;
}

function isListLike(element) {
  if (dom.matches(element, OPENS) || dom.closest(element, "[role=combobox]")) return true;
  // A wrapper stands for the one list in it; a form or a page does not.
  return !dom.matches(element, OUTER) && dom.query(element, OPENS).length === 1;
}

/** Return what is to be clicked to open the list of *element*: itself, or what lies over it as a part of the same list. */
function openerOf(element) {
  const [point] = pointsOf(element);
  if (!point || missed(element, hitAt(point.x, point.y)) === "") return element;
  let current = element;
  for (let level = 0; level < LEVELS_UP; level++) {
    current = dom.flatParent(current);
    if (!current || !isAlone(current, element)) break;
    if (missed(current, hitAt(point.x, point.y)) === "") return current;
  }
  return element;
}

/** Return whether *around* holds no control but *element*. */
function isAlone(around, element) {
  if (dom.matches(around, OUTER)) return false;
  const controls = Array.prototype.slice.call(dom.query(around, FIELDS), 0, 20);
  return controls.every((each) => each === element || wayUp(each).includes(element) || wayUp(element).includes(each) || !isShown(each));
}

function listOf(arg) {
  const element = found(arg);
  checkTarget(element, arg);
  if (isPassword(element) || !isListLike(element)) throw new Refusal("not_a_select", `${roleOf(element) || dom.localName(element)} opens no list`);
  if (dom.matches(element, ":disabled") || dom.closest(element, '[aria-disabled="true"],[inert]')) throw new Refusal("not_editable", "the list is disabled");
  return element;
}

function sameList(arg) {
  checkDocument(arg);
  return list && dom.isConnected(list) ? list : found(arg);
}

function refTo(element) {
  return refOf(element, ...Object.values(identify(element)));
}

/** Answer whether the list is open or says *value* already, and what opens it. */
export function ownList(arg) {
  const element = (list = listOf(arg));
  before = new WeakSet();
  const open = isOpen(element) && (namedLists(element).length > 0 || shownIn([element], KINDS[0]).length > 0);
  if (!open) before = new WeakSet(KINDS.flatMap((css) => shownIn(rootsOf(element), css)));
  const says = !open && saysNow(element, line(String(arg.value), LABEL_CHARS_MAX));
  return { ...described(element, arg), open, opener: refTo(openerOf(element)), says };
}

/** Wait until the list shows options; answer the one called *value*, scrolling a list that shows only a part. */
export async function listOption(arg) {
  const element = sameList(arg);
  const wanted = line(String(arg.value), LABEL_CHARS_MAX);
  const ends = performance.now() + arg.timeout_ms;
  let seen;
  for (;;) {
    seen = await looked(element, wanted, arg.scrolls_max ?? 0, ends + (arg.search_ms ?? 0));
    if (seen.met.length > 0 || performance.now() >= ends) break;
    await pause(LOOK_MS);
  }
  if (seen.labels.size === 0) return { option: null };
  const labels = [...seen.labels].map((label) => line(label, 60));
  const refused = (code, words) => new Refusal(code, tellable(element, words));
  if (seen.met.length === 0) throw refused("no_such_option", told(wanted, labels));
  if (seen.met.length > 1) throw refused("several_options", several(wanted, seen.met.map(({ option, top }) => placeOf(option, top))));
  const [{ option }] = seen.met;
  if (isOff(option)) throw refused("no_such_option", told(`${wanted} (disabled)`, labels));
  return { option: refTo(option), chosen: isChosen(option) };
}

function placeOf(option, top) {
  const group = dom.closest(option, "[role=group]");
  return (group && nameOf(group, 60)) || dom.attribute(option, "id") || `at ${Math.round(top)}`;
}

function isOff(option) {
  return dom.closest(option, '[aria-disabled="true"],:disabled,[inert]') !== null || /(^|[-_ ])disabled($|[-_ ])/i.test(dom.attribute(option, "class") ?? "");
}

function isChosen(option) {
  return dom.closest(option, "[aria-selected=true],[aria-checked=true]") !== null;
}

/** Look through the options, those too that only scrolling brings; answer the labels and those called *wanted*. */
async function looked(element, wanted, scrollsMax, ends) {
  const seen = { labels: new Set(), met: [] };
  const scroller = scrollerOf(optionsOf(element)[0]);
  const note = () => collect(optionsOf(element), wanted, scroller, seen);
  if (!scroller) {
    note();
    return seen;
  }
  note();
  if (isWhole(optionsOf(element), scroller)) return seen;
  await scrolled(element, scroller, 0);
  for (let step = 0; step < scrollsMax && performance.now() < ends; step++) {
    note();
    const was = dom.scrollTop(scroller);
    await scrolled(element, scroller, was + Math.max(dom.clientHeight(scroller) * 0.8, 20));
    if (dom.scrollTop(scroller) <= was) break;
  }
  note();
  if (seen.met.length === 1) await bring(element, wanted, scroller, seen.met[0]);
  return seen;
}

/** Scroll to *top* and wait until other options are drawn there. */
async function scrolled(element, scroller, top) {
  const stood = dom.scrollTop(scroller);
  const drawn = () => optionsOf(element).map(labelOf).join("\n");
  const was = drawn();
  dom.setScrollTop(scroller, top);
  if (dom.scrollTop(scroller) === stood) return;
  const ends = performance.now() + DRAWS_MS;
  do await nextFrame();
  while (drawn() === was && performance.now() < ends);
}

function collect(options, wanted, scroller, seen) {
  const base = scroller ? dom.scrollTop(scroller) - dom.rect(scroller).top : 0;
  for (const option of options) {
    if (seen.labels.size < LABELS_MAX) seen.labels.add(labelOf(option));
    if (!isCalled(option, wanted)) continue;
    const top = dom.rect(option).top + base;
    // The same option comes again in the next window, drawn anew; another one stands a window away.
    const known = seen.met.find((each) => each.option === option || (!dom.isConnected(each.option) && isNear(each.top, top, scroller)));
    if (known) Object.assign(known, { option, top });
    else seen.met.push({ option, top });
  }
}

function isNear(one, other, scroller) {
  return Math.abs(one - other) < (scroller ? dom.clientHeight(scroller) : 1);
}

async function bring(element, wanted, scroller, met) {
  if (dom.isConnected(met.option)) return;
  await scrolled(element, scroller, Math.max(met.top - dom.clientHeight(scroller) / 2, 0));
  const again = optionsOf(element).filter((option) => isCalled(option, wanted));
  if (again.length === 1) [met.option] = again;
}

function scrollerOf(option) {
  if (!option) return null;
  const holds = (each) => dom.scrollHeight(each) > dom.clientHeight(each) + 1 && dom.clientHeight(each) > 0;
  const way = wayUp(option).slice(1, 12).filter((each) => !dom.matches(each, "body,html"));
  return way.find((each) => holds(each) && styleOf(each).overflowY !== "visible") ?? null;
}

/** Return whether the *options* that are there fill their whole list: then scrolling brings no other. */
function isWhole(options, scroller) {
  const boxes = options.map(dom.rect);
  const height = Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
  return height >= dom.scrollHeight(scroller) * 0.9;
}

/** Wait a moment until the list says *value*; answer what it says, and whether it is still open. */
export async function listSays(arg) {
  const wanted = line(String(arg.value), LABEL_CHARS_MAX);
  const ends = performance.now() + STICKS_MS;
  for (;;) {
    const element = sameList(arg);
    const says = saysNow(element, wanted) || optionsOf(element).some((each) => isCalled(each, wanted) && isChosen(each));
    if (says || performance.now() >= ends) return { says, value: tellable(element, shownBy(element)[0] ?? ""), open: isOpen(element) };
    await pause(LOOK_MS);
  }
}

/** Answer whether the list is open. */
export function listOpen(arg) {
  return { open: isOpen(sameList(arg)) };
}

function saysNow(element, wanted) {
  return shownBy(element).includes(wanted);
}

/** Return the lines that *element* and what belongs to it alone show, its options left out. */
function shownBy(element) {
  const options = new Set([...optionsOf(element), ...namedLists(element)]);
  const lines = [];
  let current = element;
  for (let level = 0; level <= LEVELS_UP; level++) {
    lines.push(...wordsIn(current, options));
    current = dom.flatParent(current);
    if (!current || !isAlone(current, element)) break;
  }
  return [...new Set(lines)];
}

function wordsIn(element, left) {
  const fields = [element, ...Array.prototype.slice.call(dom.query(element, "input,textarea"), 0, 5)];
  const lines = fields.filter((each) => dom.isHtml(each, "input") || dom.isHtml(each, "textarea")).map(currentValue);
  const visit = (each, deep) => {
    if (left.has(each) || deep > 12 || lines.length > 50) return;
    const inner = dom.flatChildren(each);
    const isBlockOfText = inner.some((node) => dom.nodeType(node) === dom.TEXT && dom.textContent(node).trim());
    if (isBlockOfText && !inner.some((node) => left.has(node)) && dom.checkVisibility(each)) lines.push(dom.textContent(each));
    for (const node of inner) if (dom.nodeType(node) === dom.ELEMENT) visit(node, deep + 1);
  };
  if (!isListItself(element)) visit(element, 0);
  return lines.map((each) => line(each, LABEL_CHARS_MAX)).filter(Boolean);
}

function isListItself(element) {
  return roleOf(element) === "listbox" && dom.query(element, "[role=option]").length > 0;
}
