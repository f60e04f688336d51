"""A trace's rows as they stand in the store, damaged or not: what an auditor is shown.

The rule: nothing is left out and nothing is believed. A row that is not what was written is marked,
one that is missing stays missing; `memory.reader` refuses both.
"""

import json
from typing import Any, NamedTuple

from memory.chain import Owner, Place, link_hash
from memory.database import Store

_ROWS = """SELECT stream, position, seq, tenant, user_name, algorithm, prev, hash, text
    FROM event WHERE install_id = ? AND trace_id = ? ORDER BY seq"""


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
    for stream, position, seq, tenant, user, algorithm, prev, link, text in store.each(
        _ROWS, (install_id, trace_id)
    ):
        place = Place(stream, position, trace_id, seq)
        row = _document(text)
        try:
            hashed = link_hash(Owner(install_id, tenant, user), place, algorithm, prev, text)
        except (ValueError, TypeError):  # a column was changed to what it cannot be
            hashed = ""
        intact = hashed == link and row.get("seq") == seq and row.get("trace_id") == trace_id
        found.append(RawRow(seq, {**row, "seq": seq, "trace_id": trace_id}, intact))
    return found


def _document(text: object) -> dict[str, Any]:
    try:
        row = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        row = None
    return row if isinstance(row, dict) else {}
