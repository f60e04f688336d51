"""The task's guards: each refuses for its reason, and lets the same context pass without it."""

import pytest

from guards.breaker import breaker_closed, failures_of_call
from guards.budget import budget_left, repairs_left, steps_are_left
from guards.confirm import approval_granted, not_rejected_before
from guards.critic import answer_has_evidence, no_loop, repeats_of
from guards.gate import person_not_needed, policy_allows
from guards.output import claims_action, output_is_reply
from states.events import Event
from states.messages import ModelTurn, ToolCall
from states.settings import TaskLimits
from states.task import Context, Control, Record, Refusal, Request, StepOutcome

TICK = Event("tick")


def with_control(**changes: object) -> Context:
    return Context(Control(**changes))  # type: ignore[arg-type]


def step(call: str, page: str = "p", *, ok: bool = True, source: str = "model") -> StepOutcome:
    return StepOutcome.model_validate(
        {"source": source, "action": "click", "call_digest": call, "fingerprint": page,
         "success": ok, "reads": source == "skill"}
    )  # fmt: skip


@pytest.mark.parametrize(("cycle", "times"), [("A", 4), ("AB", 4), ("ABC", 4)])
def test_four_rounds_of_one_cycle_are_a_loop_and_three_are_not(cycle: str, times: int) -> None:
    loop = [step(call) for call in cycle * times]
    assert repeats_of(loop) == 4
    assert repeats_of(loop[: -len(cycle)]) == 3
    assert not no_loop(with_control(repeats=4), TICK)
    assert no_loop(with_control(repeats=3), TICK)


def test_a_page_that_changes_is_progress() -> None:
    assert repeats_of([step("A", page=str(n)) for n in range(6)]) == 0


def test_a_skill_may_poll() -> None:
    assert repeats_of([step("A", source="skill")] * 6) == 0


def test_the_fourth_failure_of_one_call_opens_the_breaker() -> None:
    history = [step("A", ok=False), step("B"), step("A", ok=False), step("A", ok=False)]
    assert failures_of_call(history, "A") == 3
    assert breaker_closed(with_control(same_failures=3), TICK)
    verdict = breaker_closed(with_control(same_failures=4), TICK)
    assert verdict.reason == "breaker_same_call"


def test_the_fifth_failure_in_a_row_opens_the_breaker() -> None:
    assert breaker_closed(with_control(failures=4), TICK)
    assert breaker_closed(with_control(failures=5), TICK).reason == "breaker_in_a_row"


def test_the_budget_counts_steps() -> None:
    assert steps_are_left(9, 10)
    assert not steps_are_left(10, 10)
    assert not budget_left(with_control(steps="spent"), TICK)
    assert budget_left(with_control(steps="left"), TICK)


def test_the_model_is_asked_again_at_most_twice() -> None:
    assert repairs_left(with_control(repairs=1), TICK)
    assert not repairs_left(with_control(repairs=2), TICK)


@pytest.mark.parametrize("decision", ["rejected", "expired", "yes", "APPROVED", "", None, True])
def test_only_the_word_approved_is_a_yes(decision: object) -> None:
    assert not approval_granted(with_control(), Event("x", {"decision": decision}))
    assert approval_granted(with_control(), Event("x", {"decision": "approved"}))


def test_a_missing_decision_is_a_no() -> None:
    assert not approval_granted(with_control(), TICK)


def test_a_rejected_digest_is_not_asked_again() -> None:
    assert not not_rejected_before(with_control(), Event("x", {"asked": "rejected"}))
    assert not_rejected_before(with_control(), Event("x", {"asked": "new"}))


def test_the_policys_refusal_is_the_guards_reason() -> None:
    request = Request(refusal=Refusal(reason="host_not_in_policy", facts={"host": "evil.test"}))
    context = Context(Control(effect="deny"), Record(request=request))
    verdict = policy_allows(context, TICK)
    assert not verdict
    assert "evil.test" in verdict.text("en")
    assert policy_allows(with_control(effect="act"), TICK)


def test_confirm_needs_a_person_and_act_does_not() -> None:
    assert not person_not_needed(with_control(effect="confirm"), TICK)
    assert person_not_needed(with_control(effect="act"), TICK)


@pytest.mark.parametrize(
    ("evidence", "claims", "completes"),
    [("good", True, True), ("none", False, True), ("none", True, False), ("bad", False, False)],
)
def test_an_answer_needs_evidence(evidence: str, claims: bool, completes: bool) -> None:
    context = with_control(evidence=evidence, claims=claims)
    assert bool(answer_has_evidence(context, TICK)) is completes


@pytest.mark.parametrize(
    "text",
    [
        "已导出3份报表",
        "已把报表导出到下载目录",
        "报表已为您导出",
        "导出了3份报表",
        "The report has been exported without errors",
        "No problem, the form was submitted.",
        "操作完成",
        "The report was exported.",
        "完成了",
        "导出成功",
        "I have submitted the form",
        "Done.",
    ],
)
def test_a_text_that_claims_an_action_is_recognised(text: str) -> None:
    assert claims_action(text)


@pytest.mark.parametrize(
    "text",
    [
        "你好，请问要导出哪个月的报表？",
        "没有导出任何报表",
        "报表还没有导出",
        "Nothing was exported.",
        "I was unable to get it exported",
        "您好，我可以帮您查询报表。",
        "需要我导出吗",
        "The form was not submitted.",
        "Which month?",
        "无法完成",
    ],
)
def test_a_text_that_claims_nothing_is_recognised(text: str) -> None:
    assert not claims_action(text)


def test_broken_empty_and_overlong_output_is_no_reply() -> None:
    calls = tuple(ToolCall(id=str(n), name="browser_action") for n in range(3))
    two, three = TaskLimits(calls_per_turn_max=2), TaskLimits(calls_per_turn_max=3)
    assert output_is_reply(ModelTurn(broken="{"), two).reason == "output_broken"
    assert output_is_reply(ModelTurn(text=" \n"), two).reason == "output_empty"
    assert output_is_reply(ModelTurn(tool_calls=calls), two).reason == "too_many_calls"
    assert output_is_reply(ModelTurn(tool_calls=calls), three)
    assert output_is_reply(ModelTurn(text="hello"), two)


@pytest.mark.parametrize(
    "turn",
    [
        ModelTurn(text="x" * 100_001),
        ModelTurn(text="half \ud83d"),
        ModelTurn(tool_calls=(ToolCall(id="1", name="t", input={"x": float("nan")}),)),
        ModelTurn(tool_calls=(ToolCall(id="1", name="t", input={"x": 2**53}),)),
        ModelTurn(tool_calls=(ToolCall(id="1", name="t", input={"x": "y" * 100_001}),)),
        ModelTurn(tool_calls=(ToolCall(id="1", name="t"), ToolCall(id="1", name="t"))),
        ModelTurn(tool_calls=(ToolCall(id="", name="t"),)),
    ],
    ids=["too long", "surrogate", "NaN", "huge number", "huge input", "same id", "no id"],
)
def test_output_that_no_line_can_hold_is_no_reply(turn: ModelTurn) -> None:
    assert not output_is_reply(turn, TaskLimits())


def test_output_nested_too_deep_is_no_reply_and_less_deep_is() -> None:
    def nested(depth: int) -> ModelTurn:
        value: object = 1
        for _ in range(depth):
            value = [value]
        return ModelTurn(tool_calls=(ToolCall(id="1", name="t", input=value),))

    assert not output_is_reply(nested(400), TaskLimits())
    assert output_is_reply(nested(20), TaskLimits())
