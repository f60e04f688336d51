"""CDP over the debugging pipe: NUL-terminated JSON on two file descriptors.

The rule: a broken pipe, an oversized or unreadable message ends the transport once and for
all, and with it every command in flight.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any

from browser.host.errors import BrowserLostError, CdpTimeoutError
from browser.host.transport import CdpEvent, Handler, PendingCalls, Unsubscribe


class _Reader(asyncio.Protocol):
    """Cut the byte stream into messages at each NUL."""

    def __init__(self, owner: "PipeTransport", message_bytes_max: int) -> None:
        self._owner = owner
        self._limit = message_bytes_max
        self._buffer = bytearray()
        self._searched = 0

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\0", self._searched)) >= 0:
            message = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._searched = 0
            self._owner.take(message)
        self._searched = len(self._buffer)
        if self._searched > self._limit:
            self._owner.end(f"a message of the browser is longer than {self._limit} bytes")

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.end(str(exc) if exc else "the browser closed its pipe")


class _Writer(asyncio.BaseProtocol):
    """The sending half: a failed write is a lost browser."""

    def __init__(self, owner: "PipeTransport") -> None:
        self._owner = owner

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.end(str(exc) if exc else "the browser closed its pipe")


class PipeTransport:
    """The debugging pipe of one Chromium.

    *read_fd* and *write_fd* are our ends and belong to the transport from now on.
    """

    def __init__(self, message_bytes_max: int, timeout_s: float) -> None:
        self.lost = asyncio.Event()
        self._why_lost = ""
        self._limit = message_bytes_max
        self._timeout_s = timeout_s
        self._pending = PendingCalls()
        self._handlers: tuple[Handler, ...] = ()
        self._read: asyncio.ReadTransport | None = None
        self._write: asyncio.WriteTransport | None = None

    @classmethod
    async def open(
        cls, read_fd: int, write_fd: int, *, message_bytes_max: int, timeout_s: float
    ) -> "PipeTransport":
        """Return a transport that reads events from *read_fd* and writes to *write_fd*."""
        self = cls(message_bytes_max, timeout_s)
        loop = asyncio.get_running_loop()
        self._read, _ = await loop.connect_read_pipe(
            lambda: _Reader(self, message_bytes_max), os.fdopen(read_fd, "rb", 0)
        )
        self._write, _ = await loop.connect_write_pipe(
            lambda: _Writer(self), os.fdopen(write_fd, "wb", 0)
        )
        return self

    async def send(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        timeout_s: float | None = None,
    ) -> dict[str, Any]:
        """Send one command and return its result (see `Transport.send`)."""
        if self._write is None or self.lost.is_set():
            raise BrowserLostError(self._why_lost or "its pipe is closed")
        call_id, answer = self._pending.open(method, session_id)
        seconds = self._timeout_s if timeout_s is None else timeout_s
        try:
            self._post(call_id, method, params, session_id)
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError as error:
            raise CdpTimeoutError(method, seconds) from error
        finally:
            self._pending.drop(call_id)
            if answer.done() and not answer.cancelled():
                answer.exception()  # seen, whoever was told

    def subscribe(self, handler: Handler) -> Unsubscribe:
        """Call *handler* with each event, in order; return how to stop that."""
        self._handlers = (*self._handlers, handler)

        def stop() -> None:
            self._handlers = tuple(each for each in self._handlers if each is not handler)

        return stop

    def take(self, message: bytes) -> None:
        """Deal with one message of the browser."""
        try:
            document = json.loads(message)
        except (ValueError, RecursionError):
            self.end("the browser sent a message that is not JSON")
            return
        if "id" in document:
            self._pending.answer(document)
            return
        event = CdpEvent(
            document.get("method", ""), document.get("params", {}), document.get("sessionId")
        )
        self._pending.notice(event)
        for handler in self._handlers:
            handler(event)

    def end(self, why: str) -> None:
        """Close both ends and fail every command in flight; only the first call counts."""
        if self.lost.is_set():
            return
        self._why_lost = why
        self.lost.set()
        self._pending.fail_all(BrowserLostError(why))
        if self._read is not None and not self._read.is_closing():
            self._read.close()
        if self._write is not None and not self._write.is_closing():
            self._write.abort()

    def _post(
        self, call_id: int, method: str, params: Mapping[str, Any] | None, session_id: str | None
    ) -> None:
        message: dict[str, Any] = {"id": call_id, "method": method, "params": params or {}}
        if session_id is not None:
            message["sessionId"] = session_id
        line = json.dumps(message).encode("ascii") + b"\0"
        assert self._write is not None  # noqa: S101 -- send() looked
        # A browser that stops reading must not fill our memory.
        if self._write.get_write_buffer_size() + len(line) > self._limit:
            self.end("the browser stopped reading its pipe")
            raise BrowserLostError(self._why_lost)
        self._write.write(line)
