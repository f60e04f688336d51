"""Hostile and broken servers: each ends in the error of whoever must act, and never in a reply."""

import asyncio
import gzip

import pytest

from actions.llm.chunks import Chunk
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
from actions.llm.openai_accumulate import Reply
from states.settings import ModelLimits
from tests.actions.llm.openai.lab import KEY, LIMITS, PROMPT, attempt, family_at
from tests.support.byte_server import (
    HANG,
    LAST_CHUNK,
    Close,
    Reset,
    Script,
    Send,
    Sleep,
    answer,
    chunk,
    data_frames,
    head,
    openai_chunk,
    openai_frames,
    refusal,
    stream,
    tool_delta,
)

CALL = [
    openai_chunk({"role": "assistant", "content": ""}),
    openai_chunk({"tool_calls": [tool_delta(0, "a", "pay", '{"amount": 30')]}),
    openai_chunk({"tool_calls": [tool_delta(0, arguments="00}")]}),
    openai_chunk(finish="tool_calls"),
]
WHOLE = openai_frames(*CALL)
HALF = data_frames(*CALL[:2])
FRAME = data_frames(openai_chunk({"content": "x"}))


def error_frame(**error: object) -> Script:
    return stream(HALF + data_frames({"error": {"message": "no", **error}}))


GATEWAYS: dict[str, tuple[Script, type[ModelCallError], str]] = {
    # --- no model server at all
    "a page": (answer(200, b"<html>hi</html>", "text/html"), OperatorMustActError,
               "model_no_server"),
    "a document": (answer(200, {"choices": []}), OperatorMustActError, "model_no_server"),
    "a list": (answer(200, [1]), OperatorMustActError, "model_no_server"),
    "lines of JSON": (answer(200, b'{"a":1}\n{"a":2}\n', "application/x-ndjson"),
                      OperatorMustActError, "model_no_server"),
    "plain text": (answer(200, b"hello\n", "text/plain"), OperatorMustActError, "model_no_server"),
    "nothing, of no kind": (answer(200, b"", "text/plain"), OperatorMustActError,
                            "model_no_server"),
    "no content": (answer(204, b""), OperatorMustActError, "model_no_server"),
    "an error as a document": (
        answer(200, {"error": {"code": "insufficient_quota", "message": "x"}}), UserMustActError,
        "model_quota_spent"),
    # --- a stream that ends too early
    "an empty stream": (stream(b""), StreamBrokenError, "model_incomplete"),
    "comments only": (stream(b": ping\n\n" * 5), StreamBrokenError, "model_incomplete"),
    "[DONE] only": (stream(openai_frames()), StreamBrokenError, "model_incomplete"),
    "half a call, then the end": (stream(HALF), StreamBrokenError, "model_incomplete"),
    "half a call, then [DONE]": (stream(HALF + b"data: [DONE]\n\n"), StreamBrokenError,
                                 "model_incomplete"),
    "half a frame": (stream(HALF + b'data: {"choices": [{"ind'), StreamBrokenError,
                     "model_incomplete"),
    "cut between chunks": (stream(HALF, ends=False), NetworkFailedError, "model_cut"),
    "cut inside a chunk": ([head(), Send(b"ff\r\ndata: {")], NetworkFailedError, "model_cut"),
    "cut in the head": ([Send(b"HTTP/1.1 200 OK\r\ncontent-")], NetworkFailedError, "model_cut"),
    "closed at once": ([Close()], NetworkFailedError, "model_cut"),
    "reset at once": ([Reset()], NetworkFailedError, "model_cut"),
    "reset in the stream": ([head(), chunk(HALF), Sleep(0.05), Reset()], NetworkFailedError,
                            "model_cut"),
    "less than was promised": (
        [head(chunked=False, headers={"content-length": "9999"}), Send(HALF)],
        NetworkFailedError, "model_cut"),
    # --- a stream that cannot be read
    "no HTTP": ([Send(b"SSH-2.0-OpenSSH_9\r\n\r\n")], NetworkFailedError, "model_cut"),
    "a wrong chunk size": ([head(), Send(b"zz\r\n")], NetworkFailedError, "model_cut"),
    "no JSON": (stream(HALF + data_frames("{nope}")), StreamBrokenError, "model_unreadable"),
    "no UTF-8": (stream(HALF + b"data: \xff\xfe\n\n"), StreamBrokenError, "model_unreadable"),
    "a number": (stream(data_frames("5")), StreamBrokenError, "model_unreadable"),
    "null": (stream(data_frames("null") + WHOLE), StreamBrokenError, "model_unreadable"),
    "a list of frames": (stream(data_frames([CALL[0]])), StreamBrokenError, "model_unreadable"),
    "choices that are none": (stream(data_frames({"choices": "x"})), StreamBrokenError,
                              "model_unreadable"),
    "a choice that is none": (stream(data_frames({"choices": [None]})), StreamBrokenError,
                              "model_unreadable"),
    "a delta that is none": (stream(data_frames({"choices": [{"delta": [1]}]})),
                             StreamBrokenError, "model_unreadable"),
    "calls that are none": (stream(data_frames(openai_chunk({"tool_calls": {"a": 1}}))),
                            StreamBrokenError, "model_unreadable"),
    "a call that is none": (stream(data_frames(openai_chunk({"tool_calls": [7]}))),
                            StreamBrokenError, "model_unreadable"),
    "nested without end": (stream(data_frames("[" * 100_000)), StreamBrokenError,
                           "model_unreadable"),
    "compressed unasked": (
        [head(headers={"content-encoding": "gzip"}), chunk(gzip.compress(WHOLE)),
         Send(LAST_CHUNK)], StreamBrokenError,
        "model_unreadable"),
    # --- an error inside a stream that began well
    "error: rate": (error_frame(type="rate_limit_error"), RateLimitedError, "model_rate_limited"),
    "error: server": (error_frame(type="server_error"), ProviderBusyError, "model_busy"),
    "error: number": (error_frame(code=503), ProviderBusyError, "model_busy"),
    "error: quota": (error_frame(code="insufficient_quota"), UserMustActError,
                     "model_quota_spent"),
    "error: key": (error_frame(code="invalid_api_key"), UserMustActError, "model_key_refused"),
    "error: length": (error_frame(code="context_length_exceeded", type="invalid_request_error"),
                      ContextTooLongError, "model_prompt_too_long"),
    "error: request": (error_frame(type="invalid_request_error"), OperatorMustActError,
                       "model_bad_request"),
    "error: unknown": (error_frame(type="odd"), StreamBrokenError, "model_stream_failed"),
    "error: only text": (stream(data_frames({"error": "out of memory"})), StreamBrokenError,
                         "model_stream_failed"),
}  # fmt: skip


