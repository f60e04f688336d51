"""A raw HTTP/1.1 server that plays byte scripts: what no well-behaved server would ever send.

A script is a list of operations for one request, or a function of the request that returns one.
Each path has its scripts, one per request; the last one repeats. When a script is over, the
connection is closed.
"""

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_HEAD_BYTES_MAX = 1_048_576
# A hung script ends with its client; this only bounds a test that forgot to close it.
HANG_S = 300.0


class Send(NamedTuple):
    """Write *data* as it is."""

    data: bytes


class Sleep(NamedTuple):
    """Stay silent for *seconds*, or until the client leaves."""

    seconds: float


class Reset(NamedTuple):
    """Reset the connection (RST): the client's next read fails."""


class Close(NamedTuple):
    """Close the connection (FIN), whatever the framing promised."""


Op = Send | Sleep | Reset | Close
Script = Sequence[Op]
HANG: Op = Sleep(HANG_S)
LAST_CHUNK = b"0\r\n\r\n"


@dataclass
class Request:
    """One request as it arrived; *left* is set when the client closed before the script's end."""

    line: str
    headers: dict[str, str]
    body: bytes
    header_lines: list[tuple[str, str]] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def path(self) -> str:
        """The path without its query."""
        return self.line.split(" ")[1].split("?")[0]

    @property
    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)


Played = Script | Callable[[Request], Script]


class ByteServer:
    """The *requests* that came; *scripts* by path, "*" for every other one."""

    def __init__(self, scripts: Mapping[str, Sequence[Played]]) -> None:
        self.scripts = {path: list(played) for path, played in scripts.items()}
        self.requests: list[Request] = []
        self.port = 0
        self._counts: dict[str, int] = {}
        self._listening: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection: one request, one script."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        # A cancelled callback of a stream server would be reported as a failure: it ends quietly.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._answer(reader, writer)
        self._tasks.discard(task)
        writer.close()

    async def start(self, tls: ssl.SSLContext | None = None) -> None:
        """Listen on a free local port."""
        self._listening = await asyncio.start_server(
            self.serve, "127.0.0.1", 0, limit=_HEAD_BYTES_MAX, ssl=tls
        )
        self.port = self._listening.sockets[0].getsockname()[1]

    def stop_listening(self) -> None:
        """Take no new connection: whoever comes is refused."""
        if self._listening is not None:
            self._listening.close()

    async def stop(self) -> None:
        """End every script that still plays."""
        self.stop_listening()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _read(reader)
        self.requests.append(request)
        path = request.path if request.path in self.scripts else "*"
        scripts = self.scripts.get(path) or [refusal(404, {"error": {"message": "no such path"}})]
        number = self._counts.get(path, 0)
        self._counts[path] = number + 1
        played = scripts[min(number, len(scripts) - 1)]
        script = played(request) if callable(played) else played
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await _play(script, writer, gone)
        finally:
            if gone.done() and not gone.cancelled():
                request.left.set()
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)


async def _play(script: Script, writer: asyncio.StreamWriter, gone: asyncio.Future[bytes]) -> None:
    for op in script:
        match op:
            case Send(data):
                writer.write(data)
                await writer.drain()
            case Sleep(seconds):
                await asyncio.wait({gone}, timeout=seconds)
                if gone.done():
                    return
            case Reset():
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, linger
                )
                writer.transport.abort()
                return
            case Close():
                return


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head[:-4].split("\r\n")
    pairs = [(name.strip().lower(), value.strip()) for name, _, value in
             (entry.partition(":") for entry in rest)]  # fmt: skip
    headers = dict(pairs)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(line=line, headers=headers, body=body, header_lines=pairs)


