"""A pipe pair in memory: the product's own reader and writer over buffers instead of file ends."""

import asyncio

from engine.pipe.framing import LineReader, LineWriter, PipeEnd
from states.settings import PipeLimits

# What a Linux pipe holds before it blocks (64 KiB) is what this one holds.
PIPE_BYTES = 65_536


class MemoryPipe:
    """One direction: a byte sink and a byte source; `drain` waits while too much is unread."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._closed = False
        self._changed = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Take *data*; nothing arrives any more once the pipe is closed."""
        if not self._closed:
            self._buffer += data
            self._changed.set()

    async def drain(self) -> None:
        """Wait until less than a pipe's worth is unread.

        Raises:
            BrokenPipeError: the pipe is closed.
        """
        while len(self._buffer) > PIPE_BYTES and not self._closed:
            await self._wait()
        if self._closed:
            raise BrokenPipeError

    async def read(self, n: int) -> bytes:
        """Return up to *n* bytes, b"" once closed and empty."""
        while not self._buffer and not self._closed:
            await self._wait()
        chunk = bytes(self._buffer[:n])
        del self._buffer[:n]
        self._changed.set()
        return chunk

    def close(self) -> None:
        """Close the pipe: what was written can still be read, nothing more can be written."""
        self._closed = True
        self._changed.set()

    async def wait_closed(self) -> None:
        """Return: nothing needs waiting for."""

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()


def memory_pair(limits: PipeLimits) -> tuple[PipeEnd, PipeEnd]:
    """Return (host's end, agent's end) of one pipe pair in memory."""
    down, up = MemoryPipe(), MemoryPipe()
    return memory_end(up, down, limits, host=True), memory_end(down, up, limits, host=False)


def memory_end(source: MemoryPipe, sink: MemoryPipe, limits: PipeLimits, *, host: bool) -> PipeEnd:
    """Return the host's or the agent's end over *source* and *sink*, with that end's bounds."""
    up, down = limits.line_bytes_max, limits.response_bytes_max
    reads, writes = (up, down) if host else (down, up)
    return PipeEnd(LineReader(source, limits, reads), LineWriter(sink, limits, writes))
