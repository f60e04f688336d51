"""A model server of a test's own, in a thread, that answers in either family's wire form.

What a test wants said is written once as a `Reply`; each family puts it into its own bytes.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.support.byte_server import (
    LAST_CHUNK,
    ByteServer,
    Op,
    Played,
    Request,
    Script,
    Send,
    Sleep,
    chunk,
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    head,
    openai_chunk,
    openai_frames,
    openai_usage,
    tool_delta,
)

_LOOK_S = 0.02


@dataclass(frozen=True)
class Reply:
    """One whole reply: *thought*, *text*, then a call of the tool *name*.

    *raw* are the call's arguments as they are written, whatever they are. *sent* tokens are the
    whole prompt, of which *cached* were read from the provider's cache.
    """

    text: str = ""
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    thought: str = ""
    raw: str | None = None
    stop: str = ""
    sent: int = 1000
    cached: int = 0
    output: int = 50

    @property
    def written(self) -> str:
        """The call's arguments as the model writes them."""
        return json.dumps(self.arguments, ensure_ascii=False) if self.raw is None else self.raw


def browse(action: str, params: Mapping[str, Any], text: str = "", **more: Any) -> Reply:
    """Return a reply that calls browser_action."""
    wanted = {"action": action, "params": dict(params)}
    return Reply(text=text, name="browser_action", arguments=wanted, **more)


def finish(summary: str, *citations: int, **more: Any) -> Reply:
    """Return a reply that ends the task."""
    wanted = {"summary": summary, "citations": list(citations)}
    return Reply(name="finish", arguments=wanted, **more)


class Wire(NamedTuple):
    """How one family is spoken: its provider, where its API begins, where its key is looked for."""

    provider: str
    base: str
    key_variable: str
    frames_of: Callable[[Reply], tuple[bytes, bytes]]

    def script(self, reply: Reply) -> Script:
        """Return the whole stream of *reply*."""
        return _stream(*self.frames_of(reply))

    def held(self, reply: Reply, opened: threading.Event) -> Script:
        """Return the stream of *reply* that stops behind its text until *opened* is set."""
        before, after = self.frames_of(reply)
        return Held([head(), chunk(before)], opened, [chunk(after)] if after else [])


class Held(list[Op]):
    """Operations whose second part waits until a test lets it go."""

    def __init__(self, before: Sequence[Op], opened: threading.Event, after: Sequence[Op]) -> None:
        super().__init__(before)
        self._opened, self._after = opened, [*after, Send(LAST_CHUNK)]

    def __iter__(self) -> Iterator[Op]:
        """Yield the first part; then look every moment whether to go on."""
        yield from super().__iter__()
        while not self._opened.is_set():
            yield Sleep(_LOOK_S)
        yield from self._after


def _stream(before: bytes, after: bytes) -> Script:
    return [head(), chunk(before), chunk(after), Send(LAST_CHUNK)]


def _claude(reply: Reply) -> tuple[bytes, bytes]:
    usage = {"input_tokens": reply.sent - reply.cached, "cache_read_input_tokens": reply.cached}
    said: list[Any] = [claude_start(**usage)]
    index = 0
    if reply.thought:
        said += claude_block(
            index, {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": reply.thought},
            {"type": "signature_delta", "signature": "c2lnbmVk"},
        )  # fmt: skip
        index += 1
    if reply.text:
        said += claude_block(
            index, {"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}
        )
        index += 1
    rest: list[Any] = []
    stop = "end_turn"
    if reply.name:
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": reply.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": reply.written}
        rest += claude_block(index, block, delta)
        stop = "tool_use"
    rest += claude_end(reply.stop or stop, reply.output)
    return claude_frames(*said), claude_frames(*rest)


_OPENAI_STOP = {"max_tokens": "length", "refusal": "content_filter"}


def _openai(reply: Reply) -> tuple[bytes, bytes]:
    said = [openai_chunk({"role": "assistant", "content": ""})]
    if reply.thought:
        said.append(openai_chunk({"reasoning_content": reply.thought}))
    if reply.text:
        said.append(openai_chunk({"content": reply.text}))
    rest: list[Any] = []
    stop = "stop"
    if reply.name:
        delta = tool_delta(0, "call_a", reply.name, reply.written)
        rest.append(openai_chunk({"tool_calls": [delta]}))
        stop = "tool_calls"
    rest.append(openai_chunk({}, _OPENAI_STOP.get(reply.stop, stop)))
    cached = {"prompt_tokens_details": {"cached_tokens": reply.cached}}
    rest.append(openai_usage(reply.sent, reply.output, **cached))
    return openai_frames(*said, done=False), openai_frames(*rest)


WIRES: Mapping[str, Wire] = {
    "claude": Wire("claude", "", "ANTHROPIC_API_KEY", _claude),
    "openai": Wire("openai", "/v1", "OPENAI_API_KEY", _openai),
}


class ModelServer:
    """Answers request after request with what was given to `plays`; the last one repeats."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.opened = threading.Event()
        self._answers: list[Played] = []
        self._given = 0
        self._server = ByteServer({"*": [self._next]})
        self._loop = asyncio.new_event_loop()

    def plays(self, *answers: Reply | Played) -> None:
        """Let the next requests be answered with *answers*, one each."""
        self._answers = [self.wire.script(a) if isinstance(a, Reply) else a for a in answers]
        self._given = 0

    def _next(self, request: Request) -> Script:
        played = self._answers[min(self._given, len(self._answers) - 1)]
        self._given += 1
        return played(request) if callable(played) else played

    def holds(self, reply: Reply) -> Script:
        """Return *reply* as a stream that stops behind its text until `opened` is set."""
        return self.wire.held(reply, self.opened)

    @property
    def base_url(self) -> str:
        """The address that a run is given."""
        return self._server.url + self.wire.base

    @property
    def requests(self) -> list[Request]:
        """The requests that came, in their order."""
        return self._server.requests

    def said_to_it(self, number: int = -1) -> str:
        """Return the body of one request as text that can be searched."""
        return json.dumps(self.requests[number].json, ensure_ascii=False)

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        """Serve meanwhile."""
        thread = threading.Thread(target=self._loop.run_forever, name="model-server")
        thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result(10)
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(10)
            self._loop.close()


@contextmanager
def model_server(family: str) -> Iterator[ModelServer]:
    """Yield a running server that speaks *family*."""
    with ModelServer(WIRES[family]).running() as server:
        yield server
