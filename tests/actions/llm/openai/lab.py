"""One try of the OpenAI-compatible family against a byte server, and what came of it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from actions.llm.chunks import CallNamed, Chunk, Said, Thought
from actions.llm.openai_family import OpenAiFamily, make_openai
from prompts.prompt import Prompt, ToolDefinition
from states.messages import Message, ModelTurn
from states.settings import ModelLimits
from tests.support.byte_server import ByteServer, Script, byte_server

KEY = "canary-key-4711-0815"
CHARS_MAX = 100_000
LIMITS = ModelLimits()
TOOL = ToolDefinition("browser_action", "Acts.", {"type": "object", "properties": {}})
PROMPT = Prompt("You act.", (TOOL,), (Message(role="user", text="Pay 3000"),))


class Spec(NamedTuple):
    """Where the model answers."""

    base_url: str
    kind: str = "openai"
    model: str = "some-model"
    api_key: str = KEY


class Tried(NamedTuple):
    """A whole reply, and what was told before it."""

    turn: ModelTurn
    chunks: list[Chunk]

    @property
    def said(self) -> str:
        """All text that was told."""
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, Said))

    @property
    def thought(self) -> str:
        """All reasoning that was told."""
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, Thought))

    @property
    def named(self) -> list[str]:
        """The tools that were named."""
        return [chunk.name for chunk in self.chunks if isinstance(chunk, CallNamed)]

    @property
    def calls(self) -> list[tuple[str, str, object]]:
        """The calls of the turn: id, name, and input or what was written instead."""
        return [
            (call.id, call.name, call.raw if call.input is None else call.input)
            for call in self.turn.tool_calls
        ]


@asynccontextmanager
async def family_at(
    *scripts: Script, limits: ModelLimits = LIMITS, chars_max: int = CHARS_MAX, kind: str = "openai"
) -> AsyncIterator[tuple[OpenAiFamily, ByteServer]]:
    """Serve *scripts* and give a family that is set to their server."""
    async with byte_server(*scripts) as server:
        family = make_openai(Spec(f"{server.url}/v1", kind), limits, chars_max)
        try:
            yield family, server
        finally:
            await family.close()


async def attempt(
    *script_and_more: Script,
    prompt: Prompt = PROMPT,
    limits: ModelLimits = LIMITS,
    chars_max: int = CHARS_MAX,
) -> Tried:
    """Make one try against the scripts."""
    chunks: list[Chunk] = []
    async with family_at(*script_and_more, limits=limits, chars_max=chars_max) as (family, _):
        return Tried(await family.attempt(prompt, chunks.append), chunks)


async def bodies(
    family: OpenAiFamily, server: ByteServer, prompts: Sequence[Prompt]
) -> list[dict[str, object]]:
    """Return the body of each request that *prompts* become."""
    for prompt in prompts:
        await family.attempt(prompt, lambda chunk: None)
    return [request.json for request in server.requests]
