"""What one request asks for, and where its cache marks stand (R2, R3)."""

from typing import Any

import pytest

from actions.llm.claude_request import request_of
from prompts.prompt import Prompt, ToolDefinition
from states.messages import Message, ToolCall
from states.settings import ModelLimits
from tests.actions.llm.claude.lab import KEY, PROMPT, TOOL, claude_at, reply, text
from tests.support.byte_server import claude_frames, stream

MARK = {"cache_control": {"type": "ephemeral"}}
OTHER = ToolDefinition("finish", "End.", {"type": "object", "properties": {}})
CALL = ToolCall(id="toolu_1", name="browser_action", input={"action": "click"})
HI = stream(claude_frames(*reply(text(0, "Hi"))))


def rounds(count: int) -> tuple[Message, ...]:
    """Return a conversation of *count* calls with their results."""
    said: list[Message] = [Message(role="user", text="Pay")]
    for number in range(count):
        call = CALL.model_copy(update={"id": f"toolu_{number}"})
        said.append(Message(role="assistant", tool_calls=(call,)))
        said.append(Message(role="tool", text="ok", call_id=call.id))
    return tuple(said)


def body_of(prompt: Prompt, **limits: Any) -> dict[str, Any]:
    return request_of(prompt, "claude-test-1", ModelLimits(**limits)).body


def test_a_request_asks_for_one_call_at_most() -> None:
    body = body_of(PROMPT._replace(tools=(OTHER, TOOL)))
    assert body == {
        "model": "claude-test-1",
        "max_tokens": 4_096,
        "system": [{"type": "text", "text": "You act in pages.", **MARK}],
        "tools": [
            {"name": "finish", "description": "End.", "input_schema": OTHER.schema},
            {
                "name": "browser_action",
                "description": "Act in the page.",
                "input_schema": {"type": "object"},
                **MARK,
            },
        ],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Pay 3000", **MARK}]}],
    }


def test_what_there_is_none_of_is_not_sent() -> None:
    body = body_of(Prompt("", (), PROMPT.messages))
    assert set(body) == {"model", "max_tokens", "messages"}


def marks(value: Any) -> int:
    """Return how many cache marks *value* holds."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    here = isinstance(value, dict) and "cache_control" in value
    return here + sum(map(marks, inner))


@pytest.mark.parametrize(("count", "expected"), [(0, 3), (1, 4), (5, 4), (30, 4)])
def test_no_request_holds_more_than_four_marks(count: int, expected: int) -> None:
    body = body_of(PROMPT._replace(messages=rounds(count)))
    assert marks(body) == expected
    assert "cache_control" in body["messages"][-1]["content"][-1]


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(item) for key, item in value.items() if key != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value


def test_the_next_request_begins_with_the_last_one_but_for_its_marks() -> None:
    before = body_of(PROMPT._replace(messages=rounds(3)))
    after = body_of(PROMPT._replace(messages=rounds(4)))
    shared = len(before["messages"])
    assert without_marks(after["messages"][:shared]) == without_marks(before["messages"])
    assert (after["system"], after["tools"]) == (before["system"], before["tools"])
    # What the last request wrote into the cache is where this one looks for it.
    assert after["messages"][shared - 1] == before["messages"][-1]


@pytest.mark.parametrize(
    ("mode", "expected", "tokens"),
    [
        ("off", None, 4_096),
        ("adaptive", {"type": "adaptive"}, 6_144),
        ("enabled", {"type": "enabled", "budget_tokens": 2_048}, 6_144),
    ],
)
def test_reasoning_is_granted_on_top_of_the_output(mode: str, expected: Any, tokens: int) -> None:
    body = body_of(PROMPT, thinking=mode)
    assert (body.get("thinking"), body["max_tokens"]) == (expected, tokens)


@pytest.mark.parametrize(("mode", "expected"), [("enabled", "disabled"), ("adaptive", "adaptive")])
def test_a_budget_of_reasoning_is_not_asked_for_where_earlier_reasoning_is_lost(
    mode: str, expected: str
) -> None:
    body = body_of(PROMPT._replace(messages=rounds(1)), thinking=mode)
    assert body["thinking"]["type"] == expected


async def test_the_sdk_sends_the_request_as_it_is_to_the_given_address() -> None:
    async with claude_at(HI) as lab:
        await lab.turn()
        assert lab.server.requests[0].line == "POST /v1/messages HTTP/1.1"
        assert lab.body == {**body_of(PROMPT), "stream": True}


async def test_the_key_goes_out_in_one_header_only() -> None:
    for kind, name, value in (
        ("bearer", "authorization", f"Bearer {KEY}"),
        ("x-api-key", "x-api-key", KEY),
    ):
        async with claude_at(HI, limits=ModelLimits.model_validate({"key_header": kind})) as lab:
            await lab.turn()
            request = lab.server.requests[0]
        holding = [pair for pair in request.header_lines if KEY in pair[1]]
        assert (holding, KEY.encode() in request.body) == ([(name, value)], False)


@pytest.mark.parametrize("version", ["2023-06-01", ""])
async def test_the_version_of_the_api_is_the_set_one_or_the_sdks_own(version: str) -> None:
    async with claude_at(HI, limits=ModelLimits(anthropic_version=version)) as lab:
        await lab.turn()
        sent = lab.server.requests[0].headers["anthropic-version"]
    assert sent == version if version else sent > "2023-06-01"
