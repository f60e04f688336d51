"""What was acknowledged is there, whatever died meanwhile; what was not is not half there.

A kill of a process loses nothing that was written, durable or not: the operating system, or the
server, has it. A crash of the server may take the last rows that were not durable, and no others.
"""

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from memory.database import open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from tests.support.postgres import Cluster
from tests.support.store_lab import (
    TRACE,
    a_row,
    broken_links,
    ended,
    go,
    is_ready,
    ledger_in,
    outside,
    stored,
    writer,
)

ROWS = 1_000
BACKEND = "SELECT pg_backend_pid()"


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """Give a server that may be crashed."""
    cluster = Cluster()
    yield cluster
    cluster.close()


def test_a_kill_in_the_middle_of_a_thousand_writes_loses_nothing(
    place: Path | str, tmp_path: Path
) -> None:
    chance = random.Random(5)  # noqa: S311 - when to kill, and the same each time
    acknowledged = 0
    for kill_after in (*(chance.randrange(1, 300) for _ in range(3)), ROWS):
        child = writer(place, TRACE, ROWS - acknowledged, "--lock", tmp_path / "t.lock",
                       "--durable-every", 3)  # fmt: skip
        said = killed_after(child, kill_after)
        assert said == [*range(acknowledged + 1, acknowledged + 1 + len(said))]
        kept = stored(place)
        # The row in flight may be there too; its acknowledgement was not heard.
        assert kept in ([*range(1, said[-1] + 1)], [*range(1, said[-1] + 2)])
        assert broken_links(place) == []
        acknowledged = len(kept)
    assert acknowledged == ROWS


def killed_after(child: subprocess.Popen[str], lines: int) -> list[int]:
    """Kill *child* once it said so many lines; return all the numbers that it said."""
    assert child.stdout is not None
    said = [line for _, line in zip(range(lines), child.stdout, strict=False)]
    child.kill()
    return [int(line) for line in (*said, *ended(child))]


def test_a_full_disk_refuses_the_row_and_every_later_one(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    with closing(open_store(place)) as held:  # so that the log beside it is not written back
        said = ended(writer(place, TRACE, 60, "--bytes-more", 200_000))
        kept = said.index("ledger_unwritable")
        assert 5 < kept < 60
        assert said == [*map(str, range(1, kept + 1)), *["ledger_unwritable"] * (60 - kept)]
        assert stored(place) == [*range(1, kept + 1)]
        ledger_in(held).append(a_row("there is room again"), durable=True)
    assert stored(place) == [*range(1, kept + 2)]
    assert broken_links(place) == []


def test_with_room_the_same_rows_are_all_written(tmp_path: Path) -> None:
    """The control: it is the bound on the file that refused them."""
    said = ended(writer(tmp_path / "ledger.db", TRACE, 60, "--bytes-more", 100_000_000))
    assert said == [str(n) for n in range(1, 61)]


@pytest.mark.parametrize("beside", ["", "-wal"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_was_replaced_or_removed_takes_no_durable_row(
    tmp_path: Path, beside: str, how: str
) -> None:
    place = tmp_path / "ledger.db"
    with closing(open_store(place)) as store:
        ledger = ledger_in(store)
        ledger.append(a_row("before"), durable=True)
        file = Path(f"{place}{beside}")
        copy = file.read_bytes()
        file.unlink()
        if how == "replaced":
            file.write_bytes(copy)
        for _ in range(2):
            with pytest.raises(LedgerError) as caught:
                ledger.append(a_row("nobody would read it"), durable=True)
            assert caught.value.code == "ledger_replaced"


def test_a_backend_that_is_killed_is_an_error_with_a_sentence(server: Cluster) -> None:
    url = server.new_database()
    with closing(open_store(url)) as store, psycopg.connect(url) as other:
        ledger = ledger_in(store)
        ledger.append(a_row("before"), durable=True)
        [(backend,)] = store.all(BACKEND)
        os.kill(backend, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):  # the server ends all when one was killed
            other.execute("SELECT pg_sleep(20)")
        for _ in range(2):
            with pytest.raises(LedgerError) as caught:
                ledger.append(a_row("after"), durable=True)
            assert caught.value.code == "ledger_unreachable"
    server.await_answer()
    with closing(open_store(url)) as store:
        ledger_in(store).append(a_row("again"), durable=True)
    assert stored(url) == [1, 2]
    assert broken_links(url) == []


def test_a_backend_that_is_asked_to_end_is_an_error_with_a_sentence(server: Cluster) -> None:
    url = server.new_database()
    with closing(open_store(url)) as store, closing(open_store(url)) as other:
        ledger = ledger_in(store)
        ledger.append(a_row("before"), durable=True)
        [(backend,)] = store.all(BACKEND)
        other.all("SELECT pg_terminate_backend(?)", (backend,))
        with pytest.raises(LedgerError):
            ledger.append(a_row("after"), durable=True)
        with pytest.raises(LedgerError):
            ledger_in(store).rows()
    assert stored(url) == [1]


def test_a_server_that_stops_in_the_middle_keeps_each_durable_row(server: Cluster) -> None:
    url = server.new_database()
    child = writer(url, TRACE, ROWS, "--wait")
    is_ready(child)
    go(child)
    assert child.stdout is not None
    before = [child.stdout.readline() for _ in range(100)]
    server.stop()
    said = [line.strip() for line in (*before, *ended(child))]
    server.start()
    kept = said.index("ledger_unreachable")
    assert 100 <= kept < ROWS
    assert said == [*map(str, range(1, kept + 1)), *["ledger_unreachable"] * (ROWS - kept)]
    assert stored(url) in ([*range(1, kept + 1)], [*range(1, kept + 2)])
    assert broken_links(url) == []


def test_a_server_that_is_not_there_is_a_sentence_until_it_is(server: Cluster) -> None:
    url = server.new_database()
    server.stop()
    with pytest.raises(LedgerError):
        open_store(url)
    server.start()
    open_store(url).close()


def test_a_ledger_that_was_killed_in_a_transaction_leaves_none_of_it(
    place: Path | str, tmp_path: Path
) -> None:
    child = writer(place, TRACE, 1, "--in-transaction")
    assert child.stdout is not None
    assert child.stdout.readline() == "1\n"
    assert stored(place) == []
    child.kill()
    assert ended(child) == []
    with closing(open_store(place)) as store:
        ledger: DatabaseLedger = ledger_in(store)
        ledger.append(a_row("the first"), durable=True)
    assert outside(place, "SELECT position, seq FROM event") == [(1, 1)]
