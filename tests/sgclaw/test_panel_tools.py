"""The panel's history of a run with tools, questions, failed tries and replies that broke off."""

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest

from memory.panel_item import PanelItem
from memory.projection import panel_history
from sgclaw.audit_story_agent import agent_side
from sgclaw.audit_story_rows import Rows
from states.wire import ConfirmRequest
from tests.sgclaw.story_stage import (
    ASK_MONTH,
    LIST,
    NOTE,
    TOOL_REPLIES,
    TYPE,
    StoryStage,
    Told,
    mcp_server,
    reported,
    told_run,
    tool_call,
)
from tests.sgclaw.task_stage import TRACE, TaskStage, done, says
from tests.sgclaw.told import check_panel, check_steps, of

DONE = {"text": "The look is done."}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("panel")
    server = mcp_server(folder)
    run = told_run(folder / "data", "July", "approved", replies=TOOL_REPLIES, mcp=(server,))
    return reported(asyncio.run(run))


@pytest.fixture
def items(whole: Told) -> tuple[PanelItem, ...]:
    return panel_history(copy.deepcopy(whole.rows))


def test_a_question_stands_with_its_options_and_its_answer(items: tuple[PanelItem, ...]) -> None:
    asked = next(item for item in of(items, "question") if item.about == "question")
    assert asked.text == "Which month?\n- June\n- July\nThe person answers: July"
    assert (asked.status, asked.by, asked.step, asked.action) == (
        "approved", "person", 2, "ask_person",
    )  # fmt: skip


def test_a_tool_stands_with_its_approval_and_its_outcome(items: tuple[PanelItem, ...]) -> None:
    asked = next(item for item in of(items, "question") if item.about == "call")
    assert (asked.action, asked.status, asked.by) == (NOTE, "approved", "person")
    assert "so a person decides" in asked.text
    steps = [(item.action, item.step, item.status) for item in of(items, "step")]
    assert steps == [
        ("getText", 1, "ok"), (NOTE, 3, "ok"), (LIST, 4, "ok"), ("use_skill", 5, "ok"),
        ("type", 6, "ok"),
    ]  # fmt: skip


def test_a_failed_try_stands_with_why_and_its_wait(items: tuple[PanelItem, ...]) -> None:
    [retry] = of(items, "retry")
    assert (retry.reason, retry.text) == (
        "overload", "The model did not answer: 529 It is asked again in 1 s.",
    )  # fmt: skip


def test_a_reply_that_broke_off_stands_with_how_it_ended(items: tuple[PanelItem, ...]) -> None:
    [cut] = [item for item in of(items, "said") if item.status]
    assert cut.status == "cut"
    assert cut.text.startswith("I would lik\nThe reply was cut")


def test_the_answer_stands_with_the_steps_that_prove_it(items: tuple[PanelItem, ...]) -> None:
    [answer] = of(items, "answer")
    assert (answer.text, answer.cites) == ("The note is made.", (1, 4))


@pytest.mark.parametrize(
    "answers", [("July", "approved"), ("rejected", "rejected"), ("expired",), ("", "expired")]
)
async def test_the_history_is_what_the_panel_was_told(
    answers: tuple[str, ...], tmp_path: Path
) -> None:
    stage = StoryStage(tmp_path / "data", TOOL_REPLIES[1:], *answers, mcp=(mcp_server(tmp_path),))
    end = await stage.run()
    rows = stage.ledger.rows()
    check_panel(rows, stage.states, end)
    check_steps(rows)


async def test_a_tool_whose_outcome_nobody_knows_is_told_so(tmp_path: Path) -> None:
    replies = [tool_call(LIST, {"text": "x"}), TYPE, DONE]
    server = mcp_server(tmp_path, list="crash:gone")
    told = await told_run(tmp_path / "data", replies=replies, mcp=(server,))
    [tool, typed] = of(panel_history(told.rows), "step")
    assert (tool.action, tool.status, typed.status) == (LIST, "unknown", "ok")


async def test_of_a_tool_nothing_that_it_was_given_is_shown_as_its_target(tmp_path: Path) -> None:
    replies = [tool_call(LIST, {"key": "canary", "name": "canary"}), TYPE, DONE]
    told = await told_run(tmp_path / "data", replies=replies, mcp=(mcp_server(tmp_path),))
    assert "canary" not in str(panel_history(told.rows))


async def test_a_question_that_nobody_answers_says_so(tmp_path: Path) -> None:
    told = await told_run(tmp_path / "data", "rejected", replies=[ASK_MONTH, TYPE, DONE])
    [asked] = of(panel_history(told.rows), "question")
    assert asked.status == "rejected"
    assert "The person does not answer." in asked.text


async def test_a_question_that_outlived_its_agent_is_asked_again_as_a_question(
    tmp_path: Path,
) -> None:
    def host(request: Any) -> Any:
        if isinstance(request, ConfirmRequest):
            return says(request.seq, "approved")
        return done(request.seq)

    replies = [ASK_MONTH, TYPE, DONE]
    first = TaskStage(tmp_path / "first", replies, host)
    await first.run()
    second = TaskStage(tmp_path / "second", replies, host)
    second.task.ledger.close()
    second.ledger.write(first.ledger.rows()[:2])  # asked, and not answered
    second = TaskStage(tmp_path / "second", replies, host, "same")
    end = await second.run()
    rows = second.ledger.rows()
    check_panel(rows, [*first.states[:3], *second.states], end)
    check_steps(rows)
    asked = [(item.about, item.status) for item in of(panel_history(rows), "question")]
    assert asked == [("question", "unanswered"), ("question", "approved")]
    sent = agent_side(TRACE, Rows("ledger", tuple(rows))).sent
    assert [each.purpose for each in sent if each.kind == "confirm_request"] == ["question"] * 2
