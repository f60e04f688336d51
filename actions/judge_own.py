"""Judge the calls that need no page: a skill's manual, a question, the end, an MCP tool (R5, R6).

They are judged like a browser's command: shape and parameters first, then what it takes.
"""

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from actions.judged import Judged, Remembered, digest_of_call, invalid, with_refusal
from actions.ports import Ports
from guards.output import claims_action
from skills.errors import SkillError
from states.messages import ToolCall
from states.policy import Effect
from states.secrets import REDACTED
from states.task import Request
from states.verdict import ALLOWED, refused
from states.wire import OPTIONS_MAX, QUESTION_CHARS_MAX, Option

_CITATIONS_MAX = 50


class ManualCall(BaseModel):
    """`use_skill`: the whole manual of one skill."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: str


class QuestionCall(BaseModel):
    """`ask_person`: what only the person knows."""

    model_config = ConfigDict(extra="forbid")
    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=QUESTION_CHARS_MAX)
    ]
    options: Annotated[tuple[Option, ...], Field(max_length=OPTIONS_MAX)] = ()


class FinishCall(BaseModel):
    """`finish`: the summary, and the numbers of the steps that prove it."""

    model_config = ConfigDict(extra="forbid")
    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    citations: Annotated[tuple[int, ...], Field(max_length=_CITATIONS_MAX)] = ()


def judge_manual(call: ToolCall, ports: Ports) -> Judged:
    """Judge `use_skill`: it reads, and only what is signed."""
    wanted = ManualCall.model_validate(call.input)
    try:
        ports.library.get(wanted.name)
    except SkillError as error:
        return invalid(refused(error.code, **error.facts), call.id)
    request = Request(
        tool="use_skill",
        call_id=call.id,
        action="use_skill",
        params=wanted.model_dump(),
        call_digest=digest_of_call({"manual": wanted.name}),
    )
    return Judged("tool", Effect.READ, request, ALLOWED)


def judge_question(call: ToolCall) -> Judged:
    """Judge `ask_person`; the chart asks the person and no policy need agree."""
    wanted = QuestionCall.model_validate(call.input)
    request = Request(
        tool="ask_person",
        call_id=call.id,
        action="ask_person",
        params=wanted.model_dump(mode="json"),
        call_digest=digest_of_call({"question": wanted.question}),
    )
    return Judged("question", Effect.READ, request, ALLOWED)


def judge_finish(call: ToolCall, remembered: Remembered) -> Judged:
    """Judge `finish`: it is the final text, and what it cites must have succeeded."""
    wanted = FinishCall.model_validate(call.input)
    unproven = [number for number in wanted.citations if number not in remembered.proven]
    if unproven:
        cited = ", ".join(map(str, unproven))
        known = ", ".join(map(str, sorted(remembered.proven))) or "-"
        return invalid(refused("citations_unproven", cited=cited, known=known), call.id)
    request = Request(tool="finish", call_id=call.id)
    return Judged(
        "text",
        Effect.READ,
        request,
        ALLOWED,
        claims=claims_action(wanted.summary),
        answer=wanted.summary,
        citations=wanted.citations,
    )


def judge_tool(call: ToolCall, ports: Ports) -> Judged:
    """Judge a call of an MCP tool: it changes something unless a person said that it reads."""
    tool = ports.mcp_tools[call.name]
    arguments: Any = call.input
    why = ports.desk.why_not(call.name, arguments)
    if why:
        return invalid(refused("tool_input", tool=call.name, why=why), call.id)
    if REDACTED in json.dumps(arguments, ensure_ascii=False, default=str):
        return invalid(refused("call_struck", action=call.name), call.id)
    request = Request(
        tool="mcp",
        call_id=call.id,
        action=call.name,
        params=arguments,
        call_digest=digest_of_call({"tool": call.name, "arguments": arguments}),
    )
    if tool.read_only:
        return Judged("tool", Effect.READ, request, ALLOWED)
    verdict = refused("tool_asks", tool=call.name)
    return Judged("tool", Effect.CONFIRM, with_refusal(request, verdict), verdict)
