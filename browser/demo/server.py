"""The demo company's web server: HTTPS on 127.0.0.1, in the event loop of the run it belongs to.

Only the files of one fixed table can be read. Nothing outlives the `async with` block: the
server owns every connection from the accept on, handshakes included, and ends them itself.
"""

import asyncio
import json
import re
import socket
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, quote, unquote

from browser.demo.certificate import DemoCertificate
from browser.demo.company import Company, ExportRecord
from browser.demo.errors import InvalidInputError
from browser.demo.exchange import Request, Response, UnreadableRequestError, read_request
from states.settings import BrowserLimits

_PAGES = Path(__file__).parent / "pages"
_HTML, _JSON = "text/html; charset=utf-8", "application/json; charset=utf-8"
_LISTEN_BACKLOG = 32
_ACCEPT_PAUSE_SECONDS = 0.05
_REDIRECT_TARGET = re.compile(r"(https?://|/)[!-~]{0,500}")
# path -> (file, title, may leave the company's host)
_DOCUMENTS = {
    "/": ("home.html", "首页", False),
    "/report/finance": ("report.html", "月度合规报表", False),
    "/invoices": ("invoices.html", "发票管理", False),
    "/login": ("login.html", "登录", False),
    "/leave": ("leave.html", "外部链接", True),
    "/leave/frame": ("frame.html", "嵌入页面", True),
    "/leave/inner": ("inner.html", "内嵌页面", True),
}
_ASSETS = {
    "/style.css": "text/css; charset=utf-8",
    "/common.js": "text/javascript; charset=utf-8",
    "/home.js": "text/javascript; charset=utf-8",
    "/report.js": "text/javascript; charset=utf-8",
    "/invoices.js": "text/javascript; charset=utf-8",
    "/login.js": "text/javascript; charset=utf-8",
    "/leave.js": "text/javascript; charset=utf-8",
}
_EXPORTS_AT = "/export/"


