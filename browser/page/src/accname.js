/**
 * The accessible name, computed as Chromium does it (accname 1.2), through the DOM primitives that no page can shadow.
 *
 * Where words meet, a blank stands when they are in different boxes or one of them is no text (a label, a picture).
 */
import * as dom from "./dom.js";
import { chosenLabels } from "./options.js";
import { isEditingHost, roleOf, styleOf } from "./names.js";

const NODES_MAX = 1500;
const CHARS_MAX = 4000;
const REFERENCES_MAX = 20;
const VALUED = new Set(["textbox", "searchbox"]);
const CHOSEN = new Set(["combobox", "listbox"]);
const RANGED = new Set(["slider", "spinbutton", "scrollbar", "progressbar", "meter"]);
const CAPTIONS = { fieldset: "legend", table: "caption" };
const BUTTONS = { submit: "Submit", reset: "Reset", button: "" };
const SILENT = new Set("script style template noscript iframe object embed video audio datalist head".split(" "));

/** Return the name of *element*, whose role takes a name from its content or not. */
export function accessibleName(element, fromContent) {
  const work = { nodes: NODES_MAX, met: new Set([element]) };
  const own = labelledBy(element, work) || said(element, "aria-label") || native(element, work);
  if (own) return own;
  const inner = fromContent ? content(element, work, false) : "";
  return inner.trim() ? inner : said(element, "title");
}

function said(element, name) {
  const words = dom.attribute(element, name);
  return words !== null && words.trim() !== "" ? words : "";
}

function labelledBy(element, work) {
  const written = dom.attribute(element, "aria-labelledby");
  if (written === null) return "";
  const root = dom.rootNode(element);
  const parts = [];
  for (const id of written.split(/\s+/).filter(Boolean).slice(0, REFERENCES_MAX)) {
    const [other] = dom.query(root, `#${CSS.escape(id)}`);
    // Whatever was met before may be named once more when it is referred to.
    if (other) parts.push(part(other, { ...work, met: new Set() }, { isReferred: true, isHidden: isUnseen(other) }).words);
  }
  return parts.map((words) => words.trim()).filter(Boolean).join(" ");
}

function isUnseen(element) {
  return dom.attribute(element, "aria-hidden") === "true" || !dom.checkVisibility(element, { visibilityProperty: true });
}

/** Return `{words, isText}` of *element* as a part of another's name. */
function part(element, work, { isReferred = false, isHidden = false } = {}) {
  if (--work.nodes < 0 || work.met.has(element) || SILENT.has(dom.localName(element))) return { words: "", isText: true };
  work.met.add(element);
  const role = roleOf(element);
  const value = embedded(element, role);
  if (value) return { words: value, isText: false };
  const own = (isReferred ? "" : labelledBy(element, work)) || said(element, "aria-label") || native(element, work);
  if (own) return { words: own, isText: false };
  const inner = content(element, work, isHidden);
  return inner.trim() === "" && said(element, "title") ? { words: said(element, "title"), isText: false } : { words: inner, isText: true };
}

/** Return what a control says inside a name: its value; "" when it has none or *element* is no such control. */
function embedded(element, role) {
  if (dom.isHtml(element, "select")) return chosenLabels(element).join(" ");
  const isField = dom.isHtml(element, "input") || dom.isHtml(element, "textarea");
  if (VALUED.has(role) || (CHOSEN.has(role) && isField)) {
    if (isField) return dom.isHtml(element, "input") && dom.inputType(element) === "password" ? "" : dom.valueOf(element);
    return isEditingHost(element) ? dom.textContent(element) : "";
  }
  if (CHOSEN.has(role)) return dom.textContent(dom.query(element, '[aria-selected="true"]')[0] ?? element);
  if (!RANGED.has(role)) return "";
  return said(element, "aria-valuetext") || said(element, "aria-valuenow") || (dom.isHtml(element, "input") ? dom.valueOf(element) : said(element, "value"));
}

/** Return the name that HTML or SVG gives *element*. */
function native(element, work) {
  const tag = dom.localName(element);
  if (!dom.inHtml(element)) return titleChild(element);
  if (tag === "input") {
    const type = dom.inputType(element);
    const fallback = BUTTONS[type];
    if (fallback !== undefined) return said(element, "value") || labels(element, work) || fallback;
    if (type === "image") return labels(element, work) || said(element, "alt") || said(element, "value") || said(element, "title") || "Submit";
  }
  if (tag === "img" || tag === "area") return said(element, "alt");
  if (tag === "optgroup" || tag === "track") return said(element, "label");
  if (tag === "option") return dom.optionLabel(element);
  const caption = CAPTIONS[tag] ? dom.query(element, `:scope > ${CAPTIONS[tag]}`)[0] : undefined;
  return caption ? part(caption, work).words : labels(element, work);
}

function titleChild(element) {
  const title = dom.query(element, ":scope > title")[0];
  return title ? (dom.textContent(title) ?? "") : "";
}

function labels(element, work) {
  const all = dom.labelsOf(element).filter((label) => !work.met.has(label));
  return all.map((label) => part(label, work).words.trim()).filter(Boolean).join(" ");
}

/** Return the words in *element*: generated ones, text, and the names of what stands in it. */
function content(element, work, isHidden) {
  const joined = { words: "", isText: true, isInline: true };
  join(joined, { words: generated(element, "::before"), isText: true, isInline: true });
  const isItem = roleOf(element) === "treeitem";
  const isMuted = !isHidden && styleOf(element).visibility !== "visible";
  for (const node of dom.flatChildren(element)) {
    if (work.nodes < 0 || joined.words.length > CHARS_MAX) break;
    const type = dom.nodeType(node);
    if (type === dom.TEXT && !isMuted) join(joined, { words: dom.textContent(node), isText: true, isInline: true });
    else if (type === dom.ELEMENT && !(isItem && roleOf(node) === "group")) join(joined, child(node, work, isHidden));
  }
  join(joined, { words: generated(element, "::after"), isText: true, isInline: true });
  return joined.words;
}

function child(element, work, isHidden) {
  if (dom.isHtml(element, "br")) return { words: " ", isText: true, isInline: true };
  const display = isHidden ? "inline" : styleOf(element).display;
  if (display === "none" || (!isHidden && isPassedOver(element, display))) return { words: "", isText: true, isInline: true };
  return { ...part(element, work, { isHidden }), isInline: display === "inline" || display === "contents" };
}

/** What has no box has no words; but text of a hidden element may be shown by a child. */
function isPassedOver(element, display) {
  if (dom.attribute(element, "aria-hidden") === "true") return true;
  return display !== "contents" && !dom.checkVisibility(element) && dom.inHtml(element);
}

function join(joined, next) {
  if (next.words === "") {
    joined.isInline &&= next.isInline;
    return;
  }
  const isApart = !joined.isInline || !next.isInline || !joined.isText || !next.isText;
  joined.words += (isApart && joined.words !== "" ? " " : "") + next.words;
  joined.isText = next.isText;
  joined.isInline = next.isInline;
}

/** Return the words that CSS puts at *pseudo*, or what they are said to mean (`content: "x" / "y"`). */
function generated(element, pseudo) {
  const { content: written } = styleOf(element, pseudo);
  if (!written.includes('"')) return "";
  const spoken = written.split(/"\s*\/\s*"/).length > 1 ? written.slice(written.search(/"\s*\/\s*"/) + 1) : written;
  return [...spoken.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, words]) => words.replace(/\\(.)/g, "$1")).join("");
}
