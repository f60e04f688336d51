"""The ledger only grows, numbers its rows, and fails loudly when it cannot be written."""

import subprocess
import sys
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


def test_the_rest_of_a_torn_row_is_removed_before_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"seq":1}\n{"seq":2,"x":"hal', encoding="utf-8")
    ledger = JsonLinesLedger(path)
    ledger.append({"x": "whole"}, durable=False)
    ledger.close()
    assert [(row["seq"], row.get("x")) for row in read_rows(path)] == [(1, None), (2, "whole")]


@pytest.mark.parametrize("rows", ['{"seq":1}\n{"seq":3}\n', '{"seq":2}\n', '{"x":1}\n', "[]\n"])
def test_a_missing_moved_or_foreign_row_is_named(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(LedgerError, match="Line"):
        list(read_rows(path))
    with pytest.raises(LedgerError, match="Line"):
        JsonLinesLedger(path)


def test_a_second_writer_is_refused_until_the_first_one_ends(tmp_path: Path) -> None:
    first = JsonLinesLedger(tmp_path / "t.jsonl")
    with pytest.raises(LedgerError, match="another process"):
        JsonLinesLedger(tmp_path / "t.jsonl")
    first.close()
    JsonLinesLedger(tmp_path / "t.jsonl").close()


def test_a_full_disk_fails_the_append_and_leaves_no_torn_row(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    code = (
        "import resource, signal, sys\nfrom pathlib import Path\n"
        "from memory.errors import LedgerError\nfrom memory.ledger import JsonLinesLedger\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "ledger = JsonLinesLedger(Path(sys.argv[1]))\n"
        "ledger.append({'x': 'a'}, durable=True)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))\n"
        "try:\n    ledger.append({'x': 'b' * 100}, durable=True)\n"
        "except LedgerError as error:\n    print(error.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "ledger_unwritable"
    assert path.read_text(encoding="utf-8") == '{"v":1,"seq":1,"x":"a"}\n'


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
