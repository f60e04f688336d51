"""Signed reasoning goes back byte for byte, or not at all (R3)."""

import json
from typing import Any

import pytest

from prompts.prompt import Prompt
from states.messages import Message, ModelTurn
from states.secrets import REDACTED
from states.settings import ModelLimits
from tests.actions.llm.claude.lab import PROMPT, Lab, claude_at, reply, text, thought, tool
from tests.support.byte_server import claude_block, claude_frames, stream

THOUGHT = '先看 "page"\n\\u0041 \u2028 😀 </s>\tend '
SIGNATURE = "EqQBCkYIARgCIkAx+/9\\u00e9==" + "A" * 200
DATA = "EmwKAhgBEgy3va3pzix/LafPsn4a+=="
REDACTED_THOUGHT = {"type": "redacted_thinking", "data": DATA}
BLOCKS = (
    thought(0, THOUGHT, SIGNATURE),
    claude_block(1, REDACTED_THOUGHT),
    text(2, "I click "),
    tool(3, '{"action": "click", "n": 1.50}'),
)
THOUGHTFUL = stream(claude_frames(*reply(*BLOCKS)), size=5)


def after(prompt: Prompt, turn: ModelTurn, *, blocks: Any = None) -> Prompt:
    """Return what is asked after *turn* and its first call's result; it crossed a ledger."""
    said = Message(
        role="assistant", text=turn.text, tool_calls=turn.tool_calls, family=turn.family,
        blocks=turn.blocks if blocks is None else blocks,
    )  # fmt: skip
    kept = Message.model_validate_json(said.model_dump_json())
    result = Message(role="tool", text="ok", call_id=turn.tool_calls[0].id)
    return prompt._replace(messages=(*prompt.messages, kept, result), picture="")


async def asked_again(lab: Lab, prompt: Prompt, **changes: Any) -> list[dict[str, Any]]:
    """Return the reply's content as the request after it holds it."""
    turn = await lab.turn(prompt)
    await lab.turn(after(prompt, turn)._replace(**changes))
    content: list[dict[str, Any]] = lab.body["messages"][1]["content"]
    return content


WRITTEN = [
    {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE},
    REDACTED_THOUGHT,
    {"type": "text", "text": "I click "},
    {"type": "tool_use", "id": "toolu_1", "name": "browser_action",
     "input": {"action": "click", "n": 1.50}},
]  # fmt: skip
PLAIN = [{"type": "text", "text": "I click"}, WRITTEN[3]]


@pytest.mark.parametrize("mode", ["off", "adaptive", "enabled"])
async def test_reasoning_and_signature_come_back_as_they_were_written(mode: str) -> None:
    limits = ModelLimits.model_validate({"thinking": mode})
    async with claude_at(THOUGHTFUL, limits=limits) as lab:
        assert await asked_again(lab, PROMPT) == WRITTEN
        raw = lab.server.requests[-1].body
    for exact in (THOUGHT, SIGNATURE, DATA):
        assert json.dumps(exact, ensure_ascii=False).encode() in raw


async def test_a_reply_without_reasoning_keeps_no_blocks() -> None:
    async with claude_at(stream(claude_frames(*reply(*BLOCKS[2:])))) as lab:
        assert (await lab.turn()).blocks == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"system": "You act in pages!"},
        {"tools": ()},
        {"messages": None},
    ],
)
async def test_reasoning_is_left_out_where_something_before_it_changed(
    changes: dict[str, Any],
) -> None:
    async with claude_at(THOUGHTFUL) as lab:
        turn = await lab.turn()
        following = after(PROMPT, turn)
        if "messages" in changes:
            first = Message(role="user", text="Pay 3000\nstep 1: click ok")
            changes = {"messages": (first, *following.messages[1:])}
        await lab.turn(following._replace(**changes))
        assert lab.body["messages"][1]["content"] == PLAIN


async def test_reasoning_about_a_picture_is_left_out_when_the_picture_is_gone() -> None:
    async with claude_at(THOUGHTFUL) as lab:
        assert await asked_again(lab, PROMPT._replace(picture="iVBORw0KGgo=")) == PLAIN


