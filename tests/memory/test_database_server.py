"""What only a PostgreSQL server has: roles, encodings; and the tests' own leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.database import open_store
from memory.errors import LedgerError
from tests.support.postgres import Cluster, shared_cluster
from tests.support.store_lab import a_row, broken_links, ledger_in, outside, records, stored

START = """
from tests.support.postgres import shared_cluster
cluster = shared_cluster()
print(cluster.pid, cluster.folder, flush=True)
input()
"""
GONE_SECONDS_MAX = 30.0


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGKILL])
def test_a_server_ends_with_the_process_that_started_it(number: int | None) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    pid, folder = child.stdout.readline().split()
    assert is_running(int(pid))
    assert Path(folder).is_dir()
    if number is None:
        child.stdin.write("\n")
    else:
        os.killpg(child.pid, number)  # as a terminal, or a runner that lost patience
    child.stdin.close()
    child.stdout.close()
    child.wait()
    deadline = time.monotonic() + GONE_SECONDS_MAX
    while (is_running(int(pid)) or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(int(pid))
    assert not Path(folder).exists()


@pytest.fixture
def url() -> Iterator[str]:
    """Give the address of an empty database."""
    with shared_cluster().database() as address:
        yield address


def test_a_role_that_may_only_append_is_enough(url: str) -> None:
    role = f"appender_{os.getpid()}"
    outside(url, f"CREATE ROLE {role} LOGIN")
    as_role = url.replace("//sgclaw@", f"//{role}@")
    for _ in range(2):
        with pytest.raises(LedgerError, match="permission denied"):
            open_store(as_role)
        open_store(url).close()
    outside(url, f"GRANT SELECT, INSERT ON event, segment, schema_version TO {role}")
    with closing(open_store(as_role)) as store:
        ledger_in(store).append(a_row(1), durable=True)
        with pytest.raises(LedgerError, match="permission denied"), store.writing(durable=True):
            store.run("DELETE FROM event")
    assert stored(url) == [1]
    assert broken_links(url) == []


def test_a_database_of_another_encoding_loses_no_letter_in_silence(url: str) -> None:
    name = f"latin_{os.getpid()}"
    outside(url, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    latin = shared_cluster().url(name)
    with closing(open_store(latin)) as store:
        ledger_in(store).append(a_row("é"), durable=True)
        with pytest.raises(LedgerError):
            ledger_in(store).append(a_row("合规"), durable=True)
        assert records(ledger_in(store)) == ["é"]


def test_each_test_has_an_empty_database_for_itself() -> None:
    cluster = Cluster()
    try:
        with cluster.database() as one, cluster.database() as other:
            assert one != other
            outside(one, "CREATE TABLE left_behind (x int)")
            outside(other, "CREATE TABLE left_behind (x int)")
        with cluster.database() as again:
            assert again in (one, other)
            outside(again, "CREATE TABLE left_behind (x int)")
    finally:
        cluster.close()
    assert not cluster.folder.exists()


def is_running(pid: int) -> bool:
    """Tell whether there is a process *pid*."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
