"""What the task remembers of each event: the calls that wait, the approval, what was refused."""

from typing import Any

import pytest

from states.catalogue import words
from states.events import Event
from states.fold import REDUCERS
from states.messages import Message
from states.task import Context, Request

TWO_CALLS = {
    "turn": {
        "text": "",
        "tool_calls": [
            {"id": "a", "name": "browser_action", "input": {}},
            {"id": "b", "name": "browser_action", "input": {}},
            {"id": "c", "name": "browser_action", "input": {}},
        ],
    },
    "request": {"call_id": "a", "action": "click", "call_digest": "1"},
    "calls_left": [{"id": "b", "name": "browser_action"}, {"id": "c", "name": "browser_action"}],
}
TURN = {"reply": "call", "effect": "act", "claims": False, "record": TWO_CALLS}
SEEN: dict[str, Any] = {
    "outcome": "ok", "repeats": 0, "same_failures": 0, "steps": "left",
    "record": {"observation": "seen"},
}  # fmt: skip
RESULT = {"outcome": "ok", "asked": "new", "record": {"result": {"success": True}, "page": {}}}
NO = {"decision": "rejected", "steps": "left", "record": {"digest": "d", "note": "no"}}


def fold(context: Context, *folded: tuple[str, dict[str, Any]]) -> Context:
    for reducer, payload in folded:
        context = REDUCERS[reducer](context, Event("x", payload))
    return context


def answers(context: Context) -> dict[str, Message]:
    """Return what each call of the model was answered with."""
    return {m.call_id: m for m in context.record.conversation if m.role == "tool"}


def after_three_calls() -> Context:
    return fold(Context(), ("take_turn", TURN))


def test_the_calls_that_wait_are_dropped_after_a_failure_and_each_is_answered() -> None:
    failed = {**SEEN, "outcome": "failed", "same_failures": 1}
    context = fold(after_three_calls(), ("take_response", RESULT), ("take_observation", failed))
    told = answers(context)
    assert context.record.calls_left == ()
    assert (told["a"].text, told["a"].failed) == ("seen", True)
    assert {told["b"].text, told["c"].text} == {words("not_run", "en")}
    assert told["b"].failed
    assert told["c"].failed


def test_the_calls_that_wait_go_on_waiting_after_a_success() -> None:
    context = fold(after_three_calls(), ("take_response", RESULT), ("take_observation", SEEN))
    assert [call.id for call in context.record.calls_left] == ["b", "c"]
    assert set(answers(context)) == {"a"}


@pytest.mark.parametrize("reducer", ["take_rejection", "count_repair"])
def test_the_calls_that_wait_are_dropped_after_a_no_and_after_broken_output(reducer: str) -> None:
    context = fold(after_three_calls(), (reducer, NO))
    assert context.record.calls_left == ()
    assert set(answers(context)) == {"a", "b", "c"}
    assert answers(context)["b"].text == words("not_run", "en")


def test_a_no_is_remembered_by_its_digest_and_by_more_than_it() -> None:
    context = fold(after_three_calls(), ("take_rejection", NO))
    assert "d" in context.record.rejected
    # The digest is known only when the host has resolved the element; the call itself before.
    assert len(context.record.rejected) > 1
    assert any("1" in mark for mark in context.record.rejected if mark != "d")
    assert after_three_calls().record.rejected == ()


def test_a_no_to_a_skills_command_answers_the_call_that_started_the_skill() -> None:
    started = Request(tool="run_skill", call_id="a", params={"name": "s", "params": {}})
    asked = Request(source="skill", tool="browser_action", action="click", call_digest="2")
    before = after_three_calls()
    record = before.record._replace(skill_request=started, request=asked)
    context = Context(before.control._replace(source="skill", skill="running"), record)
    after = fold(context, ("take_rejection", NO))
    assert after.record.request == started
    assert (after.control.source, after.control.skill) == ("model", "idle")
    assert (answers(after)["a"].text, answers(after)["a"].failed) == ("no", True)


def test_a_no_to_the_models_own_command_keeps_its_request() -> None:
    before = after_three_calls()
    after = fold(before, ("take_rejection", NO))
    assert after.record.request == before.record.request


def test_a_yes_is_folded_with_who_gave_it() -> None:
    given = {"decision": "approved", "record": {"digest": "d", "approved_by": "terminal"}}
    context = fold(after_three_calls(), ("take_approval", given))
    assert context.record.request.approved_by == "terminal"
    assert context.record.request.host_digest == "d"
    assert after_three_calls().record.request.approved_by is None


def test_who_approved_stands_in_the_commands_report_and_not_in_the_next_one() -> None:
    given = {"decision": "approved", "record": {"digest": "d", "approved_by": "terminal"}}
    context = fold(after_three_calls(), ("take_approval", given), ("take_response", RESULT))
    context = fold(context, ("take_turn", TURN), ("take_response", RESULT))
    assert [sent.approved_by for sent in context.record.commands] == ["terminal", None]


@pytest.mark.parametrize(
    ("reducer", "payload"),
    [("take_skill_error", {"error": "skill_crashed", "text": "gone"}),
     ("take_skill_result", {"outcome": "ok", "record": {"result": {"success": True}}})],
)  # fmt: skip
def test_a_call_that_a_skill_left_in_flight_is_unknown(
    reducer: str, payload: dict[str, Any]
) -> None:
    asked = {"effect": "act", "record": {"request": {
        "source": "skill", "action": "click", "call_digest": "c"}}}  # fmt: skip
    context = fold(Context(), ("take_ask", asked), ("start_of_command", {}))
    cut = fold(context, (reducer, payload))
    assert [(sent.action, sent.error) for sent in cut.record.commands] == [
        ("click", "unknown_outcome")
    ]
    assert cut.record.unknown == ("c",)
    answered = fold(context, ("take_response", RESULT), (reducer, payload))
    assert [sent.success for sent in answered.record.commands] == [True]
    assert answered.record.unknown == ()
