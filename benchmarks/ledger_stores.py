"""µs per event into the ledger itself: single, synced, and in batches, on SQLite and PostgreSQL.

The rows are those of a task of twenty steps on a page of 2,000 characters. Rounds of the two stores
take turns. PostgreSQL is a server of the bench's own in a temporary folder, with fsync; where none
is installed its figures are left out. The floor is the same rows as JSON Lines in the
page cache, and with one fsync each.
"""

import json
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.ledger import STEPS, entries_of, rows_of
from memory.chain import Owner
from memory.database import open_store
from memory.event_ledger import DatabaseLedger

ROUNDS = 7
BATCH = 20
Rows = list[dict[str, Any]]
Place = Path | str


def measure() -> dict[str, float]:
    """Return the median µs per event by store and way, and of the bare file beside them."""
    rows = rows_of(entries_of(STEPS))
    with tempfile.TemporaryDirectory() as name, _postgresql() as url:
        folder = Path(name)
        # A database that grows is what an agent meets: each round is one more trace in it.
        places: dict[str, Place] = {"sqlite": folder / "ledger.db"}
        if url:
            places["postgresql"] = url
        rounds = [_round(places, rows, f"trace-{number}", folder) for number in range(ROUNDS)]
    return {figure: statistics.median(each[figure] for each in rounds) for figure in rounds[0]}


def _round(places: dict[str, Place], rows: Rows, trace: str, folder: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for store, place in places.items():
        for way, write in _WAYS.items():
            ledger = DatabaseLedger(open_store(place), Owner("bench"), f"{trace}-{way}")
            found[f"{store}_{way}_event_us"] = _spent(lambda: write(ledger, rows), len(rows))  # noqa: B023
            ledger.close()
    for way, synced in (("plain", False), ("durable", True)):
        path = folder / f"{trace}-{way}.jsonl"
        spent = _spent(lambda: _lines(path, rows, synced=synced), len(rows))  # noqa: B023
        found[f"file_{way}_event_us"] = spent
    return found


def _plain(ledger: DatabaseLedger, rows: Rows) -> None:
    for row in rows:
        ledger.append(row, durable=False)


def _durable(ledger: DatabaseLedger, rows: Rows) -> None:
    for row in rows:
        ledger.append(row, durable=True)


def _batched(ledger: DatabaseLedger, rows: Rows) -> None:
    for first in range(0, len(rows), BATCH):
        ledger.append_all(rows[first : first + BATCH], durable=True)


_WAYS: dict[str, Callable[[DatabaseLedger, Rows], None]] = {
    "plain": _plain, "durable": _durable, "batch20": _batched,
}  # fmt: skip


def _lines(path: Path, rows: Rows, *, synced: bool) -> None:
    with path.open("wb", buffering=0) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            if synced:
                os.fsync(file.fileno())


def _spent(work: Callable[[], None], events: int) -> float:
    began = perf_counter()
    work()
    return (perf_counter() - began) / events * 1e6


@contextmanager
def _postgresql() -> Iterator[str]:
    """Give the address of an empty database of a server of our own, "" where there is none."""
    from tests.support.postgres import Cluster, PostgresNotStartedError

    try:
        cluster = Cluster(fsync="on", full_page_writes="on")
    except PostgresNotStartedError:
        yield ""
        return
    try:
        yield cluster.new_database()
    finally:
        cluster.close()


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.1f}")
