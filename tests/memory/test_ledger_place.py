"""A ledger is a plain file, and nothing else is read as one."""

from pathlib import Path

import pytest

from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows


def test_what_is_no_plain_file_is_neither_read_nor_written(tmp_path: Path) -> None:
    with pytest.raises(LedgerError) as caught:
        list(read_rows(Path("/dev/null")))
    assert caught.value.code == "ledger_not_read"
    with pytest.raises(LedgerError) as caught:
        JsonLinesLedger(Path("/dev/null"), create=False)
    assert caught.value.code == "ledger_unwritable"
    (tmp_path / "empty.jsonl").touch()
    assert list(read_rows(tmp_path / "empty.jsonl")) == []
