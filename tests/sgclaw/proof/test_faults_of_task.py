"""Each fault sown into the task chart passes the lint and is found by the shortest way to it.

The sound chart is the control (`test_walk`): nothing is found in it.
"""

from typing import NamedTuple

import pytest

from tests.sgclaw.proof.seeded import replays, report_on, the, way_of

CALL = "done.invoke.plan call read True"
RISKY = "done.invoke.plan call confirm True"
BROKEN = "invalid read True"


class Fault(NamedTuple):
    """What is sown, what it is found as, and the way there after the task began."""

    changes: list[tuple[str, str]]
    code: str
    way: list[str]


STEP_FIRST = """            - guard: approval_granted
              target: active.evaluate
              actions: [take_step_approval]
"""
CALL_FIRST = """            - guard: {and: [approval_granted, asking_about_call]}
              target: active.executing.waiting
              actions: [take_approval, {spawn: act}]
"""
QUESTION_NEXT = """            - guard: {and: [approval_granted, asking_question]}
              target: active.evaluate
              actions: [take_answer]
"""
CUT_AGAIN = """              - guard: {and: [reply_is_cut, repairs_left]}
                target: active.executing.thinking
                actions: [count_repair]
"""
CUT_ENDS = "              - {guard: reply_is_cut, target: failed, actions: [fail_cut]}\n"
ASKS = "              - {guard: asks_person, target: active.confirm, actions: [ask_question]}\n"
NEEDS_PERSON = (
    "              - {guard: {not: person_not_needed}, target: active.confirm, "
    "actions: [ask_about_call]}\n"
)
NEEDS_BUDGET = (
    "              - {guard: {not: budget_left}, target: failed, actions: [fail_budget]}\n"
)
FAULTS = {
    "dead row": Fault(
        [(CALL_FIRST + QUESTION_NEXT + STEP_FIRST, STEP_FIRST + CALL_FIRST + QUESTION_NEXT)],
        "check_dead_row",
        [RISKY],
    ),
    "missing else": Fault(
        [("skill_asked: {target: failed,", "skill_asked: {guard: step_by_step, target: failed,")],
        "check_dropped",
        ["done.invoke.plan skill read True", "skill_asked confirm", "skill_asked read"],
    ),
    "waiting for nothing": Fault(
        [("actions: [start_of_command, {spawn: act}]", "actions: [start_of_command]")],
        "check_waits",
        [CALL],
    ),
    "guards swapped": Fault(
        [
            ("{not: policy_allows}, target: active.obs", "{not: X}, target: active.obs"),
            ("{not: person_not_needed}", "{not: policy_allows}"),
            ("{not: X}", "{not: person_not_needed}"),
        ],
        "check_task_denied",
        ["done.invoke.plan call deny True", "done.invoke.ask approved left"],
    ),
    "approval not consumed on retry": Fault(
        [
            (
                "error.invoke.act: {target: active.observing, actions: [take_act_error]}",
                "error.invoke.act: {target: active.executing.waiting, "
                "actions: [take_act_error, {spawn: act}]}",
            )
        ],
        "check_task_sent_twice",
        [CALL, "error.invoke.act"],
    ),
    "approval not asked for when the host wants it": Fault(
        [
            (
                "target: active.confirm\n                  actions: [take_confirmation]",
                "target: active.executing.waiting\n"
                "                  actions: [take_confirmation, {spawn: act}]",
            )
        ],
        "check_task_unapproved",
        [CALL, "done.invoke.act confirmation new"],
    ),
    "approval not asked for when the policy wants it": Fault(
        [(NEEDS_PERSON, "")], "check_task_unapproved", [RISKY]
    ),
    "abort that only takes a note": Fault(
        [
            (
                "          # Nothing was lost",
                "          abort: {actions: [take_abort]}\n          # Nothing was lost",
            )
        ],
        "check_command_after_abort",
        [
            "done.invoke.plan call deny True",
            "abort",
            "done.invoke.observe ok 0 0 left",
            "done.invoke.think call read True",
        ],
    ),
    "budget not asked": Fault(
        [(NEEDS_BUDGET, "")],
        "check_task_over_budget",
        [RISKY, "done.invoke.ask rejected spent", "done.invoke.think call read True"],
    ),
    "repairs without bound": Fault(
        [("guard: {and: [{not: reply_is_valid}, repairs_left]}", "guard: {not: reply_is_valid}")],
        "check_task_repairs",
        [
            "done.invoke.plan cut read True",
            "done.invoke.think cut read True",
            f"done.invoke.think {BROKEN}",
        ],
    ),
    "reply that was cut is run": Fault(
        [(CUT_AGAIN, ""), (CUT_ENDS, "")],
        "check_task_sent_twice",
        ["done.invoke.plan cut read True"],
    ),
    "question goes out as a command": Fault(
        [(ASKS, "")], "check_task_sent_twice", ["done.invoke.plan question read True"]
    ),
    "question counts as an approval": Fault(
        [
            (
                f"{QUESTION_NEXT}",
                QUESTION_NEXT.replace("evaluate\n", "executing.waiting\n").replace(
                    "[take_answer]", "[take_answer, {spawn: act}]"
                ),
            )
        ],
        "check_task_sent_twice",
        ["done.invoke.plan question read True", "done.invoke.ask approved left"],
    ),
    "refused command asked again": Fault(
        [("{and: [host_wants_confirmation, not_rejected_before]}", "host_wants_confirmation")],
        "check_task_asked_again",
        [CALL, "done.invoke.act confirmation rejected"],
    ),
    "lost command sent again": Fault(
        [
            (
                "- {target: active.executing.thinking, actions: [take_resumption, {stop: skill}]}",
                "- {target: active.executing.waiting, actions: [take_resumption, {spawn: act}]}",
            )
        ],
        "check_task_lost_again",
        ["done.invoke.plan text read True", "resumed same command left"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_found_by_the_shortest_way(fault: Fault) -> None:
    report = report_on("task", *fault.changes)
    found = [each for each in report.violations if each.problem.code == fault.code]
    assert found, [each.problem.code for each in report.violations]
    way = way_of(found[0])
    assert way[0].startswith("submit_task")
    assert way[1:] == fault.way
    assert all(replays(report, each) for each in report.violations)


def test_the_repair_too_many_also_leaves_the_row_that_ends_the_task_dead() -> None:
    fault = FAULTS["repairs without bound"]
    dead = the(report_on("task", *fault.changes), "check_dead_row")
    assert dict(dead.problem.facts)["where"] == "active.executing.deciding: always #9"
