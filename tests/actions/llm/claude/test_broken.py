"""What is no whole, readable reply is an error that says whose turn it is, never a turn (R4, R5).

The same stream without its flaw is read, as `test_stream` shows.
"""

import json
from typing import Any

import pytest

from actions.llm.errors import (
    ContextTooLongError,
    ModelCallError,
    NetworkFailedError,
    OperatorMustActError,
    ProviderBusyError,
    RateLimitedError,
    StreamBrokenError,
    UserMustActError,
)
from states.messages import Usage
from tests.actions.llm.claude.lab import (
    CHARS_MAX,
    KEY,
    claude_at,
    reply,
    text,
    thought,
    tool,
    turn_of,
)
from tests.support.byte_server import (
    HANG,
    LAST_CHUNK,
    Close,
    Op,
    Reset,
    Send,
    answer,
    chunk,
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    data_frames,
    head,
    stream,
)

ARGUMENTS = '{"amount": 3000}'
START, CALL, END = claude_start(), tool(0, ARGUMENTS), claude_end("tool_use")
BAD_UTF8 = b'event: ping\ndata: {"type": "\xff"}\n\n'

BROKEN: dict[str, list[Any]] = {
    "nothing": [],
    "pings only": [{"type": "ping"}, {"type": "ping"}],
    "no message_start": [*CALL, *END],
    "no message_stop": [START, *CALL, *claude_end("tool_use", stop=False)],
    "no end at all": [START, *CALL],
    "no stop reason": [START, *CALL, *claude_end(None)],
    "stop reason of a wrong kind": [START, *CALL, *claude_end(7)],  # type: ignore[arg-type]
    "text left open": [START, *CALL, *text(1, "Hi")[:-1], *END],
    "reasoning left open": [START, *thought(1, "hm")[:-1], *CALL, *END],
    "call left open": [START, *tool(0, ARGUMENTS, stop=False), *END],
    "second start": [START, *CALL, START, *END],
    "block opened twice": [START, *CALL, *tool(0, ARGUMENTS), *END],
    "block without an index": [START, {**CALL[0], "index": None}, *END],
    "block of nothing": [START, {**CALL[0], "content_block": None}, *END],
    "piece for no block": [START, CALL[1], *END],
    "stop for no block": [START, CALL[2], *END],
    "piece after the stop": [START, *CALL, CALL[1], *END],
    "text in a call": [START, CALL[0], text(0, "5")[1], CALL[2], *END],
    "input in a text": [START, text(0)[0], CALL[1], CALL[2], *END],
    "piece that is no text": [START, *tool(0, ARGUMENTS, 5), *END],  # type: ignore[arg-type]
    "delta of nothing": [START, CALL[0], {**CALL[1], "delta": None}, CALL[2], *END],
    "half a frame": [START, *CALL, b'event: message_delta\ndata: {"type": "mess\n\n', *END],
    "frame that is a list": [START, b"event: ping\ndata: [1]\n\n", *CALL, *END],
    "duplicate key in a frame": [START, b'event: ping\ndata: {"a": 1, "a": 2}\n\n', *CALL, *END],
    "bytes that are no UTF-8": [START, BAD_UTF8, *CALL, *END],
}


@pytest.mark.parametrize("events", BROKEN.values(), ids=BROKEN)
async def test_a_stream_that_is_not_whole_is_broken(events: list[Any]) -> None:
    with pytest.raises(StreamBrokenError):
        await turn_of(*events)


UNSOUND = {
    "cut in a number": '{"amount": 30',
    "cut after a member": '{"action": "type"',
    "two objects": '{"a": 1}{"a": 2}',
    "a list": "[1, 2]",
    "a number": "3000",
    "duplicate key": '{"action": "getText", "action": "click"}',
    "not a number": '{"n": NaN}',
    "infinite": '{"n": 1e999}',
    "full width": "｛“action”：“click”｝",
    "python": "{'action': 'click'}",
    "fenced": '```json\n{"a": 1}\n```',
}


@pytest.mark.parametrize("written", UNSOUND.values(), ids=UNSOUND)
async def test_arguments_that_are_no_strict_object_are_kept_as_written(written: str) -> None:
    turn = await turn_of(*reply(tool(0, *written)))
    assert (turn.tool_calls[0].input, turn.tool_calls[0].raw) == (None, written)


@pytest.mark.parametrize("given", [[1, 2], 7, '{"a": 1}{"a": 2}', "NaN"])
async def test_arguments_given_at_once_are_as_strict(given: Any) -> None:
    call = (await turn_of(*reply(tool(0, given=given)))).tool_calls[0]
    assert (call.input, call.raw) == (None, given if isinstance(given, str) else json.dumps(given))


async def test_an_amount_that_was_cut_at_the_limit_is_no_amount() -> None:
    cut = await turn_of(*reply(tool(0, '{"amount": 30'), stop="max_tokens"))
    whole = await turn_of(*reply(tool(0, '{"amount": 30', "00}"), stop="tool_use"))
    assert (cut.stop, cut.tool_calls[0].input) == ("length", None)
    assert (whole.stop, whole.tool_calls[0].input) == ("done", {"amount": 3000})


