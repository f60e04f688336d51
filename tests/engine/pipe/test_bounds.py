"""Bounds of the pipe that stand behind others, each by itself."""

import asyncio

import pytest

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.framing import LineReader, LineWriter
from engine.pipe.memory_pair import PIPE_BYTES, MemoryPipe
from states.settings import PipeLimits
from states.wire import LogEntry


async def test_a_raw_line_too_long_is_refused_even_when_it_comes_whole() -> None:
    source = asyncio.StreamReader()
    source.feed_data(b"x" * 11 + b"\n" + b"y" * 10 + b"\n")
    source.feed_eof()
    reader = LineReader(source, PipeLimits(), 10)
    with pytest.raises(ProtocolViolationError, match="bound of 10"):
        await reader.read_line()
    assert await reader.read_line() == b"y" * 10


async def test_the_queue_is_bounded_in_bytes_too() -> None:
    pipe = MemoryPipe()
    writer = LineWriter(pipe, PipeLimits(queue_bytes_max=3_000), 1_048_576)
    await writer.send(LogEntry(event="fills the pipe", data={"x": "x" * PIPE_BYTES}))
    await asyncio.sleep(0)  # the writer task takes it and waits for the peer
    taken = [await writer.send(LogEntry(event="e", message="m" * 1_000)) for _ in range(4)]
    assert taken == [True, True, False, False]
    await writer.close(0.01)
