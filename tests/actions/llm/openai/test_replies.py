"""What servers really stream, through the real SDK: a call comes out whole and alone, or never."""

import json
from typing import Any

import pytest

from actions.llm.chunks import Said
from actions.llm.counts import TOKENS_MAX
from actions.llm.errors import ProviderBusyError, StreamBrokenError
from states.messages import Message, Stop, ToolCall, Usage
from tests.actions.llm.openai.lab import PROMPT, Tried, attempt
from tests.support.byte_server import (
    data_frames,
    openai_chunk,
    openai_frames,
    openai_usage,
    stream,
    tool_delta,
)

STOP = openai_chunk(finish="tool_calls")


def calls(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    return [openai_chunk({"tool_calls": [entry]}) for entry in entries]


async def of(*events: object, done: bool = True) -> Tried:
    return await attempt(stream(openai_frames(*events, done=done)))


A: tuple[str, str, object] = ("a", "get", {"x": 1})
B: tuple[str, str, object] = ("b", "click", {"y": 2})
TWO = [A, B]

STREAMS: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, object]]]] = {
    "one call in pieces": (
        calls(tool_delta(0, "a", "get", ""), tool_delta(0, arguments='{"x"'),
              tool_delta(0, arguments=": 1}")), [A]),
    "no index at all": (
        calls(tool_delta(None, "a", "get", '{"x":1}'), tool_delta(None, "b", "click", '{"y":2}')),
        TWO),
    "no index, pieces follow": (
        calls(tool_delta(None, "a", "get", '{"x"'), tool_delta(None, arguments=":1}")), [A]),
    "both calls have index 0": (
        calls(tool_delta(0, "a", "get", '{"x":1}'), tool_delta(0, "b", "click", '{"y":2}')), TWO),
    "both index 0, in pieces": (
        calls(tool_delta(0, "a", "get", '{"x"'), tool_delta(0, arguments=":1}"),
              tool_delta(0, "b", "click", '{"y"'), tool_delta(0, arguments=":2}")), TWO),
    "index 0 and no ids": (
        calls(tool_delta(0, None, "get", '{"x":1}'), tool_delta(0, None, "get", '{"y":2}')),
        [("call-1", "get", {"x": 1}), ("call-2", "get", {"y": 2})]),
    "the first index is 1": (calls(tool_delta(1, "a", "get", '{"x":1}')), [A]),
    "indexes as text": (
        calls({**tool_delta(None, "a", "get", '{"x":1}'), "index": "0"},
              {**tool_delta(None, "b", "click", '{"y":2}'), "index": "1"}), TWO),
    "interleaved": (
        calls(tool_delta(0, "a", "get", '{"x"'), tool_delta(1, "b", "click", '{"y"'),
              tool_delta(0, arguments=":1}"), tool_delta(1, arguments=":2}")), TWO),
    "both in one frame": (
        [openai_chunk({"tool_calls": [tool_delta(0, "a", "get", '{"x":1}'),
                                      tool_delta(1, "b", "click", '{"y":2}')]})], TWO),
    "arguments as an object": (calls(tool_delta(0, "a", "get", {"x": 1})), [A]),
    "id and name in each frame": (
        calls(tool_delta(0, "a", "get", '{"x"'), tool_delta(0, "a", "get", ":1}")), [A]),
    "the id comes late": (
        calls(tool_delta(0, None, "get", '{"x"'), tool_delta(0, "a", None, ":1}")), [A]),
    "the same id twice": (
        calls(tool_delta(0, "a", "get", '{"x":1}'), tool_delta(1, "a", "click", '{"y":2}')),
        [A, ("call-2", "click", {"y": 2})]),
    "an empty id": (calls(tool_delta(0, "", "get", '{"x":1}')), [("call-1", "get", {"x": 1})]),
    "a made-up id is free": (
        calls(tool_delta(0, "call-2", "get", '{"x":1}'), tool_delta(1, "", "click", '{"y":2}')),
        [("call-2", "get", {"x": 1}), ("call-3", "click", {"y": 2})]),
    "no arguments": (calls(tool_delta(0, "a", "get")), [("a", "get", {})]),
    "empty arguments": (calls(tool_delta(0, "a", "get", "")), [("a", "get", {})]),
    "an entry of nothing": (calls(tool_delta(0)), []),
    "the old function_call": (
        [openai_chunk({"function_call": {"name": "get", "arguments": '{"x"'}}),
         openai_chunk({"function_call": {"arguments": ":1}"}})], [("call-1", "get", {"x": 1})]),
    # What is no strict JSON of one object is never made into a call that can run.
    "the object twice": (
        calls(tool_delta(0, "a", "get", '{"x":1}'), tool_delta(0, arguments='{"x":2}')),
        [("a", "get", '{"x":1}{"x":2}')]),
    "a list": (calls(tool_delta(0, "a", "get", "[1]")), [("a", "get", "[1]")]),
    "a list that is no text": (calls(tool_delta(0, "a", "get", [1])), [("a", "get", "[1]")]),
    "duplicate keys": (
        calls(tool_delta(0, "a", "get", '{"action":"get","action":"click"}')),
        [("a", "get", '{"action":"get","action":"click"}')]),
    "NaN": (calls(tool_delta(0, "a", "get", '{"x":NaN}')), [("a", "get", '{"x":NaN}')]),
    "full width": (calls(tool_delta(0, "a", "get", "｛“x”：1｝")), [("a", "get", "｛“x”：1｝")]),
    "cut inside": (calls(tool_delta(0, "a", "get", '{"x":30')), [("a", "get", '{"x":30')]),
}  # fmt: skip


