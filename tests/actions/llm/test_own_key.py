"""A server that says the key in its reply: nobody who hears it, and no ledger, gets it (M7)."""

import json
from typing import Any

import pytest

from actions.llm.chunks import CallNamed, Chunk, Said, Thought, TryFailed
from actions.llm.own_key import OwnKey
from states.messages import ModelTurn, ToolCall
from states.secrets import REDACTED
from tests.actions.llm.claude import lab as claude
from tests.actions.llm.openai import lab as openai
from tests.support.byte_server import (
    claude_frames,
    openai_chunk,
    openai_frames,
    stream,
    tool_delta,
)

# Of no form that `strike` knows.
KEY = "canary-key-4711-0815"


def heard(*chunks: Chunk, key: str = KEY) -> list[Chunk]:
    got: list[Chunk] = []
    ear = OwnKey(key).ear(got.append)
    for chunk in chunks:
        ear(chunk)
    ear.end()
    return got


def joined(chunks: list[Chunk], kind: type[Said | Thought] = Said) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, kind))


@pytest.mark.parametrize("size", [1, 3, 7, 19, 20, 21, 200])
def test_a_key_in_pieces_is_never_told(size: int) -> None:
    text = f"It is {KEY}, twice: {KEY}{KEY}; nearly {KEY[:-1]}_ and canary-can{KEY} and {KEY[:9]}"
    got = heard(*(Said(text[at : at + size]) for at in range(0, len(text), size)))
    assert joined(got) == text.replace(KEY, REDACTED)


def test_text_without_it_is_told_at_once_and_in_the_same_pieces() -> None:
    pieces: list[Chunk] = [Said("I look "), Thought("hm"), CallNamed("get"), Said("first.")]
    assert heard(*pieces) == pieces
    got: list[Chunk] = []
    OwnKey(KEY).ear(got.append)(Said("I look"))
    assert got == [Said("I look")]


def test_what_might_begin_it_waits_for_more_and_keeps_its_place() -> None:
    assert heard(Said("the c"), Said("at")) == [Said("the "), Said("cat")]
    assert heard(Thought("may"), Thought(" c"), Said("Yes")) == [
        Thought("may"), Thought(" "), Thought("c"), Said("Yes"),
    ]  # fmt: skip
    # A longer one does not: a key that is told in turns would stand there in pieces.
    mixed = heard(Said(KEY[:12]), Thought("x"), Said(KEY[12:]))
    assert mixed == [Thought("x"), Said(REDACTED)]


def test_other_chunks_pass_and_names_are_struck() -> None:
    failed = TryFailed(1, "network", "model_cut", "cut", 1.0, 5)
    assert heard(CallNamed(f"get_{KEY}"), failed) == [CallNamed(f"get_{REDACTED}"), failed]


@pytest.mark.parametrize("key", ["", "a", "of", "sevench"])
def test_a_key_that_is_missing_or_very_short_is_looked_for_nowhere(key: str) -> None:
    call = ToolCall(id="1", name="get", input={"a": f"of {key}"})
    turn = ModelTurn(text=f"of a sevench {key}", tool_calls=(call,))
    assert OwnKey(key).out_of(turn) is turn
    assert heard(Said(f"of a {key}"), key=key) == [Said(f"of a {key}")]


def test_a_turn_keeps_it_nowhere() -> None:
    call = ToolCall(id=f"id-{KEY}", name=KEY, input={KEY: [{"x": f"a{KEY}b"}, 1, None, True]})
    broken = ToolCall(id="2", name="get", raw=f'{{"x": "{KEY}')
    turn = ModelTurn(
        text=f"t {KEY}", thinking=f"h {KEY}", tool_calls=(call, broken),
        blocks=({"type": "thinking", "thinking": KEY, "signature": f"s{KEY}"},),
    )  # fmt: skip
    struck = OwnKey(KEY).out_of(turn)
    assert struck == ModelTurn.model_validate_json(turn.model_dump_json().replace(KEY, REDACTED))
    assert KEY not in repr(struck)
    other = OwnKey("another-key-of-somebody")
    assert other.out_of(turn) == turn


