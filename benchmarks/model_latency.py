"""From the last byte of a model's reply to the parsed turn, for both families, through their SDKs.

The server notes when its last byte was handed to the kernel. `last_byte_*` is for a reply that came
slowly, as they do: all but its last event was read before. `burst_*` is for one whose every byte
came at once, so it is the whole parsing of a reply.
"""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, overload

from actions.llm.claude_family import make_claude
from actions.llm.family import Family
from actions.llm.openai_family import make_openai
from prompts.prompt import Prompt
from prompts.tools import own_tools
from states.messages import Message, ModelTurn
from states.settings import ModelLimits, TaskLimits
from tests.support.byte_server import (
    LAST_CHUNK,
    Op,
    Send,
    Sleep,
    byte_server,
    chunk,
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    head,
    openai_chunk,
    openai_frames,
    openai_usage,
    tool_delta,
)

ROUNDS = 25
PIECES = 300
# Long enough for the client to have read everything that came before.
_PAUSE_S = 0.05
_PIECE = "a short piece "
_ARGUMENTS = '{"action":"click","params":{"selector":"@12"},"expected_domain":"erp.example.com"}'


class Endpoint(NamedTuple):
    """Where the local server answers."""

    base_url: str
    kind: str = "openai"
    model: str = "bench"
    api_key: str = "none"


class Stamped(Sequence[Op]):
    """A script that notes when its last operation was done."""

    def __init__(self, *ops: Op) -> None:
        self._ops = ops
        self.done = 0.0

    def __iter__(self) -> Iterator[Op]:
        yield from self._ops
        self.done = time.perf_counter()

    def __len__(self) -> int:
        return len(self._ops)

    @overload
    def __getitem__(self, index: int) -> Op: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Op]: ...
    def __getitem__(self, index: int | slice) -> Op | Sequence[Op]:
        return self._ops[index]


def measure() -> dict[str, float]:
    """Return medians in ms."""
    return asyncio.run(_measure())


async def _measure() -> dict[str, float]:
    figures = {}
    for name, frames, made in (
        ("openai", _openai(), make_openai),
        ("claude", _claude(), make_claude),
    ):
        *most, last = frames
        slow = [chunk(b"".join(most)), Sleep(_PAUSE_S), Send(chunk(last).data + LAST_CHUNK)]
        burst = [Send(chunk(b"".join(frames)).data + LAST_CHUNK)]
        for kind, ops in (("last_byte", slow), ("burst", burst)):
            figures[f"{kind}_to_turn_{name}_ms"] = await _median(made, [head(), *ops])
    return figures


async def _median(made: Callable[..., Family], ops: Sequence[Op]) -> float:
    script = Stamped(*ops)
    prompt = Prompt("Act in pages.", own_tools("en"), (Message(role="user", text="Press Save"),))
    async with byte_server(script) as server:
        family = made(
            Endpoint(f"{server.url}/v1"), ModelLimits(), TaskLimits().model_text_chars_max
        )
        try:
            times = []
            for _ in range(ROUNDS):
                turn = await family.attempt(prompt, lambda _: None)
                times.append((time.perf_counter() - script.done) * 1e3)
                _check(turn)
        finally:
            await family.close()
    # The first loads what the SDK loads late.
    return statistics.median(times[1:])


def _check(turn: ModelTurn) -> None:
    assert turn.stop == "done"
    assert turn.text == _PIECE * PIECES
    assert turn.tool_calls[0].input["params"] == {"selector": "@12"}


def _openai() -> list[bytes]:
    """Return the frames of one reply; the last holds everything from its finish on."""
    name = tool_delta(0, "call_1", "browser_action", "")
    events = [openai_chunk({"role": "assistant", "content": ""})]
    events += [openai_chunk({"content": _PIECE})] * PIECES
    events += [openai_chunk({"tool_calls": [name]})]
    events += [
        openai_chunk({"tool_calls": [tool_delta(0, arguments=piece)]}) for piece in _pieces()
    ]
    end = openai_frames(openai_chunk({}, "tool_calls"), openai_usage(3_000, 400))
    return [*(openai_frames(event, done=False) for event in events), end]


def _claude() -> list[bytes]:
    text = claude_block(0, {"type": "text", "text": ""},
                        *[{"type": "text_delta", "text": _PIECE}] * PIECES)  # fmt: skip
    call = {"type": "tool_use", "id": "call_1", "name": "browser_action", "input": {}}
    parts = ({"type": "input_json_delta", "partial_json": piece} for piece in _pieces())
    events = [claude_start(), *text, *claude_block(1, call, *parts)]
    end = claude_frames(*claude_end("tool_use"))
    return [*(claude_frames(event) for event in events), end]


def _pieces() -> list[str]:
    return [_ARGUMENTS[at : at + 6] for at in range(0, len(_ARGUMENTS), 6)]


if __name__ == "__main__":
    for row, value in measure().items():
        print(f"{row:<30} {value:8.3f}")