@pytest.mark.parametrize("case", STREAMS)
async def test_calls_come_out_as_they_were_meant(case: str) -> None:
    events, wanted = STREAMS[case]
    tried = await of(openai_chunk({"role": "assistant", "content": None}), *events, STOP)
    assert tried.calls == wanted
    assert tried.turn.stop == "done"
    assert tried.named == [name for _, name, _ in wanted]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
async def test_bytes_may_be_split_anywhere(size: int, end: bytes) -> None:
    events = [openai_chunk({"content": "付款 3000 元 🧾"}), *STREAMS["interleaved"][0], STOP]
    body = b": ping\n\n" + data_frames(*events, "[DONE]", end=end)
    tried = await attempt(stream(body, size=size))
    assert (tried.turn.text, tried.said) == ("付款 3000 元 🧾", "付款 3000 元 🧾")
    assert tried.calls == TWO


async def test_a_byte_order_mark_loses_nothing() -> None:
    body = b"\xef\xbb\xbf" + openai_frames(openai_chunk({"content": "first"}), STOP)
    for size in (0, 1):
        assert (await attempt(stream(body, size=size))).turn.text == "first"


async def test_an_id_of_an_earlier_reply_is_not_used_again() -> None:
    earlier = Message(role="assistant", tool_calls=(ToolCall(id="call_0", name="get", input={}),))
    answered = Message(role="tool", call_id="call_0", text="ok")
    prompt = PROMPT._replace(messages=(*PROMPT.messages, earlier, answered))
    body = openai_frames(*calls(tool_delta(0, "call_0", "get", "{}")), STOP)
    assert (await attempt(stream(body), prompt=prompt)).calls == [("call-1", "get", {})]


STOPS: dict[str, Stop] = {
    "stop": "done", "tool_calls": "done", "function_call": "done", "length": "length",
    "content_filter": "refusal", "eos": "done", "max_tokens": "length", "STOP": "done",
    "MAX_TOKENS": "length", "SAFETY": "refusal", "some_later_reason": "done",
}  # fmt: skip


@pytest.mark.parametrize("reason", STOPS)
async def test_each_stop_reason_has_its_meaning(reason: str) -> None:
    tried = await of(*calls(tool_delta(0, "a", "get", '{"x":1}')), openai_chunk(finish=reason))
    assert (tried.turn.stop, tried.calls) == (STOPS[reason], [A])


