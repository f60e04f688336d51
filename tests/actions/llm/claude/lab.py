"""A Claude family at a real local server that plays byte scripts; what its tests say briefly."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from actions.llm.chunks import Chunk, Hear, nobody
from actions.llm.claude_family import ClaudeFamily, make_claude
from prompts.prompt import Prompt, ToolDefinition
from states.messages import Message, ModelTurn
from states.settings import ModelLimits
from tests.support.byte_server import (
    ByteServer,
    Script,
    byte_server,
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    stream,
)

KEY = "sk-ant-canary-0123456789abcdef"
CHARS_MAX = 100_000
TOOL = ToolDefinition("browser_action", "Act in the page.", {"type": "object"})
PROMPT = Prompt("You act in pages.", (TOOL,), (Message(role="user", text="Pay 3000"),))


class Endpoint(NamedTuple):
    """Where the local server answers."""

    base_url: str
    model: str = "claude-test-1"
    api_key: str = KEY
    kind: str = "claude"


class Lab(NamedTuple):
    """One server and the family that asks it."""

    server: ByteServer
    family: ClaudeFamily

    async def turn(self, prompt: Prompt = PROMPT, hear: Hear = nobody) -> ModelTurn:
        """Make one try."""
        return await self.family.attempt(prompt, hear)

    @property
    def body(self) -> Any:
        """The body of the last request."""
        return self.server.requests[-1].json


@asynccontextmanager
async def claude_at(
    *scripts: Script, limits: ModelLimits | None = None, chars_max: int = CHARS_MAX
) -> AsyncIterator[Lab]:
    """Serve *scripts* and yield the family that asks for them."""
    async with byte_server(*scripts) as server:
        family = make_claude(Endpoint(server.url), limits or ModelLimits(), chars_max)
        try:
            yield Lab(server, family)
        finally:
            await family.close()


async def turn_of(*events: Mapping[str, Any] | bytes, size: int = 0, **more: Any) -> ModelTurn:
    """Return the turn that a stream of *events* comes to."""
    async with claude_at(stream(claude_frames(*events), size=size), **more) as lab:
        return await lab.turn()


async def heard_of(*events: Mapping[str, Any] | bytes) -> list[Chunk]:
    """Return what was told while a stream of *events* came."""
    heard: list[Chunk] = []
    async with claude_at(stream(claude_frames(*events))) as lab:
        await lab.turn(hear=heard.append)
    return heard


def text(index: int, *pieces: str, start: str = "") -> list[dict[str, Any]]:
    """Return a block of text."""
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return claude_block(index, {"type": "text", "text": start}, *deltas)


def tool(
    index: int, *pieces: str, call_id: Any = "toolu_1", name: str = "browser_action", **more: Any
) -> list[dict[str, Any]]:
    """Return a block of a tool call whose input comes in *pieces*."""
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    block = {"type": "tool_use", "id": call_id, "name": name, "input": more.pop("given", {})}
    return claude_block(index, block, *deltas, **more)


def thought(index: int, words: str, signature: str = "c2ln") -> list[dict[str, Any]]:
    """Return a block of signed reasoning."""
    return claude_block(
        index,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": words},
        {"type": "signature_delta", "signature": signature},
    )


def reply(*blocks: list[dict[str, Any]], stop: str | None = "tool_use") -> list[dict[str, Any]]:
    """Return the events of a whole reply of *blocks*."""
    return [claude_start(), *(event for block in blocks for event in block), *claude_end(stop)]
