"""A line is taken whole, once and only when it is plain JSON; abuse never stops the next line."""

import asyncio
import json

import pytest

from engine.pipe.errors import PipeClosedError, ProtocolViolationError, UnsendableMessageError
from engine.pipe.framing import LineReader, LineWriter, decode_line, encode_line
from engine.pipe.memory_pair import PIPE_BYTES, MemoryPipe, memory_pair
from states.settings import PipeLimits
from states.wire import LogEntry, Ping, Pong

LIMITS = PipeLimits()
GOOD = b'{"type":"pong","nonce":"1"}'


def refusal(line: bytes, bytes_max: int = 1_048_576) -> ProtocolViolationError:
    with pytest.raises(ProtocolViolationError) as caught:
        decode_line(line, LIMITS, bytes_max)
    return caught.value


def nested(depth: int) -> bytes:
    return b'{"seq":3,"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def source_of(*chunks: bytes) -> asyncio.StreamReader:
    stream = asyncio.StreamReader()
    for chunk in chunks:
        stream.feed_data(chunk)
    stream.feed_eof()
    return stream


async def lines_of(*chunks: bytes, bytes_max: int = 1_048_576) -> list[object]:
    """Read everything; a violation stands in the list as its code."""
    reader = LineReader(source_of(*chunks), LIMITS, bytes_max)
    seen: list[object] = []
    while True:
        try:
            document = await reader.read_document()
        except ProtocolViolationError as error:
            seen.append(error.code)
            continue
        if document is None:
            return seen
        seen.append(document)


