"""A small web site of a test's own, in a thread, that remembers every request it received."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """One request as the site received it."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Reply(NamedTuple):
    """What the site answers; a *body* of parts is sent part by part, and broken off by an error."""

    body: str | bytes | Callable[[], Iterator[bytes]] = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = {}


Page = str | Callable[[Asked], Reply]


def redirect(location: str, status: int = 302) -> Callable[[Asked], Reply]:
    """Return a page that sends its visitors to *location*."""
    return lambda _: Reply(status=status, headers={"Location": location})


class Site:
    """The running site: its *port*, its *pages* (changeable), the *hits* so far."""

    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages
        self.hits: list[Asked] = []
        self.port = 0

    @property
    def origin(self) -> str:
        """The site's origin."""
        return f"http://127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        """Return the address of *path* on this site."""
        return self.origin + path

    def hit_paths(self) -> list[str]:
        """Return the paths asked for, in order, without the browser's own icon request."""
        return [hit.path for hit in self.hits if hit.path != "/favicon.ico"]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    site: Site

    def handle_error(self, *_: Any) -> None:
        """A browser that hangs up is no error of the site."""


class _Answerer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _answer(self) -> None:
        path, _, query = self.path.partition("?")
        size = int(self.headers.get("Content-Length") or 0)
        asked = Asked(self.command, path, query, dict(self.headers), self.rfile.read(size))
        site = self.server.site
        site.hits.append(asked)
        page = site.pages.get(path)
        if page is None:
            reply = Reply("<h1>404</h1>", 404)
        elif isinstance(page, str):
            reply = Reply(page)
        else:
            reply = page(asked)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if callable(reply.body):
            self._send_parts(reply.body())
            return
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _send_parts(self, parts: Iterator[bytes]) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in parts:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PUT = do_HEAD = do_OPTIONS = _answer  # noqa: N815 -- the base class's names

    def log_message(self, *_: Any) -> None:
        """Tests read `hits` instead."""


@contextmanager
def serve(pages: dict[str, Page]) -> Iterator[Site]:
    """Serve *pages* (path -> HTML, or a function of the request) on a free port."""
    site = Site(pages)
    with _Server(("127.0.0.1", 0), _Answerer) as server:
        server.site = site
        site.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
