"""One content block of the Messages API, from its first frame to what is given back (R3)."""

import json
from typing import Any

from actions.llm.errors import StreamBrokenError
from actions.llm.strict_json import StrictJsonError, strict_object
from states.messages import ToolCall

THINKING = frozenset({"thinking", "redacted_thinking"})

# Which kind of piece belongs to which kind of block, and the field that holds it.
_PIECES = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("thinking", "signature"),
    "input_json_delta": ("tool_use", "partial_json"),
}
_KINDS = frozenset(kind for kind, _ in _PIECES.values()) | THINKING


class Block:
    """A content block: *start* as its first frame gave it, and the pieces that followed."""

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        kind = start.get("type")
        self.kind = kind if isinstance(kind, str) else ""
        self.closed = False
        self._pieces: dict[str, list[str]] = {}
        self._faithful = True

    @property
    def text(self) -> str:
        """The text of a block of text, else nothing."""
        return self._joined("text") if self.kind == "text" else ""

    @property
    def thinking(self) -> str:
        """The reasoning of a block of reasoning, else nothing."""
        return self._joined("thinking") if self.kind == "thinking" else ""

    @property
    def arguments(self) -> tuple[dict[str, Any] | None, str]:
        """The input of a tool, or None and what was written when that is no strict JSON."""
        written = "".join(self._pieces.get("partial_json", ()))
        given = self.start.get("input")
        if not written and isinstance(given, dict):
            return given, ""
        if not written and given is not None:
            # Some gateways give the input at once, and as text.
            written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        try:
            return strict_object(written), ""
        except StrictJsonError:
            return None, written

    def add(self, delta: dict[str, Any]) -> str:
        """Take one piece and return it, "" for one of a kind that is not known.

        Raises:
            StreamBrokenError: it is no text, or belongs to another kind of block.
        """
        kind, field = _PIECES.get(str(delta.get("type")), ("", ""))
        if not kind or self.kind not in _KINDS:
            # What cannot be understood cannot be given back as it was either.
            self._faithful = False
            return ""
        piece = delta.get(field)
        if kind != self.kind or not isinstance(piece, str):
            raise StreamBrokenError("model_unreadable", said=f"{delta.get('type')}"[:40])
        self._pieces.setdefault(field, []).append(piece)
        return piece

    def written(self, call: ToolCall | None) -> dict[str, Any] | None:
        """Return the block as the API wrote it, None if it must not be given back.

        Reasoning that was cut before its signature is refused by the API.
        """
        match self.kind:
            case "text":
                return {**self.start, "text": self.text}
            case "thinking":
                # It comes in one piece; a later one replaces it.
                last = self._pieces.get("signature", [self.start.get("signature")])[-1]
                signature = last if isinstance(last, str) else ""
                signed = {**self.start, "thinking": self.thinking, "signature": signature}
                return signed if signature and self.closed else None
            case "tool_use" if call is not None:
                return {**self.start, "id": call.id, "input": call.input or {}}
            case _:
                return self.start if self.closed and self._faithful else None

    def _joined(self, field: str) -> str:
        first = self.start.get(field)
        return "".join((first if isinstance(first, str) else "", *self._pieces.get(field, ())))
