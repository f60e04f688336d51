"""An MCP tool is called once, with its own approval where it may change something (invariant 2)."""

import asyncio
from typing import Any

import pytest

from actions.act import act
from actions.ask_person import ask_person
from actions.browser.link import BrowserLink
from actions.errors import ApprovalMissingError, NoAnswerError
from actions.mcp.errors import McpToolChangedError
from actions.ports import NoTools, Ports, ToolAnswer
from actions.use_tool import use_tool
from engine.pipe.envelope import UNSEALED, Envelope
from skills.registry import load_library
from states.digest import tool_digest_of
from states.events import Event
from states.fold import take_act_error, take_approval, take_response
from states.task import Context, Control, Record, Request
from states.wire import ConfirmRequest, ConfirmResponse, Mac, WireError
from tests.actions.desk import KEY, make_ports
from tests.actions.talk import CHANGED, READ_TOOL, SILENT, WRITE_TOOL, Desk

TRACE = "sgclaw-20261129-0123456789abcdef"
ARGUMENTS = {"text": "x"}
DIGEST = tool_digest_of(WRITE_TOOL, ARGUMENTS, TRACE)


def request(name: str = WRITE_TOOL, digest: str = "", by: str | None = None) -> Request:
    return Request(tool="mcp", action=name, params=ARGUMENTS, call_id="a", call_digest="c",
                   host_digest=digest, approved_by=by)  # fmt: skip


def stage(*answers: Any) -> tuple[Ports, Desk]:
    desk = Desk(*answers)
    return make_ports(desk=desk), desk


async def test_a_tool_that_reads_needs_nobody() -> None:
    ports, desk = stage(ToolAnswer("12:00"))
    payload = await act(Context(record=Record(request=request(READ_TOOL))), ports)
    assert desk.called == [(READ_TOOL, ARGUMENTS)]
    assert (payload["outcome"], payload["asked"]) == ("ok", "new")
    result = payload["record"]["result"]
    assert (result["success"], result["data"], result["error"]) == (True, {"text": "12:00"}, "")


@pytest.mark.parametrize(
    ("digest", "by"),
    [("", None), (DIGEST, None), (DIGEST, ""), ("", "anna"), ("d" * 64, "anna"),
     (tool_digest_of(WRITE_TOOL, {"text": "y"}, TRACE), "anna"),
     (tool_digest_of(READ_TOOL, ARGUMENTS, TRACE), "anna"),
     (tool_digest_of(WRITE_TOOL, ARGUMENTS, "another task"), "anna"),
     (DIGEST.upper(), "anna")],
)  # fmt: skip
async def test_without_the_approval_of_exactly_this_call_nothing_is_sent(
    digest: str, by: str | None
) -> None:
    ports, desk = stage()
    with pytest.raises(ApprovalMissingError):
        await use_tool(request(digest=digest, by=by), ports)
    assert desk.called == []
    await use_tool(request(digest=DIGEST, by="anna"), ports)
    assert desk.called == [(WRITE_TOOL, ARGUMENTS)]


async def test_a_tool_that_is_not_known_any_more_is_taken_for_one_that_writes() -> None:
    with pytest.raises(ApprovalMissingError):
        await use_tool(request("mcp__files__gone"), make_ports(desk=NoTools()))


async def test_no_usable_answer_leaves_the_outcome_unknown() -> None:
    ports, desk = stage(SILENT)
    with pytest.raises(NoAnswerError) as caught:
        await use_tool(request(digest=DIGEST, by="anna"), ports)
    assert caught.value.code == "tool_outcome_unknown"
    assert len(desk.called) == 1
    error = {"error": caught.value.code, "text": caught.value.text("en")}
    record = Record(request=request(digest=DIGEST, by="anna"), in_flight=True)
    after = take_act_error(Context(record=record), Event("e", error)).record
    assert (after.unknown, after.commands, after.in_flight) == (("c",), (), False)
    assert after.result is not None
    assert after.result.error == "tool_outcome_unknown"


@pytest.mark.parametrize("error", [OverflowError("too large"), ValueError("x" * 9_000), KeyError()])
async def test_whatever_breaks_in_a_call_leaves_the_outcome_unknown(error: Exception) -> None:
    ports, _ = stage(error)
    with pytest.raises(NoAnswerError) as caught:
        await use_tool(request(digest=DIGEST, by="anna"), ports)
    assert caught.value.code == "tool_outcome_unknown"
    assert type(error).__name__ in str(caught.value)
    assert len(str(caught.value)) < 600


