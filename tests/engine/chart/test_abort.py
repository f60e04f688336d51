"""Abort wins: from every state, before any pending command, whatever a service does."""

import asyncio
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from engine.chart.core import Cancel, Core, Do
from engine.chart.shell import Emit
from engine.chart.step import Snapshot
from states.events import Event
from tests.engine.chart.errand import Errand, at_once
from tests.engine.chart.sample import Loan, payloads, sample_core

ABORT_SECONDS_MAX = 0.05


def _reachable(core: Core) -> dict[str, Snapshot]:
    """Return one snapshot for each leaf that is reachable, by trying every event."""
    start = core.initial(Loan())
    found, waiting, seen = {start.state: start}, [start], {(start.state, start.context)}
    chart = core.chart
    while waiting:
        at = waiting.pop()
        for kind in dict.fromkeys([*chart.events, *(row.event for row in chart.rows())]):
            for payload in payloads(chart.events.get(kind, {})):
                after = core.feed(at, core.stamped(at, kind, payload)).snapshot
                if (after.state, after.context) not in seen:
                    seen.add((after.state, after.context))
                    found.setdefault(after.state, after)
                    waiting.append(after)
    return found


@pytest.mark.parametrize("name", ["loan", "errand", "order", "deep"])
def test_every_state_aborts_with_each_exit_once_and_before_its_cancel(name: str) -> None:
    core = sample_core(name)  # xstate#2450, #3712, #4376; pi-agents#139
    reached = _reachable(core)
    waiting = [at for at in reached.values() if not core.is_final(at)]
    assert len(waiting) > 2
    for at in waiting:
        step = core.feed(at, Event("abort"))
        assert core.is_final(step.snapshot)
        assert step.snapshot.live == ()
        done = [effect.action for effect in step.effects if isinstance(effect, Do)]
        cancelled = [effect.id for effect in step.effects if isinstance(effect, Cancel)]
        assert sorted(cancelled) == sorted(key for key, _ in at.live)
        for state in core.chart.chain(at.state):
            exits = [action.name for action in state.exit if action.kind == "do"]
            assert all(done.count(action) == 1 for action in exits)
            own = [e for e in step.effects if isinstance(e, Cancel) and e.id in _ids(state)]
            for action in exits:
                at_exit = next(
                    n for n, e in enumerate(step.effects) if e == Do(action, Event("abort"))
                )
                assert all(at_exit < step.effects.index(cancel) for cancel in own)


def _ids(state: Any) -> set[str]:
    return {s.id for s in state.services} | {delay.event for delay in state.delays}


async def test_an_abort_in_the_same_tick_as_submit_wins() -> None:  # cromwell#1885
    errand = Errand()
    assert await errand.run("submit", "abort") == "aborted"
    assert errand.diary.results() == [("abort", "handled"), ("submit", "ignored")]
    assert errand.did("start") == []


