/** Covering passwords while a picture is taken: a field switched to text would show its own. */
import * as dom from "./dom.js";
import { Refusal } from "./refusal.js";
import { checkDocument, documentId } from "./resolve.js";
import { showingFields } from "./secrets.js";

const SECURITY = "-webkit-text-security";
const COVERED_MS_MAX = 60_000;

let covered = [];
let timer = 0;

/** Cover every field that shows a password; refuse when one stays readable. */
export function cover() {
  restore();
  for (const field of showingFields()) {
    const style = dom.styleIn(field);
    covered.push({ field, value: style.getPropertyValue(SECURITY), priority: style.getPropertyPriority(SECURITY) });
    style.setProperty(SECURITY, "disc", "important");
  }
  // The host may end before it asks to uncover.
  timer = setTimeout(restore, COVERED_MS_MAX);
  if (!isHeld()) {
    restore();
    throw new Refusal("password_shown", "a password could not be covered");
  }
  return { document_id: documentId };
}

/** Uncover the fields; refuse when one of them was readable meanwhile. */
export function uncover(arg) {
  checkDocument(arg);
  const isWhole = timer !== 0 && isHeld();
  restore();
  if (!isWhole) throw new Refusal("password_shown", "a password did not stay covered");
  return {};
}

function isHeld() {
  const fields = new Set([...covered.map(({ field }) => field), ...showingFields()]);
  return [...fields].every((field) => !["", "none"].includes(getComputedStyle(field).getPropertyValue(SECURITY)));
}

function restore() {
  clearTimeout(timer);
  timer = 0;
  for (const { field, value, priority } of covered) {
    const style = dom.styleIn(field);
    if (value) style.setProperty(SECURITY, value, priority);
    else style.removeProperty(SECURITY);
  }
  covered = [];
}