async def test_an_abort_in_a_call_stays_one() -> None:
    ports, desk = stage(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await use_tool(request(digest=DIGEST, by="anna"), ports)
    assert len(desk.called) == 1


async def test_what_was_never_sent_is_not_unknown() -> None:
    ports, _ = stage(CHANGED)
    with pytest.raises(McpToolChangedError) as caught:
        await use_tool(request(digest=DIGEST, by="anna"), ports)
    error = Event("e", {"error": caught.value.code, "text": caught.value.text("en")})
    after = take_act_error(Context(record=Record(request=request())), error).record
    assert (after.unknown, after.commands) == ((), ())
    assert after.result is not None
    assert (after.result.success, after.result.error) == (False, "mcp_tool_changed")


async def test_the_tools_own_error_is_a_failed_step_and_no_data() -> None:
    ports, _ = stage(ToolAnswer("no such file", is_error=True))
    payload = await use_tool(request(READ_TOOL), ports)
    result = payload["record"]["result"]
    assert payload["outcome"] == "failed"
    assert (result["error"], result["message"], result["data"]) == (
        "tool_error", "no such file", {},
    )  # fmt: skip


async def test_a_tools_call_is_none_of_the_browsers_commands() -> None:
    ports, _ = stage()
    sent = request(READ_TOOL)
    payload = await use_tool(sent, ports)
    after = take_response(Context(record=Record(request=sent)), Event("e", payload)).record
    assert after.commands == ()
    assert after.result is not None
    assert after.result.success


async def test_the_same_call_with_another_answer_is_progress() -> None:
    ports, _ = stage(ToolAnswer("10 %"), ToolAnswer("10 %"), ToolAnswer("20 %"))
    marks = [
        (await use_tool(request(READ_TOOL), ports))["record"]["result"]["fingerprint"]
        for _ in range(3)
    ]
    assert marks[0] == marks[1] != marks[2]


async def test_a_manual_is_the_signed_header_and_calls_nobody() -> None:
    ports, desk = stage()
    wanted = Request(tool="use_skill", action="use_skill", params={"name": "erp-monthly-report"})
    result = (await act(Context(record=Record(request=wanted)), ports))["record"]["result"]
    header = load_library().get("erp-monthly-report").header
    for part in (header.description, header.version, *header.domains, *header.params):
        assert part in result["data"]["text"]
    assert desk.called == []


# --- the question about a tool


class Asking:
    """A question whose host gives *answer*."""

    def __init__(self, answer: ConfirmResponse, asked: Request | None = None) -> None:
        self.sent: list[ConfirmRequest] = []
        link: BrowserLink

        def send(message: Any) -> None:
            self.sent.append(message)
            link.deliver(answer)

        link = BrowserLink(send, Envelope(KEY, "session-1", "agent>host"))
        self.ports = make_ports(link=link, desk=Desk())
        is_own = asked is not None and asked.tool == "ask_person"
        control = Control(asking="question" if is_own else "call")
        self.context = Context(control, Record(request=asked or request()))

    async def ask(self) -> dict[str, Any]:
        return await ask_person(self.context, self.ports)


def says(decision: Any, digest: str = DIGEST, **more: Any) -> ConfirmResponse:
    return ConfirmResponse(seq=1, digest=digest, decision=decision, security=Mac(hmac=UNSEALED),
                           **more)  # fmt: skip


async def test_the_person_is_asked_about_the_tool_and_its_arguments() -> None:
    asking = Asking(says("approved", approved_by="anna"))
    payload = await asking.ask()
    [sent] = asking.sent
    assert (sent.purpose, sent.action, sent.params, sent.digest) == (
        "tool", WRITE_TOOL, ARGUMENTS, DIGEST,
    )  # fmt: skip
    assert (sent.also, sent.question, sent.options) == ((), "", ())
    assert payload["decision"] == "approved"
    # The yes that came is the one that lets exactly this call pass.
    approved = take_approval(asking.context, Event("e", payload)).record.request
    await use_tool(approved, asking.ports)


@pytest.mark.parametrize("decision", ["approved", "rejected"])
@pytest.mark.parametrize("digest", ["", "d" * 64])
async def test_a_decision_about_something_else_is_none(decision: str, digest: str) -> None:
    with pytest.raises(NoAnswerError):
        await Asking(says(decision, digest)).ask()
    assert (await Asking(says(decision)).ask())["decision"] == decision


async def test_a_question_that_could_not_be_put_is_unresolved() -> None:
    error = WireError(code="tool_not_in_init", message="m")
    payload = await Asking(says("rejected", "", error=error)).ask()
    assert (payload["decision"], payload["record"]["error"]) == ("unresolved", "tool_not_in_init")


QUESTION = Request(tool="ask_person", action="ask_person", call_id="a",
                   params={"question": "Which month?", "options": ["5", "6"]})  # fmt: skip


async def test_the_models_own_question_goes_out_and_the_persons_words_come_back() -> None:
    asking = Asking(says("approved", "", text="June", approved_by="anna"), QUESTION)
    payload = await asking.ask()
    [sent] = asking.sent
    assert (sent.purpose, sent.question, sent.options) == ("question", "Which month?", ("5", "6"))
    assert (sent.action, sent.params, sent.digest) == ("", {}, "")
    assert "June" in payload["record"]["note"]
    silent = await Asking(says("rejected", "", text="June"), QUESTION).ask()
    assert "June" not in silent["record"]["note"]
