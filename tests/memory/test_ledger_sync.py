"""A durable row is on the disk before `append` returns; if it is not, the caller hears of it."""

import errno
import inspect
import os
from pathlib import Path

import pytest

from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows


def test_a_durable_row_is_synced_after_it_is_written_and_another_is_not(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    on_disk: list[list[int]] = []
    ledger = JsonLinesLedger(path, lambda _: on_disk.append([r["seq"] for r in read_rows(path)]))
    ledger.append({}, durable=False)
    assert on_disk == []
    ledger.append({}, durable=True)
    assert on_disk == [[1, 2]]
    ledger.append({}, durable=False)
    assert len(on_disk) == 1
    ledger.close()


def test_what_is_synced_is_the_ledgers_own_file(tmp_path: Path) -> None:
    synced: list[tuple[int, int]] = []
    path = tmp_path / "t.jsonl"

    def sync(fd: int) -> None:
        status = os.fstat(fd)
        synced.append((status.st_dev, status.st_ino))

    ledger = JsonLinesLedger(path, sync)
    ledger.append({}, durable=True)
    ledger.close()
    assert synced == [(path.stat().st_dev, path.stat().st_ino)]


def test_a_sync_that_fails_is_an_error_with_its_reason(tmp_path: Path) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    ledger = JsonLinesLedger(tmp_path / "t.jsonl", full)
    ledger.append({}, durable=False)
    with pytest.raises(LedgerError, match="No space left"):
        ledger.append({}, durable=True)
    ledger.close()


def test_nothing_else_is_meant_by_a_sync_than_the_systems_own() -> None:
    assert inspect.signature(JsonLinesLedger).parameters["sync"].default is os.fsync
