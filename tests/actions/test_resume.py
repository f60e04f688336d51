"""What a kill took is told exactly: the command that may have acted, the question, the skill."""

from typing import Any

import pytest

from actions.llm.offline import OfflineProvider
from actions.llm.provider import ModelRequest
from actions.llm.scripted import ScriptedProvider
from actions.resume import resumption
from skills.registry import load_library
from states.messages import Message
from states.task import Context, Control, Record, Request, SentCommand, StepOutcome, StepResult
from tests.actions.desk import make_ports
from tests.actions.llm.test_providers import TODAY, request
from tests.actions.talk import READ_TOOL, WRITE_TOOL, Desk

CLICK = Request(action="click", params={"selector": "#void"}, call_digest="c", approved_by="anna")
READ = Request(action="getText", params={"selector": "#sum"})
SKILL = Request(tool="run_skill", params={"name": "erp-monthly-report"})


def step(action: str, *, success: bool = True) -> StepOutcome:
    return StepOutcome(
        source="skill", action=action, call_digest="x", fingerprint="", success=success
    )


def told(context: Context, *live: str, browser: Any = "same") -> dict[str, Any]:
    return resumption(context, frozenset(live), browser, make_ports())


def test_a_command_in_flight_is_unknown_with_who_approved_it() -> None:
    payload = told(Context(Control(), Record(request=CLICK)), "act")
    sent = payload["record"]["sent"]
    assert payload["lost"] == "command"
    assert (sent["action"], sent["success"], sent["error"]) == ("click", False, "unknown_outcome")
    assert sent["approved_by"] == "anna"
    assert "click #void was done is not known" in payload["record"]["note"]


@pytest.mark.parametrize(
    ("request_", "lost"),
    [(READ, "read"), (Request(action="navigate", params={"url": "u"}), "read"),
     (Request(action="type"), "command"), (Request(action="storageSet"), "command"),
     (Request(action="dialog_response"), "command")],
)  # fmt: skip
def test_only_what_cannot_write_may_be_repeated(request_: Request, lost: str) -> None:
    payload = told(Context(Control(), Record(request=request_)), "act")
    assert payload["lost"] == lost
    assert ("sent" in payload["record"]) == (lost == "command")


@pytest.mark.parametrize(
    ("request_", "lost"),
    [(Request(tool="mcp", action=READ_TOOL), "read"),
     (Request(tool="mcp", action=WRITE_TOOL), "command"),
     (Request(tool="mcp", action="mcp__files__gone"), "command"),
     # The name of a tool says nothing of what it does.
     (Request(tool="mcp", action="navigate"), "command"),
     (Request(tool="use_skill", action="use_skill"), "read")],
)  # fmt: skip
def test_a_tool_that_a_person_approved_as_reading_lost_nothing(
    request_: Request, lost: str
) -> None:
    context = Context(Control(), Record(request=request_))
    payload = resumption(context, frozenset({"act"}), "same", make_ports(desk=Desk()))
    assert payload["lost"] == lost


def test_without_a_command_in_flight_nothing_is_lost() -> None:
    payload = told(Context(Control(), Record(request=CLICK)), "think")
    assert payload["lost"] == "nothing"
    assert "not known" not in payload["record"]["note"]


def test_a_question_that_was_open_is_told_as_not_done() -> None:
    note = told(Context(Control(), Record(request=CLICK)), "ask")["record"]["note"]
    assert "click #void was not done" in note


def test_a_running_skill_is_interrupted_with_the_calls_it_had_done() -> None:
    history = (StepOutcome(source="model", action="getText", call_digest="", fingerprint="",
                           success=True),
               step("navigate"), step("type"), step("click", success=False))  # fmt: skip
    record = Record(request=READ, skill_request=SKILL, history=history)
    payload = told(Context(Control(skill="running"), record), "skill", "act", browser="new")
    note = payload["record"]["note"]
    assert "erp-monthly-report was interrupted" in note
    assert "navigate, type, click (x)" in note
    assert "new browser" in note
    assert payload["record"]["weighty"] is False


def test_a_skill_that_did_what_a_person_approved_is_weighty() -> None:
    commands = (SentCommand(seq=1, action="click", success=True, approved_by="anna"),)
    record = Record(skill_request=SKILL, history=(step("click"),), commands=commands)
    payload = told(Context(Control(skill="running"), record), "skill")
    assert payload["record"]["weighty"] is True
    # What was approved before the skill began is none of its calls.
    before = record._replace(skill_began=1)
    assert told(Context(Control(skill="running"), before), "skill")["record"]["weighty"] is False


def test_a_result_that_nobody_looked_at_is_among_the_skills_calls() -> None:
    request_ = Request(source="skill", action="select")
    record = Record(request=request_, result=StepResult(success=True), skill_request=SKILL,
                    history=(step("navigate"),))  # fmt: skip
    running = Context(Control(skill="running"), record)
    assert "navigate, select" in told(running, "skill", "observe")["record"]["note"]
    assert "select" not in told(running, "skill", "act")["record"]["note"].split("calls")[1]


def test_a_question_about_going_on_does_not_say_that_the_step_was_not_done() -> None:
    record = Record(request=CLICK, result=StepResult(success=True))
    note = told(Context(Control(asking="step"), record), "ask")["record"]["note"]
    assert "was not done" not in note


def test_the_steps_that_are_left_count_what_was_sent_before_the_kill() -> None:
    ports = make_ports()
    last = ports.settings.task.steps_max - 1
    context = Context(Control(skill="running"), Record(steps=last, skill_request=SKILL))
    for live, left in (
        ({"skill", "observe"}, "spent"), ({"skill", "act"}, "spent"), ({"skill", "think"}, "left")
    ):  # fmt: skip
        assert resumption(context, frozenset(live), "same", ports)["steps"] == left


async def test_the_matcher_begins_a_skill_again_only_when_nothing_weighty_was_done() -> None:
    provider = OfflineProvider(load_library().skills, TODAY)
    failed = Message(role="tool", text="interrupted", call_id="offline-1", failed=True)

    def after(weighty: object) -> ModelRequest:
        return request(2, "导出本月合规报表", conversation=(failed,), last_error="interrupted",
                       last_message="cut short", last_data={"weighty": weighty})  # fmt: skip

    [call] = (await provider.complete(after(weighty=False))).tool_calls
    assert (call.name, call.id) == ("run_skill", "offline-2")
    for weighty in (True, None):
        with pytest.raises(Exception, match="cut short"):
            await provider.complete(after(weighty))


async def test_a_script_goes_on_after_the_replies_that_were_given() -> None:
    script = '{"text":"a"}\n{"delay_s":0.01}\n{"text":"b"}\n{"text":"c"}\n'
    for skipped, text in ((0, "a"), (1, "b"), (2, "c")):
        provider = ScriptedProvider(script)
        provider.skip(skipped)
        assert (await provider.complete(request(skipped + 1))).text == text
