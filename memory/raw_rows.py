"""A trace's rows as they stand in the store, damaged or not: what an auditor is shown.

The rule: nothing is left out and nothing is believed. A row that is not what was written is marked,
one that is missing stays missing; `memory.reader` refuses both.
"""

import json
from typing import Any, NamedTuple

from memory.database import Store
from memory.reader import stored_rows


class RawRow(NamedTuple):
    """One row: its number, what it says ({} if that cannot be read), and whether its hash fits."""

    seq: int
    row: dict[str, Any]
    intact: bool


def raw_rows(store: Store, install_id: str, trace_id: str) -> list[RawRow]:
    """Return every row of *trace_id* by its number, whatever became of it.

    Raises:
        LedgerError: the store cannot be read.
    """
    found: list[RawRow] = []
    for seq, text, fits in stored_rows(store, install_id, trace_id):
        row = _document(text)
        intact = fits and row.get("seq") == seq and row.get("trace_id") == trace_id
        found.append(RawRow(seq, {**row, "seq": seq, "trace_id": trace_id}, intact))
    return found


def _document(text: object) -> dict[str, Any]:
    try:
        row = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        row = None
    return row if isinstance(row, dict) else {}