class DemoCompany:
    """A running demo company; `async with` starts it and ends it without a trace."""

    def __init__(
        self,
        certificate: DemoCertificate,
        *,
        delay_ms: int = 400,
        today: date,
        limits: BrowserLimits | None = None,
    ) -> None:
        self._limits = limits or BrowserLimits()
        self._delay_seconds = delay_ms / 1000
        self._company = Company(today, self._limits.demo_records_max)
        self._requests: deque[tuple[str, str]] = deque(maxlen=self._limits.demo_records_max)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.set_alpn_protocols(["http/1.1"])
        self._tls.load_cert_chain(certificate.cert_path, certificate.key_path)
        self._fixed = _fixed_responses()
        self._listener: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._conversations: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """The port on 127.0.0.1 that Chromium is to be sent to."""
        if self._listener is None:
            raise RuntimeError("the demo company is not running; use `async with`")
        return int(self._listener.getsockname()[1])

    @property
    def requests(self) -> tuple[tuple[str, str], ...]:
        """The last requests as (method, path), oldest first; without query and body."""
        return tuple(self._requests)

    @property
    def exports(self) -> tuple[ExportRecord, ...]:
        """The exports really made on the server, oldest first."""
        return self._company.exports

    async def __aenter__(self) -> Self:
        listener = socket.create_server(("127.0.0.1", 0), backlog=_LISTEN_BACKLOG)
        listener.settimeout(0)
        self._listener = listener
        self._accepting = asyncio.create_task(self._accept(listener))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._listener is None or self._accepting is None:
            return
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        self._listener.close()
        self._listener = None
        # A task cancelled before its first step would never close the socket it was given.
        await asyncio.sleep(0)
        conversations = tuple(self._conversations)
        for conversation in conversations:
            conversation.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)
        # Aborted transports close their sockets in the loop's next two rounds (TLS, then TCP).
        for _ in range(3):
            await asyncio.sleep(0)

    # --- connections

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError:  # out of descriptors, or reset before it was taken: others still come
                await asyncio.sleep(_ACCEPT_PAUSE_SECONDS)
                continue
            if len(self._conversations) >= self._limits.demo_connections_max:
                connection.close()
                continue
            conversation = asyncio.create_task(self._converse(connection))
            self._conversations.add(conversation)
            conversation.add_done_callback(self._conversations.discard)

    async def _converse(self, connection: socket.socket) -> None:
        """Answer one connection's requests until it closes; a broken connection just ends."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=self._limits.demo_head_bytes_max)
        protocol = asyncio.StreamReaderProtocol(reader)
        with suppress(OSError):  # refused certificate, reset, half a handshake
            transport, _ = await loop.connect_accepted_socket(
                lambda: protocol,
                connection,
                ssl=self._tls,
                ssl_handshake_timeout=self._limits.demo_handshake_seconds,
                ssl_shutdown_timeout=1,
            )
            writer = asyncio.StreamWriter(transport, protocol, reader, loop)
            try:
                while await self._exchange(reader, writer):
                    pass
                writer.close()
                await writer.wait_closed()
            finally:
                transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection stays open for another."""
        try:
            request = await read_request(reader, self._limits)
            if request is None:
                return False
            self._requests.append((request.method, request.path))
            response = await self._answer(request)
            head_only, keep_open = request.method == "HEAD", request.keeps_open()
        except UnreadableRequestError as unreadable:
            response, head_only, keep_open = Response(unreadable.status), False, False
        writer.write(response.encoded(head_only=head_only, keep_open=keep_open))
        await writer.drain()
        return keep_open

    # --- answers

    async def _answer(self, request: Request) -> Response:
        if request.method in ("GET", "HEAD"):
            return await self._answer_get(request)
        if request.method == "POST":
            return await self._answer_post(request)
        return Response(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD, POST"})

    async def _answer_get(self, request: Request) -> Response:
        company = self._company
        path = request.path
        if path in self._fixed:
            return self._fixed[path]
        if path == "/api/report":
            return await self._after_delay(company.report, request.query)
        if path == "/api/overview":
            return _json(HTTPStatus.OK, company.overview())
        if path == "/api/invoices":
            return _json(HTTPStatus.OK, company.invoices())
        if path == "/redirect":
            return _redirect(request.query.get("to", ""))
        if path.startswith(_EXPORTS_AT):
            return self._download(unquote(path.removeprefix(_EXPORTS_AT)))
        return self._missing(path)

    async def _answer_post(self, request: Request) -> Response:
        changes = {
            "/api/export": self._company.export,
            "/api/void": self._company.void,
            "/api/delete": self._company.delete,
        }
        if request.path == "/login":
            return _signed_in(request)
        if request.path not in changes:
            return self._missing(request.path)
        # A page of another site can send a form, but not this type (it would need CORS).
        if request.headers.get("content-type", "").split(";")[0] != "application/json":
            return _refused(InvalidInputError("request_unreadable"))
        try:
            asked = _string_object(request.body)
        except InvalidInputError as refusal:
            return _refused(refusal)
        return await self._after_delay(changes[request.path], asked)

    async def _after_delay(
        self,
        work: Callable[[Mapping[str, str]], dict[str, object]],
        asked: Mapping[str, str],
    ) -> Response:
        await asyncio.sleep(self._delay_seconds)
        try:
            return _json(HTTPStatus.OK, work(asked))
        except InvalidInputError as refusal:
            return _refused(refusal)

    def _download(self, file_name: str) -> Response:
        found = self._company.file(file_name)
        if found is None:
            return self._missing(file_name)
        content_type, content = found
        disposition = f"attachment; filename*=UTF-8''{quote(file_name)}"
        return Response(
            HTTPStatus.OK, content_type, content, headers={"Content-Disposition": disposition}
        )

    def _missing(self, path: str) -> Response:
        if path.startswith("/api/"):
            return _json(HTTPStatus.NOT_FOUND, {"error": "接口不存在"})
        return self._fixed["404"]


def _fixed_responses() -> dict[str, Response]:
    """Return every response that never changes, by path; "404" is no path a client can send."""
    layout = (_PAGES / "layout.html").read_text("utf-8")

    def document(file: str, title: str, *, path: str, status: HTTPStatus, leaves: bool) -> Response:
        main = (_PAGES / file).read_text("utf-8")
        whole = main.startswith("<!DOCTYPE")  # a page that goes into a frame has no menu
        page = main if whole else layout.replace("{{title}}", title).replace("{{main}}", main)
        page = page.replace(f'href="{path}">', f'href="{path}" aria-current="page">', 1)
        return Response(status, _HTML, page.encode("utf-8"), may_leave=leaves)

    fixed = {
        path: document(file, title, path=path, status=HTTPStatus.OK, leaves=leaves)
        for path, (file, title, leaves) in _DOCUMENTS.items()
    }
    for path, content_type in _ASSETS.items():
        content = (_PAGES / path.removeprefix("/")).read_bytes()
        fixed[path] = Response(HTTPStatus.OK, content_type, content)
    fixed["404"] = document(
        "missing.html", "页面不存在", path="404", status=HTTPStatus.NOT_FOUND, leaves=False
    )
    fixed["/favicon.ico"] = Response(HTTPStatus.NO_CONTENT)
    return fixed


def _json(status: HTTPStatus, document: Mapping[str, object]) -> Response:
    return Response(status, _JSON, json.dumps(document, ensure_ascii=False).encode("utf-8"))


def _refused(refusal: InvalidInputError) -> Response:
    return _json(HTTPStatus.BAD_REQUEST, {"error": refusal.text("zh-CN")})


def _redirect(target: str) -> Response:
    if not _REDIRECT_TARGET.fullmatch(target):
        return _refused(InvalidInputError("request_unreadable"))
    return Response(HTTPStatus.FOUND, headers={"Location": target}, may_leave=True)


def _signed_in(request: Request) -> Response:
    """Accept any name with any password; neither is kept."""
    try:
        fields = dict(parse_qsl(request.body.decode("ascii"), max_num_fields=4))
    except ValueError:
        fields = {}
    accepted = bool(fields.get("user")) and bool(fields.get("password"))
    return Response(
        HTTPStatus.SEE_OTHER, headers={"Location": "/" if accepted else "/login?error=1"}
    )


def _string_object(body: bytes) -> dict[str, str]:
    """Return the JSON object in *body* when all its values are strings."""
    try:
        document = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as why:
        raise InvalidInputError("request_unreadable") from why
    if not isinstance(document, dict) or not all(isinstance(v, str) for v in document.values()):
        raise InvalidInputError("request_unreadable")
    return document
