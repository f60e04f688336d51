"""What the host is told while a task runs: each state, and why the policy stopped a call (A1)."""

from collections.abc import Iterator
from pathlib import Path

from tests.sgclaw.task_stage import Answer, TaskStage, asks, call, done, says

TEXT = {"text": "Hello, which report do you mean?"}


async def test_the_state_after_a_refusal_says_why(tmp_path: Path) -> None:
    replies = [call("navigate", {"url": "https://evil.test/"}), TEXT]
    stage = TaskStage(tmp_path, replies, lambda request: done(request.seq))
    await stage.run()
    reasons = [told.reason for told in stage.states if told.reason]
    assert reasons
    assert "evil.test" in reasons[0]


async def test_a_question_says_why_it_is_asked(tmp_path: Path) -> None:
    """The agent itself knows that this button is risky: the snapshot names it."""
    replies = [call("navigate", {"url": "https://erp.example.com/logout"}), TEXT]
    stage = TaskStage(tmp_path, replies, lambda request: says(request.seq, "rejected"))
    await stage.run()
    [asked] = [told for told in stage.states if told.state == "confirm"]
    assert "logout" in asked.reason


async def test_a_call_that_is_allowed_gives_no_reason(tmp_path: Path) -> None:
    replies = [call("click", {"selector": "#query"}), TEXT]
    stage = TaskStage(tmp_path, replies, lambda request: done(request.seq))
    end = await stage.run()
    assert end.state == "completed"
    assert [told.reason for told in stage.states] == [""] * len(stage.states)


async def test_a_question_of_the_host_is_told_as_a_state(tmp_path: Path) -> None:
    answers: Iterator[Answer] = iter([asks(1), says(2, "approved"), done(3)])
    replies = [call("click", {"selector": "#void"}), TEXT]
    stage = TaskStage(tmp_path, replies, lambda _: next(answers))
    end = await stage.run()
    assert [command.approved_by for command in end.commands] == ["terminal"]
    assert [told.state for told in stage.states].count("confirm") == 1
