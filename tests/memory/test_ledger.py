"""The ledger only grows, numbers its rows, and fails loudly when it cannot be written."""

from pathlib import Path

import pytest

from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows


def test_rows_are_numbered_and_survive_a_reopening(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.jsonl"
    for value in ("a", "中文"):
        ledger = JsonLinesLedger(path)
        ledger.append({"x": value}, durable=True)
        ledger.close()
    assert [(row["seq"], row["x"]) for row in read_rows(path)] == [(1, "a"), (2, "中文")]
    assert path.stat().st_mode & 0o077 == 0


def test_a_torn_last_line_is_left_out_and_an_earlier_one_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"seq":1}\n{"seq":2', encoding="utf-8")
    assert [row["seq"] for row in read_rows(path)] == [1]
    path.write_text('{"seq":1\n{"seq":2}\n', encoding="utf-8")
    with pytest.raises(LedgerError, match="Line 1"):
        list(read_rows(path))


def test_a_ledger_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LedgerError):
        JsonLinesLedger(tmp_path / "file" / "t.jsonl")
    ledger = JsonLinesLedger(tmp_path / "t.jsonl")
    ledger.close()
    with pytest.raises(LedgerError):
        ledger.append({}, durable=False)


def test_a_link_in_the_place_of_the_ledger_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LedgerError):
        JsonLinesLedger(tmp_path / "t.jsonl")
    assert not (tmp_path / "elsewhere").exists()
