"""A whole stream becomes one turn, however it is cut into pieces and whatever stands between."""

import json
from typing import Any

import pytest

from actions.llm.chunks import CallNamed, Said, Thought, nobody
from actions.llm.claude_accumulate import ClaudeReply
from actions.llm.counts import TOKENS_MAX
from actions.llm.status_errors import Words
from states.messages import Message, ModelTurn, ToolCall, Usage
from tests.actions.llm.claude.lab import (
    PROMPT,
    claude_at,
    heard_of,
    reply,
    text,
    thought,
    tool,
    turn_of,
)
from tests.support.byte_server import (
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    data_frames,
    stream,
)

CALL = ToolCall(id="toolu_1", name="browser_action", input={"action": "click", "n": 3000})
PIECES = ('{"action":', ' "click", "n"', ": 30", "00}")
REPLY = reply(thought(0, "先看，再点"), text(1, "I click ", "导出。"), tool(2, *PIECES))


@pytest.mark.parametrize("size", [1, 7, 0])
async def test_a_stream_in_pieces_of_any_size_becomes_the_same_turn(size: int) -> None:
    turn = await turn_of(*REPLY, size=size)
    assert (turn.thinking, turn.text) == ("先看，再点", "I click 导出。")
    assert (turn.tool_calls, turn.stop, turn.family) == ((CALL,), "done", "claude")


async def test_pieces_are_told_as_they_come() -> None:
    assert await heard_of(*REPLY) == [
        Thought("先看，再点"),
        Said("I click "),
        Said("导出。"),
        CallNamed("browser_action"),
    ]


REST = [*tool(1, *PIECES), *claude_end("tool_use")]
UNKNOWN = {"type": "server_thing", "id": "srv_1"}
WHOLE = {
    "pings": [claude_start(), {"type": "ping"}, *tool(0, *PIECES), *claude_end("tool_use")],
    "comments": [b": keep-alive\n\n", claude_start(), b": x\n\n", *REST],
    "unknown event": [claude_start(), {"type": "weather", "index": 9}, *REST],
    "unknown block": [claude_start(), *claude_block(0, UNKNOWN), *REST],
    "unknown piece": [claude_start(), *claude_block(0, UNKNOWN, {"type": "x_delta"}), *REST],
    "gap in the indexes": [claude_start(), *tool(5, *PIECES), *claude_end("tool_use")],
    "no usage": [{"type": "message_start", "message": {"id": "m"}}, *REST],
    "usage of null": [{"type": "message_start", "message": {"usage": None}}, *REST],
    "no message": [{"type": "message_start"}, *REST],
    "end of another API": [claude_start(), *REST, b"data: [DONE]\n\n"],
    "end turn beside a call": [claude_start(), *tool(0, *PIECES), *claude_end("end_turn")],
    "no id in the frame": [claude_start(), b"id: 1\nretry: 5\n\n", *REST],
    "input at once": [claude_start(), *tool(0, given=CALL.input), *claude_end("tool_use")],
    "input at once as text": [
        claude_start(),
        *tool(0, given=json.dumps(CALL.input)),
        *claude_end("tool_use"),
    ],
}


@pytest.mark.parametrize("events", WHOLE.values(), ids=WHOLE)
async def test_an_odd_but_whole_stream_is_read(events: list[Any]) -> None:
    turn = await turn_of(*events)
    assert (turn.tool_calls, turn.stop) == ((CALL,), "done")


async def test_windows_line_ends_and_a_byte_order_mark_lose_nothing() -> None:
    body = b"\xef\xbb\xbf" + claude_frames(*REPLY).replace(b"\n", b"\r\n")
    async with claude_at(stream(body)) as lab:
        assert (await lab.turn()).tool_calls == (CALL,)


async def test_frames_without_event_names_are_read_by_their_own_type() -> None:
    async with claude_at(stream(data_frames(*REPLY))) as lab:
        assert (await lab.turn()).tool_calls == (CALL,)


async def test_frames_without_a_type_are_read_by_their_event_name() -> None:
    start = b'event: message_start\ndata: {"message": {}}\n\n'
    assert (await turn_of(start, *REST)).tool_calls == (CALL,)


async def test_text_that_stands_in_a_block_from_the_start_is_kept() -> None:
    assert (await turn_of(*reply(text(0, " there", start="Hello")))).text == "Hello there"


@pytest.mark.parametrize("pieces", [(), ("",), ("{", "}"), ("", "{}", "")])
async def test_a_call_without_arguments_has_none(pieces: tuple[str, ...]) -> None:
    assert (await turn_of(*reply(tool(0, *pieces)))).tool_calls[0].input == {}


async def test_two_interleaved_calls_are_kept_apart() -> None:
    first, second = tool(0, '{"a":', "1}"), tool(1, '{"b":', "2}", call_id="toolu_2")
    mixed = [event for pair in zip(first, second, strict=True) for event in pair]
    turn = await turn_of(claude_start(), *mixed, *claude_end("tool_use"))
    assert [(call.id, call.input) for call in turn.tool_calls] == [
        ("toolu_1", {"a": 1}),
        ("toolu_2", {"b": 2}),
    ]


