"""Put one reply of the Messages API together from its frames; it counts only when it is whole (R3).

Frames are kept apart by the index of their content block and never guessed at: a block that was
not opened, a piece of the wrong kind or an end that never came break the reply. A tool's input is
joined as text and read as strict JSON, so that a number that was cut is never taken for another.
"""

import json
from collections.abc import Collection, Mapping
from itertools import count
from typing import Any

from actions.llm.chunks import CallNamed, Hear, Said, Thought
from actions.llm.claude_blocks import THINKING, Block
from actions.llm.claude_replay import FAMILY
from actions.llm.counts import TOKENS_MAX, token_count
from actions.llm.errors import StreamBrokenError
from actions.llm.status_errors import Words, frame_error
from states.messages import ModelTurn, Stop, ToolCall, Usage

_STOPS: Mapping[str, Stop] = {
    "end_turn": "done",
    "stop_sequence": "done",
    "tool_use": "done",
    "max_tokens": "length",
    "refusal": "refusal",
    "pause_turn": "pause",
    "model_context_window_exceeded": "overflow",
}
_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


class ClaudeReply:
    """What arrived of one reply; *chars_max* bounds all of its text together."""

    def __init__(self, chars_max: int, hear: Hear, tell: Words) -> None:
        self._chars_left = chars_max
        self._hear = hear
        self._tell = tell
        self._blocks: dict[int, Block] = {}
        self._counts: dict[str, int] = {}
        self._stop_reason: str | None = None
        self.begun = False
        self.ended = False

    @property
    def usage(self) -> Usage:
        """The tokens told so far; the API counts what a cache took or gave beside its input."""
        count = self._counts
        read = count.get("cache_read_input_tokens", 0)
        written = count.get("cache_creation_input_tokens", 0)
        return Usage(
            input_tokens=min(count.get("input_tokens", 0) + read + written, TOKENS_MAX),
            output_tokens=count.get("output_tokens", 0),
            cache_read_tokens=read,
            cache_write_tokens=min(written, TOKENS_MAX - read),
            thinking_tokens=min(count.get("thinking_tokens", 0), count.get("output_tokens", 0)),
        )

    def feed(self, frame: Mapping[str, Any]) -> bool:
        """Take one frame; tell whether something of the reply itself came with it.

        Raises:
            ModelCallError: the frame tells of an error, or does not fit what came before.
        """
        match frame.get("type"):
            case "message_start":
                self._start(frame)
            case "content_block_start":
                return self._open(frame)
            case "content_block_delta":
                return self._add(frame)
            case "content_block_stop":
                self._block(frame).closed = True
            case "message_delta":
                self._note_end(frame)
            case "message_stop":
                self.ended = True
            case "error":
                raise frame_error(frame, self._tell)
            case _:
                # ping, and whatever the API adds later: it says that clients must pass over it.
                pass
        return False

    def turn(self, taken: Collection[str] = ()) -> ModelTurn:
        """Return the reply; *taken* are the ids of earlier calls.

        Raises:
            StreamBrokenError: its end did not come, or a block of it was left open.
        """
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        calls = [block for block in blocks if block.kind == "tool_use"]
        whole = self.begun and self.ended and self._stop_reason is not None
        if not whole or not all(block.closed for block in blocks):
            raise StreamBrokenError("model_incomplete")
        ids = _ids([call.start.get("id") for call in calls], taken)
        made = [_call(block, call_id) for block, call_id in zip(calls, ids, strict=True)]
        ours = iter(made)
        written = [b.written(next(ours) if b.kind == "tool_use" else None) for b in blocks]
        kept = tuple(block for block in written if block is not None)
        return ModelTurn(
            thinking="\n\n".join(filter(None, (block.thinking for block in blocks))),
            text="".join(block.text for block in blocks),
            tool_calls=tuple(made),
            usage=self.usage,
            stop=self._stop(made),
            blocks=kept if any(block.get("type") in THINKING for block in kept) else (),
            family=FAMILY,
        )

    def _start(self, frame: Mapping[str, Any]) -> None:
        if self.begun:
            raise StreamBrokenError("model_unreadable", said="a second message_start")
        self.begun = True
        message = frame.get("message")
        if isinstance(message, dict):
            self._count(message.get("usage"))

    def _open(self, frame: Mapping[str, Any]) -> bool:
        index, start = frame.get("index"), frame.get("content_block")
        if not isinstance(index, int) or not isinstance(start, dict) or index in self._blocks:
            raise StreamBrokenError("model_unreadable", said="content_block_start")
        block = self._blocks[index] = Block(start)
        self._take(len(json.dumps(start)))
        if block.kind == "tool_use":
            self._hear(CallNamed(str(start.get("name", ""))))
            return True
        self._say(block.kind, block.text or block.thinking)
        # Newer models tell nothing of what they think: that they begin to is all that comes.
        return bool(block.text or block.thinking) or block.kind in THINKING

    def _add(self, frame: Mapping[str, Any]) -> bool:
        block, delta = self._block(frame), frame.get("delta")
        if not isinstance(delta, dict) or block.closed:
            raise StreamBrokenError("model_unreadable", said="content_block_delta")
        piece = block.add(delta)
        self._take(len(piece))
        if delta.get("type") in ("text_delta", "thinking_delta"):
            self._say(block.kind, piece)
        return bool(piece)

    def _block(self, frame: Mapping[str, Any]) -> Block:
        index = frame.get("index")
        block = self._blocks.get(index) if isinstance(index, int) else None
        if block is None:
            raise StreamBrokenError("model_unreadable", said="a block that was not opened")
        return block

    def _note_end(self, frame: Mapping[str, Any]) -> None:
        delta = frame.get("delta")
        reason = delta.get("stop_reason") if isinstance(delta, dict) else None
        if isinstance(reason, str):
            self._stop_reason = reason
        self._count(frame.get("usage"))

    def _count(self, usage: object) -> None:
        # Later counts are totals: each replaces the one before it.
        if not isinstance(usage, dict):
            return
        details = usage.get("output_tokens_details")
        thinking = details.get("thinking_tokens") if isinstance(details, dict) else None
        told = {**{name: usage.get(name) for name in _COUNTS}, "thinking_tokens": thinking}
        # A total does not sink below zero: what says so tells nothing.
        said = {name: n for name, n in told.items() if type(n) is int and n >= 0}
        self._counts.update({name: token_count(n) for name, n in said.items()})

    def _say(self, kind: str, piece: str) -> None:
        if piece:
            self._hear(Thought(piece) if kind == "thinking" else Said(piece))

    def _take(self, chars: int) -> None:
        self._chars_left -= chars
        if self._chars_left < 0:
            raise StreamBrokenError("model_too_long")

    def _stop(self, calls: list[ToolCall]) -> Stop:
        # A reason of a later API: only whole calls prove that nothing was cut.
        whole = bool(calls) and all(call.raw == "" for call in calls)
        return _STOPS.get(self._stop_reason or "", "done" if whole else "length")


def _ids(told: list[object], taken: Collection[str]) -> list[str]:
    """Return an id for each call, so that each can be answered: its own, or a made-up one."""
    ids: list[str] = []
    made = (f"call-{number}" for number in count(1))
    spare = (call_id for call_id in made if call_id not in told and call_id not in taken)
    for call_id in told:
        own = call_id if isinstance(call_id, str) else ""
        ids.append(own if own and own not in ids and own not in taken else next(spare))
    return ids


def _call(block: Block, call_id: str) -> ToolCall:
    value, raw = block.arguments
    name = block.start.get("name")
    return ToolCall(id=call_id, name=name if isinstance(name, str) else "", input=value, raw=raw)
