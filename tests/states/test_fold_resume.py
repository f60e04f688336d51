"""Going on after a kill: what was under way is closed, what is unknown stays on the record."""

from typing import Any

import pytest

from states.events import Event
from states.fold import REDUCERS
from states.messages import Message, ToolCall
from states.task import Context, Control, Record, Request, StepResult

SENT = {"seq": 0, "action": "click", "success": False, "error": "unknown_outcome"}


def resumed(context: Context, lost: str = "nothing", **record: Any) -> Context:
    payload = {
        "browser": "same", "lost": lost, "steps": "left",
        "record": {"note": "cut short", **record},
    }  # fmt: skip
    return REDUCERS["take_resumption"](context, Event("resumed", payload))


def new_life(context: Context, browser: str, **record: Any) -> Context:
    payload = {"browser": browser, "lost": "nothing", "steps": "left", "record": record}
    return REDUCERS["take_new_life"](context, Event("resumed", payload))


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


def test_in_the_same_browser_a_new_life_changes_only_the_page() -> None:
    before = during()
    after = new_life(before, "same", note="cut short", page_text="the page")
    assert after.record.page_text == "the page"
    assert after.record._replace(page_text="") == before.record
    assert after.control == before.control


def test_a_new_browser_is_told_after_the_answer_and_the_calls_that_wait_are_dropped() -> None:
    seen = {"outcome": "ok", "repeats": 0, "same_failures": 0, "steps": "left",
            "record": {"observation": "it was done"}}  # fmt: skip
    result = StepResult(success=True)
    after = new_life(during(result=result), "new", note="a new browser")
    assert len(after.record.conversation) == 1  # the open call is answered first
    after = REDUCERS["take_observation"](after, Event("x", seen))
    told = [(m.role, m.call_id) for m in after.record.conversation[1:]]
    assert told == [("tool", "a"), ("tool", "b"), ("user", "")]
    assert after.record.conversation[1].text == "it was done"
    assert after.record.conversation[3].text == "a new browser"
    assert (after.record.calls_left, after.record.told_later) == ((), "")


def test_between_two_calls_a_new_browser_is_told_at_once() -> None:
    before = during()
    answered = Message(role="tool", text="ok", call_id="a")
    record = before.record._replace(conversation=(*before.record.conversation, answered))
    after = new_life(Context(before.control, record), "new", note="a new browser")
    told = [(m.role, m.call_id) for m in after.record.conversation[2:]]
    assert told == [("tool", "b"), ("user", "")]
    assert (after.record.calls_left, after.record.told_later) == ((), "")


@pytest.mark.parametrize(("success", "failures"), [(True, 0), (False, 3)])
def test_the_last_result_of_a_killed_skill_counts_as_a_step(success: bool, failures: int) -> None:
    request = Request(source="skill", action="click", call_digest="s1")
    before = during(
        Control(skill="running", failures=2), request=request, result=StepResult(success=success)
    )
    payload = {"browser": "same", "lost": "nothing", "steps": "spent", "record": {}}
    after = REDUCERS["take_finished_step"](before, Event("resumed", payload))
    assert (after.control.failures, after.control.steps) == (failures, "spent")
    assert after.record.steps == 1
    [step] = after.record.history
    assert (step.source, step.action, step.success) == ("skill", "click", success)


@pytest.mark.parametrize(
    ("action", "error", "unknown"),
    [("click", "no_response", True), ("click", "unknown_outcome", True),
     ("click", "command_over_time", True), ("click", "element_not_found", False),
     ("getText", "no_response", False), ("navigate", "no_response", False)],
)  # fmt: skip
def test_what_may_have_acted_without_any_kill_is_unknown_too(
    action: str, error: str, unknown: bool
) -> None:
    before = during(request=Request(call_id="a", action=action, call_digest="c1"))
    lost = {"error": error, "text": "late"}
    answered = {"outcome": "failed", "asked": "new",
                "record": {"result": {"success": False, "error": error}, "page": {}}}  # fmt: skip
    for reducer, payload in (("take_act_error", lost), ("take_response", answered)):
        after = REDUCERS[reducer](before, Event("x", payload))
        assert after.record.unknown == (("c1",) if unknown else ())


@pytest.mark.parametrize(("lost", "steps"), [("nothing", 0), ("read", 1), ("command", 1)])
def test_what_got_no_answer_was_a_step_all_the_same(lost: str, steps: int) -> None:
    given = {"note": "", "sent": SENT} if lost == "command" else {"note": ""}
    payload = {"browser": "same", "lost": lost, "steps": "spent", "record": given}
    after = REDUCERS["take_resumption"](during(), Event("resumed", payload))
    assert after.record.steps == steps
    assert after.control.steps == ("spent" if steps else "left")


def test_a_spent_budget_stays_spent() -> None:
    before = during(Control(steps="spent"))
    assert resumed(before, "read").control.steps == "spent"
