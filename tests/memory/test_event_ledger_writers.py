"""Whoever else writes the same database, no row is lost and no chain is broken."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from tests.support.store_lab import (
    OWNER,
    TRACE,
    a_row,
    broken_links,
    ended,
    go,
    is_ready,
    ledger_in,
    outside,
    records,
    stored,
    writer,
)

ROWS = 200
SEGMENT = "INSERT INTO segment VALUES ('i', 's', ?, 1, '', 1, '', '', '', 1, 1, ?, '', '')"


def test_two_processes_write_two_traces_at_once(place: Path | str, store: Store) -> None:
    words = ("--durable-every", 10, "--wait", "--pause-ms", 1)
    children = [writer(place, trace, ROWS, *words) for trace in "ab"]
    for child in children:
        is_ready(child)
    for child in children:
        go(child)
    assert [ended(child) for child in children] == [[str(n + 1) for n in range(ROWS)]] * 2
    assert [stored(place, trace) for trace in "ab"] == [[*range(1, ROWS + 1)]] * 2
    assert broken_links(place) == []
    assert were_mixed(place)


def were_mixed(place: Path | str) -> bool:
    """Tell whether the two really wrote at once: their rows stand between one another's."""
    traces = [str(row[0]) for row in outside(place, "SELECT trace_id FROM event ORDER BY position")]
    return sum(one != other for one, other in pairwise(traces)) > 1


def test_a_trace_is_one_process_s_at_a_time(place: Path | str, tmp_path: Path) -> None:
    lock = tmp_path / "locks" / "t.lock"
    child = writer(place, TRACE, 2, "--lock", lock, "--wait")
    is_ready(child)
    assert lock.stat().st_mode & 0o077 == 0
    assert ended(writer(place, TRACE, 2, "--lock", lock)) == ["ledger_locked"]
    assert ended(child) == ["1", "2"]
    assert ended(writer(place, TRACE, 1, "--lock", lock)) == ["3"]
    assert broken_links(place) == []


def test_the_lock_is_free_when_its_holder_is_killed(store: Store, tmp_path: Path) -> None:
    place = tmp_path / "one.db"
    child = writer(place, TRACE, 2, "--lock", tmp_path / "t.lock", "--wait")
    is_ready(child)
    child.kill()
    assert ended(child) == []
    DatabaseLedger(store, OWNER, TRACE, tmp_path / "t.lock").close()


def test_a_lock_that_others_take_and_leave_has_one_holder_at_a_time(tmp_path: Path) -> None:
    place, lock = tmp_path / "ledger.db", tmp_path / "t.lock"
    open_store(place).close()
    alone, wrong = threading.Lock(), []

    def take(_: int) -> None:
        for _ in range(60):
            with closing(open_store(place)) as store:
                try:
                    ledger = DatabaseLedger(store, OWNER, TRACE, lock)
                except LedgerError as error:
                    assert error.code == "ledger_locked"  # noqa: PT017
                    continue
                if alone.acquire(blocking=False):
                    time.sleep(0.0005)
                    alone.release()
                else:
                    wrong.append("two at once")
                ledger.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, range(8)))
    assert wrong == []
    assert not lock.exists()