@pytest.mark.parametrize("written", ["", '{"x":30', '{"x":30}{'])
async def test_an_unknown_stop_with_half_a_call_is_a_cut(written: str) -> None:
    cut = await of(*calls(tool_delta(0, "a", "get", written)), openai_chunk(finish="whatever"))
    assert cut.turn.stop == "length"


@pytest.mark.parametrize(
    ("reason", "stop"), [("whatever", "length"), ("STOP", "done"), ("eos", "done")]
)
async def test_an_unknown_stop_of_text_alone_may_be_a_cut(reason: str, stop: Stop) -> None:
    tried = await of(openai_chunk({"content": "Half a sen"}), openai_chunk(finish=reason))
    assert tried.turn.stop == stop


async def test_a_call_decides_whatever_the_stop_reason_says() -> None:
    tried = await of(*STREAMS["interleaved"][0], openai_chunk(finish="stop"))
    assert (tried.turn.stop, tried.calls) == ("done", TWO)


async def test_a_refusal_is_told_as_one() -> None:
    tried = await of(openai_chunk({"refusal": "I will not."}), openai_chunk(finish="stop"))
    assert (tried.turn.stop, tried.turn.text) == ("refusal", "I will not.")


@pytest.mark.parametrize("reason", ["error", "abort", "ERROR"])
async def test_a_stop_that_says_failure_is_no_reply(reason: str) -> None:
    with pytest.raises(StreamBrokenError, match=reason.lower()):
        await of(openai_chunk({"content": "half"}), openai_chunk(finish=reason))
    with pytest.raises(ProviderBusyError):
        await of(openai_chunk(finish="insufficient_system_resource"))


@pytest.mark.parametrize("done", [True, False])
async def test_without_a_stop_reason_nothing_is_whole(done: bool) -> None:
    with pytest.raises(StreamBrokenError) as caught:
        await of(*calls(tool_delta(0, "a", "get", '{"x":1}')), openai_usage(7, 2), done=done)
    assert caught.value.code == "model_incomplete"
    assert caught.value.usage.input_tokens == 7
    whole = await of(*calls(tool_delta(0, "a", "get", '{"x":1}')), STOP, done=done)
    assert whole.calls == [A]


async def test_what_goes_on_after_its_stop_reason_has_not_stopped() -> None:
    late = calls(tool_delta(0, "a", "get", '{"x"'))
    with pytest.raises(StreamBrokenError):
        await of(STOP, *late)
    assert (await of(STOP, *late, *calls(tool_delta(0, arguments=":1}")), STOP)).calls == [A]


USAGE = Usage(input_tokens=90, output_tokens=12, cache_read_tokens=64, thinking_tokens=5)
DETAILS: dict[str, Any] = {
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 5},
}
COUNTED = {"prompt_tokens": 90, "completion_tokens": 12}


@pytest.mark.parametrize(
    "events",
    [
        [STOP, openai_usage(90, 12, **DETAILS)],
        [openai_usage(90, 12, **DETAILS), openai_chunk({"content": "x"}), STOP],
        [openai_usage(90, 1), STOP, openai_usage(90, 12, **DETAILS),
         openai_chunk({}, usage={"prompt_tokens": 0, "completion_tokens": 0})],
        [openai_chunk({"content": "x"}, usage={**COUNTED, **DETAILS}), STOP],
        [openai_chunk({}, choices=None, usage={**COUNTED, **DETAILS}), STOP],
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop",
                       "usage": {**COUNTED, **DETAILS}}]}],
        [STOP, {"usage": {**COUNTED, "prompt_cache_hit_tokens": 64, "prompt_tokens_details": None,
                          "completion_tokens_details": {"reasoning_tokens": 5}}}],
    ],
    ids=["last", "middle", "growing", "with a choice", "choices null", "in the choice", "DeepSeek"],
)  # fmt: skip
async def test_usage_is_kept_wherever_it_comes(events: list[dict[str, Any]]) -> None:
    assert (await of(*events)).turn.usage == USAGE