async def test_reasoning_bound_to_a_changed_round_goes_and_the_later_one_stays() -> None:
    async with claude_at(THOUGHTFUL) as lab:
        seen = after(PROMPT, await lab.turn(PROMPT._replace(picture="iVBORw0KGgo=")))
        await lab.turn(after(seen, await lab.turn(seen)))
        first, second = (lab.body["messages"][at]["content"] for at in (1, 3))
    assert (first, second[:3]) == (PLAIN, WRITTEN[:3])


async def test_a_budget_of_reasoning_is_bound_to_nothing() -> None:
    async with claude_at(THOUGHTFUL, limits=ModelLimits(thinking="enabled")) as lab:
        assert await asked_again(lab, PROMPT, system="Another one") == WRITTEN


def struck(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "signature": REDACTED} if block.get("type") == "thinking" else block


@pytest.mark.parametrize("mode", ["off", "enabled"])
async def test_reasoning_that_a_ledger_struck_is_not_sent(mode: str) -> None:
    limits = ModelLimits.model_validate({"thinking": mode})
    async with claude_at(THOUGHTFUL, limits=limits) as lab:
        turn = await lab.turn()
        await lab.turn(after(PROMPT, turn, blocks=tuple(map(struck, turn.blocks))))
        assert lab.body["messages"][1]["content"] == PLAIN
        assert lab.body.get("thinking") == (None if mode == "off" else {"type": "disabled"})


async def test_blocks_of_another_family_are_not_sent() -> None:
    foreign = ({"field": "reasoning_content", "text": "hm"},)
    async with claude_at(THOUGHTFUL) as lab:
        turn = (await lab.turn()).model_copy(update={"family": "openai"})
        for blocks in (foreign, turn.blocks):
            await lab.turn(after(PROMPT, turn, blocks=blocks))
            assert lab.body["messages"][1]["content"] == PLAIN


UNSIGNED = claude_block(
    0, {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "hm"},
)  # fmt: skip


async def test_reasoning_that_was_cut_before_its_signature_is_not_kept() -> None:
    cut = stream(claude_frames(*reply(UNSIGNED, stop="max_tokens")))
    half = stream(claude_frames(*reply(UNSIGNED, *thought_and_call(1))))
    async with claude_at(cut, half) as lab:
        assert ((turn := await lab.turn()).thinking, turn.blocks) == ("hm", ())
        kept = (await lab.turn()).blocks
    assert [block.get("thinking") for block in kept if block["type"] == "thinking"] == ["so"]


def thought_and_call(at: int) -> tuple[list[dict[str, Any]], ...]:
    return thought(at, "so", SIGNATURE), tool(at + 1, "{}")


async def test_a_reply_that_ends_in_reasoning_goes_back_without_that_end() -> None:
    ending = stream(claude_frames(*reply(*BLOCKS[:3], thought(3, "more"), stop="pause_turn")))
    async with claude_at(ending) as lab:
        turn = await lab.turn()
        said = Message(role="assistant", text=turn.text, blocks=turn.blocks, family=turn.family)
        await lab.turn(PROMPT._replace(messages=(*PROMPT.messages, said)))
        assert lab.body["messages"][1]["content"] == WRITTEN[:3]


async def test_blank_text_between_reasoning_and_call_is_left_out_for_the_api_refuses_it() -> None:
    blank = stream(claude_frames(*reply(*BLOCKS[:2], text(2, ""), BLOCKS[3])))
    async with claude_at(blank) as lab:
        assert await asked_again(lab, PROMPT) == [*WRITTEN[:2], WRITTEN[3]]


async def test_a_made_up_id_stands_in_the_block_as_in_the_call() -> None:
    nameless = stream(claude_frames(*reply(BLOCKS[0], tool(1, "{}", call_id=""))))
    async with claude_at(nameless) as lab:
        content = await asked_again(lab, PROMPT)
        assert content[1]["id"] == lab.body["messages"][2]["content"][0]["tool_use_id"] == "call-1"


async def test_arguments_that_were_no_json_go_back_empty_beside_their_reasoning() -> None:
    broken = stream(claude_frames(*reply(BLOCKS[0], tool(1, '{"n": 30'))))
    async with claude_at(broken) as lab:
        assert (await asked_again(lab, PROMPT))[1]["input"] == {}
