/**
 * Rows of a table by their numbers: only these are walked, so a long table costs no more than a short one.
 *
 * A row's number is its place, the header included, or what aria-rowindex says in a table that holds a part of its rows.
 */
import * as dom from "./dom.js";
import { roleOf } from "./names.js";
import { walkRows } from "./walk.js";

const ROWS = /^rows=(\d{1,7})(?:-(\d{1,7}))?$/;
const TABLES = "table,[role=table],[role=grid],[role=treegrid]";
const TABLE_ROLES = new Set(["table", "grid", "treegrid"]);
const HEADERS_MAX = 3;
const ELEMENTS_MAX = 50_000;

/** Return the walk over the rows that *filter* asks for under *root*; null when it asks for no rows, or there is no table. */
export function rowsAsked(root, filter) {
  const [, first, last] = ROWS.exec(filter ?? "") ?? [];
  if (first === undefined) return null;
  const table = tableIn(root);
  return table ? walkRows(table, wanted(rowsOf(table), Number(first), Number(last ?? first))) : null;
}

/** Return whether *filter* asks for rows by their numbers. */
export function asksRows(filter) {
  return ROWS.test(filter ?? "");
}

/** Return how many rows *table* has, those it does not hold at the moment included. */
export function rowCount(table) {
  const said = Number(dom.attribute(table, "aria-rowcount"));
  return Math.max(Number.isSafeInteger(said) ? said : 0, rowsOf(table).length);
}

/** Return the number of *row* in its table, 0 when it stands in none; *known* keeps those of each table. */
export function rowNumber(row, known) {
  const table = dom.closest(row, TABLES);
  if (!table) return 0;
  if (!known.has(table)) known.set(table, numbered(Array.from(rowsOf(table))));
  return known.get(table).get(row) ?? 0;
}

function numbered(rows) {
  const isIndexed = rows.some((row) => dom.hasAttribute(row, "aria-rowindex"));
  return new Map(rows.map((row, place) => [row, isIndexed ? Number(dom.attribute(row, "aria-rowindex")) : place + 1]));
}

function rowsOf(table) {
  return dom.isHtml(table, "table") ? dom.tableRows(table) : dom.query(table, "[role=row]");
}

/** Return *root* when it is a table, else the table in it with most rows, through open roots and frames. */
function tableIn(root) {
  if (TABLE_ROLES.has(roleOf(root))) return root;
  let best = null;
  let most = 0;
  let seen = 0;
  const roots = [dom.shadowRoot(root) ?? (dom.isHtml(root, "iframe") ? dom.documentOf(root) : null) ?? root];
  for (let each = roots.pop(); each; each = roots.pop()) {
    for (const table of dom.query(each, TABLES)) {
      const count = dom.checkVisibility(table) ? rowsOf(table).length : 0;
      if (count > most) [best, most] = [table, count];
    }
    for (const element of dom.query(each, "*")) {
      if (++seen > ELEMENTS_MAX) return best;
      const inner = dom.shadowRoot(element) ?? (dom.isHtml(element, "iframe") ? dom.documentOf(element) : null);
      if (inner) roots.push(inner);
    }
  }
  return best;
}

/** Return the rows numbered *first* to *last*, with the header that tells what their cells are. */
function wanted(rows, first, last) {
  const all = Array.from(rows);
  const numbers = numbered(all);
  const isWanted = (row) => numbers.get(row) >= first && numbers.get(row) <= last;
  const isHeader = (row, place) => place < HEADERS_MAX && isHeading(row);
  return all.filter((row, place) => isHeader(row, place) || isWanted(row));
}

function isHeading(row) {
  const cell = dom.firstElement(row);
  return cell !== null && roleOf(cell) === "columnheader";
}