@pytest.mark.parametrize(
    ("bad", "code", "good"),
    [
        (b"", "line_empty", GOOD),
        (b" \t\r", "line_empty", b" " + GOOD + b"\r"),
        (b"\xef\xbb\xbf" + GOOD, "line_bom", GOOD),
        (b'{"a":"\xff"}', "line_not_utf8", '{"a":"\u00ff"}'.encode()),
        (b'{"a":"\xed\xa0\x80"}', "line_not_utf8", '{"a":"\U0001f600"}'.encode()),
        ('{"a":1}'.encode("utf-16"), "line_not_utf8", b'{"a":1}'),
        (b"{", "line_not_json", b"{}"),
        (b'{"a":1} {"b":2}', "line_not_json", b'{"a":1}'),
        (b'{"a":"\x01"}', "line_not_json", b'{"a":"\\u0001"}'),
        (b"[1]", "line_not_object", b'{"a":[1]}'),
        (b'"text"', "line_not_object", b'{"a":"text"}'),
        (b'{"a":1,"a":2}', "line_duplicate_key", b'{"a":1,"b":2}'),
        (b'{"x":{"a":1,"a":1}}', "line_duplicate_key", b'{"x":{"a":1},"a":1}'),
        (b'{"a":NaN}', "line_not_finite", b'{"a":null}'),
        (b'{"a":-Infinity}', "line_not_finite", b'{"a":-1}'),
        (b'{"a":1e400}', "line_not_finite", b'{"a":1e300}'),
        (b'{"a":9007199254740992}', "line_int_out_of_range", b'{"a":9007199254740991}'),
        (b'{"a":-9007199254740992}', "line_int_out_of_range", b'{"a":-9007199254740991}'),
        (b'{"a":' + b"9" * 5000 + b"}", "line_int_out_of_range", b'{"a":"' + b"9" * 5000 + b'"}'),
        (nested(65), "line_too_deep", nested(64)),
        (nested(2000), "line_too_deep", nested(60)),
        (nested(200_000), "line_too_deep", nested(2)),
        (b'{"a":"\\ud83d"}', "line_lone_surrogate", b'{"a":"\\ud83d\\ude00"}'),
        (b'{"\\udc00":1}', "line_lone_surrogate", b'{"\\u00dc":1}'),
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(
    bad: bytes, code: str, good: bytes
) -> None:
    assert refusal(bad).code == code
    assert decode_line(good, LIMITS, 1_048_576) == json.loads(good)


def test_a_refusal_names_the_seq_when_it_could_be_read() -> None:
    assert refusal(nested(65)).seq == 3
    assert refusal(b'{"seq":3,').seq is None
    assert refusal(b'{"seq":true,"a":"\\ud83d"}').seq is None


def test_a_refusal_says_what_to_do_in_both_languages_and_repeats_no_control_characters() -> None:
    error = refusal(b'{"\\u001b[2J":1,"\\u001b[2J":2}')
    assert "\x1b" not in error.text("en") + error.text("zh-CN")
    assert "twice" in error.text("en")
    assert "两次" in error.text("zh-CN")


def test_the_bound_of_a_line_is_exact() -> None:
    assert decode_line(GOOD, LIMITS, len(GOOD)) == {"type": "pong", "nonce": "1"}
    assert refusal(GOOD, len(GOOD) - 1).code == "line_too_long"


async def test_a_message_in_one_byte_writes_arrives_whole() -> None:
    assert await lines_of(*(bytes([b]) for b in GOOD + b"\n")) == [json.loads(GOOD)]


async def test_crlf_line_ends_are_taken_as_json_blanks() -> None:
    assert await lines_of(GOOD + b"\r\n" + GOOD + b"\n") == [json.loads(GOOD)] * 2


async def test_only_lf_ends_a_line() -> None:
    text = "one\u2028two\u2029three\u0085four"
    line = json.dumps({"a": text}, ensure_ascii=False).encode() + b"\n"
    assert await lines_of(line) == [{"a": text}]
    assert await lines_of(GOOD + b"\r" + GOOD + b"\n") == ["line_not_json"]


@pytest.mark.parametrize("chunk_bytes", [1, 7, 64, 100_000])
async def test_an_over_long_line_is_reported_once_and_the_next_one_is_taken(
    chunk_bytes: int,
) -> None:
    content = b'{"a":"' + b"x" * 1000 + b'"}\n' + GOOD + b"\n"
    chunks = [content[i : i + chunk_bytes] for i in range(0, len(content), chunk_bytes)]
    assert await lines_of(*chunks, bytes_max=100) == ["line_too_long", json.loads(GOOD)]
    assert len(await lines_of(*chunks, bytes_max=2000)) == 2


async def test_an_over_long_line_is_never_buffered() -> None:
    pipe = MemoryPipe()
    reader = LineReader(pipe, LIMITS, 1000)
    pipe.write(b"x" * 5_000_000)
    with pytest.raises(ProtocolViolationError, match="bound of 1000"):
        await reader.read_line()
    pipe.write(b"\n" + GOOD + b"\n")
    assert await reader.read_line() == GOOD
    assert len(reader._buffer) == 0


async def test_a_line_cut_off_by_the_end_is_never_acted_upon() -> None:
    assert await lines_of(GOOD + b"\n" + GOOD) == [json.loads(GOOD), "line_unfinished"]
    assert await lines_of(GOOD + b"\n") == [json.loads(GOOD)]


async def test_an_over_long_last_line_without_its_end_is_reported_once() -> None:
    assert await lines_of(b"x" * 5000, bytes_max=100) == ["line_too_long"]


def test_a_message_is_one_line_of_plain_utf8() -> None:
    line = encode_line(LogEntry(event="note", message="导出\n完成\u2028\u0085"))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert "导出".encode() in line
    assert decode_line(line[:-1], LIMITS, 10_000)["message"] == "导出\n完成\u2028\u0085"


@pytest.mark.parametrize("value", ["\ud83d", 2**53, [{"a": -(2**60)}]])
def test_what_json_cannot_hold_is_not_sent(value: object) -> None:
    with pytest.raises(UnsendableMessageError):
        encode_line(LogEntry(event="note", data={"a": value}))


def test_a_number_that_is_not_finite_travels_as_null() -> None:
    line = encode_line(LogEntry(event="note", data={"a": float("nan"), "b": 1.5}))
    assert decode_line(line[:-1], LIMITS, 10_000)["data"] == {"a": None, "b": 1.5}


async def test_what_the_other_end_would_refuse_is_not_sent() -> None:
    pipe = MemoryPipe()
    writer = LineWriter(pipe, LIMITS, 200)
    deep: list[object] = []
    for _ in range(70):
        deep = [deep]
    with pytest.raises(UnsendableMessageError, match="was not sent"):
        await writer.send(LogEntry(event="x" * 300))
    with pytest.raises(UnsendableMessageError, match="deeper than 64"):
        await writer.send(LogEntry(event="x", data={"a": deep}))
    assert await writer.send(Ping(nonce="1"))
    assert b'"ping"' in await pipe.read(1000)
    await writer.close(1)


async def test_with_a_peer_that_does_not_read_only_log_lines_are_dropped() -> None:
    pipe = MemoryPipe()
    limits = PipeLimits(queue_lines_max=4)
    writer = LineWriter(pipe, limits, 1_048_576)
    await writer.send(LogEntry(event="fills the pipe", data={"x": "x" * PIPE_BYTES}))
    await asyncio.sleep(0)  # the writer task takes it and waits for the peer
    taken = [await writer.send(LogEntry(event=str(i))) for i in range(10)]
    pongs = [await writer.send(Pong(nonce=str(i))) for i in range(4)]
    assert taken == [True] * 4 + [False] * 6
    assert pongs == [True] * 4
    assert writer.dropped == 10
    waiting = asyncio.create_task(writer.send(Pong(nonce="last")))
    await asyncio.sleep(0)
    assert not waiting.done()  # full of what may not be dropped: the sender waits
    reader = LineReader(pipe, limits, 1_048_576)
    nonces = [(await reader.read_document() or {}).get("nonce") for _ in range(6)]
    assert nonces == [None, "0", "1", "2", "3", "last"]
    assert await waiting
    await writer.close(1)


async def test_a_broken_pipe_is_the_end_and_wakes_who_waits() -> None:
    pipe = MemoryPipe()
    writer = LineWriter(pipe, PipeLimits(queue_lines_max=1), 1_048_576)
    await writer.send(LogEntry(event="fills the pipe", data={"x": "x" * PIPE_BYTES}))
    await asyncio.sleep(0)
    await writer.send(Pong())
    waiting = asyncio.create_task(writer.send(Pong()))
    await asyncio.sleep(0)
    pipe.close()
    with pytest.raises(PipeClosedError):
        await waiting
    with pytest.raises(PipeClosedError):
        await writer.send(Pong())
    assert writer.closed.is_set()
    await writer.close(1)


async def test_close_sends_what_is_queued() -> None:
    pipe = MemoryPipe()
    writer = LineWriter(pipe, LIMITS, 1_048_576)
    for number in range(50):
        await writer.send(Pong(nonce=str(number)))
    await writer.close(5)
    content = await pipe.read(1_000_000)
    assert content.count(b"\n") == 50
    with pytest.raises(PipeClosedError):
        await writer.send(Pong())


async def test_close_does_not_wait_for_a_peer_that_never_reads() -> None:
    pipe = MemoryPipe()
    writer = LineWriter(pipe, LIMITS, 1_048_576)
    await writer.send(LogEntry(event="fills the pipe", message="x" * 2 * PIPE_BYTES))
    await writer.send(Pong())
    async with asyncio.timeout(20):
        await writer.close(0.05)
    assert writer.closed.is_set()


async def test_a_memory_pair_carries_both_directions_and_tells_the_end() -> None:
    host, agent = memory_pair(LIMITS)
    await host.writer.send(Ping(nonce="1"))
    assert await agent.reader.read_document() == {"type": "ping", "nonce": "1"}
    await agent.writer.send(Pong(nonce="1"))
    assert await host.reader.read_document() == {"type": "pong", "nonce": "1"}
    await agent.close(1)
    await agent.close(1)  # again is no harm
    assert await host.reader.read_document() is None
    await host.close(1)
