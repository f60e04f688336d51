"""The calls that need no page: a manual, a question, the end with its proofs, an MCP tool."""

from typing import Any

import pytest

from actions.judge import judge_call
from actions.judged import Judged, Remembered
from states.digest import tool_digest_of
from states.fold import rejected_mark
from states.policy import Effect
from states.wire import OPTIONS_MAX, QUESTION_CHARS_MAX
from tests.actions.desk import make_ports
from tests.actions.talk import READ_TOOL, WRITE_TOOL, Desk, call

NOTHING, PROVEN = Remembered(), Remembered(proven=(1, 3))


def judge(name: str, document: Any, remembered: Remembered = NOTHING) -> Judged:
    return judge_call(call(name, document), make_ports(desk=Desk()), remembered)


@pytest.mark.parametrize("citations", [[1], [3], [1, 3], [3, 3], []])
def test_an_end_may_cite_the_steps_that_succeeded(citations: list[int]) -> None:
    judged = judge("finish", {"summary": " Void. ", "citations": citations}, PROVEN)
    assert (judged.reply, judged.answer, judged.citations) == ("text", "Void.", tuple(citations))
    record = judged.payload(make_ports())["record"]
    assert (record["answer"], record["citations"]) == ("Void.", citations)


@pytest.mark.parametrize("citations", [[2], [4], [0], [-1], [1, 2], [10**9]])
def test_an_end_that_cites_what_failed_or_never_was_is_refused(citations: list[int]) -> None:
    judged = judge("finish", {"summary": "Void.", "citations": citations}, PROVEN)
    assert (judged.reply, judged.verdict.reason) == ("invalid", "citations_unproven")
    assert (judged.answer, judged.request.call_id) == (None, "a")
    told = judged.payload(make_ports())["record"]
    assert "answer" not in told
    assert "1, 3" in told["note"]
    everything = Remembered(proven=citations)
    assert judge("finish", {"summary": "Void.", "citations": citations}, everything).reply == "text"


def test_with_nothing_proven_nothing_can_be_cited() -> None:
    assert judge("finish", {"summary": "s", "citations": [1]}).reply == "invalid"
    assert judge("finish", {"summary": "s"}).reply == "text"


@pytest.mark.parametrize(
    ("summary", "claims"),
    [("The report was exported.", True), ("已提交", True), ("Which month?", False)],
)
def test_an_end_that_claims_an_action_says_so_to_the_critic(summary: str, *, claims: bool) -> None:
    assert judge("finish", {"summary": summary}).claims is claims


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("finish", {}),
        ("finish", {"summary": ""}),
        ("finish", {"summary": "  "}),
        ("finish", {"summary": "s", "citations": ["one"]}),
        ("finish", {"summary": "s", "citations": list(range(51))}),
        ("finish", {"summary": "s", "state": "completed"}),
        ("ask_person", {}),
        ("ask_person", {"question": " "}),
        ("ask_person", {"question": "q" * (QUESTION_CHARS_MAX + 1)}),
        ("ask_person", {"question": "q", "options": ["x"] * (OPTIONS_MAX + 1)}),
        ("ask_person", {"question": "q", "options": [""]}),
        ("ask_person", {"question": "q", "options": ["x" * 201]}),
        ("ask_person", {"question": "q", "digest": "d"}),
        ("use_skill", {}),
        ("use_skill", {"name": 5}),
        ("use_skill", {"name": "erp-monthly-report", "params": {}}),
        ("use_skill", None),
        (READ_TOOL, None),
        (READ_TOOL, "text"),
        (READ_TOOL, [1]),
        (WRITE_TOOL, {"text": 5}),
    ],
)
def test_what_does_not_fit_is_invalid_and_says_why(name: str, document: Any) -> None:
    judged = judge(name, document)
    assert (judged.reply, judged.verdict.reason) == ("invalid", "tool_input")
    assert judged.request.call_id == "a"
    assert len(judged.payload(make_ports())["record"]["note"]) > 20


def test_a_question_is_asked_as_it_was_put_within_its_bounds() -> None:
    most = {"question": "q" * QUESTION_CHARS_MAX, "options": ["x" * 200] * OPTIONS_MAX}
    judged = judge("ask_person", most)
    assert (judged.reply, judged.effect) == ("question", Effect.READ)
    assert judged.request.params == most
    bare = judge("ask_person", {"question": " which? "}).request
    assert bare.params == {"question": "which?", "options": []}


def test_a_manual_is_read_of_a_skill_that_there_is() -> None:
    judged = judge("use_skill", {"name": "erp-monthly-report"})
    assert (judged.reply, judged.effect) == ("tool", Effect.READ)
    assert (judged.request.tool, judged.request.action) == ("use_skill", "use_skill")
    gone = judge("use_skill", {"name": "none"})
    assert (gone.reply, gone.verdict.reason) == ("invalid", "skill_unknown")


def test_a_tool_asks_a_person_unless_a_person_said_that_it_reads() -> None:
    read = judge(READ_TOOL, {"text": "x"})
    assert (read.reply, read.effect, read.request.refusal) == ("tool", Effect.READ, None)
    write = judge(WRITE_TOOL, {"text": "x"})
    assert (write.reply, write.effect) == ("tool", Effect.CONFIRM)
    assert write.request.refusal is not None
    assert write.request.refusal.reason == "tool_asks"
    assert (write.request.action, write.request.params) == (WRITE_TOOL, {"text": "x"})
    # Nothing of a model's call is an approval.
    assert (write.request.host_digest, write.request.approved_by) == ("", None)


def test_what_the_person_refused_of_a_tool_is_not_asked_again() -> None:
    first = judge(WRITE_TOOL, {"text": "x"})
    no = Remembered(rejected={rejected_mark(first.request.call_digest, "d1")})
    again = judge(WRITE_TOOL, {"text": "x"}, no)
    assert (again.effect, again.verdict.reason) == (Effect.DENY, "rejected_before")
    assert judge(WRITE_TOOL, {"text": "y"}, no).effect is Effect.CONFIRM


def test_a_struck_secret_is_given_to_no_tool() -> None:
    struck = judge(WRITE_TOOL, {"text": "x", "deep": [{"key": "is [redacted]"}]})
    assert (struck.reply, struck.verdict.reason) == ("invalid", "call_struck")
    assert judge(WRITE_TOOL, {"text": "x", "deep": [{"key": "is redacted"}]}).reply == "tool"


def test_each_call_of_a_tool_has_a_digest_of_its_own() -> None:
    digests = {
        tool_digest_of(name, arguments, trace)
        for name in (READ_TOOL, WRITE_TOOL)
        for arguments in ({}, {"text": "x"}, {"text": "y"}, {"text": "x", "b": 1})
        for trace in ("t1", "t2")
    }
    assert len(digests) == 16
    assert tool_digest_of("t", {"a": 1, "b": 2}, "t") == tool_digest_of("t", {"b": 2, "a": 1}, "t")
