"""Pruning: what is due goes, segment by segment, and a prune that was cut off is gone on with.

The rule: archived -> dropping -> dropped. Rows are removed only while the segment says so, and
what a segment came to (its last hash, signed) stays for good.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from memory.archive import archive_path, check_archive
from memory.database import Store
from memory.errors import LedgerError
from memory.facts import facts_of
from memory.retention import ENDS, Why
from memory.segments import (
    ARCHIVED,
    CLOSED,
    DROPPED,
    DROPPING,
    Segment,
    checked,
    links_of,
    segments_of,
)

# An agent that is about to act waits for whoever writes: so little at once, and a gap behind it.
_ROWS_AT_ONCE = 200
_GAP_S = 0.01
_LAST_ROWS = """SELECT e.trace_id, e.kind, e.state FROM event e JOIN (
        SELECT trace_id, max(seq) AS seq FROM event
        WHERE install_id = ? AND trace_id IN (
            SELECT trace_id FROM event WHERE install_id = ? AND stream = ?
            AND position BETWEEN ? AND ?)
        GROUP BY trace_id) last
    ON e.trace_id = last.trace_id AND e.seq = last.seq
    WHERE e.install_id = ? ORDER BY e.trace_id"""
_LAST_ROW = """SELECT kind, state FROM event WHERE install_id = ? AND trace_id = ?
    ORDER BY seq DESC LIMIT 1"""
_CUT = """SELECT 1 FROM segment WHERE install_id = ? AND state IN ('dropping', 'dropped')
    AND closed_at >= (SELECT min(at) FROM event WHERE install_id = ? AND trace_id = ?) LIMIT 1"""
_TO_STATE = """UPDATE segment SET state = ?
    WHERE install_id = ? AND stream = ? AND number = ? AND state = ?"""
_DELETE = "DELETE FROM event WHERE install_id = ? AND stream = ? AND position BETWEEN ? AND ?"
_NEWEST = "SELECT max(at) FROM event WHERE install_id = ?"
_UNTOLD = """SELECT trace_id FROM event WHERE install_id = ? AND kind IN ('pruning', 'pruned')
    GROUP BY trace_id HAVING min(kind) = 'pruning' AND max(kind) = 'pruning'
    ORDER BY trace_id"""
_FORGET = "UPDATE segment SET archive = ? WHERE install_id = ? AND stream = ? AND number = ?"


def newest_event(store: Store, install_id: str) -> str:
    """Return the time of the newest event of the installation, "" when there is none.

    Raises:
        LedgerError: the store cannot be read.
    """
    return str(store.all(_NEWEST, (install_id,))[0][0] or "")


def is_cut(store: Store, install_id: str, trace_id: str) -> bool:
    """Tell whether events of the time since *trace_id* began were dropped: it may lack some.

    Such a trace can be told in part, but must not be gone on with.

    Raises:
        LedgerError: the store cannot be read.
    """
    return bool(store.all(_CUT, (install_id, install_id, trace_id)))


def is_unfinished(store: Store, install_id: str, trace_id: str) -> bool:
    """Tell whether *trace_id* is a task that has not ended and could be gone on with.

    Raises:
        LedgerError: the store cannot be read.
    """
    rows = store.all(_LAST_ROW, (install_id, trace_id))
    return bool(rows) and _is_open(*rows[0]) and not is_cut(store, install_id, trace_id)


def traces_holding(
    store: Store, install_id: str, segment: Segment, is_running: Callable[[str], bool]
) -> tuple[Why, list[str]]:
    """Return why traces hold *segment* back, and which: `past` and none when it may go.

    A trace that runs holds it more than one that only has not ended.

    Raises:
        LedgerError: the store cannot be read.
    """
    place = (segment.stream, segment.first_position, segment.last_position)
    rows = store.all(_LAST_ROWS, (install_id, install_id, *place, install_id))
    running = [trace for trace, _, _ in rows if is_running(trace)]
    if running:
        return "running", running
    unfinished = [
        trace for trace, kind, state in rows
        if _is_open(kind, state) and not is_cut(store, install_id, trace)
    ]  # fmt: skip
    return ("unfinished", unfinished) if unfinished else ("past", [])


def drop(store: Store, install_id: str, segment: Segment) -> Segment:
    """Drop *segment*, which `check_before_drop` let pass; return it as it is then.

    Raises:
        LedgerError: another process moved it, or the store cannot be written; the next prune
            goes on with it.
    """
    if segment.state in (CLOSED, ARCHIVED):
        _to_state(store, install_id, segment, DROPPING)
    return _remove_rows(store, install_id, segment._replace(state=DROPPING))


def finish_dropping(store: Store, install_id: str) -> list[Segment]:
    """Go on with every segment whose dropping was cut off; return them.

    Raises:
        LedgerError: the store cannot be written.
    """
    half = [s for s in segments_of(store, install_id) if s.state == DROPPING]
    return [_remove_rows(store, install_id, segment) for segment in half]


def untold_prunes(store: Store, install_id: str) -> list[str]:
    """Return the traces of prunes that were killed before they told what went.

    Raises:
        LedgerError: the store cannot be read.
    """
    return [str(trace) for (trace,) in store.all(_UNTOLD, (install_id,))]


def compact(store: Store) -> None:
    """Give the room of what was dropped back: to the disk in SQLite, for new rows in PostgreSQL.

    Raises:
        LedgerError: somebody uses the store, or there is no room for the copy that it takes.
    """
    store.run("VACUUM")


def check_before_drop(store: Store, install_id: str, segment: Segment, folder: Path) -> None:
    """Refuse to drop a *segment* that is not what was signed, or whose archive is not.

    How old it is, is asked of the texts of its events, not of a column beside them.

    Raises:
        LedgerError: so it is.
    """
    newest = ""
    for link in checked(links_of(store, install_id, segment), install_id, segment):
        newest = max(newest, _time_in(link.text))
    if newest != segment.closed_at:
        raise LedgerError(
            "ledger_segment_broken", stream=segment.stream, number=segment.number,
            position=segment.last_position,
        )  # fmt: skip
    if segment.state == ARCHIVED:
        check_archive(archive_path(folder, segment), install_id, segment)


def check_before_removal(install_id: str, segment: Segment, folder: Path) -> None:
    """Refuse to remove a file that is not the archive of *segment*; one that is gone may be gone.

    Raises:
        LedgerError: so it is.
    """
    path = archive_path(folder, segment)
    if os.path.lexists(path):
        check_archive(path, install_id, segment)


def forget_archive(store: Store, install_id: str, segment: Segment) -> None:
    """Note that the archive of *segment* is gone too.

    Raises:
        LedgerError: the store cannot be written.
    """
    with store.writing(durable=True):
        store.run(_FORGET, ("", install_id, segment.stream, segment.number))


def _time_in(text: str) -> str:
    try:
        return facts_of(json.loads(text)).at
    except (ValueError, RecursionError, AttributeError):
        return ""


def _remove_rows(store: Store, install_id: str, segment: Segment) -> Segment:
    if store.is_sqlite:
        # What is dropped is not to be found in the file's free pages either.
        store.run("PRAGMA secure_delete = ON")
    for first in range(segment.first_position, segment.last_position + 1, _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE - 1, segment.last_position)
        with store.writing(durable=False):
            store.run(_DELETE, (install_id, segment.stream, first, last))
        time.sleep(_GAP_S)
    _to_state(store, install_id, segment, DROPPED)
    return segment._replace(state=DROPPED)


def _to_state(store: Store, install_id: str, segment: Segment, state: str) -> None:
    with store.writing(durable=True):
        touched = store.run(
            _TO_STATE, (state, install_id, segment.stream, segment.number, segment.state)
        )
    if touched != 1:
        raise LedgerError(
            "ledger_segment_moved", path=store.place, stream=segment.stream, number=segment.number
        )


def _is_open(kind: str, state: str) -> bool:
    return kind == "event" and state not in ENDS