async def test_an_abort_queued_behind_another_event_goes_first() -> None:
    errand: Errand

    async def talk(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("asked", {})
        errand.shell.post("abort")
        return {}

    errand = Errand({"read_aloud": talk})
    assert await errand.run("submit", "chat") == "aborted"
    late = [("abort", "handled"), ("asked", "stale"), ("done.invoke.talk", "stale")]
    assert errand.diary.results()[-3:] == late
    assert "answer_reader" not in errand.did("do")


async def test_an_abort_that_comes_while_effects_are_pending_stops_the_command() -> None:
    errand: Errand

    def press_escape(_: Any, __: Event) -> None:
        errand.shell.post("abort")

    errand = Errand({"send_command": at_once}, {"log_task": press_escape})
    assert await errand.run("submit", "approve") == "aborted"
    # The step that started the command is journaled, the command never ran.
    assert ("approve", "handled") in errand.diary.results()
    assert errand.did("start") == []
    assert errand.did("do") == ["a", "show_card", "hide_card", "log_task", "b", "x", "report"]


async def test_without_the_abort_the_same_command_runs() -> None:
    errand = Errand({"send_command": at_once, "work": at_once})
    assert await errand.run("submit", "approve") == "completed"
    assert errand.did("start") == ["send_command", "work"]


async def test_an_effect_that_fails_does_not_lose_a_queued_abort() -> None:  # transitions#224
    errand: Errand

    def burst(_: Any, __: Event) -> None:
        errand.shell.post("abort")
        raise ValueError("no printer")

    errand = Errand(effects={"show_card": burst})
    assert await errand.run("submit") == "aborted"
    assert errand.diary.results() == [
        ("submit", "handled"),
        ("abort", "handled"),
        ("fault", "ignored"),
    ]


async def test_an_abort_after_the_end_changes_nothing() -> None:  # deepagents#6257
    errand: Errand

    def report(_: Any, __: Event) -> None:
        errand.shell.post("abort")

    errand = Errand({"send_command": at_once, "work": at_once}, {"report": report})
    assert await errand.run("submit", "approve") == "completed"
    assert errand.diary.results()[-1] == ("abort", "ignored")
    assert errand.did("do").count("report") == 1


async def _deaf(_: Any, __: Emit) -> Mapping[str, Any]:
    """Swallow every cancellation."""
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            continue


async def _stubborn(_: Any, __: Emit) -> Mapping[str, Any]:
    """Answer a cancellation with work of its own, and an end with a result."""
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        await asyncio.sleep(0.05)
    return {"late": True}


async def _abort_after_start(errand: Errand, service_started: asyncio.Event) -> float:
    """Abort when the service runs; return the seconds until the state changed."""
    times: dict[str, float] = {}

    async def press() -> None:
        await service_started.wait()
        times["posted"] = time.perf_counter()
        errand.shell.post("abort")

    def entered() -> None:
        times["aborted"] = time.perf_counter()

    errand.when("aborted", entered)
    pressing = asyncio.create_task(press())
    assert await errand.run("submit", "approve", stop_seconds=0.2) == "aborted"
    await pressing
    return times["aborted"] - times["posted"]


@pytest.mark.parametrize("service", [_deaf, _stubborn])
async def test_abort_does_not_wait_for_a_service_that_swallows_it(service: Any) -> None:
    best = float("inf")  # openclaw#110704, pi-web#368; best of five, for a loaded machine
    for _ in range(5):
        started = asyncio.Event()

        async def noted(context: Any, emit: Emit, started: asyncio.Event = started) -> Any:
            started.set()
            return await service(context, emit)

        best = min(best, await _abort_after_start(Errand({"send_command": noted}), started))
        assert asyncio.all_tasks() == {asyncio.current_task()}
    assert best < ABORT_SECONDS_MAX


async def test_a_late_answer_is_journaled_as_stale() -> None:
    started = asyncio.Event()

    async def noted(context: Any, emit: Emit) -> Mapping[str, Any]:
        started.set()
        return await _stubborn(context, emit)

    errand = Errand({"send_command": noted})
    await _abort_after_start(errand, started)
    assert errand.diary.results()[-1] == ("done.invoke.send", "stale")
    assert errand.diary.entries[-1].state == "aborted"


async def test_abort_does_not_wait_for_a_blocked_thread() -> None:
    best = float("inf")
    for _ in range(3):
        started, release = asyncio.Event(), threading.Event()

        async def blocked(
            _: Any, __: Emit, started: asyncio.Event = started, release: threading.Event = release
        ) -> Mapping[str, Any]:
            started.set()
            await asyncio.to_thread(release.wait)
            return {}

        try:
            best = min(best, await _abort_after_start(Errand({"send_command": blocked}), started))
        finally:
            release.set()
    assert best < ABORT_SECONDS_MAX


async def test_abort_during_a_minute_of_waiting_is_immediate() -> None:  # python-statemachine#513
    best = float("inf")
    for _ in range(3):
        errand, started = Errand(), asyncio.Event()
        errand.when("active.sending", started.set)
        best = min(best, await _abort_after_start(errand, started))
    assert best < ABORT_SECONDS_MAX


async def test_a_cancelled_run_leaves_no_service_behind() -> None:
    started = asyncio.Event()

    async def noted(context: Any, emit: Emit) -> Mapping[str, Any]:
        started.set()
        return await _deaf(context, emit)

    errand = Errand({"send_command": noted})
    run = asyncio.create_task(errand.run("submit", "approve", stop_seconds=0.1))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert asyncio.all_tasks() == {asyncio.current_task()}
