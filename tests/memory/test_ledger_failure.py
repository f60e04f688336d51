"""After a failed write the ledger is as before, and nothing more is written: nobody acts on it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows

ONE = '{"v":1,"seq":1,"x":"a"}\n'


def full_at(number: int) -> Callable[[int], None]:
    """Return a sync that fails the *number*th time, and only then."""
    calls: list[int] = []

    def sync(fd: int) -> None:
        calls.append(fd)
        if len(calls) == number:
            raise OSError(errno.ENOSPC, "No space left on device")
        os.fsync(fd)

    return sync


def test_a_sync_that_failed_leaves_no_row_and_no_later_one_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ledger = JsonLinesLedger(path, full_at(2))
    ledger.append({"x": "a"}, durable=True)
    for durable in (True, False, True):
        with pytest.raises(LedgerError, match="No space left") as caught:
            ledger.append({"x": "b"}, durable=durable)
        assert caught.value.code == "ledger_unwritable"
        assert path.read_text(encoding="utf-8") == ONE
    ledger.close()
    again = JsonLinesLedger(path)
    again.append({"x": "b"}, durable=True)
    again.close()
    assert [row["seq"] for row in read_rows(path)] == [1, 2]


def test_a_write_after_a_failure_fails_even_where_there_is_room_again(tmp_path: Path) -> None:
    ledger = JsonLinesLedger(tmp_path / "t.jsonl", full_at(1))
    with pytest.raises(LedgerError):
        ledger.append({"x": "a"}, durable=True)
    with pytest.raises(LedgerError, match="No space left"):
        ledger.append({"x": "b"}, durable=False)
    ledger.close()
    assert list(read_rows(tmp_path / "t.jsonl")) == []


def exchanged(path: Path) -> None:
    """Put a copy in the place of *path*, as an editor or a restore does."""
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


@pytest.mark.parametrize("change", [exchanged, Path.unlink])
def test_a_file_that_was_replaced_is_not_written_to(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "t.jsonl"
    ledger = JsonLinesLedger(path)
    ledger.append({"x": "a"}, durable=True)
    change(path)
    for durable in (True, False):
        with pytest.raises(LedgerError) as caught:
            ledger.append({"x": "b"}, durable=durable)
        assert caught.value.code == "ledger_replaced"
    assert [row["seq"] for row in ledger.rows()] == [1]
    ledger.close()


def test_two_writers_of_one_path_cannot_both_make_durable_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    first = JsonLinesLedger(path)
    first.append({"x": "plan"}, durable=True)
    exchanged(path)
    second = JsonLinesLedger(path)
    second.append({"x": "intent"}, durable=True)
    with pytest.raises(LedgerError, match="replaced"):
        first.append({"x": "intent"}, durable=True)
    first.close()
    second.close()
    assert [row["x"] for row in read_rows(path)] == ["plan", "intent"]


def test_the_rows_of_a_ledger_are_those_of_the_file_it_locked(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ledger = JsonLinesLedger(path)
    ledger.append({"x": "mine"}, durable=True)
    other = tmp_path / "other.jsonl"
    other.write_text('{"v":1,"seq":1,"x":"theirs"}\n', encoding="utf-8")
    other.replace(path)
    assert [row["x"] for row in ledger.rows()] == ["mine"]
    assert [row["x"] for row in read_rows(path)] == ["theirs"]
    ledger.close()


def test_rows_may_be_read_between_two_appends(tmp_path: Path) -> None:
    ledger = JsonLinesLedger(tmp_path / "t.jsonl")
    for number in range(1, 4):
        ledger.append({"x": number}, durable=False)
        assert [row["x"] for row in ledger.rows()] == list(range(1, number + 1))
    ledger.close()
