"""The answer of `sgclaw audit query` as an aligned table, as CSV and as JSON."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory.audit_query import Found, Match
from sgclaw.audit_report_ask import Asked
from states.catalogue import Lang, words

# Column -> the key of its heading; what is empty in every event is left out of the table.
COLUMNS: Mapping[str, str] = {
    "at": "audit_col_at", "trace_id": "audit_col_trace", "seq": "audit_col_seq",
    "user_name": "audit_col_user", "event": "audit_col_event", "action": "audit_col_action",
    "domain": "audit_col_domain", "verdict": "audit_col_verdict",
    "outcome": "audit_col_outcome", "skill": "audit_col_skill", "state": "audit_col_state",
}  # fmt: skip
# Excel takes a cell that begins so as a formula; the wide forms too where one types Chinese.
_FORMULA = frozenset("=+-@\t\r＝＋－＠")
_GAP = "  "


def time_of(match: Match) -> str:
    """Return the time of *match* as people read it, in UTC."""
    return match.at.removesuffix("+00:00").replace("T", " ", 1)


def table(matches: Sequence[Match], lang: Lang) -> list[str]:
    """Return *matches* as lines under a heading, in columns however wide Chinese is."""
    cells = [_cells(match) for match in matches]
    names = [name for name in COLUMNS if any(row[name] for row in cells)]
    heading = {name: words(COLUMNS[name], lang) for name in names}
    widths = {name: max(_width(row[name]) for row in (heading, *cells)) for name in names}
    return [
        _GAP.join(row[name] + " " * (widths[name] - _width(row[name])) for name in names).rstrip()
        for row in (heading, *cells)
    ]


def _cells(match: Match) -> dict[str, str]:
    cells = {name: str(value) for name, value in match._asdict().items()}
    return cells | {"at": time_of(match), "state": match.state.removeprefix("active.")}


def _width(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def as_csv(matches: Iterable[Match], *, line_end: str) -> str:
    """Return *matches* as CSV under the names of the ledger's columns.

    What a spreadsheet would take for a formula begins with an apostrophe.
    """
    written = io.StringIO()
    lines = csv.writer(written, lineterminator=line_end)
    lines.writerow(Match._fields)
    for match in matches:
        lines.writerow([_harmless(value) for value in match])
    return written.getvalue()


def _harmless(value: str | int) -> str | int:
    is_formula = isinstance(value, str) and value.lstrip(" ")[:1] in _FORMULA and value != ""
    return f"'{value}" if is_formula else value


def as_document(found: Found, asked: Asked, more: str) -> dict[str, Any]:
    """Return the answer as plain data; *more* is the command for what comes next, or ""."""
    return {
        "asked": {option.removeprefix("--"): value for option, value in asked.options},
        "limit": asked.limit,
        "offset": asked.offset,
        "matches": found.number,
        "is_counted": found.is_counted,
        "totals": {name: dict(total) for name, total in found.totals._asdict().items()},
        "events": [match._asdict() for match in found.matches],
        "next": more or None,
    }
