"""Opening a ledger changes nothing in it; what is no ledger is named, whatever it is."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows

TORN = '{"v":1,"seq":1,"x":"a"}\n{"v":1,"seq":2,"x":"hal'


def test_opening_leaves_a_torn_row_and_the_first_append_removes_it(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(TORN, encoding="utf-8")
    before = path.stat().st_mtime_ns
    JsonLinesLedger(path).close()
    assert (path.read_text(encoding="utf-8"), path.stat().st_mtime_ns) == (TORN, before)
    ledger = JsonLinesLedger(path)
    assert [row["x"] for row in ledger.rows()] == ["a"]
    ledger.append({"x": "whole"}, durable=True)
    ledger.close()
    assert [row["x"] for row in read_rows(path)] == ["a", "whole"]


def test_a_long_rest_without_an_end_is_found_quickly_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"x" * 4_000_000)
    began = time.process_time()
    JsonLinesLedger(path).close()
    assert time.process_time() - began < 1  # byte by byte it takes more than ten seconds
    assert path.stat().st_size == 4_000_000


def test_a_ledger_whose_line_ends_are_gone_is_damaged_and_not_torn(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"v":1,"seq":1}{"v":1,"seq":2}', encoding="utf-8")
    for look in (JsonLinesLedger, lambda named: list(read_rows(named))):
        with pytest.raises(LedgerError) as caught:
            look(path)
        assert caught.value.code == "ledger_unreadable"
    path.write_text('{"v":1,"seq":1}', encoding="utf-8")  # a kill before the line's end leaves this
    assert list(read_rows(path)) == []


def test_who_only_looks_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        JsonLinesLedger(tmp_path / "deep" / "t.jsonl", create=False)
    assert list(tmp_path.iterdir()) == []


def folder(path: Path) -> None:
    path.mkdir()


def loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [folder, os.mkfifo, loop])
def test_what_is_no_file_is_refused_and_not_waited_for(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "t.jsonl"
    make(path)
    with pytest.raises(LedgerError) as caught:
        list(read_rows(path))
    assert caught.value.code == "ledger_not_read"
    with pytest.raises(LedgerError):
        JsonLinesLedger(path)


@pytest.mark.parametrize(
    "line",
    [
        b'{"seq":true}',
        b'{"seq":1.0}',
        b'{"seq":1' + b"0" * 5000 + b"}",
        b'{"seq":1,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"seq":1,"x":"\xff"}',
        b"\x00" * 40,
        b'"seq"',
    ],
)
def test_a_line_that_is_no_row_is_damage_and_no_surprise(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(LedgerError) as caught:
        list(read_rows(path))
    assert caught.value.code == "ledger_unreadable"


def test_damage_is_told_without_a_copy_that_may_not_be_there(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for text in ("{\n", '{"seq":2}\n'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(LedgerError) as caught:
            list(read_rows(path))
        for lang in ("en", "zh-CN"):
            assert "--out" not in caught.value.text(lang)
        assert "Without a copy" in str(caught.value)
