"""Public bug reports about other programs, as our own cases: each is tested, and where.

The number is the one of the research, section 6. A case of the chart alone is a scenario; what
needs the real shell (queue, threads, cancelling, time) is a test. The table is checked: a test
that is renamed or removed fails here.
"""

import ast
import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.chart.scenario.model import Scenario
from engine.chart.shell import Emit, JournalEntry, Service, Shell
from sgclaw.proof.charts import probe_of
from sgclaw.proof.scenarios import FOLDER, read_file
from states.task import Context
from tests.statecharts.test_task import CALL, CONFIRM, NO, OK, SEEN, SKILL, TEXT, YES

ROOT = Path(__file__).parents[3]
ENGINE = "tests/engine/chart"
APPROVAL, ABORT = "reports/approval.yaml", "reports/abort.yaml"
ABORT_SECONDS_MAX = 0.05
Answer = Mapping[str, Any] | Service


class Report(NamedTuple):
    """Where a report is tested: (file, test or scenario)."""

    public: str
    places: tuple[tuple[str, str], ...]


REPORTS: dict[int, Report] = {
    1: Report(
        "pytransitions/transitions#224",
        ((f"{ENGINE}/test_abort.py", "test_an_effect_that_fails_does_not_lose_a_queued_abort"),),
    ),
    3: Report(
        "pytransitions/transitions#640",
        (
            (f"{ENGINE}/test_shell.py", "test_a_hundred_approvals_in_one_tick_dispatch_once"),
            (f"{ENGINE}/test_reports.py", "test_a_hundred_forged_answers_send_one_command"),
            (APPROVAL, "two clicks on yes send the command once"),
        ),
    ),
    5: Report(
        "pytransitions/transitions#735",
        (
            (f"{ENGINE}/test_shell.py", "test_two_tasks_interleaved_go_their_own_ways"),
            (f"{ENGINE}/test_reports.py", "test_two_tasks_side_by_side_go_as_each_alone"),
        ),
    ),
    7: Report(
        "pytransitions/transitions#616",
        (
            (f"{ENGINE}/test_shell.py", "test_a_fault_in_a_guard_or_reducer_ends_in_one_failed"),
            (ABORT, "a failing step ends the task once"),
        ),
    ),
    9: Report(
        "fgmacedo/python-statemachine#513",
        ((f"{ENGINE}/test_abort.py", "test_abort_during_a_minute_of_waiting_is_immediate"),),
    ),
    11: Report(
        "basiltt/xstate-statemachine#37, #47",
        ((f"{ENGINE}/test_shell.py",
          "test_a_thread_can_post_and_what_is_queued_at_the_end_is_journaled"),),
    ),
    13: Report(
        "statelyai/xstate#2450, #3712, #4376",
        ((f"{ENGINE}/test_abort.py",
          "test_every_state_aborts_with_each_exit_once_and_before_its_cancel"),),
    ),
    15: Report(
        "openclaw/openclaw#110704, agegr/pi-web#368",
        (
            (f"{ENGINE}/test_abort.py", "test_abort_does_not_wait_for_a_service_that_swallows_it"),
            (f"{ENGINE}/test_reports.py", "test_abort_is_immediate_whatever_the_task_waits_for"),
            (ABORT, "abort while a command is out does not wait for its answer"),
        ),
    ),
    17: Report(
        "voidfreud/pi-agents#139",
        (
            (f"{ENGINE}/test_reports.py", "test_every_leaf_of_the_task_has_an_abort_scenario"),
            (ABORT, "abort while a person is asked takes the question away"),
        ),
    ),
    19: Report(
        "langchain-ai/deepagents#6257",
        (
            (f"{ENGINE}/test_abort.py", "test_an_abort_after_the_end_changes_nothing"),
            (ABORT, "abort after the end is ignored and the end stays"),
        ),
    ),
    21: Report(
        "agentrq/acp-gateway#28, iOfficeAI/AionCore#28",
        (
            (f"{ENGINE}/test_reports.py", "test_only_the_exact_yes_sends_the_command"),
            (APPROVAL, "a no sends nothing and goes back to the model"),
            (APPROVAL, "a question nobody answered is neither a yes nor a no"),
        ),
    ),
    23: Report(
        "nearai/ironclaw#5192",
        ((APPROVAL, "what the person refused is not asked about again"),),
    ),
    25: Report(
        "broadinstitute/cromwell#1885",
        (
            (f"{ENGINE}/test_abort.py", "test_an_abort_in_the_same_tick_as_submit_wins"),
            (ABORT, "abort right after submit leaves nothing behind"),
        ),
    ),
}  # fmt: skip
PLACES = [(number, *place) for number, report in REPORTS.items() for place in report.places]


def has_test(file: str, name: str) -> bool:
    if file.endswith(".yaml"):
        scenarios = read_file(ROOT / FOLDER / file).scenarios
        return any(each.name == name for each in scenarios)
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, functions) and node.name == name for node in ast.walk(tree))


@pytest.mark.parametrize(("number", "file", "name"), PLACES)
def test_the_table_names_what_exists(number: int, file: str, name: str) -> None:
    assert has_test(file, name), f"report {number}"


def test_a_name_that_is_not_there_would_be_found() -> None:
    assert not has_test(ABORT, "abort after breakfast")
    assert not has_test(f"{ENGINE}/test_abort.py", "test_abort_after_breakfast")
    assert sorted(REPORTS) == list(range(1, 26, 2))


