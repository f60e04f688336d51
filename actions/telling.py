"""Tell people what a model says while it says it, and the chart of each failed try (R3, R4).

Text is told by whole lines: a secret that is cut in two would not be known as one. A line that
does not end is cut between words, and only where no secret is or begins.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from actions.llm.chunks import CallNamed, Chunk, Said, Thought, TryFailed
from actions.llm.halves import joined
from states.secrets import strike

# A line that does not end is cut at this length. Its tail stays: what follows may belong to it.
_LINE_CHARS_MAX, _TAIL_CHARS = 600, 200
_TOLD_CHARS_MAX = 20_000
_BREAK = re.compile(r"[\s。，；！？]")


class Telling:
    """Hears the chunks of one model call."""

    def __init__(
        self, log: Callable[..., None], emit: Callable[[str, Mapping[str, Any]], None]
    ) -> None:
        """Tell lines to *log*, and `model_tried` to *emit*."""
        self._log, self._emit = log, emit
        self._kind, self._line = "text", ""
        self._cut_at = _LINE_CHARS_MAX
        self._told = 0
        self.said_any = False

    def __call__(self, chunk: Chunk) -> None:
        """Take one chunk."""
        if isinstance(chunk, TryFailed):
            self._failed(chunk)
        elif isinstance(chunk, CallNamed):
            self._flush()
        else:
            self._take("thought" if isinstance(chunk, Thought) else "text", chunk)

    def close(self) -> None:
        """The reply is whole: tell what is left of its last line."""
        self._flush()

    def _take(self, kind: str, chunk: Said | Thought) -> None:
        if kind != self._kind:
            self._flush()
            self._kind = kind
        self._line += chunk.text
        *whole, self._line = self._line.split("\n")
        for line in whole:
            self._tell(line)
        if whole:
            self._cut_at = _LINE_CHARS_MAX
        if len(self._line) >= self._cut_at:
            at = _cut(self._line)
            told, self._line = self._line[:at], self._line[at:]
            self._tell(told)
            # Looked at again only when it has grown: a line without a break costs no more.
            self._cut_at = len(self._line) + _LINE_CHARS_MAX

    def _failed(self, failed: TryFailed) -> None:
        # The next try begins anew; what this one said counts no longer.
        self._line, self._cut_at = "", _LINE_CHARS_MAX
        self._told, self.said_any = 0, False
        if not failed.last:  # that one is told as the end of the call
            self._log("model_retry", number=failed.number, code=failed.code, why=failed.text,
                      wait_s=failed.wait_s, discarded=failed.discarded)  # fmt: skip
        record = {
            "number": failed.number,
            "code": failed.code,
            "text": failed.text,
            "wait_ms": round(1000 * failed.wait_s),
            "duration_ms": failed.duration_ms,
            "usage": failed.usage.model_dump(),
            "discarded": failed.discarded,
            "cost_microusd": failed.cost_microusd,
        }
        self._emit("model_tried", {"kind": failed.kind, "record": record})

    def _flush(self) -> None:
        line, self._line, self._cut_at = self._line, "", _LINE_CHARS_MAX
        self._tell(line)

    def _tell(self, line: str) -> None:
        # Struck before it is cut: half of a secret would not be known as one.
        text = strike(joined(line).strip())[: _TOLD_CHARS_MAX - self._told]
        if not text:
            return
        self._told += len(text)
        self.said_any = self.said_any or self._kind == "text"
        self._log("model_says", kind=self._kind, text=text)


def _cut(line: str) -> int:
    """Return where *line*, to which more will come, can be cut without cutting a secret; else 0."""
    breaks = [found.end() for found in _BREAK.finditer(line, 0, len(line) - _TAIL_CHARS)]
    whole = strike(line)
    return next(
        (at for at in reversed(breaks[-8:]) if strike(line[:at]) + strike(line[at:]) == whole), 0
    )