def test_it_is_found_beside_what_json_escapes_and_however_deep_it_stands() -> None:
    odd = 'quo"te\\key-键'
    call = ToolCall(id="1", name="get", input={"x": f"-{odd}-"})
    assert OwnKey(odd).out_of(ModelTurn(tool_calls=(call,))).tool_calls[0].input == {
        "x": f"-{REDACTED}-"
    }
    deep: Any = KEY
    for _ in range(2_000):
        deep = [deep]
    turn = ModelTurn(
        tool_calls=(ToolCall.model_construct(id="1", name="get", input={"x": deep}, raw=""),),
        blocks=({"x": deep},),
    )
    struck = OwnKey(KEY).out_of(turn)
    assert (struck.tool_calls[0].input, struck.blocks) == (None, ())
    assert struck.tool_calls[0].raw == REDACTED


async def openai_reply(key: str) -> tuple[ModelTurn, list[Chunk]]:
    """Return what comes of a reply that says *key* everywhere, and begins it at its end."""
    half = len(key) // 2
    pieces = [
        openai_chunk({name: part})
        for name in ("reasoning_content", "content")
        for part in (f"my {key[:half]}", f"{key[half:]} it is {key[:9]}")
    ]
    calls = [
        tool_delta(0, f"id-{key}", f"get-{key}", '{"x":"' + key[:half]),
        tool_delta(0, arguments=key[half:] + '"}'),
        tool_delta(1, "b", "get", '{"x":"' + key),
    ]
    events = [*pieces, *(openai_chunk({"tool_calls": [call]}) for call in calls)]
    told = stream(openai_frames(*events, openai_chunk(finish="stop")))
    chunks: list[Chunk] = []
    limits = openai.LIMITS.model_copy(update={"profile": "deepseek"})
    async with openai.family_at(told, limits=limits) as (family, _):
        return await family.attempt(openai.PROMPT, chunks.append), chunks


async def claude_reply(key: str) -> tuple[ModelTurn, list[Chunk]]:
    """Return what comes of a reply that says *key* everywhere, and begins it at its end."""
    half = len(key) // 2
    events = claude.reply(
        claude.thought(0, f"my {key} it is {key[:9]}"),
        claude.text(1, f"my {key[:half]}", f"{key[half:]} it is {key[:9]}"),
        claude.tool(
            2, '{"x":"' + key[:half], key[half:] + '"}', call_id=f"id-{key}", name=f"get-{key}"
        ),
        claude.tool(3, '{"x":"' + key, call_id="b", name="get"),
    )
    chunks: list[Chunk] = []
    async with claude.claude_at(stream(claude_frames(*events))) as lab:
        return await lab.turn(hear=chunks.append), chunks


@pytest.mark.parametrize(
    ("replied", "own"),
    [(openai_reply, openai.KEY), (claude_reply, claude.KEY)],
    ids=["openai", "claude"],
)
async def test_a_family_hands_a_reply_on_without_its_key(replied: Any, own: str) -> None:
    turn, chunks = await replied(own)
    told = turn.model_dump_json() + json.dumps(chunks)
    assert own not in told
    said = f"my {REDACTED} it is {own[:9]}"
    assert joined(chunks) == turn.text == said
    assert joined(chunks, Thought) == turn.thinking == said
    first, second = turn.tool_calls
    assert (first.id, first.name, first.input) == (
        f"id-{REDACTED}", f"get-{REDACTED}", {"x": REDACTED},
    )  # fmt: skip
    assert second.raw == f'{{"x":"{REDACTED}'
    assert turn.blocks
    # Another's words are none of its business.
    other = "other-" + own
    turn, chunks = await replied(other[:-1])
    assert joined(chunks) == turn.text == f"my {other[:-1]} it is {other[:9]}"
