"""Lines of the pipe: one message is one line of strict UTF-8 JSON that ends in LF.

The rules: bytes only, split on LF and nothing else; no line is buffered beyond its bound; a line
without its LF is never acted upon; the reader never writes and the writer never blocks the reader.
"""

import asyncio
import contextlib
import json
from collections import deque
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from engine.pipe.errors import PipeClosedError, ProtocolViolationError, UnsendableMessageError
from engine.pipe.strict_json import parse_object, survey
from states.settings import PipeLimits

CHUNK_BYTES = 65_536
BOM = b"\xef\xbb\xbf"
JSON_DEPTH_MAX = PipeLimits().json_depth_max
DROPPABLE_TYPES = frozenset({"log_entry", "state_changed"})


class ByteSource(Protocol):
    """Where bytes come from; `asyncio.StreamReader` is one."""

    async def read(self, n: int) -> bytes:
        """Return up to *n* bytes, b"" at the end."""


class ByteSink(Protocol):
    """Where bytes go; `asyncio.StreamWriter` is one."""

    def write(self, data: bytes) -> None:
        """Take *data* for sending."""

    async def drain(self) -> None:
        """Wait until the peer took enough of it."""

    def close(self) -> None:
        """Close this end."""

    async def wait_closed(self) -> None:
        """Wait until it is closed."""


def decode_line(line: bytes, limits: PipeLimits, bytes_max: int) -> dict[str, Any]:
    """Return the JSON object that *line* (without its LF) holds.

    Raises:
        ProtocolViolationError: *line* is anything else; its `seq` is set when it could be read.
    """
    if len(line) > bytes_max:
        raise ProtocolViolationError("line_too_long", bytes_max=bytes_max)
    if line.startswith(BOM):
        raise ProtocolViolationError("line_bom")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolViolationError("line_not_utf8", at=error.start) from None
    if not text.strip(" \t\r"):
        raise ProtocolViolationError("line_empty")
    return parse_object(text, limits.json_depth_max)


def encode_line(message: BaseModel) -> bytes:
    """Return *message* as one line, whatever its size.

    Raises:
        UnsendableMessageError: it holds what JSON cannot (a lone surrogate, a huge integer).
    """
    return _encode(type_of(message), document_of(message), JSON_DEPTH_MAX)


def type_of(message: BaseModel) -> str:
    """Return the wire name of *message*."""
    return str(getattr(message, "type", type(message).__name__))


def document_of(message: BaseModel) -> dict[str, Any]:
    """Return *message* as the JSON document that travels.

    Raises:
        UnsendableMessageError: it is no JSON, or nests without end.
    """
    try:
        return message.model_dump(mode="json")
    except ValueError as error:
        raise unsendable(type_of(message), error) from error


def unsendable(kind: str, error: Exception) -> UnsendableMessageError:
    """Return the error for a message of *kind* that could not be written as JSON."""
    return UnsendableMessageError("pipe_message_not_json", type=kind, why=type(error).__name__)


def _encode(kind: str, document: dict[str, Any], depth_max: int) -> bytes:
    seen = survey(document, depth_max)
    if seen.depth > depth_max:
        raise UnsendableMessageError("pipe_message_too_deep", type=kind, depth_max=depth_max)
    if not seen.ints_fit:
        raise UnsendableMessageError("pipe_message_not_json", type=kind, why="2^53-1")
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8") + b"\n"
    except ValueError as error:  # UnicodeEncodeError is one
        raise unsendable(kind, error) from error


class LineReader:
    """Splits *source* on LF; an over-long line is reported once and skipped to its end."""

    def __init__(self, source: ByteSource, limits: PipeLimits, bytes_max: int) -> None:
        self._source = source
        self._limits = limits
        self._bytes_max = bytes_max
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False
        self._ended = False
        self._closed = False

    async def read_line(self) -> bytes | None:
        """Return the next line without its LF, or None at the end.

        Raises:
            ProtocolViolationError: the line is too long, or the end came in the middle of it;
                reading on is allowed.
        """
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                line = self._take(end)
                if line is not None:
                    return line
            else:
                self._skip_when_too_long()
                if not await self._fill():
                    return None

    async def read_document(self) -> dict[str, Any] | None:
        """Return the next line decoded, or None at the end.

        Raises:
            ProtocolViolationError: see `read_line` and `decode_line`; reading on is allowed.
        """
        line = await self.read_line()
        return None if line is None else decode_line(line, self._limits, self._bytes_max)

    def close(self) -> None:
        """Close the source, when it is one that can be closed; again is no harm."""
        close = None if self._closed else getattr(self._source, "close", None)
        self._closed = True
        if close is not None:
            close()

    def _take(self, end: int) -> bytes | None:
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        if self._skipping:  # the tail of a line that was already reported
            self._skipping = False
            return None
        if len(line) > self._bytes_max:
            raise ProtocolViolationError("line_too_long", bytes_max=self._bytes_max)
        return line

    def _skip_when_too_long(self) -> None:
        self._searched = len(self._buffer)
        too_long = self._searched > self._bytes_max
        if self._skipping or too_long:
            self._buffer.clear()
            self._searched = 0
        if too_long and not self._skipping:
            self._skipping = True
            raise ProtocolViolationError("line_too_long", bytes_max=self._bytes_max)

    async def _fill(self) -> bool:
        """Read one chunk; False at the end of the source."""
        if self._ended:
            return False
        try:
            chunk = await self._source.read(CHUNK_BYTES)
        except OSError:  # a reset pipe is an ended pipe
            chunk = b""
        if chunk:
            self._buffer += chunk
            return True
        self._ended = True
        unfinished = bool(self._buffer) and not self._skipping
        self._buffer.clear()
        if unfinished:
            raise ProtocolViolationError("line_unfinished")
        return False


