"""Reasoning is told as reasoning, wherever a server puts it, and never shown as the answer."""

import pytest

from actions.llm.chunks import Said, Thought
from actions.llm.openai_think import ThinkSplit
from tests.actions.llm.openai.lab import attempt
from tests.support.byte_server import openai_chunk, openai_frames, stream

STOP = openai_chunk(finish="stop")

CASES = {
    "<think>hm</think>yes": ("hm", "yes"),
    "\n <think>\nhm\n</think>\n\nyes\n": ("\nhm\n", "yes\n"),
    "<think></think>yes": ("", "yes"),
    "<think>never ends": ("never ends", ""),
    "<think>a < b </thin": ("a < b </thin", ""),
    "<think>a</think></think>b": ("a", "</think>b"),
    "<think>a</think>": ("a", ""),
    "no <think>x</think> here": ("", "no <think>x</think> here"),
    "<thing>": ("", "<thing>"),
    "<thin": ("", "<thin"),
    "  ": ("", ""),
    "x ": ("", "x "),
}


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_the_marks_are_found_however_they_are_cut(text: str, size: int) -> None:
    split = ThinkSplit()
    told: list[Said | Thought] = []
    for at in range(0, len(text), size):
        told += split.feed(text[at : at + size])
    told += split.end()
    thought = "".join(chunk.text for chunk in told if isinstance(chunk, Thought))
    said = "".join(chunk.text for chunk in told if isinstance(chunk, Said))
    assert (thought, said) == CASES[text]


async def test_reasoning_in_the_text_is_no_text() -> None:
    pieces = ["<thi", "nk>So I ", "click.</th", "ink>\n\nDo", "ne."]
    events = [openai_chunk({"content": piece}) for piece in pieces]
    tried = await attempt(stream(openai_frames(*events, STOP)))
    assert (tried.turn.thinking, tried.turn.text) == ("So I click.", "Done.")
    assert (tried.thought, tried.said) == ("So I click.", "Done.")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_in_a_field_of_its_own_is_told(field: str) -> None:
    events = [openai_chunk({field: "So I "}), openai_chunk({field: "click."}),
              openai_chunk({"content": "Done."}), STOP]  # fmt: skip
    tried = await attempt(stream(openai_frames(*events)))
    assert (tried.turn.thinking, tried.turn.text) == ("So I click.", "Done.")
    assert tried.chunks == [Thought("So I "), Thought("click."), Said("Done.")]


async def test_reasoning_that_is_given_twice_is_told_once() -> None:
    both = openai_chunk({"reasoning_content": "hm", "reasoning": "hm"})
    assert (await attempt(stream(openai_frames(both, STOP)))).turn.thinking == "hm"