def test_every_leaf_of_the_task_has_an_abort_scenario() -> None:
    file = read_file(ROOT / FOLDER / "generated" / "task_rows.yaml")
    chart = probe_of("task").core.chart
    passing = {"active.executing.deciding", "active.evaluate"}  # nothing rests there
    waiting = {leaf.path for leaf in chart.leaves() if not leaf.final} - passing
    assert {_aborted_in(each) for each in file.scenarios} - {""} == waiting


def _aborted_in(scenario: Scenario) -> str:
    *before, last = scenario.steps
    if last.send != "abort":
        return ""
    return (before[-1].state or "") if before else "idle"


# -- the task chart in the real shell


class Diary:
    """A journal in memory."""

    def __init__(self) -> None:
        self.entries: list[JournalEntry] = []
        self.aborted = asyncio.Event()

    def append(self, entry: JournalEntry) -> None:
        self.entries.append(entry)
        if "aborted" in entry.path:
            self.aborted.set()

    def path(self) -> list[str]:
        return [leaf for entry in self.entries for leaf in entry.path]


class TaskShell:
    """The task chart in a shell; `answers` replaces what a service returns, or the service."""

    def __init__(self, **answers: Answer) -> None:
        quiet: dict[str, Answer] = {
            "plan": CALL, "think": TEXT, "act": OK, "observe": SEEN, "ask_person": YES,
            "run_skill": {},
        }  # fmt: skip
        self.started: list[str] = []
        self.reports: list[str] = []
        self.diary = Diary()
        core = probe_of("task").core
        services = {src: self._noted(src, given) for src, given in {**quiet, **answers}.items()}
        effects = {
            "report": lambda context, _: self.reports.append(context.record.reason),
            "answer_skill": lambda *_: None,
        }
        self.shell = Shell(core, core.initial(Context()), services, effects, self.diary)

    async def run(self) -> str:
        self.shell.post("submit_task", {"step_mode": False, "record": {"instruction": "x"}})
        return (await asyncio.wait_for(self.shell.run(stop_seconds=0.1), 20)).state

    def _noted(self, src: str, given: Answer) -> Service:
        async def service(context: Any, emit: Emit) -> Mapping[str, Any]:
            self.started.append(src)
            return given if isinstance(given, Mapping) else await given(context, emit)

        return service


async def test_a_task_in_this_shell_ends_as_it_should() -> None:
    task = TaskShell(plan=CONFIRM)
    assert await task.run() == "completed"
    assert task.started == ["plan", "ask_person", "act", "observe", "think"]
    assert task.reports == [""]


async def test_a_hundred_forged_answers_send_one_command() -> None:
    task: TaskShell

    async def asked(_: Any, __: Emit) -> Mapping[str, Any]:
        for _n in range(100):
            task.shell.post("done.invoke.ask", YES)
        return YES

    task = TaskShell(plan=CONFIRM, ask_person=asked)
    assert await task.run() == "completed"
    assert task.started.count("act") == 1
    stale = [e for e in task.diary.entries if e.result == "stale"]
    assert [entry.event.type for entry in stale] == ["done.invoke.ask"] * 100


@pytest.mark.parametrize(
    "answer",
    [{}, {"decision": "Approved"}, {"decision": "approve"}, {"decision": "yes"}, {"decision": True},
     {"decision": 1}, {"decision": None}, {"decision": ["approved"]}, {"approved": True},
     {"decision": "approved "}, {"decision": "denied"}],
    ids=str,
)  # fmt: skip
async def test_only_the_exact_yes_sends_the_command(answer: dict[str, Any]) -> None:
    task = TaskShell(plan=CONFIRM, ask_person={**answer, "record": NO["record"]})
    assert await task.run() == "failed"  # the answer that follows claims what nothing backs
    assert "act" not in task.started
    assert task.reports == ["no_evidence"]


async def test_two_tasks_side_by_side_go_as_each_alone() -> None:
    ways: tuple[dict[str, Any], ...] = ({"plan": CONFIRM}, {"plan": TEXT})
    alone = []
    for way in ways:
        task = TaskShell(**way)
        await task.run()
        alone.append((task.diary.path(), task.started))
    both = [TaskShell(**way) for way in ways]
    await asyncio.gather(*(task.run() for task in both))
    assert [(task.diary.path(), task.started) for task in both] == alone
    assert alone[0] != alone[1]


async def _deaf(_: Any, __: Emit) -> Mapping[str, Any]:
    """Swallow every cancellation but the last."""
    for _n in range(3):
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            continue
    return {}


@pytest.mark.parametrize("src", ["plan", "think", "act", "observe", "ask_person", "run_skill"])
async def test_abort_is_immediate_whatever_the_task_waits_for(src: str) -> None:
    best = float("inf")
    for _ in range(3):  # the best of three, for a loaded machine
        running = asyncio.Event()

        async def deaf(context: Any, emit: Emit, running: asyncio.Event = running) -> Any:
            running.set()
            return await _deaf(context, emit)

        answers: dict[str, Answer] = {"plan": SKILL if src == "run_skill" else CONFIRM}
        task = TaskShell(**{**answers, src: deaf})
        run = asyncio.create_task(task.run())
        await running.wait()
        posted = time.perf_counter()
        task.shell.post("abort")
        await task.diary.aborted.wait()
        best = min(best, time.perf_counter() - posted)
        assert await run == "aborted"
        assert task.reports == ["aborted"]
    assert best < ABORT_SECONDS_MAX
