"""A disk that is full when a journal needs its next row: nothing is done, and why is said."""

import asyncio
from pathlib import Path

import pytest

from memory.ledger import read_rows
from sgclaw.past_run import past_run
from tests.e2e.kill.cases import Ending, Point, Where, run_case
from tests.e2e.kill.hosts import hosts
from tests.e2e.kill.orders import orders

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]


@pytest.mark.parametrize(
    ("where", "kind"), [("full_ledger", "done.invoke.ask"), ("full_journal", "intent")]
)
async def test_a_full_disk_stops_the_task_before_the_write_and_it_can_go_on_later(
    undisturbed: Ending, where: Where, kind: str, tmp_path: Path
) -> None:
    point = Point(where, row_before_the_write(undisturbed, kind))
    with orders() as site:
        async with hosts() as started:
            ending = await run_case(point, site, started, tmp_path / "run")
        assert (ending.writes, ending.codes) == (0, [1]), ending.text
        assert ending.result is not None
        assert ending.result["reason"] == "ledger_unwritable", ending.text
        assert "Free some space" in ending.text
        assert "Traceback" not in ending.text + ending.log
        assert ending.left_over == []
        words = ("run", "--resume", ending.trace, "--approve", "deny")
        resumed = await asyncio.to_thread(ending.desk.run, *words)
        assert (resumed.code, resumed.result["state"]) == (0, "completed"), resumed.stdout
        assert site.writes[point.name] == 0
    assert past_run(ending.ledger.rows()).replayed.difference is None


def row_before_the_write(undisturbed: Ending, kind: str) -> int:
    """Return the number of the row that must be on disk before the order is sent."""
    is_hosts = kind == "intent"
    rows = read_rows(undisturbed.journal) if is_hosts else undisturbed.ledger.rows()
    found = [row["seq"] for row in rows if kind in (row["kind"], row.get("event", {}).get("type"))]
    return int(found[-1])
