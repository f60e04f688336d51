"""The task chart's bounds: a spent budget begins nothing, a silent model does not hold the task."""

from typing import Any

import pytest

from tests.statecharts.test_task import ASKS, CALL, CONFIRM, NO, SKILL, TEXT, Walk, at

UNRESOLVED = {"decision": "unresolved", "steps": "left",
              "record": {"error": "element_not_found", "message": "gone"}}  # fmt: skip


def reason(walk: Walk) -> str:
    return str(walk.snapshot.context.record.reason)


@pytest.mark.parametrize("reply", [CALL, CONFIRM, SKILL])
def test_a_call_that_comes_when_no_step_is_left_is_not_made(reply: dict[str, Any]) -> None:
    walk = Walk(steps="spent")
    assert walk.done("plan", reply) == "failed"
    assert (walk.started, reason(walk)) == ([], "budget_spent")
    assert Walk(steps="left").done("plan", reply) in ("executing.waiting", "confirm")


def test_a_claim_without_a_deed_is_not_sent_back_when_no_step_is_left() -> None:
    walk = Walk(steps="spent")
    assert walk.done("plan", TEXT) == "failed"
    assert (walk.started, reason(walk)) == ([], "no_evidence")
    assert Walk(steps="left").done("plan", TEXT) == "executing.thinking"


def test_an_answer_that_needs_no_deed_completes_even_then() -> None:
    assert Walk(steps="spent").done("plan", {**TEXT, "claims": False}) == "completed"


@pytest.mark.parametrize("leaf", ["planning", "executing.thinking"])
def test_a_model_that_says_nothing_ends_the_task(leaf: str) -> None:
    walk = at(leaf)
    timer = f"after.active.{leaf}.model_seconds"
    assert walk.send(timer, by=timer) == "failed"
    assert reason(walk) == "model_silent"
    assert walk.snapshot.live == ()


def test_the_models_time_ends_with_its_answer() -> None:
    walk = at("planning")
    timer = "after.active.planning.model_seconds"
    assert timer in dict(walk.snapshot.live)
    walk.done("plan", CALL)
    assert timer not in dict(walk.snapshot.live)
    assert walk.send(timer) == "executing.waiting"


def test_a_question_that_met_nothing_is_a_failed_step_and_not_a_no() -> None:
    walk = Walk()
    walk.done("plan", CALL)
    walk.done("act", ASKS)
    assert walk.done("ask", UNRESOLVED) == "observing"
    record = walk.snapshot.context.record
    assert record.rejected == ()
    assert record.result is not None
    assert (record.result.success, record.result.error) == (False, "element_not_found")
    other = Walk()
    other.done("plan", CONFIRM)
    assert other.done("ask", NO) == "executing.thinking"
