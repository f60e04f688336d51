"""Questions that are about no page: one call of an MCP tool, and what only the person knows (R6).

The rule: the tool must be one that was approved in this host's own init line and not as one that
only reads; the host computes the digest itself, and one yes is for one call.
"""

import re
from collections.abc import Iterable

from browser.host.approvals import Subject
from browser.host.approver import ApprovalCard
from browser.host.errors import CommandError
from states.canonical import canonical_bytes
from states.digest import tool_digest_of
from states.mcp import McpServer, find_tool
from states.settings import McpLimits
from states.wire import ANSWER_CHARS_MAX, ConfirmRequest

NAME = re.compile(r"mcp__([a-z][a-z0-9-]{0,30})__([A-Za-z0-9_-]{1,64})")
_BLANK = re.compile(r"\s+")


def split_name(name: str) -> tuple[str, str]:
    """Return server and tool of the full name *name*, ("", name) when it is none."""
    found = NAME.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def tool_subject(request: ConfirmRequest, trace_id: str, limits: McpLimits) -> Subject:
    """Return what a decision about the call in *request* is bound to.

    Raises:
        CommandError: its arguments cannot be put to a person.
    """
    try:
        # Characters, as the agent counts them before it asks (`actions.mcp.schema`).
        length = len(canonical_bytes(request.params).decode())
        digest = tool_digest_of(request.action, request.params, trace_id)
    except ValueError as error:
        raise CommandError("tool_arguments_unfit", tool=request.action) from error
    if length > limits.arguments_chars_max:
        raise CommandError(
            "tool_arguments_long",
            tool=request.action,
            chars=length,
            chars_max=limits.arguments_chars_max,
        )
    return Subject(digest, digest)


def own_name(servers: Iterable[McpServer], name: str) -> str:
    """Return the name that the tool *name* has at its server.

    Raises:
        CommandError: no person approved such a tool, so there is nothing to ask about.
    """
    found = find_tool(servers, name)
    if found is None:
        raise CommandError("tool_not_in_init", tool=name)
    return found[1].name


def answer_of(text: str) -> str:
    """Return what a person answered as the model is told it: one bounded line of plain text.

    Left out is what shows nothing, or turns text around.
    """
    line = _BLANK.sub(" ", text)
    return "".join(char for char in line if char.isprintable()).strip()[:ANSWER_CHARS_MAX]


def question_card(request: ConfirmRequest, trace_id: str, seconds: float) -> ApprovalCard:
    """Return the card of a question of the model."""
    return ApprovalCard(
        purpose="question",
        trace_id=trace_id,
        question=request.question,
        options=request.options,
        seconds=seconds,
    )
