/**
 * Covering secrets while a picture is taken: a field switched to text would show its own.
 *
 * The host asks every document, and uncovers the last one first: one of the same origin may be covered from outside
 * as well, and only a document itself knows which of its fields were switched before anybody looked.
 */
import * as dom from "./dom.js";
import { maskedIn } from "./masks.js";
import { Refusal } from "./refusal.js";
import { checkDocument, documentId } from "./resolve.js";
import { setCovering, showingFields, showingTexts } from "./secrets.js";

const SECURITY = "-webkit-text-security";
const DISCS = { [SECURITY]: "disc" };
// Without a transition it is gone at once.
const NOTHING = { transition: "none", animation: "none", opacity: "0" };
const COVERED_MS_MAX = 60_000;

let covered = [];
let timer = 0;

/** Cover everything that shows a secret; refuse when something stays readable. */
export function cover() {
  restore();
  const [words, blocks] = showing();
  setCovering(true);
  const isDone = words.every((element) => put(element, DISCS)) && blocks.every((element) => put(element, NOTHING));
  // The host may end before it asks to uncover.
  timer = setTimeout(restore, COVERED_MS_MAX);
  if (!isDone || !isHeld()) {
    restore();
    throw new Refusal("password_shown", "a password or another secret could not be covered");
  }
  return { document_id: documentId };
}

/** Uncover; refuse when something was readable meanwhile. */
export function uncover(arg) {
  checkDocument(arg);
  const isWhole = timer !== 0 && isHeld();
  restore();
  if (!isWhole) throw new Refusal("password_shown", "a password or another secret did not stay covered");
  return {};
}

function showing() {
  return [[...showingFields(), ...showingTexts()], maskedIn(document)];
}

function put(element, cover) {
  const style = dom.styleIn(element);
  if (!style) return false;
  const before = Object.keys(cover).map((name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)]);
  covered.push({ element, cover, before, isBare: !dom.hasAttribute(element, "style") });
  for (const [name, value] of Object.entries(cover)) style.setProperty(name, value, "important");
  return true;
}

function isHeld() {
  const [words, blocks] = showing();
  const discs = new Set([...covered.filter(({ cover }) => cover === DISCS).map(({ element }) => element), ...words]);
  const gone = new Set([...covered.filter(({ cover }) => cover === NOTHING).map(({ element }) => element), ...blocks]);
  return (
    [...discs].every((element) => !["", "none"].includes(getComputedStyle(element).getPropertyValue(SECURITY))) &&
    [...gone].every((element) => getComputedStyle(element).opacity === "0")
  );
}

function restore() {
  clearTimeout(timer);
  timer = 0;
  // Last in, first out: an element may be covered twice.
  for (const { element, before, isBare } of covered.reverse()) {
    const style = dom.styleIn(element);
    for (const [name, value, priority] of before.reverse()) {
      if (value) style.setProperty(name, value, priority);
      else style.removeProperty(name);
      // Seen again before its transition is: it shall not fade in.
      if (name === "opacity") getComputedStyle(element).getPropertyValue(name);
    }
    if (isBare && dom.attribute(element, "style") === "") dom.dropAttribute(element, "style");
  }
  covered = [];
  setCovering(false);
}