ERRORS: dict[str, type[ModelCallError]] = {
    "overloaded_error": ProviderBusyError,
    "api_error": ProviderBusyError,
    "timeout_error": ProviderBusyError,
    "rate_limit_error": RateLimitedError,
    "authentication_error": UserMustActError,
    "permission_error": UserMustActError,
    "billing_error": UserMustActError,
    "not_found_error": OperatorMustActError,
    "invalid_request_error": OperatorMustActError,
    "request_too_large": ContextTooLongError,
    "some_later_error": StreamBrokenError,
}


@pytest.mark.parametrize(("kind", "expected"), ERRORS.items())
async def test_an_error_in_the_stream_is_told_by_its_type(
    kind: str, expected: type[ModelCallError]
) -> None:
    failure = {"type": "error", "error": {"type": kind, "message": "said so"}}
    with pytest.raises(ModelCallError) as caught:
        await turn_of(START, *CALL, failure, *END)
    assert (type(caught.value), caught.value.facts["said"]) == (expected, "said so")
    assert caught.value.usage == Usage(input_tokens=10, output_tokens=1)


@pytest.mark.parametrize(
    "frame",
    [
        b"event: error\ndata: upstream went away\n\n",
        b'event: error\ndata: {"message": "upstream went away"}\n\n',
        b'data: {"error": {"message": "upstream went away"}}\n\n',
        b'data: {"error": "upstream went away"}\n\n',
    ],
)
async def test_an_error_of_a_gateway_ends_the_reply_in_its_words(frame: bytes) -> None:
    with pytest.raises(StreamBrokenError, match="upstream went away"):
        await turn_of(START, *CALL, frame, *END)


async def test_a_prompt_that_proves_too_long_while_streaming_is_told_apart() -> None:
    failure = {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}
    with pytest.raises(ContextTooLongError):
        await turn_of({"type": "error", "error": failure})


@pytest.mark.parametrize(
    "script",
    [
        answer(200, b"<html><h1>Welcome</h1>", "text/html"),
        answer(200, {"id": "msg_1", "content": []}),
        answer(200, b"hello", "text/plain"),
        answer(200, b"", "text/html"),
    ],
)
async def test_a_success_that_is_no_stream_is_no_model_server(script: Any) -> None:
    async with claude_at(script) as lab:
        with pytest.raises(OperatorMustActError) as caught:
            await lab.turn()
    assert caught.value.code == "model_no_server"


async def test_an_error_written_as_a_success_is_told_by_its_type() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}
    async with claude_at(answer(200, body)) as lab:
        with pytest.raises(ProviderBusyError, match="later"):
            await lab.turn()


WHOLE = claude_frames(START, *CALL, *END)


@pytest.mark.parametrize("at", [1, 80, 400, 600, len(WHOLE) - 1])
@pytest.mark.parametrize("end", [Reset(), Close()])
async def test_a_connection_that_breaks_while_it_is_read_is_a_failed_network(
    at: int, end: Reset | Close
) -> None:
    async with claude_at([head(), chunk(WHOLE[:at]), end]) as lab:
        with pytest.raises(NetworkFailedError):
            await lab.turn()


async def test_what_breaks_after_the_end_of_a_reply_does_not_undo_it() -> None:
    endings: list[list[Op]] = [
        [Reset()],
        [Close()],
        [HANG],
        [Send(b"junk")],
        [chunk(BAD_UTF8), Send(LAST_CHUNK)],
    ]
    for after in endings:
        async with claude_at([head(), chunk(WHOLE), *after]) as lab:
            assert (await lab.turn()).tool_calls[0].input == {"amount": 3000}


LONG = "x" * 200
LONG_BLOCKS = {
    "text": text(0, LONG),
    "text at once": text(0, start=LONG),
    "input": tool(0, '{"t": "', LONG, '"}'),
    "reasoning": thought(0, LONG),
    "signature": thought(0, "", LONG),
    "redacted": claude_block(0, {"type": "redacted_thinking", "data": LONG}),
}


@pytest.mark.parametrize("block", LONG_BLOCKS.values(), ids=LONG_BLOCKS)
async def test_a_reply_longer_than_allowed_is_broken_off(block: list[dict[str, Any]]) -> None:
    await turn_of(*reply(block), chars_max=CHARS_MAX)
    with pytest.raises(StreamBrokenError) as caught:
        await turn_of(*reply(block), chars_max=len(LONG))
    assert caught.value.code == "model_too_long"


async def test_a_frame_that_cannot_be_read_is_told_of_without_the_key() -> None:
    twice = f'event: ping\ndata: {{"{KEY}": 1, "{KEY}": 2}}\n\n'.encode()
    with pytest.raises(StreamBrokenError, match="duplicate key") as caught:
        await turn_of(START, twice, *CALL, *END)
    assert KEY not in caught.value.text()


async def test_an_empty_stream_under_frames_without_names_is_never_an_empty_answer() -> None:
    async with claude_at(stream(data_frames({"hello": 1}))) as lab:
        with pytest.raises(StreamBrokenError):
            await lab.turn()