class _Line(NamedTuple):
    content: bytes
    droppable: bool


class LineWriter:
    """Sends lines through one task and a bounded queue.

    When the queue is full, `log_entry` and `state_changed` are dropped and counted; anything
    else waits for room. A broken pipe is the end, told by `PipeClosedError` and `closed`.
    """

    def __init__(self, sink: ByteSink, limits: PipeLimits, bytes_max: int) -> None:
        self._sink = sink
        self._limits = limits
        self._bytes_max = bytes_max
        self._queue: deque[_Line] = deque()
        self._queued_bytes = 0
        self._sending = False
        self._changed = asyncio.Condition()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self.closed = asyncio.Event()
        self.dropped = 0

    async def send(self, message: BaseModel) -> bool:
        """Queue *message*; False when it was dropped because the peer does not keep up.

        Raises:
            PipeClosedError: the other end is gone, or this end was closed.
            UnsendableMessageError: the line breaks a bound of the other end.
        """
        kind = type_of(message)
        line = _encode(kind, document_of(message), self._limits.json_depth_max)
        size, size_max = len(line) - 1, self._bytes_max
        if size > size_max:
            raise UnsendableMessageError(
                "pipe_message_too_large", type=kind, size=size, size_max=size_max
            )
        return await self._enqueue(_Line(line, kind in DROPPABLE_TYPES))

    async def close(self, flush_seconds: float) -> None:
        """Send what is queued for at most *flush_seconds*, then close this end, once."""
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(TimeoutError, PipeClosedError):
            async with asyncio.timeout(flush_seconds):
                await self._flushed()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._end()
        self._sink.close()
        try:
            async with asyncio.timeout(flush_seconds):
                await self._sink.wait_closed()
        except TimeoutError:  # a peer that does not read must not keep our end open
            transport = getattr(self._sink, "transport", None)
            if transport is not None:
                transport.abort()
        except OSError:
            return

    async def _end(self) -> None:
        async with self._changed:
            self.closed.set()
            self._queue.clear()
            self._queued_bytes = 0
            self._changed.notify_all()

    async def _enqueue(self, line: _Line) -> bool:
        async with self._changed:
            while True:
                if self.closed.is_set() or self._closing:
                    raise PipeClosedError
                if not self._full(len(line.content)):
                    break
                if line.droppable:
                    self.dropped += 1
                    return False
                if not self._drop_one():
                    await self._changed.wait()
            self._queue.append(line)
            self._queued_bytes += len(line.content)
            self._changed.notify_all()
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="pipe-writer")
        return True

    def _full(self, more_bytes: int) -> bool:
        if not self._queue:
            return False
        bytes_full = self._queued_bytes + more_bytes > self._limits.queue_bytes_max
        return bytes_full or len(self._queue) >= self._limits.queue_lines_max

    def _drop_one(self) -> bool:
        """Drop the oldest droppable line to make room for one that is not."""
        for index, queued in enumerate(self._queue):
            if queued.droppable:
                del self._queue[index]
                self._queued_bytes -= len(queued.content)
                self.dropped += 1
                return True
        return False

    async def _flushed(self) -> None:
        async with self._changed:
            while (self._queue or self._sending) and not self.closed.is_set():
                await self._changed.wait()

    async def _run(self) -> None:
        try:
            while True:
                async with self._changed:
                    while not self._queue:
                        self._sending = False
                        self._changed.notify_all()
                        await self._changed.wait()
                    line = self._queue.popleft()
                    self._queued_bytes -= len(line.content)
                    self._sending = True
                    self._changed.notify_all()
                self._sink.write(line.content)
                await self._sink.drain()
        except OSError:  # BrokenPipeError, ConnectionResetError, EINVAL on Windows: all mean EOF
            await self._end()


class PipeEnd(NamedTuple):
    """One end of a pipe: what comes in, what goes out."""

    reader: LineReader
    writer: LineWriter

    async def close(self, flush_seconds: float) -> None:
        """Send what is queued for at most *flush_seconds*, then close both directions."""
        await self.writer.close(flush_seconds)
        self.reader.close()