def test_a_lock_that_cannot_be_had_is_a_sentence(store: Store, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for lock in (tmp_path / "link", tmp_path / "folder", tmp_path / "file" / "t.lock"):
        with pytest.raises(LedgerError) as caught:
            DatabaseLedger(store, OWNER, TRACE, lock)
        assert caught.value.code == "ledger_unwritable"
    assert not (tmp_path / "elsewhere").exists()


def test_a_locked_database_is_waited_for_and_then_refused(place: Path | str) -> None:
    with closing(open_store(place, busy_seconds=0.3)) as store:
        ledger_in(store).append(a_row("before"), durable=True)
        ledger = ledger_in(store)
        with locked(place):
            for _ in range(2):
                with pytest.raises(LedgerError) as caught:
                    ledger.append(a_row("meanwhile"), durable=True)
                assert caught.value.code == "ledger_busy"
            with pytest.raises(LedgerError):
                ledger_in(store, "other").append_all([a_row(1), a_row(2)], durable=False)
        with pytest.raises(LedgerError):
            ledger.append(a_row("later"), durable=True)
        assert (stored(place), stored(place, "other")) == ([1], [])
        ledger_in(store).append(a_row("after"), durable=True)
        assert records(ledger_in(store)) == ["before", "after"]
    assert broken_links(place) == []


def test_a_database_that_is_free_again_in_time_is_written(place: Path | str) -> None:
    with closing(open_store(place, busy_seconds=20)) as store:
        free = threading.Event()
        held = threading.Event()
        thread = threading.Thread(target=hold, args=(place, held, free))
        thread.start()
        assert held.wait(20)
        threading.Timer(0.3, free.set).start()
        ledger_in(store).append(a_row("waited"), durable=True)
        assert free.is_set()
        thread.join()
    assert stored(place) == [1]


def test_a_block_that_fails_writes_nothing_of_itself(place: Path | str, store: Store) -> None:
    cases: tuple[tuple[str | Exception, type[Exception]], ...] = (
        ("nonsense", LedgerError), (KeyError(), KeyError),
    )  # fmt: skip
    for bad, error in cases:
        with pytest.raises(error):
            write_segments(store, "closed", bad)
        assert outside(place, "SELECT * FROM segment") == []
    write_segments(store, "closed", "archived")
    assert len(outside(place, "SELECT * FROM segment")) == 2


def write_segments(store: Store, *states: str | Exception) -> None:
    """Write a segment in each of *states* in one block; raise what is an error among them."""
    with store.writing(durable=True):
        for number, state in enumerate(states):
            if isinstance(state, Exception):
                raise state
            store.run(SEGMENT, (number, state))


def test_reading_goes_on_while_another_writes(place: Path | str, store: Store) -> None:
    ledger = ledger_in(store)
    ledger.append(a_row("before"), durable=True)
    with locked(place, "ROW EXCLUSIVE"):
        assert records(ledger) == ["before"]


def hold(place: Path | str, held: threading.Event, free: threading.Event) -> None:
    """Hold the database at *place* from *held* to *free*."""
    with locked(place):
        held.set()
        free.wait(20)


@contextmanager
def locked(place: Path | str, mode: str = "EXCLUSIVE") -> Iterator[None]:
    """Hold a write transaction open meanwhile, as a backup or a person with a SQL prompt may."""
    if isinstance(place, Path):
        with closing(sqlite3.connect(place, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")
    else:
        with psycopg.connect(place) as server:
            server.execute(f"LOCK TABLE event IN {mode} MODE".encode())
            yield
            server.rollback()


def test_another_ledger_in_the_middle_of_its_block_is_waited_for_too(place: Path | str) -> None:
    with closing(open_store(place)) as one, closing(open_store(place, busy_seconds=0.3)) as other:
        with one.writing(durable=True):
            with pytest.raises(LedgerError) as caught:
                ledger_in(other).append(a_row("meanwhile"), durable=True)
            assert caught.value.code == "ledger_busy"
        ledger_in(other).append(a_row("after"), durable=True)
    assert stored(place) == [1]


def test_rows_are_read_in_parts_and_side_by_side_and_left_in_the_middle(store: Store) -> None:
    ledger = ledger_in(store)
    ledger.append_all([a_row(n) for n in range(10)], durable=False)
    sql = "SELECT seq FROM event WHERE seq > ? ORDER BY seq"
    one, other = store.each(sql, (0,), size=3), store.each(sql, (5,), size=2)
    assert [next(one), next(other), next(one)] == [(1,), (6,), (2,)]
    assert list(other) == [(7,), (8,), (9,), (10,)]
    del one
    ledger.append(a_row("still writes"), durable=True)
    assert len(list(store.each(sql, (0,)))) == 11


def test_a_durable_row_is_as_durable_from_another_thread(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "ledger.db")) as store:
        ledger = ledger_in(store)

        def write(*, durable: bool) -> list[tuple[object, ...]]:
            ledger.append(a_row(durable), durable=durable)
            return store.all("PRAGMA synchronous")

        with ThreadPoolExecutor(1) as elsewhere:
            for durable, expected in ((True, 2), (False, 1), (True, 2)):
                assert write(durable=durable) == [(expected,)]
                assert elsewhere.submit(write, durable=durable).result() == [(expected,)]
        assert len(ledger.rows()) == 6
