"""The body of one request to the Messages API: what is asked, how much, with what in the cache."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from actions.llm.claude_messages import api_messages
from actions.llm.claude_replay import Replay, head_of, reasoning_is_lost
from prompts.prompt import Prompt, ToolDefinition
from states.settings import ModelLimits

_CACHED = {"type": "ephemeral"}
# The API takes four marks: one behind the tools, one behind the system text, and these.
_MARKED_MESSAGES_MAX = 2


class ClaudeRequest(NamedTuple):
    """The *body* as it goes, and what a reply to it keeps: *replay* over the plain *messages*."""

    body: dict[str, Any]
    messages: list[dict[str, Any]]
    replay: Replay


def request_of(prompt: Prompt, model: str, limits: ModelLimits) -> ClaudeRequest:
    """Return the request that *prompt* comes to."""
    budgeted = limits.thinking == "enabled"
    thinks = not (budgeted and reasoning_is_lost(prompt.messages))
    replay = Replay(head_of(prompt, model), bound=not budgeted, thinks=thinks)
    messages = api_messages(prompt.messages, replay, prompt.picture)
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": prompt.output_tokens_max,
        "messages": _marked_messages(messages),
    }
    if prompt.system:
        body["system"] = [{"type": "text", "text": prompt.system, "cache_control": _CACHED}]
    if prompt.tools:
        body["tools"] = _tools(prompt.tools)
        body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
    body |= _thinking(limits, prompt.output_tokens_max, thinks=thinks)
    return ClaudeRequest(body, messages, replay)


def _thinking(limits: ModelLimits, output_tokens: int, *, thinks: bool) -> dict[str, Any]:
    """Return how the model may reason; its reasoning counts as output and is granted on top."""
    if limits.thinking == "off":
        return {}
    if not thinks:
        return {"thinking": {"type": "disabled"}}
    granted = {"max_tokens": output_tokens + limits.thinking_tokens}
    if limits.thinking == "adaptive":
        return granted | {"thinking": {"type": "adaptive"}}
    budget = {"type": "enabled", "budget_tokens": limits.thinking_tokens}
    return granted | {"thinking": budget}


def _tools(tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in tools
    ]
    made[-1]["cache_control"] = _CACHED
    return made


def _marked_messages(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *messages* with a cache mark at the end of the last ones of the user.

    The last one is what the next request reads up to; the one before it is marked too, because
    the last may hold a picture that the next request no longer has.
    """
    asked = [at for at, message in enumerate(messages) if message["role"] == "user"]
    marked = list(messages)
    for at in asked[-_MARKED_MESSAGES_MAX:]:
        *content, last = messages[at]["content"]
        marked[at] = {**messages[at], "content": [*content, {**last, "cache_control": _CACHED}]}
    return marked
