"""Rows for a store, a look into its database from outside, and its chain recomputed by hand."""

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from memory.chain import Owner
from memory.database import Store
from memory.event_ledger import DatabaseLedger
from states.settings import AuditLimits

OWNER = Owner("0123456789abcdef", "acme", "li.wei")
TRACE = "sgclaw-20261130-0000000000000001"
_LINKS = """SELECT install_id, stream, position, trace_id, seq, algorithm, tenant, user_name, prev,
    text, hash FROM event ORDER BY install_id, stream, position"""


def a_row(
    payload: object = None, event: str = "step_observed", **changed: object
) -> dict[str, Any]:
    """Return a row as the engine's journal makes it, with *payload* in its event."""
    return {
        "at": "2026-11-30T08:00:00.000+00:00", "trace_id": TRACE, "kind": "event", "chart": "task",
        "chart_sha256": "0" * 64,
        "event": {"type": event, "payload": {"record": payload}, "generation": None},
        "result": "handled", "state": "active.planning", "path": ["active.planning"],
        "verdicts": [], "effects": [], "context_sha256": "0" * 64,
    } | changed  # fmt: skip


def ledger_in(store: Store, trace: str = TRACE, **limits: Any) -> DatabaseLedger:
    """Return the ledger of *trace* in *store*, with *limits* in place of the settings."""
    return DatabaseLedger(store, OWNER, trace, limits=AuditLimits(**limits))


def records(ledger: DatabaseLedger) -> list[Any]:
    """Return what the events of *ledger* carry, in order."""
    return [row["event"]["payload"]["record"] for row in ledger.rows()]


def outside(place: Path | str, statement: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run *statement* (`?` for each of *params*) over a connection of its own; return its rows.

    Raises:
        sqlite3.Error, psycopg.Error: the database refuses.
    """
    if isinstance(place, Path):
        connection = sqlite3.connect(place, isolation_level=None)
        try:
            return connection.execute(statement, params).fetchall()
        finally:
            connection.close()
    with psycopg.connect(place, autocommit=True) as other:
        cursor = other.execute(statement.replace("?", "%s").encode(), params or None)
        return cursor.fetchall() if cursor.description else []


def stored(place: Path | str, trace: str = TRACE) -> list[int]:
    """Return the numbers of the rows of *trace* that stand in the database."""
    sql = "SELECT seq FROM event WHERE trace_id = ? ORDER BY seq"
    return [seq for (seq,) in outside(place, sql, (trace,))]


def broken_links(place: Path | str) -> list[str]:
    """Return what is wrong with the chains at *place*, held against the rule as it is written."""
    found: list[str] = []
    ends: dict[tuple[str, str], tuple[int, str]] = {}
    for install, stream, position, trace, seq, algorithm, tenant, user, prev, text, link in outside(
        place, _LINKS
    ):
        at, before = ends.get((install, stream), (0, "0" * 64))
        said = "\n".join(["sgclaw-event-1", trace, str(seq), tenant, user, text])
        content = hashlib.new(algorithm, said.encode()).hexdigest()
        place = "\n".join(["sgclaw-ledger-1", install, stream, str(position)])
        ours = hashlib.new(
            algorithm, f"{place}\n{algorithm}\n{prev}\n{content}".encode()
        ).hexdigest()
        if (position, prev, link) != (at + 1, before, ours):
            found.append(f"{stream} {position} ({trace} {seq})")
        ends[install, stream] = (position, link)
    return found


def writer(place: Path | str, *words: object, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start `tests.support.store_writer` with *words*; *before* it stand other programs' words."""
    command = [*before, sys.executable, "-m", "tests.support.store_writer", str(place)]
    return subprocess.Popen(
        [*command, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def ended(child: subprocess.Popen[str]) -> list[str]:
    """End the input of *child* and wait for it; return the lines that it said since."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.close()
    said = child.stdout.read()  # `communicate` would lose what is read ahead of `readline`
    child.stdout.close()
    child.wait()
    return said.splitlines()


def is_ready(child: subprocess.Popen[str]) -> None:
    """Wait until *child*, started with `--wait`, has opened its ledger."""
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"


def go(child: subprocess.Popen[str]) -> None:
    """Let *child*, started with `--wait`, write."""
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()
