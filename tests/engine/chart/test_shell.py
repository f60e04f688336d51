"""The shell: journal before effect, one consumer, and nothing lost, left running or run twice."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from engine.chart.errors import ChartError, ChartFaultError, ShellError
from engine.chart.shell import INBOX_EVENTS_MAX, Emit, Shell
from engine.chart.step import Do
from states.events import Event
from tests.engine.chart.errand import Diary, Errand, at_once, faulty_core, for_ever
from tests.engine.chart.sample import CHARTS, EFFECTS, SERVICES, Loan, core_of, sample_core


async def test_a_task_runs_from_submit_to_its_end() -> None:
    errand = Errand({"send_command": at_once, "work": at_once})
    assert await errand.run("submit", "approve") == "completed"
    assert errand.diary.path() == [
        "active.confirm",
        "active.sending",
        "active.working",
        "completed",
    ]
    assert errand.did("do") == ["a", "show_card", "hide_card", "log_task", "b", "report"]
    assert errand.did("start") == ["send_command", "work"]


async def test_every_event_is_journaled_before_its_effects_and_observed_in_between() -> None:
    errand = Errand({"send_command": at_once, "work": at_once})
    await errand.run("submit", "approve")
    assert errand.log[:5] == [
        ("journal", "submit handled"),
        ("step", "submit"),
        ("do", "a"),
        ("do", "show_card"),
        ("journal", "approve handled"),
    ]
    entry = errand.diary.entries[0]
    chart = errand.core.chart
    assert (entry.chart_id, entry.chart_sha256) == ("errand", chart.sha256)
    assert (entry.state, entry.path) == ("active.confirm", ("active.confirm",))
    assert entry.effects[0] == Do("a", Event("submit"))


async def test_a_journal_that_fails_lets_no_effect_run_and_ends_the_shell() -> None:
    errand = Errand(refuses="approve")
    with pytest.raises(OSError, match="disk is full"):
        await errand.run("submit", "approve")
    assert errand.did("do") == ["a", "show_card"]
    assert errand.did("start") == []
    assert errand.shell.snapshot.state == "active.confirm"
    assert errand.shell.post("approve") is False


async def test_a_journal_that_fails_cancels_what_runs() -> None:
    ended = asyncio.Event()

    async def work(_: Any, __: Emit) -> Mapping[str, Any]:
        try:
            return await for_ever(_, __)
        finally:
            ended.set()

    errand = Errand({"send_command": work}, refuses="count")
    errand.when(
        "active.sending",
        lambda: asyncio.get_running_loop().call_later(0.05, errand.shell.post, "count"),
    )
    with pytest.raises(OSError, match="disk is full"):
        await errand.run("submit", "approve")
    assert ended.is_set()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_hundred_approvals_in_one_tick_dispatch_once() -> None:  # transitions#640
    errand = Errand({"send_command": at_once, "work": at_once})
    assert await errand.run("submit", *["approve"] * 100) == "completed"
    assert errand.did("start").count("send_command") == 1
    assert errand.diary.results().count(("approve", "ignored")) == 99


async def test_two_tasks_interleaved_go_their_own_ways() -> None:  # transitions#735
    core = sample_core("errand")
    one, two = Errand({"send_command": at_once, "work": at_once}, core=core), Errand(core=core)
    two.when("active.sending", lambda: two.shell.post("abort"))
    runs = (one.run("submit", "approve"), two.run("submit", "approve"))
    assert list(await asyncio.gather(*runs)) == ["completed", "aborted"]
    assert one.diary.path()[-1:] == ["completed"]
    assert two.diary.path() == ["active.confirm", "active.sending", "aborted"]


# -- services


async def test_a_service_that_raises_becomes_an_error_event() -> None:
    async def send(_: Any, __: Emit) -> Mapping[str, Any]:
        raise ShellError("chart_inbox_full", chart="c", events_max=3)

    async def work(_: Any, __: Emit) -> Mapping[str, Any]:
        raise ValueError("no such page")

    errand = Errand({"send_command": send, "work": work})
    assert await errand.run("submit", "approve") == "failed"
    assert errand.diary.path() == [
        *("active.confirm", "active.sending", "active.resting", "active.working", "failed")
    ]
    errors = [e.event.payload for e in errand.diary.entries if e.event.type.startswith("error.")]
    assert errors[0]["error"] == "chart_inbox_full"
    assert errors[1] == {"error": "ValueError", "text": "no such page"}


async def test_a_service_that_cancels_itself_or_forgets_its_answer_is_heard() -> None:
    async def send(_: Any, __: Emit) -> Mapping[str, Any]:
        raise asyncio.CancelledError

    async def work(_: Any, __: Emit) -> Mapping[str, Any]:
        return None  # type: ignore[return-value]

    errand = Errand({"send_command": send, "work": work})
    assert await errand.run("submit", "approve") == "failed"
    errors = [e.event.payload for e in errand.diary.entries if e.event.type.startswith("error.")]
    assert [error["error"] for error in errors] == ["CancelledError", "chart_payload_no_mapping"]


async def test_a_service_gets_the_context_of_the_step_that_started_it() -> None:
    seen = []

    async def send(context: Any, _: Emit) -> Mapping[str, Any]:
        seen.append(context)
        return {}

    errand = Errand({"send_command": send, "work": at_once})
    await errand.run("submit", "count", "count", "approve")
    assert seen == [Loan(steps=2)]


async def test_a_session_speaks_in_events_of_its_own() -> None:
    async def talk(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("asked", {"n": 1})
        emit("asked", {"n": 2})
        return {}

    errand = Errand({"read_aloud": talk})
    errand.when("active.confirm", lambda: errand.shell.post("chat"))
    asyncio.get_running_loop().call_later(0.2, errand.shell.post, "abort")
    assert await errand.run("submit") == "aborted"
    assert errand.did("do").count("answer_reader") == 2
    assert "z" in errand.did("do")
    assert {e.event.generation for e in errand.diary.entries if e.event.type == "asked"} == {2}


async def test_a_session_may_only_say_what_the_chart_lists() -> None:
    async def talk(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("approve", {})
        return {}

    errand = Errand({"read_aloud": talk})
    assert await errand.run("submit", "chat") == "failed"
    assert errand.diary.entries[-1].event.payload["error"] == "chart_emit_undeclared"
    assert errand.did("start") == ["read_aloud"]


async def test_an_answer_from_outside_does_not_pass_for_a_service() -> None:
    errand = Errand()
    errand.when("active.sending", lambda: errand.shell.post("done.invoke.send"))
    asyncio.get_running_loop().call_later(0.2, errand.shell.post, "abort")
    assert await errand.run("submit", "approve") == "aborted"
    assert ("done.invoke.send", "stale") in errand.diary.results()


# -- faults


@pytest.mark.parametrize("reducer", [True, False])
async def test_a_fault_in_a_guard_or_reducer_ends_in_one_failed(*, reducer: bool) -> None:
    errand = Errand(core=faulty_core(reducer=reducer))  # transitions#616
    assert await errand.run("submit", "count") == "failed"
    assert errand.diary.results() == [
        ("submit", "handled"),
        ("count", "faulted"),
        ("fault", "handled"),
    ]
    payload = errand.diary.entries[-1].event.payload
    assert (payload["error"], payload["event"]) == ("chart_fault", "count")
    assert errand.did("do")[-3:] == ["b", "y", "report"]
    assert errand.shell.failure is None


async def test_a_fault_that_no_row_takes_is_raised() -> None:
    errand = Errand(core=faulty_core(reducer=True, takes_fault=False))
    with pytest.raises(ChartFaultError, match="count_step"):
        await errand.run("submit", "count")
    assert errand.diary.results()[-2:] == [("count", "faulted"), ("fault", "ignored")]


async def test_a_fault_of_the_fault_itself_is_raised_once() -> None:
    text = (CHARTS / "errand.yaml").read_text("utf-8")
    text = text.replace("{target: failed, actions: [y]}", "{target: failed, actions: [count_step]}")
    errand = Errand(core=core_of(text, faulty_core(reducer=True).bindings))
    with pytest.raises(ChartFaultError, match="count_step"):
        await errand.run("submit", "count")
    assert errand.diary.results()[-2:] == [("count", "faulted"), ("fault", "faulted")]
    assert errand.shell.snapshot.state == "active.confirm"


async def test_an_effect_that_fails_becomes_a_fault() -> None:
    def burst(_: Any, __: Event) -> None:
        raise ValueError("no printer")

    errand = Errand(effects={"show_card": burst})
    assert await errand.run("submit") == "failed"
    fault = errand.diary.entries[-1].event
    assert fault.payload == {"error": "ValueError", "text": "no printer", "event": "submit"}


async def test_a_fault_whose_own_effect_fails_is_raised() -> None:
    def burst(_: Any, __: Event) -> None:
        raise ValueError("no printer")

    errand = Errand(effects={"show_card": burst, "y": burst})
    with pytest.raises(ValueError, match="no printer"):
        await errand.run("submit")
    assert errand.did("do").count("y") == 1


async def test_a_report_that_fails_stays_visible() -> None:
    def burst(_: Any, __: Event) -> None:
        raise ValueError("no printer")

    errand = Errand(effects={"report": burst})
    assert await errand.run("abort") == "aborted"
    assert isinstance(errand.shell.failure, ValueError)
    assert errand.diary.results()[-1] == ("fault", "ignored")


# -- the inbox


async def test_a_thread_can_post_and_what_is_queued_at_the_end_is_journaled() -> None:
    errand = Errand()  # xstate-statemachine#37, #47

    def from_a_thread() -> None:
        thread = threading.Thread(target=errand.shell.post_threadsafe, args=("approve",))
        thread.start()
        thread.join()
        for _ in range(5):
            errand.shell.post("count")
        errand.shell.post("abort")

    errand.when("active.confirm", from_a_thread)
    assert await errand.run("submit") == "aborted"
    results = errand.diary.results()
    assert results.count(("count", "ignored")) == 5
    assert ("approve", "ignored") in results


async def test_a_thread_wakes_a_shell_that_waits() -> None:
    errand = Errand()
    thread = threading.Thread(target=errand.shell.post_threadsafe, args=("abort",))
    errand.when("active.confirm", lambda: asyncio.get_running_loop().call_later(0.05, thread.start))
    assert await errand.run("submit") == "aborted"
    thread.join()


async def test_a_post_after_the_end_says_so() -> None:
    errand = Errand()
    assert await errand.run("abort") == "aborted"
    before = list(errand.diary.entries)
    assert errand.shell.post("submit") is False
    assert errand.shell.post_threadsafe("submit") is False
    assert errand.diary.entries == before


async def test_a_flood_stops_the_run_but_not_an_abort() -> None:
    flooded = Errand()
    assert all(flooded.shell.post("count") for _ in range(INBOX_EVENTS_MAX))
    assert flooded.shell.post("count") is False
    assert await flooded.run("abort") == "aborted"
    again = Errand()
    with pytest.raises(ShellError, match="More than 4096"):
        await again.run(*["count"] * (INBOX_EVENTS_MAX + 1))


async def test_a_shell_runs_once() -> None:
    errand = Errand()
    await errand.run("abort")
    with pytest.raises(ShellError, match="make a new shell"):
        await errand.run()


async def test_unbound_services_and_effects_are_refused_before_the_start() -> None:
    core = sample_core("errand")
    effects = {name: lambda c, e: None for name in EFFECTS}
    services = dict.fromkeys(SERVICES, for_ever)
    diary = Diary([])
    Shell(core, core.initial(Loan()), services, effects, diary)
    del services["work"]
    del effects["ring"]
    with pytest.raises(ChartError) as caught:
        Shell(core, core.initial(Loan()), services, effects, diary)
    unbound = {dict(problem.facts)["name"] for problem in caught.value.problems}
    assert unbound == {"work", "ring"}
