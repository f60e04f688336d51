"""A task chart without one of its safety rows is found by the shortest way to what it then does.

The sound chart is the control (`test_walk`): nothing is found in it.
"""

import re
from typing import NamedTuple

import pytest

from engine.chart.graph import Taken
from engine.chart.probe import Stimulus
from engine.chart.scenario.run import run_scenario
from engine.chart.step import Start
from sgclaw.proof.charts import probe_of
from sgclaw.proof.monitors_task import FailuresEndTask
from sgclaw.proof.scenarios import FOLDER, read_file
from states.catalogue import Lang, words
from states.events import Event
from tests.sgclaw.proof.seeded import probe_with, replays, report_on, way_of

LANGS: tuple[Lang, ...] = ("en", "zh-CN")
CALL = "done.invoke.plan call read True"
SKILL = "done.invoke.plan skill read True"
DENIED = "call deny True"
EVIDENCE = "{and: [reply_is_text, answer_has_evidence]}, target: completed}"
TOLD = """          - guard: {and: [reply_is_text, not_told_yet, budget_left]}
            target: active.executing.thinking
            actions: [tell_no_evidence]
          - {guard: reply_is_text, target: failed, actions: [fail_no_evidence]}
"""
REPEATED = """                - guard: host_wants_confirmation
                  target: active.observing
                  actions: [take_repeated_question]
"""
NO = "take_rejection, {stop: skill}]}"
LOST = "- {target: active.executing.thinking, actions: [take_resumption, {stop: skill}]}"
TAKES_YES = ("actions: [take_approval, {spawn: act}]", "actions: [{spawn: act}]")


class Fault(NamedTuple):
    """What is sown, what it is found as, and the way there after the task began."""

    changes: list[tuple[str, str]]
    code: str
    way: list[str]


FAULTS = {
    "evidence not asked": Fault(
        [(EVIDENCE, "reply_is_text, target: completed}")],
        "check_task_no_evidence",
        ["done.invoke.plan text read True"],
    ),
    "every answer completes": Fault(
        [(EVIDENCE, "reply_is_text, target: completed}"), (TOLD, "")],
        "check_task_no_evidence",
        ["done.invoke.plan text read True"],
    ),
    "completed without an answer": Fault(
        [("- {target: active.evaluate, actions: [take_observation]}",
          "- {target: completed, actions: [take_observation]}")],
        "check_task_no_evidence",
        [f"done.invoke.plan {DENIED}", "done.invoke.observe ok 0 0 left"],
    ),
    "a no is no evidence against": Fault(
        [(NO, "take_step_approval, {stop: skill}]}")],
        "check_task_no_evidence",
        [
            "done.invoke.plan call confirm True",
            "done.invoke.ask rejected left",
            "done.invoke.think text read False",
        ],
    ),
    "a lost command is no evidence against": Fault(
        [(LOST, LOST.replace("take_resumption", "take_new_life"))],
        "check_task_no_evidence",
        [CALL, "resumed same command left", "done.invoke.think text read False"],
    ),
    "told without bound": Fault(
        [("{and: [reply_is_text, not_told_yet, budget_left]}",
          "{and: [reply_is_text, budget_left]}")],
        "check_task_told_again",
        ["done.invoke.plan text read True", "done.invoke.think text read True"],
    ),
    "breaker not asked": Fault(
        [("          - {guard: {not: breaker_closed}, target: failed, actions: [fail_breaker]}\n",
          "")],
        "check_task_breaker",
        [f"done.invoke.plan {DENIED}", "done.invoke.observe ok 0 4 left"],
    ),
    "loop not asked": Fault(
        [("          - {guard: {not: no_loop}, target: failed, actions: [fail_loop]}\n", "")],
        "check_task_loop",
        [f"done.invoke.plan {DENIED}", "done.invoke.observe ok 4 0 left"],
    ),
    "refused skill not stopped": Fault(
        [(NO, "take_rejection]}")],
        "check_task_skill_goes_on",
        [SKILL, "skill_asked confirm", "done.invoke.ask rejected left", "skill_asked read"],
    ),
    "refused skill answered": Fault(
        [(NO, "take_rejection, answer_skill]}")],
        "check_task_skill_goes_on",
        [SKILL, "skill_asked confirm", "done.invoke.ask rejected left"],
    ),
    "refused command taken as answered": Fault(
        [(REPEATED, "")],
        "check_fault",
        [CALL, "done.invoke.act confirmation rejected"],
    ),
    "refused command not observed": Fault(
        [(REPEATED, REPEATED.replace("active.observing", "active.executing.thinking"))],
        "check_task_refusal_lost",
        [CALL, "done.invoke.act confirmation rejected"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_missing_rule_is_found_by_the_shortest_way(fault: Fault) -> None:
    report = report_on("task", *fault.changes)
    found = [each for each in report.violations if each.problem.code == fault.code]
    assert found, [each.problem.code for each in report.violations]
    way = way_of(found[0])
    assert way[0].startswith("submit_task")
    assert way[1:] == fault.way
    # What a reducer cannot read, the core cannot take either.
    assert fault.code == "check_fault" or replays(report, found[0])


def observed(repeats: int, same: int) -> dict[str, object]:
    fields = {"outcome": "failed", "repeats": repeats, "same_failures": same, "steps": "left"}
    return {**fields, "record": {"observation": "…"}}


def test_the_fifth_failure_in_a_row_ends_the_task_and_a_success_begins_anew() -> None:
    event = Event("done.invoke.observe", observed(0, 1))
    failed = Taken(
        "active.observing",
        Stimulus(event.type, {}, event.payload),
        event,
        effects=(Start("think", "think", 1, "active.executing.thinking"),),
    )
    worked = failed._replace(event=event._replace(payload={**event.payload, "outcome": "ok"}))
    monitor = FailuresEndTask()
    state, said = monitor.initial, []
    for taken in (failed, worked, *[failed] * 5):
        state, code = monitor.step(state, taken)
        said.append(code)
    assert said == [""] * 6 + ["check_task_breaker"]


def test_what_a_yes_leaves_in_the_record_alone_is_held_by_the_scenarios() -> None:
    assert report_on("task", TAKES_YES).violations == ()
    scenarios = read_file(FOLDER / "generated" / "task_rows.yaml").scenarios
    assert all(run_scenario(each, probe_of("task")).passed for each in scenarios)
    assert not all(run_scenario(each, probe_with("task", TAKES_YES)).passed for each in scenarios)


def test_each_rule_says_in_both_languages_what_to_do() -> None:
    for code in {fault.code for fault in FAULTS.values()} - {"check_fault"}:
        told = words(code, "zh-CN", event="EVENT", state="STATE")
        assert "EVENT" in told
        assert "STATE" in told
        assert re.search("[\u4e00-\u9fff]", told)
        named = [re.findall("`.*?`", words(f"{code}_fix", lang)) for lang in LANGS]
        assert named[0]
        assert sorted(named[0]) == sorted(named[1])
