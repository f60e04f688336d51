"""`doctor --ping` asks a real server for its models, once, and tells what it said."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sgclaw.model_ping import Pong, ping
from states.settings import ModelLimits
from states.wire import ProviderSpec

KEY = "sk-canary-0123456789abcdef"
LIMITS = ModelLimits(connect_seconds=5)


class Server(ThreadingHTTPServer):
    """Answers every GET with *status* and *body*; keeps what it was asked."""

    def __init__(
        self, status: int, body: bytes, location: str = "", *, trickles: bool = False
    ) -> None:
        self.status, self.body, self.location, self.trickles = status, body, location, trickles
        self.left = threading.Event()
        self.asked: list[tuple[str, dict[str, str]]] = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        if not self.server.trickles:
            self.wfile.write(self.server.body)
            return
        with suppress(OSError):
            for byte in self.server.body:
                self.wfile.write(bytes((byte,)))
                time.sleep(0.02)
        self.server.left.set()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        del format, args


@contextmanager
def serving(
    status: int = 200, body: bytes = b"", location: str = "", *, trickles: bool = False
) -> Iterator[Server]:
    with Server(status, body, location, trickles=trickles) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def listed(*names: str) -> bytes:
    return json.dumps({"data": [{"id": name} for name in names]}).encode()


def pinged(server: Server, kind: Any = "openai", key: str = KEY) -> Pong:
    spec = ProviderSpec(kind=kind, model="m1", base_url=server.address, api_key=key)
    return ping(spec, LIMITS)


@pytest.mark.parametrize(
    ("kind", "path", "header", "value"),
    [
        ("openai", "/models", "Authorization", f"Bearer {KEY}"),
        ("ollama", "/models", "Authorization", f"Bearer {KEY}"),
        ("claude", "/v1/models", "x-api-key", KEY),
    ],
)
def test_each_family_is_asked_in_its_own_way(kind: str, path: str, header: str, value: str) -> None:
    with serving(200, listed("m0", "m1")) as server:
        assert pinged(server, kind) == Pong(ok=True, said="ping_ok")
    [(asked, headers)] = server.asked
    assert (asked, headers[header]) == (path, value)
    assert [name for name, sent in headers.items() if KEY in sent] == [header]


def test_without_a_key_none_is_sent() -> None:
    with serving(200, listed("m1")) as server:
        assert pinged(server, key="").ok
    assert not {"Authorization", "x-api-key"} & server.asked[0][1].keys()


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, listed("m0"), "ping_model_missing"),
        (200, b"<html>hello</html>", "ping_no_list"),
        (200, b"[1]", "ping_no_list"),
        (200, b'{"data":[1]}', "ping_no_list"),
        (200, b"[" * 100_000, "ping_no_list"),
        (401, b"", "ping_key_refused"),
        (403, b"", "ping_key_refused"),
        (404, b"", "ping_no_list"),
        (500, b"", "ping_no_list"),
    ],
)
def test_what_is_wrong_is_told_without_the_key(status: int, body: bytes, said: str) -> None:
    with serving(status, body) as server:
        answer = pinged(server)
    assert (answer.ok, answer.said) == (False, said)
    assert KEY not in answer.text("en") + answer.text("zh-CN")


def test_a_redirect_is_not_followed_with_the_key() -> None:
    with serving(200, listed("m1")) as other, serving(307, b"", other.address) as server:
        assert pinged(server).said == "ping_no_list"
    assert other.asked == []


def test_a_server_that_sends_byte_by_byte_is_not_waited_for_to_the_end() -> None:
    # Each byte comes long before the socket's own bound; all of them would take minutes.
    body = listed("m1") + b" " * 10_000
    limits = LIMITS.model_copy(update={"first_token_seconds": 0.5})
    with serving(200, body, trickles=True) as server:
        spec = ProviderSpec(kind="openai", model="m1", base_url=server.address, api_key=KEY)
        answer = ping(spec, limits)
        assert server.left.wait(30)
    assert (answer.ok, answer.said) == (False, "ping_late")
    assert "0.5" in answer.text()
    with serving(200, listed("m1"), trickles=True) as server:
        assert pinged(server).ok


def test_a_server_that_is_not_there_is_named() -> None:
    with serving() as server:
        pass
    assert pinged(server).said == "ping_unreachable"