async def test_calls_without_an_own_id_can_each_be_answered() -> None:
    calls = [
        tool(at, call_id=told) for at, told in enumerate(("", "call-1", "x", "x", None, 7, "y"))
    ]
    turn = await turn_of(*reply(*calls))
    ids = [call.id for call in turn.tool_calls]
    assert ids == ["call-2", "call-1", "x", "call-3", "call-4", "call-5", "y"]


STOPS = {
    "end_turn": "done",
    "stop_sequence": "done",
    "tool_use": "done",
    "max_tokens": "length",
    "refusal": "refusal",
    "pause_turn": "pause",
    "model_context_window_exceeded": "overflow",
    "some_later_reason": "length",
}


@pytest.mark.parametrize(("reason", "stop"), STOPS.items())
async def test_each_stop_reason_has_its_meaning(reason: str, stop: str) -> None:
    assert (await turn_of(*reply(text(0, "Hi"), stop=reason))).stop == stop


@pytest.mark.parametrize(("written", "stop"), [('{"n": 30', "length"), ('{"n": 30}', "done")])
async def test_of_an_unknown_reason_a_whole_call_proves_that_nothing_was_cut(
    written: str, stop: str
) -> None:
    turn = await turn_of(*reply(tool(0, written), stop="some_later_reason"))
    assert turn.stop == stop


async def test_the_last_stop_reason_told_counts() -> None:
    ends = [*claude_end(None, stop=False), *claude_end("max_tokens", stop=False), *claude_end(None)]
    assert (await turn_of(claude_start(), *text(0, "Hi"), *ends)).stop == "length"


async def test_tokens_of_a_cache_are_counted_in_the_whole_prompt() -> None:
    start = claude_start(cache_read_input_tokens=700, cache_creation_input_tokens=90)
    end = claude_end("end_turn", 40, output_tokens_details={"thinking_tokens": 30})  # type: ignore[arg-type]
    assert (await turn_of(start, *end)).usage == Usage(
        input_tokens=800, output_tokens=40, cache_read_tokens=700, cache_write_tokens=90,
        thinking_tokens=30,
    )  # fmt: skip


async def test_later_counts_replace_earlier_ones_and_odd_ones_count_nothing() -> None:
    later = claude_end("end_turn", 40, input_tokens=12, cache_read_input_tokens=-5)
    odd = [*claude_end(None, stop=False, input_tokens=True), *later]
    assert (await turn_of(claude_start(), *odd)).usage == Usage(input_tokens=12, output_tokens=40)


@pytest.mark.parametrize("told", [10**20, 2**53, 10**400])
async def test_counts_that_cannot_be_stay_within_what_a_ledger_holds(told: int) -> None:
    names = ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
    start = claude_start(**dict.fromkeys(names, told))
    end = claude_end("end_turn", told, output_tokens_details={"thinking_tokens": told})  # type: ignore[arg-type]
    usage = (await turn_of(start, *end)).usage
    assert usage == Usage(
        input_tokens=TOKENS_MAX, output_tokens=TOKENS_MAX, cache_read_tokens=TOKENS_MAX,
        thinking_tokens=TOKENS_MAX,
    )  # fmt: skip


async def test_a_reply_that_says_nothing_is_a_whole_one() -> None:
    turn = await turn_of(claude_start(), *claude_end())
    assert turn == ModelTurn(usage=Usage(input_tokens=10, output_tokens=5), family="claude")


TOKENS = [
    (text(0, "H")[1], True),
    (text(0, "")[1], False),
    (text(0)[0], False),
    (text(0, start="H")[0], True),
    (thought(0, "hm")[1], True),
    (thought(0, "hm")[0], True),
    ({**text(0)[0], "content_block": {"type": "redacted_thinking", "data": "x"}}, True),
    (tool(0)[0], True),
    (tool(0, "{")[1], True),
    (tool(0, "")[1], False),
    ({"type": "ping"}, False),
    (claude_start(), False),
    (claude_end()[0], False),
]


@pytest.mark.parametrize(("frame", "is_token"), TOKENS)
def test_only_what_belongs_to_the_reply_itself_is_a_token(
    frame: dict[str, Any], is_token: bool
) -> None:
    coming = ClaudeReply(100_000, nobody, Words(300))
    if frame["type"] == "content_block_delta":
        kind = {"text_delta": "text", "thinking_delta": "thinking"}
        block = {"type": kind.get(frame["delta"]["type"], "tool_use")}
        coming.feed({"type": "content_block_start", "index": 0, "content_block": block})
    assert coming.feed(frame) is is_token


async def test_an_id_of_an_earlier_call_is_not_taken_again() -> None:
    earlier = Message(role="assistant", tool_calls=(CALL, CALL.model_copy(update={"id": "call-1"})))
    async with claude_at(stream(claude_frames(*REPLY))) as lab:
        turn = await lab.turn(PROMPT._replace(messages=(*PROMPT.messages, earlier)))
    assert turn.tool_calls == (CALL.model_copy(update={"id": "call-2"}),)