@pytest.mark.parametrize(
    "told",
    [None, "many", [1], {"prompt_tokens": -5, "completion_tokens": "x"}, {"prompt_tokens": 1.5},
     {"prompt_tokens": True}],
)  # fmt: skip
async def test_usage_that_is_no_count_counts_nothing(told: object) -> None:
    assert (await of(STOP, openai_chunk({}, choices=[], usage=told))).turn.usage == Usage()


@pytest.mark.parametrize(("told", "counted"), [(10, 10), (90, 26), (-1, 0), ("x", 0), (None, 0)])
async def test_what_a_cache_took_is_counted_beside_what_it_gave(told: object, counted: int) -> None:
    details = {"cached_tokens": 64, "cache_write_tokens": told}
    tried = await of(STOP, openai_usage(90, 12, prompt_tokens_details=details))
    usage = tried.turn.usage
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (64, counted)


@pytest.mark.parametrize("told", [10**20, 2**53, 10**400])
async def test_counts_that_cannot_be_stay_within_what_a_ledger_holds(told: int) -> None:
    details = {"prompt_tokens_details": {"cached_tokens": told, "cache_write_tokens": told},
               "completion_tokens_details": {"reasoning_tokens": told}}  # fmt: skip
    assert (await of(STOP, openai_usage(told, told, **details))).turn.usage == Usage(
        input_tokens=TOKENS_MAX, output_tokens=TOKENS_MAX, cache_read_tokens=TOKENS_MAX,
        thinking_tokens=TOKENS_MAX,
    )  # fmt: skip


async def test_only_the_first_choice_counts() -> None:
    second = {"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}
    both = {"choices": [{"index": 0, "delta": {"content": "mine"}}, second]}
    tried = await of(both, openai_chunk(finish="stop"))
    assert (tried.turn.text, tried.turn.stop) == ("mine", "done")


async def test_content_may_come_in_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "other"}, "x", {"type": "text", "text": "b"}]
    assert (await of(openai_chunk({"content": parts}), STOP)).turn.text == "ab"


async def test_text_is_told_as_it_comes_and_is_the_same_in_the_end() -> None:
    pieces = ["I ", "look", " first", "."]
    tried = await of(*(openai_chunk({"content": piece}) for piece in pieces), STOP)
    assert tried.chunks == [Said(piece) for piece in pieces]
    assert tried.turn.text == "I look first."


async def test_characters_that_were_cut_in_halves_are_whole_again() -> None:
    # As a gateway writes them that counts in UTF-16.
    first, second = "\ud83e", "\uddfe"
    tried = await of(
        openai_chunk({"reasoning": f"r{first}"}),
        openai_chunk({"reasoning": second}),
        openai_chunk({"content": f"a{first}"}),
        openai_chunk({"content": f"{second}b"}),
        *calls(
            tool_delta(0, "a", f"g{second}", f'{{"x":"{first}'),
            tool_delta(0, arguments=f'{second}"}}'),
        ),
        openai_chunk({"content": first}),
        openai_chunk({"reasoning": first}),
        STOP,
    )
    assert (tried.turn.thinking, tried.turn.text) == ("r🧾\ufffd", "a🧾b\ufffd")
    assert (tried.thought, tried.said) == (tried.turn.thinking, tried.turn.text)
    assert tried.calls == [("a", "g\ufffd", {"x": "🧾"})]


async def test_a_reply_of_nothing_is_whole_all_the_same() -> None:
    tried = await of(openai_chunk({"role": "assistant"}), openai_chunk(finish="stop"))
    assert (tried.turn.text, tried.turn.tool_calls, tried.chunks) == ("", (), [])


async def test_a_reply_longer_than_allowed_is_broken_off() -> None:
    long = openai_frames(*(openai_chunk({"content": "x" * 50}) for _ in range(4)), STOP)
    with pytest.raises(StreamBrokenError) as caught:
        await attempt(stream(long), chars_max=199)
    assert caught.value.code == "model_too_long"
    assert len((await attempt(stream(long), chars_max=200)).turn.text) == 200
    big = openai_frames(*calls(tool_delta(0, "a", "get", json.dumps({"x": "y" * 200}))), STOP)
    with pytest.raises(StreamBrokenError):
        await attempt(stream(big), chars_max=200)