@asynccontextmanager
async def byte_server(
    *scripts: Played,
    paths: Mapping[str, Sequence[Played]] | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[ByteServer]:
    """Serve *scripts* on every path, or those of *paths* on theirs, on a free local port."""
    server = ByteServer({"*": scripts, **(paths or {})})
    await server.start(tls)
    try:
        yield server
    finally:
        await server.stop()


# --- what scripts are made of


def head(
    status: int = 200, content_type: str = "text/event-stream", *, chunked: bool = True,
    headers: Mapping[str, str] | None = None,
) -> Send:  # fmt: skip
    """Return the head of an answer whose length is not known."""
    lines = [f"HTTP/1.1 {status} X", f"content-type: {content_type}", "connection: close"]
    lines += ["transfer-encoding: chunked"] if chunked else []
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return Send(("\r\n".join(lines) + "\r\n\r\n").encode())


def chunk(data: bytes) -> Send:
    """Return *data* as one chunk."""
    return Send(b"%x\r\n%s\r\n" % (len(data), data))


def answer(
    status: int, body: bytes | object = b"", content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Script:  # fmt: skip
    """Return a whole answer; a *body* that is no bytes is written as JSON."""
    octets = body if isinstance(body, bytes) else _json(body).encode()
    length = {"content-length": str(len(octets)), **(headers or {})}
    return [head(status, content_type, chunked=False, headers=length), Send(octets)]


def refusal(status: int, body: object, **headers: str) -> Script:
    """Return a whole answer of *status* whose headers are given by name (`retry_after="3"`)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status, body, headers=named)


def stream(body: bytes, *, size: int = 0, ends: bool = True, after: Iterable[Op] = ()) -> Script:
    """Return an event stream of *body*, in pieces of *size* bytes (0: one); *after* comes last.

    Without *ends* the last chunk is missing, as when a connection is cut.
    """
    step = size or max(len(body), 1)
    pieces = [body[at : at + step] for at in range(0, len(body), step)]
    last: list[Op] = [Send(LAST_CHUNK)] if ends else []
    return [head(), *map(chunk, pieces), *last, *after]


def data_frames(*events: object, end: bytes = b"\n\n") -> bytes:
    """Return *events* as frames of `data:` alone; bytes stand as they are, text is not dumped."""
    frames = []
    for event in events:
        if isinstance(event, bytes):
            frames.append(event)
            continue
        text = event if isinstance(event, str) else _json(event)
        frames.append(b"data: " + text.encode() + end)
    return b"".join(frames)


def openai_frames(*events: object, done: bool = True) -> bytes:
    """Return *events* as an OpenAI-compatible server streams them, with `[DONE]` if *done*."""
    return data_frames(*events, *(("[DONE]",) if done else ()))


def claude_frames(*events: Mapping[str, Any] | bytes) -> bytes:
    """Return *events* as the Messages API streams them, each under the name of its type."""
    frames = []
    for event in events:
        if isinstance(event, bytes):
            frames.append(event)
            continue
        text = _json(event)
        frames.append(f"event: {event['type']}\ndata: {text}\n\n".encode())
    return b"".join(frames)


def tool_delta(index: int | None, call_id: str | None = None, name: str | None = None,
               arguments: object = None) -> dict[str, Any]:  # fmt: skip
    """Return one `tool_calls` entry of a delta; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments))
                if value is not None}  # fmt: skip
    entry: dict[str, Any] = {"type": "function", "function": function}
    if index is not None:
        entry["index"] = index
    if call_id is not None:
        entry["id"] = call_id
    return entry


def openai_chunk(
    delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: object
) -> dict[str, Any]:
    """Return one `chat.completion.chunk` with one choice."""
    choice = {"index": 0, "delta": dict(delta or {}), "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice], **more}  # fmt: skip


def openai_usage(prompt: int, completion: int, **more: object) -> dict[str, Any]:
    """Return the chunk that tells the tokens."""
    usage = {"prompt_tokens": prompt, "completion_tokens": completion,
             "total_tokens": prompt + completion, **more}  # fmt: skip
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [], "usage": usage}  # fmt: skip


def claude_start(**usage: int) -> dict[str, Any]:
    """Return `message_start` with *usage*."""
    counted = {"input_tokens": 10, "output_tokens": 1, **usage}
    message: dict[str, Any] = {"id": "msg_1",
               "type": "message", "role": "assistant", "model": "m", "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": counted}  # fmt: skip
    return {"type": "message_start", "message": message}


def claude_block(
    index: int, block: Mapping[str, Any], *deltas: Mapping[str, Any], stop: bool = True
) -> list[dict[str, Any]]:
    """Return the events of one content block."""
    events: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": index, "content_block": dict(block)}
    ]
    events += [{"type": "content_block_delta", "index": index, "delta": dict(d)} for d in deltas]
    return [*events, {"type": "content_block_stop", "index": index}] if stop else events


def claude_end(reason: str | None = "end_turn", output_tokens: int = 5, *, stop: bool = True,
               **usage: int) -> list[dict[str, Any]]:  # fmt: skip
    """Return `message_delta` with the reason, and `message_stop` if *stop*."""
    delta = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
             "usage": {"output_tokens": output_tokens, **usage}}  # fmt: skip
    return [delta, {"type": "message_stop"}] if stop else [delta]


def _json(value: object) -> str:
    """Return *value* as servers write it; half a surrogate pair can only stand there escaped."""
    text = json.dumps(value, ensure_ascii=False)
    halves = any("\ud800" <= char <= "\udfff" for char in text)
    return json.dumps(value) if halves else text
