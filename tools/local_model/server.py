"""A real small model behind OpenAI's chat API with tools, on this machine, for tests only.

It runs in the virtual environment that `install.py` makes. It writes one line of JSON with its port
when it is ready, takes any key, and ends when its stdin is closed.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from constrain import TOKENS_MAX, arguments_of, question_of
from xllamacpp import CommonParams, Server

NAME = "smollm2"
CONTEXT_TOKENS = 2_048
# About what a hosted model sends in one event.
_PIECE_CHARS = 6


class Model:
    """The weights, loaded once; one answer at a time."""

    def __init__(self, path: str) -> None:
        params = CommonParams()
        params.model.path = path
        params.n_ctx = CONTEXT_TOKENS
        # Two threads spin against each other on a busy machine of two cores: 20 times slower.
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.port = 0
        self._server = Server(params)
        self._lock = threading.Lock()

    def answer(self, prompt: str, schema: dict[str, Any], tokens_max: int) -> dict[str, Any]:
        """Return the completion of *prompt* in the form of *schema*."""
        asked = {"prompt": prompt, "json_schema": schema, "max_tokens": tokens_max}
        with self._lock:
            given = self._server.handle_completions({**asked, "temperature": 0})
        made: dict[str, Any] = json.loads(given) if isinstance(given, str | bytes) else given
        return made


class Answerer(BaseHTTPRequestHandler):
    """Answers chat requests by events."""

    protocol_version = "HTTP/1.1"
    model: Model

    def do_POST(self) -> None:
        """Answer one chat request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != "/v1/chat/completions":
            self._fail(404, "no such path")
            return
        try:
            request = json.loads(body)
            question = question_of(request)
        except (ValueError, KeyError, TypeError, StopIteration) as error:
            self._fail(400, f"not a request that this test server knows: {error!r}")
            return
        tokens_max = min(request.get("max_tokens") or TOKENS_MAX, TOKENS_MAX)
        made = self.model.answer(question.prompt, question.schema, tokens_max)
        if "choices" not in made:
            self._fail(500, f"the model gave no completion: {json.dumps(made)[:200]}")
            return
        choice = made["choices"][0]
        self._begin()
        arguments = arguments_of(choice["text"])
        self._stream(question.tool, arguments, choice["finish_reason"])
        self._event({**_event({}, None), "choices": [], "usage": made["usage"]})
        self._chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _stream(self, tool: str, arguments: str, finish: str) -> None:
        call = {"index": 0, "id": "call_0", "type": "function"}
        first = {**call, "function": {"name": tool, "arguments": ""}}
        self._event(_event({"role": "assistant", "content": None, "tool_calls": [first]}, None))
        for at in range(0, len(arguments), _PIECE_CHARS):
            piece = {"arguments": arguments[at : at + _PIECE_CHARS]}
            self._event(_event({"tool_calls": [{"index": 0, "function": piece}]}, None))
        self._event(_event({}, "length" if finish == "length" else "tool_calls"))

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, event: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _fail(self, status: int, why: str) -> None:
        body = json.dumps({"error": {"message": why}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _event(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    about = {"id": "local", "object": "chat.completion.chunk", "created": 1, "model": NAME}
    return {**about, "choices": [choice]}


def main() -> None:
    """Serve the model whose file is named until stdin is closed."""
    Answerer.model = Model(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answerer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.read()
    # The engine's own threads do not end by themselves.
    os._exit(0)


if __name__ == "__main__":
    main()
