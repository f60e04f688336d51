"""A real HTTP server that takes uploads, answers as it is told, and remembers what came."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sgclaw.upload import Clocks, Sent, Upload
from sgclaw.upload_target import target_of
from states.settings import AuditLimits

AT = datetime(2026, 3, 3, 10, 23, 5, tzinfo=UTC)
OLD_LOG = "operation-20260302-102305-1.jsonl"
ARCHIVED = "operation-1.jsonl.gz"
HANG = 0
LIMITS = AuditLimits(upload_attempts_max=3, upload_seconds=5, upload_wait_seconds_max=20)


@dataclass
class Server:
    """What stands at *url*; *says* is answered in order, then 201 for ever."""

    url: str = ""
    says: "deque[tuple[int, dict[str, str]]]" = field(default_factory=deque)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    kept: dict[str, bytes] = field(default_factory=dict)
    go: threading.Event = field(default_factory=threading.Event)

    def say(self, *answers: int | tuple[int, dict[str, str]]) -> None:
        self.says.extend(a if isinstance(a, tuple) else (a, {}) for a in answers)


@contextmanager
def server() -> Iterator[Server]:
    """Yield a server that runs meanwhile."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.asked.append((self.path, dict(self.headers)))
            status, headers = state.says.popleft() if state.says else (201, {})
            if status == HANG:
                state.go.wait(30)
                return
            if status in range(200, 300):
                state.kept[self.path] = body
            self.send_response(status)
            for name, value in ({"Content-Length": "0"} | headers).items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.02,))
    thread.start()
    state.url = f"http://127.0.0.1:{httpd.server_address[1]}/in"
    try:
        yield state
    finally:
        state.go.set()
        httpd.shutdown()
        thread.join()
        httpd.server_close()


@dataclass
class Desk:
    """A data folder with something of each kind, and the waits that were asked for."""

    data: Path
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.write(f"archive/{ARCHIVED}", b"\x1f\x8b archived")
        self.write(f"logs/{OLD_LOG}", b'{"n":1}\n')
        self.write("logs/operation.jsonl", b'{"n":2}\n')
        self.write("host/heads.jsonl", b'{"position":1}\n{"position":2}\n{"posi')

    def write(self, name: str, content: bytes) -> Path:
        path = self.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def upload(
        self, url: str, limits: AuditLimits = LIMITS, environment: dict[str, str] | None = None
    ) -> list[Sent]:
        """Upload everything, without waiting in earnest."""
        clocks = Clocks(self.waits.append, lambda: 1.0, lambda: AT)
        target = target_of(url, environment or {})
        return Upload(self.data, target, limits, clocks).run("install-1", lambda _: None)
