"""One streamed reply of an OpenAI-compatible server, from its frames to a whole turn (R3).

A turn comes out only when the server said why it stopped, after everything else it said.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from actions.llm.chunks import CallNamed, Chunk, Said, Thought
from actions.llm.counts import token_count
from actions.llm.errors import ProviderBusyError, StreamBrokenError
from actions.llm.halves import Halves, joined
from actions.llm.openai_slots import Slots
from actions.llm.openai_think import ThinkSplit
from states.messages import ModelTurn, Stop, Usage

FAMILY = "openai"
REASONING_FIELDS = ("reasoning_content", "reasoning")

# In small letters: some servers write them large. Gateways hand other APIs' words through.
_STOPS: dict[str, Stop] = {
    "stop": "done", "tool_calls": "done", "function_call": "done", "eos": "done",
    "eos_token": "done", "stop_sequence": "done", "end_turn": "done", "tool_use": "done",
    "length": "length", "max_tokens": "length", "model_length": "length",
    "content_filter": "refusal", "safety": "refusal", "refusal": "refusal",
}  # fmt: skip
# Ends that say of themselves that the reply is not whole.
_BUSY = "insufficient_system_resource"
_FAILED = frozenset({"error", "abort", "cancelled"})


class Reply:
    """What came of a reply so far; at most *chars_max* characters of it are kept."""

    def __init__(self, chars_max: int) -> None:
        self.usage = Usage()
        self._left = chars_max
        self._split = ThinkSplit()
        self._content = Halves()
        self._reason = Halves()
        self._slots = Slots()
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._reasoning: dict[str, list[str]] = {}
        self._finish = ""
        self._refused = False
        self._pieces = 0

    @property
    def has_token(self) -> bool:
        """Whether anything of the reply came: text, reasoning, a call; a role is nothing."""
        return self._pieces > 0

    def feed(self, frame: Mapping[str, Any]) -> Iterator[Chunk]:
        """Take one frame and yield what it tells.

        Raises:
            StreamBrokenError: it has not the form of a frame, or the reply is longer than allowed.
        """
        choices = frame.get("choices") or []
        if not isinstance(choices, list) or not all(isinstance(c, Mapping) for c in choices):
            raise StreamBrokenError("model_unreadable", said="choices")
        self._count(frame.get("usage"))
        for choice in choices:
            # Only one was asked for.
            if choice.get("index") in (0, None):
                yield from self._choice(choice)

    def end(self) -> Iterator[Chunk]:
        """Yield what was held back; nothing more comes."""
        if thought := self._reason.end():
            yield from self._kept(iter((Thought(thought),)))
        yield from self._kept(self._split.feed(self._content.end()))
        yield from self._kept(self._split.end())

    def turn(self, taken: Collection[str], *, replay_reasoning: bool = False) -> ModelTurn:
        """Return the whole reply; no call gets an id that is *taken*.

        Raises:
            ModelCallError: it is not whole.
        """
        if not self._finish:
            raise StreamBrokenError("model_incomplete")
        if self._finish == _BUSY:
            raise ProviderBusyError("model_busy", status=200, said=self._finish)
        if self._finish in _FAILED:
            raise StreamBrokenError("model_stream_failed", said=self._finish)
        return ModelTurn(
            thinking="".join(self._thinking),
            text="".join(self._text),
            tool_calls=self._slots.calls(taken),
            usage=self.usage,
            stop=self._stop(),
            blocks=self._blocks() if replay_reasoning else (),
            family=FAMILY,
        )

    def _stop(self) -> Stop:
        if self._refused:
            return "refusal"
        known = _STOPS.get(self._finish)
        # Of an unknown end only a whole call proves that nothing was cut.
        return known or ("done" if self._slots.are_whole() else "length")

    def _blocks(self) -> tuple[dict[str, Any], ...]:
        return tuple(
            {"field": name, "text": joined("".join(pieces))}
            for name, pieces in self._reasoning.items()
        )

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Chunk]:
        self._count(choice.get("usage"))
        delta = choice.get("delta") or {}
        if not isinstance(delta, Mapping):
            raise StreamBrokenError("model_unreadable", said="delta")
        before = self._pieces
        yield from self._reasons(delta)
        yield from self._kept(self._says(delta))
        yield from self._calls(delta)
        if self._pieces > before:
            # Whoever goes on after saying why he stopped has not stopped yet.
            self._finish = ""
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish.casefold()

    def _says(self, delta: Mapping[str, Any]) -> Iterator[Said | Thought]:
        if text := _content(delta.get("content")):
            self._pieces += 1
            yield from self._split.feed(self._content.feed(text))
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refused = True
            self._pieces += 1
            yield Said(joined(refusal))

    def _reasons(self, delta: Mapping[str, Any]) -> Iterator[Chunk]:
        for name in REASONING_FIELDS:
            piece = delta.get(name)
            if isinstance(piece, str) and piece:
                self._pieces += 1
                self._reasoning.setdefault(name, []).append(piece)
                if whole := self._reason.feed(piece):
                    yield from self._kept(iter((Thought(whole),)))
                # A server that gives both gives the same text twice.
                return

    def _kept(self, chunks: Iterator[Said | Thought]) -> Iterator[Chunk]:
        for chunk in chunks:
            self._take(len(chunk.text))
            (self._text if isinstance(chunk, Said) else self._thinking).append(chunk.text)
            yield chunk

    def _calls(self, delta: Mapping[str, Any]) -> Iterator[CallNamed]:
        entries = delta.get("tool_calls") or []
        if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
            raise StreamBrokenError("model_unreadable", said="tool_calls")
        legacy = delta.get("function_call")
        if isinstance(legacy, Mapping):
            entries = [*entries, {"index": "function_call", "function": legacy}]
        for entry in entries:
            size, name = self._slots.feed(entry)
            self._take(size)
            self._pieces += 1 if size else 0
            if name:
                yield CallNamed(name)

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise StreamBrokenError("model_too_long")

    def _count(self, told: object) -> None:
        """Keep the last usage that says anything; some servers tell it in the middle."""
        if not isinstance(told, Mapping):
            return
        details = _mapping(told.get("prompt_tokens_details"))
        prompt = token_count(told.get("prompt_tokens"))
        hits = (details.get("cached_tokens"), told.get("prompt_cache_hit_tokens"))
        cached = min(next(filter(None, map(token_count, hits)), 0), prompt)
        written = token_count(details.get("cache_write_tokens"))
        output = token_count(told.get("completion_tokens"))
        reasoning = _mapping(told.get("completion_tokens_details")).get("reasoning_tokens")
        if prompt or output:
            self.usage = Usage(
                input_tokens=prompt,
                output_tokens=output,
                cache_read_tokens=cached,
                cache_write_tokens=min(written, prompt - cached),
                thinking_tokens=min(token_count(reasoning), output),
            )


def _content(content: object) -> str:
    """Return the text of *content*, which some servers give in parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(text for text in parts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