@pytest.mark.parametrize("case", GATEWAYS)
async def test_a_gateway_gives_its_error_and_no_reply(case: str) -> None:
    script, kind, code = GATEWAYS[case]
    with pytest.raises(ModelCallError) as caught:
        await attempt(script)
    assert (type(caught.value), caught.value.code) == (kind, code)
    assert all(KEY not in caught.value.text(lang) for lang in ("en", "zh-CN"))


async def test_the_same_stream_without_the_fault_is_a_call() -> None:
    assert (await attempt(stream(WHOLE))).calls == [("a", "pay", {"amount": 3000})]


def small(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    return {"choices": [{"delta": delta, "finish_reason": finish}]}


async def test_cut_at_each_byte_it_is_never_another_call() -> None:
    whole = openai_frames(
        small({"tool_calls": [tool_delta(0, "a", "pay", '{"amount": 30')]}),
        small({"tool_calls": [tool_delta(0, arguments="00}")]}),
        small({}, "stop"),
    )
    # An end that looks clean at each byte; a broken one is an error whatever came before.
    ended = [stream(whole[:at]) for at in range(len(whole) + 1)]
    broken = [stream(whole[:at], ends=False) for at in range(0, len(whole), 23)]
    replies = []
    async with family_at(*ended, *broken) as (family, _):
        for _ in (*ended, *broken):
            try:
                turn = await family.attempt(PROMPT, lambda chunk: None)
                replies.append([call.input for call in turn.tool_calls])
            except (NetworkFailedError, StreamBrokenError):
                replies.append([])
    assert all(calls in ([], [{"amount": 3000}]) for calls in replies)
    # Whole only from the blank line on that ends the frame with the stop reason.
    first = whole.index(b"data: [DONE]")
    assert [bool(calls) for calls in replies] == [first <= at for at in range(len(ended))] + [
        False
    ] * len(broken)


@pytest.mark.parametrize("head_first", [False, True])
async def test_silence_before_the_first_token_has_its_own_bound(head_first: bool) -> None:
    limits = ModelLimits(first_token_seconds=0.3)
    with pytest.raises(NetworkFailedError) as caught:
        await attempt([head(), HANG] if head_first else [HANG], limits=limits)
    assert caught.value.code == "model_first_token_late"


@pytest.mark.parametrize(
    "piece",
    [b": ping\n\n", data_frames(CALL[0]), data_frames({"choices": []}), data_frames({})],
    ids=["comments", "roles", "no choices", "nothing"],
)
async def test_keep_alives_are_no_tokens(piece: bytes) -> None:
    beats = [op for _ in range(500) for op in (chunk(piece), Sleep(0.05))]
    with pytest.raises(NetworkFailedError) as caught:
        await attempt([head(), *beats], limits=ModelLimits(first_token_seconds=0.5))
    assert caught.value.code == "model_first_token_late"


@pytest.mark.parametrize(
    ("delta", "counts"),
    [({"content": "x"}, True), ({"reasoning": "x"}, True), ({"refusal": "x"}, True),
     ({"tool_calls": [tool_delta(0, "a", "get")]}, True),
     ({"tool_calls": [tool_delta(0, arguments="{")]}, True),
     ({"role": "assistant"}, False), ({"content": ""}, False), ({"content": None}, False),
     ({"tool_calls": []}, False), ({"tool_calls": [tool_delta(0, "a")]}, False), ({}, False)],
)  # fmt: skip
def test_a_token_is_a_piece_of_the_reply(delta: dict[str, object], counts: bool) -> None:
    reply = Reply(100)
    list(reply.feed(openai_chunk(delta)))
    assert reply.has_token is counts


async def test_after_a_token_the_whole_try_is_bounded() -> None:
    # A first token that is looked at late on a busy machine must not turn into the other error.
    limits = ModelLimits(first_token_seconds=10, try_seconds=1)
    async with family_at([head(), chunk(FRAME), HANG], limits=limits) as (family, server):
        with pytest.raises(NetworkFailedError) as caught:
            await family.attempt(PROMPT, lambda chunk: None)
        await asyncio.wait_for(server.requests[0].left.wait(), 10)
    assert caught.value.code == "model_try_late"


async def test_cancelling_closes_the_connection_at_once() -> None:
    script = [head(), chunk(FRAME), HANG]
    async with family_at(script) as (family, server):
        heard = asyncio.Event()

        def hear(chunk: Chunk) -> None:
            heard.set()

        trying = asyncio.ensure_future(family.attempt(PROMPT, hear))
        await asyncio.wait_for(heard.wait(), 10)
        trying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trying
        await asyncio.wait_for(server.requests[0].left.wait(), 10)


async def test_nobody_there_is_a_network_error_that_names_the_host() -> None:
    async with family_at([Close()]) as (family, server):
        server.stop_listening()
        with pytest.raises(NetworkFailedError, match=r"127\.0\.0\.1") as caught:
            await family.attempt(PROMPT, lambda chunk: None)
    assert caught.value.code == "model_unreachable"


async def test_a_stream_of_bytes_without_end_is_broken_off() -> None:
    endless = [head(), *[chunk(b"data: " + b"x" * 60_000)] * 10, HANG]
    limits = LIMITS.model_copy(update={"stream_bytes_max": 100_000})
    with pytest.raises(StreamBrokenError) as caught:
        await attempt(endless, limits=limits)
    assert caught.value.code == "model_too_long"


async def test_an_error_without_end_is_cut_and_told() -> None:
    endless = [head(500, "text/plain"), *[chunk(b"x" * 60_000)] * 10, HANG]
    with pytest.raises(ProviderBusyError) as caught:
        await attempt(endless)
    assert len(caught.value.text()) < 600


async def test_the_next_try_goes_out_after_a_refusal() -> None:
    async with family_at(refusal(500, {}), stream(WHOLE)) as (family, server):
        with pytest.raises(ProviderBusyError):
            await family.attempt(PROMPT, lambda chunk: None)
        turn = await family.attempt(PROMPT, lambda chunk: None)
        assert len(server.requests) == 2
    assert turn.tool_calls[0].input == {"amount": 3000}
