"""What ran before a kill counts: a task that goes on has what is left of its time."""

from pathlib import Path

import pytest

from sgclaw.task_run import TASK_TIMER
from tests.sgclaw.recorded import REPLIES, host, recorded, rows
from tests.sgclaw.task_stage import TRACE, TaskStage
from tests.support.ledger_lab import TraceLedger


@pytest.mark.parametrize(("minute", "left"), [(0, 900), (10, 300), (20, 0)])
async def test_a_task_that_goes_on_has_what_is_left_of_its_time(
    tmp_path: Path, minute: int, left: int
) -> None:
    kept = rows(await recorded(tmp_path / "a"))[:2]
    for row, at in zip(kept, (0, minute), strict=True):
        row["at"] = f"2026-11-29T10:{at:02}:00.000+00:00"
    TraceLedger(tmp_path / "b", TRACE).write(kept)
    stage = TaskStage(tmp_path / "b", REPLIES, host(), "same")
    assert stage.task._timers() == {TASK_TIMER: left}
    stage.task.ledger.close()
    assert TaskStage(tmp_path / "c", REPLIES, host()).task._timers() == {}
