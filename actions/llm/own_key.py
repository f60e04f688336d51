"""The key of the session, struck out of a reply whose server says it (M7).

Such a server was given the key already; whoever hears the reply, and the ledger, were not. It is
struck out verbatim: a key of a form that nobody knows is found as well.
"""

import json
from typing import Any

from actions.llm.chunks import CallNamed, Chunk, Hear, Said, Thought
from states.messages import ModelTurn, ToolCall
from states.secrets import REDACTED

# A shorter one is a word that stands in texts by chance, and keeps nobody out.
_CHARS_MIN = 8


class Ear:
    """Hears for *hear* what is told, without *key*; the start of a key waits for what follows."""

    def __init__(self, key: str, hear: Hear) -> None:
        self._key = key
        self._hear = hear
        self._tails: dict[type[Said | Thought], str] = {}

    def __call__(self, chunk: Chunk) -> None:
        """Take one chunk."""
        if not self._key:
            self._hear(chunk)
            return
        self._tell_short(type(chunk))
        match chunk:
            case Said() | Thought():
                self._stream(chunk)
            case CallNamed(name):
                self._hear(CallNamed(name.replace(self._key, REDACTED)))
            case _:
                self._hear(chunk)

    def end(self) -> None:
        """Tell what was held back; nothing more comes."""
        tails, self._tails = self._tails, {}
        for kind, tail in tails.items():
            self._hear(kind(tail))

    def _stream(self, chunk: Said | Thought) -> None:
        kind = type(chunk)
        *before, rest = (self._tails.pop(kind, "") + chunk.text).split(self._key)
        cut = len(rest) - _begun(rest, self._key)
        if rest[cut:]:
            self._tails[kind] = rest[cut:]
        if told := REDACTED.join([*before, rest[:cut]]):
            self._hear(kind(told))

    def _tell_short(self, kind: type[Chunk]) -> None:
        """Tell short tails that are not of *kind*, to keep the order: they give nothing away."""
        short = [k for k, tail in self._tails.items() if k is not kind and len(tail) < _CHARS_MIN]
        for other in short:
            self._hear(other(self._tails.pop(other)))


class OwnKey:
    """Strikes *key* out; one that is missing or very short is looked for nowhere."""

    def __init__(self, key: str) -> None:
        self._key = key if len(key) >= _CHARS_MIN else ""
        # As it stands in JSON.
        self._written = json.dumps(self._key, ensure_ascii=False)[1:-1]

    def ear(self, hear: Hear) -> Ear:
        """Return what may be told a reply in pieces for *hear*."""
        return Ear(self._key, hear)

    def out_of(self, turn: ModelTurn) -> ModelTurn:
        """Return *turn* without the key."""
        if not self._key:
            return turn
        changed: dict[str, Any] = {
            "text": self._text(turn.text),
            "thinking": self._text(turn.thinking),
            "tool_calls": tuple(map(self._call, turn.tool_calls)),
        }
        try:
            if self._holds(turn.blocks):
                changed["blocks"] = tuple(map(self._value, turn.blocks))
        except RecursionError:
            changed["blocks"] = ()
        return turn.model_copy(update=changed)

    def _call(self, call: ToolCall) -> ToolCall:
        changed: dict[str, Any] = {
            name: self._text(getattr(call, name)) for name in ("id", "name", "raw")
        }
        try:
            if self._holds(call.input):
                changed["input"] = self._value(call.input)
        except RecursionError:
            # Nested as deeply it would not be run either.
            changed |= {"input": None, "raw": REDACTED}
        return call.model_copy(update=changed)

    def _holds(self, value: object) -> bool:
        return self._written in json.dumps(value, ensure_ascii=False)

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._text(name): self._value(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        return text.replace(self._key, REDACTED)


def _begun(text: str, key: str) -> int:
    """Return how many characters at the end of *text* may be the beginning of *key*."""
    most = min(len(key) - 1, len(text))
    return next((size for size in range(most, 0, -1) if text.endswith(key[:size])), 0)
