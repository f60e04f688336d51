"""What is asked about no page: a tool's call and a question of the model, of an agent that lies."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from browser.host.approver import ApprovalCard, Decision
from browser.host.plain_answers import NO_MAC
from browser.host.task_memory import NoJournal, TaskMemory
from browser.host.tool_question import answer_of
from states.digest import tool_digest_of
from states.errors import SgclawError
from states.mcp import McpServer, McpTool, full_name
from states.settings import McpLimits, Settings, TaskLimits
from states.wire import (
    ANSWER_CHARS_MAX,
    CommandSecurity,
    ConfirmRequest,
    ConfirmResponse,
    ListedCall,
)
from tests.browser.host.host_stage import Stage
from tests.browser.host.scripted_agent import DOMAIN, ScriptedAgent

TOOL = "mcp__erp-tools__delete_invoice"
SERVER = McpServer(
    name="erp-tools",
    command=("erp-tools",),
    tools=(
        McpTool(name="delete_invoice", input_schema={"type": "object"}, pin="0" * 64),
        McpTool(name="odd.delete", input_schema={"type": "object"}, pin="0" * 64),
    ),
)


class Person:
    """Answers in order and keeps the cards; at the end the person is silent."""

    def __init__(self, *answers: Decision | str) -> None:
        self.answers = [Decision(a, "ann") if isinstance(a, str) else a for a in answers]  # type: ignore[arg-type]
        self.cards: list[ApprovalCard] = []

    async def ask(self, card: ApprovalCard) -> Decision:
        self.cards.append(card)
        if not self.answers:
            await asyncio.sleep(30)
        return self.answers.pop(0)


def staged(*answers: Decision | str, task: TaskLimits | None = None) -> Stage:
    """Return a host with an approved tool, and a person who gives *answers*."""
    stage = Stage(task=task)
    stage.person = Person(*answers)  # type: ignore[assignment]
    stage.init = stage.init.model_copy(update={"mcp": (SERVER,)})
    stage.host = stage.new_host()
    return stage


async def asked(agent: ScriptedAgent, purpose: str, **said: Any) -> ConfirmResponse:
    """Return what the host answers to a question of *purpose*."""
    return await agent.ask_of(purpose, **said)


def code(answer: ConfirmResponse) -> str:
    return answer.error.code if answer.error else ""


def yes(text: str) -> Decision:
    return Decision("approved", "ann", text=text)


def person(stage: Stage) -> Person:
    assert isinstance(stage.person, Person)
    return stage.person


# --- a tool


async def test_a_yes_to_a_tool_is_for_this_call_by_the_hosts_own_digest() -> None:
    stage = staged("approved")
    async with stage.playing() as agent:
        answer = await asked(agent, "tool", action=TOOL, params={"id": "FP1"})
        await agent.complete()
    own = tool_digest_of(TOOL, {"id": "FP1"}, stage.init.trace_id)
    assert (answer.decision, answer.approved_by, answer.digest) == ("approved", "ann", own)
    [card] = person(stage).cards
    assert (card.purpose, card.action, card.tool) == ("tool", TOOL, "delete_invoice")
    assert (card.params, card.digest) == ({"id": "FP1"}, own)


async def test_each_call_of_a_tool_is_asked_anew_and_said_to_be_asked_again() -> None:
    stage = staged("approved", "approved")
    async with stage.playing() as agent:
        for _ in range(2):
            assert (await asked(agent, "tool", action=TOOL, params={})).decision == "approved"
        await agent.complete()
    assert [bool(card.reason) for card in person(stage).cards] == [False, True]


async def test_a_no_to_a_tool_is_remembered_and_another_call_is_asked() -> None:
    stage = staged("rejected", "approved")
    async with stage.playing() as agent:
        for _ in range(2):
            answer = await asked(agent, "tool", action=TOOL, params={"id": 1, "b": 2})
            assert (answer.decision, answer.approved_by) == ("rejected", "")
        again = await asked(agent, "tool", action=TOOL, params={"b": 2, "id": 1})
        assert again.decision == "rejected"
        assert (await asked(agent, "tool", action=TOOL, params={"id": 2})).decision == "approved"
        await agent.complete()
    assert len(person(stage).cards) == 2


async def test_a_digest_of_something_else_asks_nobody() -> None:
    stage = staged("approved")
    other = tool_digest_of(TOOL, {"id": "harmless"}, stage.init.trace_id)
    async with stage.playing() as agent:
        answer = await asked(agent, "tool", action=TOOL, params={"id": "FP1"}, digest=other)
        assert (answer.decision, code(answer)) == ("rejected", "tool_digest_differs")
        assert person(stage).cards == []
        own = tool_digest_of(TOOL, {"id": "FP1"}, stage.init.trace_id)
        same = await asked(agent, "tool", action=TOOL, params={"id": "FP1"}, digest=own)
        assert same.decision == "approved"
        await agent.complete()


@pytest.mark.parametrize("name", ["mcp__erp-tools__other", "mcp__elsewhere__delete_invoice"])
async def test_a_tool_that_nobody_approved_is_not_asked_about(name: str) -> None:
    stage = staged("approved")
    async with stage.playing() as agent:
        answer = await asked(agent, "tool", action=name, params={})
        assert (answer.decision, code(answer)) == ("rejected", "tool_not_in_init")
        await agent.complete()
    assert person(stage).cards == []


async def test_the_card_has_the_name_that_the_tool_has_at_its_server() -> None:
    stage = staged("rejected")
    odd = SERVER.tools[1].name
    async with stage.playing() as agent:
        await asked(agent, "tool", action=full_name("erp-tools", odd), params={})
        await agent.complete()
    assert person(stage).cards[0].tool == odd


async def test_arguments_that_nobody_would_read_are_not_asked_about() -> None:
    stage = staged("approved")
    stage.settings = Settings(mcp=McpLimits(arguments_chars_max=50))
    stage.host = stage.new_host()
    async with stage.playing() as agent:
        long = await asked(agent, "tool", action=TOOL, params={"text": "x" * 50})
        assert (long.decision, code(long)) == ("rejected", "tool_arguments_long")
        # Characters, as the agent counts them: it would be 128 bytes.
        short = await asked(agent, "tool", action=TOOL, params={"text": "额" * 39})
        assert short.decision == "approved"
        await agent.complete()


async def test_an_approved_tool_takes_every_approval_of_a_command_back() -> None:
    stage = staged("approved", "approved")
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "approved"
        await asked(agent, "tool", action=TOOL, params={})
        assert (await agent.do("click", selector="#void")).type == "confirmation_required"
        await agent.complete()


# --- a question


async def test_the_person_answers_the_model_in_their_own_words() -> None:
    stage = staged(yes("  the March one "))
    async with stage.playing() as agent:
        answer = await asked(agent, "question", question="Which?", options=("A", "B"))
        await agent.complete()
    assert (answer.decision, answer.text, answer.digest) == ("approved", "the March one", "")
    [card] = person(stage).cards
    assert (card.purpose, card.question, card.options) == ("question", "Which?", ("A", "B"))


@pytest.mark.parametrize(
    "said", [yes(""), yes(" \n\u200b\x1b"), Decision("rejected", "ann", text="x")]
)
async def test_who_says_nothing_or_no_has_not_answered(said: Decision) -> None:
    stage = staged(said)
    async with stage.playing() as agent:
        answer = await asked(agent, "question", question="Which?")
        await agent.complete()
    assert (answer.decision, answer.text, answer.approved_by) == ("rejected", "", "")


async def test_silence_is_expired() -> None:
    stage = staged(task=TaskLimits(approval_seconds=0.01))
    async with stage.playing() as agent:
        assert (await asked(agent, "question", question="Which?")).decision == "expired"
        tool = await asked(agent, "tool", action=TOOL, params={})
        assert (tool.decision, tool.approved_by) == ("expired", "")
        await agent.complete()


def test_an_answer_is_one_bounded_line_of_plain_text() -> None:
    assert answer_of("a\r\nb\tc\u202e\u200b\x1b[2J\ud800") == "a b c[2J"
    assert len(answer_of("x" * 9_000)) == ANSWER_CHARS_MAX
    assert answer_of("发票 FP-1 😀") == "发票 FP-1 😀"


async def test_an_answer_approves_nothing() -> None:
    stage = staged(yes("yes"))
    async with stage.playing() as agent:
        await asked(agent, "question", question="May I click #void?")
        assert (await agent.do("click", selector="#void")).type == "confirmation_required"
        await agent.complete()


# --- how often, and in what shape


async def test_all_kinds_of_questions_share_one_count() -> None:
    stage = staged(yes("a"), "approved", task=TaskLimits(questions_max=2))
    async with stage.playing() as agent:
        await asked(agent, "question", question="Which?")
        await asked(agent, "tool", action=TOOL, params={})
        for purpose, said in (
            ("question", {"question": "Which?"}), ("tool", {"action": TOOL, "params": {"a": 1}})
        ):  # fmt: skip
            answer = await asked(agent, purpose, **said)
            assert (answer.decision, code(answer)) == ("rejected", "questions_spent")
        await agent.complete()
    assert len(person(stage).cards) == 2


LISTED = (ListedCall(action="click", params={"selector": "#a"}, expected_domain=DOMAIN),)


@pytest.mark.parametrize(
    ("purpose", "said"),
    [
        ("question", {"question": ""}),
        ("question", {"question": " \n"}),
        ("question", {"question": "x", "action": "click"}),
        ("question", {"question": "x", "params": {"a": 1}}),
        ("question", {"question": "x", "digest": "0" * 64}),
        ("question", {"question": "x", "also": LISTED}),
        ("tool", {"action": "click", "params": {"selector": "#a"}}),
        ("tool", {"action": ""}),
        ("tool", {"action": "mcp__a__" + "x" * 65}),
        ("tool", {"action": "mcp__a__b\n"}),
        ("tool", {"action": "mcp__A__b"}),
        ("tool", {"action": TOOL, "question": "harmless?"}),
        ("tool", {"action": TOOL, "options": ("a",)}),
        ("tool", {"action": TOOL, "also": LISTED}),
        ("call", {"action": "click", "params": {"selector": "#a"}, "question": "harmless?"}),
        ("call", {"action": "click", "params": {"selector": "#a"}, "options": ("a",)}),
        ("step", {"question": "harmless?"}),
    ],
)
async def test_a_question_that_is_half_of_another_kind_is_refused(
    purpose: str, said: dict[str, Any]
) -> None:
    stage = staged("approved")
    async with stage.playing() as agent:
        answer = await asked(agent, purpose, **said)
        assert (answer.decision, code(answer)) == ("rejected", "question_unfit")
        await agent.complete()
    assert person(stage).cards == []


async def test_a_yes_to_a_tool_that_cannot_be_written_down_is_none() -> None:
    class FullDisk:
        def append(self, row: Any, *, durable: bool) -> None:
            if row["kind"] == "tool_approved":
                raise SgclawError("ledger_unwritable", path="journal", why="full")

    stage = staged("approved")
    stage.memory = TaskMemory(stage.settings.task, stage.clock, FullDisk())
    async with stage.playing() as agent:
        answer = await asked(agent, "tool", action=TOOL, params={})
        assert (answer.decision, answer.approved_by) == ("rejected", "")
        assert code(answer) == "ledger_unwritable"
        await agent.complete()


async def test_a_new_host_knows_what_was_said_to_a_tool() -> None:
    rows = [
        {"kind": "tool_approved", "digest": "a" * 64},
        {"kind": "rejected", "digest": "b" * 64, "mark": "b" * 64},
    ]
    memory = TaskMemory(TaskLimits(), lambda: 0.0, NoJournal())
    memory.restore(rows)
    assert memory.tool_approved_before("a" * 64)
    assert not memory.tool_approved_before("b" * 64)


def test_the_models_are_strict_about_length() -> None:
    security = CommandSecurity(expected_domain=DOMAIN, hmac=NO_MAC.hmac)
    for wrong in ({"question": "x" * 501}, {"options": ("a",) * 9}, {"options": ("x" * 201,)}):
        with pytest.raises(ValidationError):
            ConfirmRequest(seq=1, purpose="question", security=security, **wrong)
