"""Going on after a kill: what was under way is closed, what is unknown stays on the record."""

from typing import Any

from states.events import Event
from states.fold import REDUCERS
from states.messages import Message, ToolCall
from states.task import Context, Control, Record, Request

SENT = {"seq": 0, "action": "click", "success": False, "error": "unknown_outcome"}


def resumed(context: Context, lost: str = "nothing", **record: Any) -> Context:
    payload = {"browser": "same", "lost": lost, "record": {"note": "cut short", **record}}
    return REDUCERS["take_resumption"](context, Event("resumed", payload))


def during(control: Control | None = None, **record: Any) -> Context:
    calls = (ToolCall(id="a", name="browser_action"), ToolCall(id="b", name="browser_action"))
    said = Message(role="assistant", tool_calls=calls)
    given = {"request": Request(call_id="a", action="click", call_digest="c1"), **record}
    return Context(
        control or Control(), Record(conversation=(said,), calls_left=calls[1:], **given)
    )


def test_an_unknown_command_is_on_record_and_backs_nothing() -> None:
    after = resumed(during(Control(evidence="good")), "command", sent=SENT)
    [sent] = after.record.commands
    assert (sent.success, sent.error) == (False, "unknown_outcome")
    assert after.record.unknown == ("c1",)
    assert after.control.evidence == "bad"


def test_nothing_lost_leaves_the_evidence_as_it_was() -> None:
    after = resumed(during(Control(evidence="good")))
    assert after.control.evidence == "good"
    assert after.record.commands == ()
    assert after.record.unknown == ()


def test_every_open_call_of_the_model_gets_an_answer() -> None:
    after = resumed(during())
    answers = {m.call_id: m for m in after.record.conversation if m.role == "tool"}
    assert set(answers) == {"a", "b"}
    assert (answers["a"].text, answers["a"].failed) == ("cut short", True)
    assert after.record.calls_left == ()


def test_a_running_skill_ends_and_its_own_call_is_answered() -> None:
    skill = Request(call_id="b", tool="run_skill")
    before = during(Control(skill="running", source="skill"), skill_request=skill)
    after = resumed(before, weighty=False)
    assert (after.control.skill, after.control.source) == ("idle", "model")
    assert after.control.evidence == "bad"
    answers = {m.call_id: m.text for m in after.record.conversation if m.role == "tool"}
    assert answers["b"] == "cut short"
    assert after.record.result is not None
    assert after.record.result.data == {"weighty": False}


def test_counters_of_failures_and_repairs_are_kept() -> None:
    before = during(Control(failures=3, repairs=1, steps="spent", step_mode=True))
    after = resumed(before)
    kept = after.control
    assert (kept.failures, kept.repairs, kept.steps, kept.step_mode) == (3, 1, "spent", True)
