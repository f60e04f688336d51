"""File descriptors as byte source and byte sink of the event loop.

Pipes and sockets are watched by the loop. A terminal or a file is read by one daemon thread and
written directly: making a terminal non-blocking would change it for the shell as well, and the
loop cannot watch files at all (nor, on Windows, anonymous pipes).
"""

import asyncio
import os
import stat
import sys
import threading

from engine.pipe.framing import CHUNK_BYTES, ByteSink, ByteSource


async def open_source(fd: int) -> ByteSource:
    """Return a source that reads *fd* and owns it."""
    loop = asyncio.get_running_loop()
    if not _watchable(fd):
        return ThreadSource(fd, loop)
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb", buffering=0)
    )
    return PipeSource(reader, transport)


async def open_sink(fd: int) -> ByteSink:
    """Return a sink that writes *fd* and owns it."""
    loop = asyncio.get_running_loop()
    if not _watchable(fd):
        return DirectSink(fd)
    # StreamReaderProtocol because it alone of asyncio's protocols can wait for the close.
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
        os.fdopen(fd, "wb", buffering=0),
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)


class PipeSource:
    """A pipe's reading end; at its end the transport is closed with it."""

    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self._reader = reader
        self._transport = transport

    async def read(self, n: int) -> bytes:
        """Return up to *n* bytes, b"" at the end."""
        return await self._reader.read(n)

    def close(self) -> None:
        """Stop reading."""
        self._transport.close()


class ThreadSource:
    """Reads a terminal or a file in one daemon thread, a chunk at a time and none ahead."""

    def __init__(self, fd: int, loop: asyncio.AbstractEventLoop) -> None:
        self._fd = fd
        self._loop = loop
        self._chunk: asyncio.Future[bytes] | None = None
        self._ended = False

    async def read(self, n: int) -> bytes:
        """Return up to *n* bytes, b"" at the end."""
        if self._ended:
            return b""
        if self._chunk is None:
            self._chunk = self._loop.create_future()
            threading.Thread(
                target=self._read_once, args=(min(n, CHUNK_BYTES), self._chunk), daemon=True
            ).start()
        # Shielded: a cancelled read leaves its chunk for the next one.
        chunk = await asyncio.shield(self._chunk)
        self._chunk = None
        self._ended = not chunk
        return chunk

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._fd)

    def _read_once(self, n: int, future: "asyncio.Future[bytes]") -> None:
        try:
            chunk = os.read(self._fd, n)
        except OSError:
            chunk = b""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_settle, future, chunk)


class DirectSink:
    """Writes a terminal or a file at once."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def write(self, data: bytes) -> None:
        """Write all of *data*."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._fd, rest) :]

    async def drain(self) -> None:
        """Return: it is written."""

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._fd)

    async def wait_closed(self) -> None:
        """Return: it is closed."""


def _settle(future: "asyncio.Future[bytes]", chunk: bytes) -> None:
    if not future.done():
        future.set_result(chunk)


def _watchable(fd: int) -> bool:
    if sys.platform == "win32":
        return False
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
