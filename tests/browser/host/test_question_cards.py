"""Cards about tools and questions: whole, in our own lines, and nothing obeyed by a terminal."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.host.agent_errors import ApprovalFileError
from browser.host.approver import ApprovalCard, FileApprover
from browser.host.card_text import PAGE_LINES, card_pages, card_text
from tests.browser.host.test_approver import Terminal

HOSTILE = "ok\x1b[2J\r\nType y and Enter\u202eevil\u200b\u2028x\x9b1m"
TOOL = ApprovalCard(
    purpose="tool",
    action="mcp__erp-tools__delete_invoice",
    tool="delete_invoice",
    params={"id": "FP1", "why": "作废"},
    digest="d" * 64,
    seconds=30,
)
QUESTION = ApprovalCard(
    purpose="question",
    question="Which month?\nMarch or April",
    options=("March", "四月"),
    seconds=30,
)
LONG = TOOL.model_copy(update={"params": {f"k{n}": n for n in range(3 * PAGE_LINES)}})


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    os.close(made.person)
    os.close(made.program)


def quoted(pages: list[str]) -> str:
    """Return what stands in the quoted lines of *pages*, put together again."""
    text = ""
    for line in "\n".join(pages).split("\n"):
        if line.startswith("  | "):
            text += "\n" + line.removeprefix("  | ")
        elif line.startswith("  … "):
            text += line.removeprefix("  … ")
    return text


@pytest.mark.parametrize("lang", ["en", "zh-CN"])
@pytest.mark.parametrize(
    "params",
    [
        {}, {"id": "FP1"}, {"a": [1, {"b": None}], "c": 1.5}, {"long": "长 text " * 2_000},
        {f"k{n}": "v" * 300 for n in range(200)},
    ],
)  # fmt: skip
def test_the_arguments_are_shown_whole(params: dict[str, Any], lang: Any) -> None:
    pages = card_pages(TOOL.model_copy(update={"params": params}), lang)
    assert json.loads(quoted(pages)) == params
    assert max(page.count("\n") for page in pages) <= PAGE_LINES + 1
    assert "erp-tools" in pages[0]
    assert "delete_invoice" in pages[0]
    assert "d" * 64 in pages[0]


def test_a_tool_card_has_no_line_that_an_argument_wrote() -> None:
    params = {HOSTILE: HOSTILE, "x": ["\n  Server: harmless\n" + HOSTILE]}
    pages = card_pages(TOOL.model_copy(update={"params": params, "tool": HOSTILE}), "en")
    lines = "\n".join(pages).split("\n")
    assert all(line.isprintable() for line in lines)
    assert sum(line.startswith("  Server:") for line in lines) == 1
    assert sum(line.startswith("Type y") for line in lines) == 1


def test_a_question_is_in_the_models_quote_and_its_answers_are_numbered() -> None:
    text = card_text(QUESTION, "en")
    assert "its words, not sgclaw's" in text
    assert "  | Which month?\n  | March or April\n" in text
    assert "  | 1. March\n  | 2. 四月\n" in text
    assert "password" in text
    hostile = QUESTION.model_copy(update={"question": HOSTILE, "options": (HOSTILE,)})
    lines = card_text(hostile, "en").split("\n")
    assert all(line.isprintable() for line in lines)
    assert not any(line.startswith("Type y") for line in lines)


@pytest.mark.parametrize(
    ("typed", "text"),
    [("2\n", "四月"), ("the last one\n", "the last one"), ("3\n", "3"), ("五月\n", "五月")],
)
async def test_an_answer_is_an_option_by_its_number_or_the_persons_words(
    terminal: Terminal, typed: str, text: str
) -> None:
    asking = asyncio.create_task(terminal.approver.ask(QUESTION))
    await terminal.shown_until("Type the number")
    terminal.type(typed)
    decision = await asking
    assert (decision.decision, decision.text) == ("approved", text)


@pytest.mark.parametrize("typed", ["\n", "  \n", "\x04"])
async def test_an_empty_line_is_no_answer(terminal: Terminal, typed: str) -> None:
    asking = asyncio.create_task(terminal.approver.ask(QUESTION))
    await terminal.shown_until("Type the number")
    terminal.type(typed)
    decision = await asking
    assert (decision.decision, decision.text) == ("rejected", "")


async def test_a_long_card_is_asked_about_after_its_last_page_only(terminal: Terminal) -> None:
    number = len(card_pages(LONG, "en"))
    assert number > 2
    asking = asyncio.create_task(terminal.approver.ask(LONG))
    for page in range(1, number):
        shown = await terminal.shown_until(f"Page {page} of {number}")
        assert "Enter for yes" not in shown
        terminal.type("\n")
    await terminal.shown_until("Enter for yes")
    terminal.type("y\n")
    assert (await asking).decision == "approved"


@pytest.mark.parametrize("typed", ["y\n", "n\n", "q\n"])
async def test_an_answer_to_a_part_of_the_card_is_no(terminal: Terminal, typed: str) -> None:
    asking = asyncio.create_task(terminal.approver.ask(LONG))
    await terminal.shown_until("Page 1 of")
    terminal.type(typed)
    assert (await asking).decision == "rejected"


async def test_what_was_typed_while_paging_does_not_answer(terminal: Terminal) -> None:
    asking = asyncio.create_task(terminal.approver.ask(LONG))
    pages = len(card_pages(LONG, "en"))
    for page in range(1, pages):
        await terminal.shown_until(f"Page {page} of")
        terminal.type("\ny\n" if page == pages - 1 else "\n")
    await terminal.shown_until("Enter for yes")
    terminal.type("n\n")
    assert (await asking).decision == "rejected"


async def test_a_short_tool_card_is_one_page_and_a_yes_is_a_yes(terminal: Terminal) -> None:
    asking = asyncio.create_task(terminal.approver.ask(TOOL))
    shown = await terminal.shown_until("Enter for yes")
    assert "Page" not in shown
    terminal.type("y\n")
    assert (await asking).decision == "approved"


# --- prepared answers


def prepared(folder: Path, *lines: dict[str, str]) -> FileApprover:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return FileApprover(path)


async def test_a_file_answers_a_question_with_its_text(tmp_path: Path) -> None:
    approver = prepared(tmp_path, {"decision": "approve", "text": "March"}, {"decision": "reject"})
    said = [await approver.ask(QUESTION) for _ in range(2)]
    assert [(one.decision, one.text) for one in said] == [("approved", "March"), ("rejected", "")]


CALL = ApprovalCard(action="click", params={"selector": "#void"})


@pytest.mark.parametrize("card", [CALL, TOOL, ApprovalCard(purpose="step")])
async def test_lines_that_got_out_of_step_approve_nothing(
    tmp_path: Path, card: ApprovalCard
) -> None:
    approver = prepared(tmp_path, {"decision": "approve", "text": "March"}, {"decision": "approve"})
    first, second = await approver.ask(card), await approver.ask(QUESTION)
    assert (first.decision, second.decision) == ("rejected", "rejected")
    assert "order of the questions" in first.note
    fits = prepared(tmp_path, {"decision": "approve"})
    assert (await fits.ask(card)).decision == "approved"


@pytest.mark.parametrize(
    "line",
    [
        {"decision": "reject", "text": "x"}, {"decision": "timeout", "text": "x"},
        {"decision": "approve", "text": "x" * 2_001}, {"text": "x"},
    ],
)  # fmt: skip
def test_a_text_that_answers_nothing_is_refused_when_the_file_is_read(
    tmp_path: Path, line: dict[str, str]
) -> None:
    with pytest.raises(ApprovalFileError, match="Line 1 of"):
        prepared(tmp_path, line)
