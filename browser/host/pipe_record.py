"""The pipe record (A3): one row for each message over the pipe, in both directions.

A row says who sent what, how large, its SHA-256, and for an answer how long it took. What a
message says is left out unless a setting asks for it, and then struck; keys and proofs are never
in a row. The rule: recording changes nothing of what passes, and never fails it.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from browser.host.plain_text import TYPED, length_of, one_line, without_secrets
from engine.pipe.errors import ProtocolViolationError
from engine.pipe.framing import ByteSink, ByteSource, LineReader
from engine.pipe.strict_json import readable_seq
from states.secrets import strike_all
from states.settings import PipeLimits

FROM_AGENT, TO_AGENT = "agent>host", "host>agent"
_NAME_CHARS_MAX = 60
_TEXT_CHARS_MAX = 2_000
_OPEN_MAX = 1_000
_DEPTH_MAX = 16
_REQUESTS = frozenset({"command", "confirm_request", "dialog_response"})
_ANSWERS = frozenset({"response", "confirmation_required", "confirm_response"})
# Of init: the session's key and the provider's; of all others: their proof.
_NEVER = frozenset({"key", "api_key", "security", "hmac", "database"})
Write = Callable[[Mapping[str, Any]], None]


class PipeRecord:
    """Gives a row to *write* for each line of one run's pipe; content only with *content*."""

    def __init__(
        self, trace_id: str, write: Write, clock: Callable[[], datetime], *, content: bool = False
    ) -> None:
        self._trace_id, self._write, self._clock = trace_id, write, clock
        self._content = content
        self._asked: dict[int, float] = {}

    def came(self, line: bytes, document: Mapping[str, Any] | None, code: str = "") -> None:
        """Record *line* of the agent, which read as *document* or was refused with *code*."""
        row = self._row(FROM_AGENT, line, document)
        if code:
            row["code"] = code
        seq = row.get("seq")
        if row["type"] in _REQUESTS and isinstance(seq, int) and len(self._asked) < _OPEN_MAX:
            self._asked[seq] = time.monotonic()
        self._write(row)

    def went(self, line: bytes) -> None:
        """Record *line*, which is written to the agent."""
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            document = None
        row = self._row(TO_AGENT, line.removesuffix(b"\n"), document)
        if row["type"] == "init":
            self._asked.clear()  # another agent, which counts anew
        asked = self._asked.pop(row.get("seq", 0), None) if row["type"] in _ANSWERS else None
        if asked is not None:
            row["duration_ms"] = round((time.monotonic() - asked) * 1000)
        self._write(row)

    def _row(self, direction: str, line: bytes, document: object) -> dict[str, Any]:
        told = document if isinstance(document, dict) else {}
        row: dict[str, Any] = {
            "at": self._clock().isoformat(timespec="milliseconds"),
            "trace_id": self._trace_id,
            "direction": direction,
            "type": _name(told.get("type")),
        }
        seq = readable_seq(told)
        if seq is not None:
            row["seq"] = seq
        row |= {key: _name(told[key]) for key in ("action", "state", "code") if told.get(key)}
        row |= _outcome(told)
        if line:  # a line that was too long was never held
            row |= {"bytes": len(line), "sha256": hashlib.sha256(line).hexdigest()}
        if self._content and told:
            row["content"] = content_of(told)
        return row


class RecordedReader(LineReader):
    """A reader of lines that tells *record* each one as it came."""

    def __init__(
        self, source: ByteSource, limits: PipeLimits, bytes_max: int, record: PipeRecord
    ) -> None:
        super().__init__(source, limits, bytes_max)
        self._record = record
        self._line = b""

    async def read_line(self) -> bytes | None:
        """Return the next line without its LF, or None at the end; see `LineReader`."""
        self._line = b""
        line = await super().read_line()
        self._line = line or b""
        return line

    async def read_document(self) -> dict[str, Any] | None:
        """Return the next line decoded, or None at the end; see `LineReader`."""
        try:
            document = await super().read_document()
        except ProtocolViolationError as error:
            self._record.came(self._line, None, error.code)
            raise
        if document is not None:
            self._record.came(self._line, document)
        return document


class RecordedSink:
    """A sink of lines that tells *record* each one as it goes."""

    def __init__(self, sink: ByteSink, record: PipeRecord) -> None:
        self._sink, self._record = sink, record

    @property
    def transport(self) -> "asyncio.WriteTransport | None":
        """What can be cut off when the other end does not read, None when nothing can."""
        return getattr(self._sink, "transport", None)

    def write(self, data: bytes) -> None:
        """Take *data*, one line, for sending."""
        self._sink.write(data)
        self._record.went(data)

    async def drain(self) -> None:
        """Wait until the peer took enough of it."""
        await self._sink.drain()

    def close(self) -> None:
        """Close this end."""
        self._sink.close()

    async def wait_closed(self) -> None:
        """Wait until it is closed."""
        await self._sink.wait_closed()


def content_of(message: Mapping[str, Any]) -> Any:
    """Return what *message* says, struck and cut: no key, no proof, no typed text, no picture."""
    return _safe(strike_all(_without(message, _DEPTH_MAX)), _DEPTH_MAX)


def _without(value: Any, depth: int) -> Any:
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        return {
            str(name): _hidden(str(name), item, depth)
            for name, item in value.items()
            if name not in _NEVER
        }
    return [_without(item, depth - 1) for item in value]


def _hidden(name: str, item: Any, depth: int) -> Any:
    is_quiet = name in TYPED or name == "image_base64"
    return length_of(item) if is_quiet and isinstance(item, str) else _without(item, depth - 1)


def _safe(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return one_line(without_secrets(value), _TEXT_CHARS_MAX)
    if isinstance(value, dict):
        return {one_line(key, _NAME_CHARS_MAX): _safe(item, depth) for key, item in value.items()}
    return [_safe(item, depth) for item in value] if isinstance(value, list) else value


def _outcome(told: Mapping[str, Any]) -> dict[str, Any]:
    outcome: dict[str, Any] = {}
    if isinstance(told.get("success"), bool):
        outcome["success"] = told["success"]
    error = told.get("error")
    if isinstance(error, dict):
        outcome["code"] = _name(error.get("code"))
    if isinstance(told.get("decision"), str):
        outcome["decision"] = _name(told["decision"])
    return outcome


def _name(value: object) -> str:
    """Return a foreign *value* as a short name, "?" when it is no text."""
    return one_line(without_secrets(value), _NAME_CHARS_MAX) if isinstance(value, str) else "?"
