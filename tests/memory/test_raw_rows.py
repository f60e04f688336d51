"""An auditor is shown every row as it stands: what was damaged is marked, what is gone is gone."""

from pathlib import Path

import pytest

from memory.raw_rows import RawRow, raw_rows
from sgclaw.install import install_id
from sgclaw.ledgers import store_of
from tests.sgclaw.recorded import recorded
from tests.sgclaw.task_stage import TRACE
from tests.support.ledger_lab import TraceLedger


def read(data: Path) -> list[RawRow]:
    store = store_of(data, create=False)
    try:
        return raw_rows(store, install_id(data), TRACE)
    finally:
        store.close()


@pytest.fixture
async def ledger(tmp_path: Path) -> TraceLedger:
    return await recorded(tmp_path / "data")


async def test_rows_that_are_as_they_were_written_are_intact(ledger: TraceLedger) -> None:
    found = read(ledger.data)
    assert [each.row for each in found] == ledger.rows()
    assert all(each.intact for each in found)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE event SET text = replace(text, 'click', 'clock') WHERE seq = 5",
     "UPDATE event SET text = 'no json' WHERE seq = 5",
     "UPDATE event SET algorithm = 'none' WHERE seq = 5",
     "UPDATE event SET user_name = 'somebody' WHERE seq = 5"],
)  # fmt: skip
async def test_a_row_that_was_changed_is_shown_and_marked(
    ledger: TraceLedger, statement: str
) -> None:
    whole = len(read(ledger.data))
    ledger.tamper(statement)
    found = read(ledger.data)
    assert len(found) == whole
    assert [each.seq for each in found if not each.intact] == [5]


async def test_a_row_that_is_gone_leaves_the_others(ledger: TraceLedger) -> None:
    ledger.tamper("DELETE FROM event WHERE seq = 5")
    assert [each.seq for each in read(ledger.data)][:6] == [1, 2, 3, 4, 6, 7]
