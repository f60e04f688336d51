"""Read a trace back from the store: each row held against its hash, none missing."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from memory.chain import Owner, Place, link_hash
from memory.database import Store
from memory.errors import LedgerError
from states.ledger_head import Head

_ROWS = """SELECT stream, position, seq, tenant, user_name, algorithm, prev, hash, text
    FROM event WHERE install_id = ? AND trace_id = ? ORDER BY seq"""


def has_trace(store: Store, install_id: str, trace_id: str) -> bool:
    """Tell whether there is a row of *trace_id*.

    Raises:
        LedgerError: the store cannot be read.
    """
    sql = "SELECT 1 FROM event WHERE install_id = ? AND trace_id = ? LIMIT 1"
    return bool(store.all(sql, (install_id, trace_id)))


def holds(store: Store, head: Head) -> bool:
    """Tell whether the event at the place of *head* has its hash.

    Raises:
        LedgerError: the store cannot be read.
    """
    sql = "SELECT hash FROM event WHERE install_id = ? AND stream = ? AND position = ?"
    return store.all(sql, (head.install_id, head.stream, head.position)) == [(head.hash,)]


class Stored(NamedTuple):
    """One row as it stands in the store: *fits* tells whether its hash is that of the rest."""

    seq: int
    text: Any
    fits: bool


def stored_rows(store: Store, install_id: str, trace_id: str) -> Iterator[Stored]:
    """Yield every row of *trace_id* by its number, whatever became of it.

    Raises:
        LedgerError: the store cannot be read.
    """
    for stream, position, seq, tenant, user, algorithm, prev, link, text in store.each(
        _ROWS, (install_id, trace_id)
    ):
        place = Place(stream, position, trace_id, seq)
        owner = Owner(install_id, tenant, user)
        try:
            fits = link_hash(owner, place, algorithm, prev, text) == link
        except (ValueError, TypeError):  # no such algorithm, or no text: a column was changed
            fits = False
        yield Stored(seq, text, fits)


def texts_of(store: Store, install_id: str, trace_id: str) -> list[str]:
    """Return the exact text of each row of *trace_id* in order; it may be cut at its end.

    Raises:
        LedgerError: a row is missing before another, or is not what was written.
    """
    texts: list[str] = []
    for seq, text, fits in stored_rows(store, install_id, trace_id):
        expected = len(texts) + 1
        if seq != expected:
            raise LedgerError(
                "ledger_gap", path=store.place, line=expected, seq=seq, expected=expected
            )
        if not fits:
            raise LedgerError("ledger_changed", path=store.place, trace=trace_id, seq=seq)
        texts.append(text)
    return texts


def read_trace(store: Store, install_id: str, trace_id: str) -> list[dict[str, Any]]:
    """Return the rows of *trace_id* in order.

    Raises:
        LedgerError: one is missing, changed, or no JSON object.
    """
    rows: list[dict[str, Any]] = []
    for text in texts_of(store, install_id, trace_id):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise LedgerError("ledger_unreadable", path=store.place, line=len(rows) + 1)
        rows.append(row)
    return rows
