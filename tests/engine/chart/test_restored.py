"""A shell that begins on a snapshot from a ledger: its timers go on, its services do not."""

import asyncio
from typing import Any

from engine.chart.shell import Shell
from engine.chart.step import Snapshot
from states.events import Event
from tests.engine.chart.errand import Diary, for_ever
from tests.engine.chart.sample import EFFECTS, SERVICES, Loan, sample_core

TIMER = "after.active.60"


def restored(diary: Diary) -> tuple[Shell, Snapshot]:
    core = sample_core("errand")
    snapshot = core.feed(core.initial(Loan()), Event("submit")).snapshot
    assert TIMER in dict(snapshot.live)
    services = dict.fromkeys(SERVICES, for_ever)
    effects: dict[str, Any] = dict.fromkeys(EFFECTS, lambda *_: None)
    return Shell(core, snapshot, services, effects, diary), snapshot


async def test_a_live_timer_rings_after_what_is_left_of_it() -> None:
    diary = Diary([])
    shell, _ = restored(diary)
    ended = await asyncio.wait_for(shell.run(timers={TIMER: 0.01}), 10)
    assert ended.state == "failed"
    assert diary.results() == [(TIMER, "handled")]


async def test_a_timer_that_is_not_live_does_not_ring() -> None:
    diary = Diary([])
    shell, _ = restored(diary)
    running = asyncio.create_task(shell.run(timers={"after.active.resting.rest_time": 0.0}))
    await asyncio.sleep(0.05)
    assert not running.done()
    shell.post("abort")
    assert (await asyncio.wait_for(running, 10)).state == "aborted"
    assert diary.results() == [("abort", "handled")]
