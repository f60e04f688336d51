"""HTTP/1.1 as far as a browser's page load needs it: one bounded request in, one response out.

Framing is strict (RFC 9112): a length that is not plain digits, or a transfer coding, ends the
connection, so that two readers can never disagree on where a request ends.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl

from states.settings import BrowserLimits

_CONTENT_SECURITY = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; "
    "form-action 'self'; frame-ancestors 'self'"
)
# The pages that try to leave must be stopped by sgclaw's gate, not by the page's own rules.
_CONTENT_SECURITY_MAY_LEAVE = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; "
    "frame-src 'self' https:; frame-ancestors 'self'"
)
_QUERY_FIELDS_MAX = 16
_HEADER_LINES_MAX = 100


class UnreadableRequestError(Exception):
    """The bytes are no request this server answers; the connection ends with *status*."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


@dataclass(frozen=True)
class Request:
    """One request: *path* is as sent, still percent-encoded."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""

    def keeps_open(self) -> bool:
        """Tell whether the client wants the connection for its next request."""
        return "close" not in self.headers.get("connection", "").lower()


@dataclass(frozen=True)
class Response:
    """One response; the security headers are added as it is written."""

    status: HTTPStatus
    content_type: str = ""
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    may_leave: bool = False

    def encoded(self, *, head_only: bool, keep_open: bool) -> bytes:
        """Return the bytes to send; *head_only* leaves the body out, as HEAD asks."""
        policy = _CONTENT_SECURITY_MAY_LEAVE if self.may_leave else _CONTENT_SECURITY
        headers = {
            "Content-Length": str(len(self.body)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "SAMEORIGIN",
            "Referrer-Policy": "no-referrer",
            "Connection": "keep-alive" if keep_open else "close",
            **({"Content-Type": self.content_type} if self.content_type else {}),
            **self.headers,
        }
        lines = [f"HTTP/1.1 {self.status.value} {self.status.phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
        return head if head_only else head + self.body


async def read_request(reader: asyncio.StreamReader, limits: BrowserLimits) -> Request | None:
    """Return the next request, or None when the client has closed or stays silent.

    Raises:
        UnreadableRequestError: the bytes are not a request this server answers.
    """
    try:
        async with asyncio.timeout(limits.demo_idle_seconds):
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, headers = _parsed_head(head)
            body = await reader.readexactly(_body_length(headers, limits.demo_body_bytes_max))
    except (asyncio.IncompleteReadError, TimeoutError):
        return None
    except asyncio.LimitOverrunError as overrun:
        raise UnreadableRequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from overrun
    path, _, query = target.partition("?")
    try:
        fields = parse_qsl(
            query,
            keep_blank_values=True,
            encoding="utf-8",
            errors="strict",
            max_num_fields=_QUERY_FIELDS_MAX,
        )
    except ValueError as why:
        raise UnreadableRequestError(HTTPStatus.BAD_REQUEST) from why
    return Request(method, path, dict(fields), headers, body)


def _parsed_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    try:
        first, *lines = head.decode("ascii").removesuffix("\r\n\r\n").split("\r\n")
        method, target, version = first.split(" ")
    except ValueError as why:
        raise UnreadableRequestError(HTTPStatus.BAD_REQUEST) from why
    if version != "HTTP/1.1" or not target.startswith("/") or len(lines) > _HEADER_LINES_MAX:
        raise UnreadableRequestError(HTTPStatus.BAD_REQUEST)
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        lower = name.lower()
        if not colon or not name or name != name.strip() or lower in headers:
            raise UnreadableRequestError(HTTPStatus.BAD_REQUEST)
        headers[lower] = value.strip()
    return method, target, headers


def _body_length(headers: Mapping[str, str], bytes_max: int) -> int:
    if "transfer-encoding" in headers:
        raise UnreadableRequestError(HTTPStatus.NOT_IMPLEMENTED)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise UnreadableRequestError(HTTPStatus.BAD_REQUEST)
    if len(length) > len(str(bytes_max)) or int(length) > bytes_max:
        raise UnreadableRequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return int(length)
