"""What the critic and the breaker count, and what they let pass."""

import pytest

from guards.breaker import failures_of_call
from guards.confirm import target_not_found
from guards.critic import repeats_of
from guards.flow import reply_is_valid
from states.events import Event
from states.task import Context, Control, StepOutcome

TICK = Event("tick")


def step(call: str, *, ok: bool = True, by_skill: bool = False, reads: bool = False) -> StepOutcome:
    return StepOutcome(
        source="skill" if by_skill else "model",
        action="getText" if reads else "click",
        call_digest=call, fingerprint="p", success=ok, reads=reads,
    )  # fmt: skip


def test_a_call_that_succeeds_is_no_failure_of_it() -> None:
    tried = [step("A"), step("A"), step("A", ok=False), step("A")]
    assert failures_of_call(tried, "A") == 1
    assert failures_of_call([step("A")] * 9, "A") == 0


def test_a_skill_that_acts_in_circles_is_a_loop_and_one_that_reads_is_not() -> None:
    assert repeats_of([step("A", by_skill=True)] * 4) == 4
    assert repeats_of([step("A", by_skill=True, reads=True)] * 4) == 0


def test_a_skills_polls_between_its_acts_do_not_hide_the_circle() -> None:
    poll, act = step("R", by_skill=True, reads=True), step("A", by_skill=True)
    assert repeats_of([poll, act] * 4) == 4


def test_a_skills_poll_after_a_circle_is_not_a_round_of_it() -> None:
    circle = [step("A")] * 4
    assert repeats_of([*circle, step("R", by_skill=True, reads=True)]) == 0
    assert repeats_of(circle) == 4


def test_a_model_that_reads_the_same_again_and_again_is_a_loop() -> None:
    assert repeats_of([step("R", reads=True)] * 4) == 4


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_call_repeated_a_few_times_is_counted_as_often_as_it_was_made(times: int) -> None:
    assert repeats_of([step("A")] * times) == (times if times > 1 else 0)


@pytest.mark.parametrize("reply", ["none", "invalid"])
def test_no_reply_and_an_unreadable_one_are_not_valid(reply: str) -> None:
    assert not reply_is_valid(Context(Control(reply=reply)), TICK)  # type: ignore[arg-type]


@pytest.mark.parametrize("reply", ["text", "call", "skill", "dialog"])
def test_every_reply_that_can_be_read_is_valid(reply: str) -> None:
    assert reply_is_valid(Context(Control(reply=reply)), TICK)  # type: ignore[arg-type]


@pytest.mark.parametrize("decision", ["approved", "rejected", "expired", "", None])
def test_only_a_question_that_met_nothing_found_no_target(decision: object) -> None:
    assert not target_not_found(Context(), Event("x", {"decision": decision}))
    assert target_not_found(Context(), Event("x", {"decision": "unresolved"}))
