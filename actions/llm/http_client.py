"""The one HTTP client of both families: what may go out with a prompt, and how much may come back.

Redirects are never followed and proxies only by setting, because each sees the whole prompt.
Headers go out by a list: an SDK reads some from environment variables.
"""

import logging
import ssl
from collections.abc import AsyncIterator, Mapping
from functools import cache

import httpx2

from actions.llm.errors import OperatorMustActError, StreamBrokenError
from states.settings import ModelLimits

_KEPT = frozenset(
    {"host", "accept", "connection", "content-type", "content-length", "transfer-encoding",
     "anthropic-version", "anthropic-beta"}
)  # fmt: skip
_LOGGERS = ("openai", "anthropic", "httpx2", "httpcore2")
_BOM = b"\xef\xbb\xbf"
_OK = 200
_PORT_MAX = 65_535


def make_http_client(limits: ModelLimits, pinned: Mapping[str, str]) -> httpx2.AsyncClient:
    """Return a client that sends the *pinned* headers (the key's) with each request.

    The first token and the whole try are bounded by `Deadline`, not here.
    """
    _quiet_loggers()

    async def fix_headers(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _KEPT:
                del request.headers[name]
        request.headers.update({"accept-encoding": "identity", "user-agent": "sgclaw", **pinned})

    async def bound_body(response: httpx2.Response) -> None:
        # Nothing packed was asked for: unpacked, a few bytes may be many.
        response.headers.pop("content-encoding", None)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _BoundedStream(response.stream, limits, whole=is_stream(response))

    trust_env = limits.proxy == "environment"
    return httpx2.AsyncClient(
        trust_env=trust_env,
        verify=_certificates(trust_env=trust_env),
        follow_redirects=False,
        timeout=httpx2.Timeout(limits.try_seconds, connect=limits.connect_seconds),
        event_hooks={"request": [fix_headers], "response": [bound_body]},
    )


def checked_address(base_url: str) -> str:
    """Return *base_url* if a client can be set to it.

    Raises:
        OperatorMustActError: it cannot; above all no client says so of a port in words.
    """
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise OperatorMustActError("model_address_wrong", said=str(error)) from None
    port = url.port if url.port is not None else _PORT_MAX
    if url.scheme not in ("http", "https") or not url.host or not 0 < port <= _PORT_MAX:
        raise OperatorMustActError("model_address_wrong", said=url.host or url.scheme or "—")
    return base_url


def is_stream(response: httpx2.Response) -> bool:
    """Tell whether *response* may be an event stream: it succeeded and does not say otherwise."""
    kind = response.headers.get("content-type", "").lower()
    return response.status_code == _OK and not any(word in kind for word in ("html", "json"))


@cache
def _certificates(*, trust_env: bool) -> ssl.SSLContext:
    """Return what servers are trusted by; reading the list takes a while, and it stays the same."""
    return httpx2.create_ssl_context(trust_env=trust_env)


class _BoundedStream(httpx2.AsyncByteStream):
    """A body of bounded size: an answer that is read *whole* fails above it, an error is cut."""

    def __init__(self, inner: httpx2.AsyncByteStream, limits: ModelLimits, *, whole: bool) -> None:
        self._inner = inner
        self._whole = whole
        self._left = limits.stream_bytes_max if whole else limits.error_bytes_max

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in _without_bom(self._inner):
            if len(part) > self._left:
                if self._whole:
                    raise StreamBrokenError("model_too_long")
                yield part[: self._left]
                return
            self._left -= len(part)
            yield part

    async def aclose(self) -> None:
        """Close the connection's side of it."""
        await self._inner.aclose()


async def _without_bom(parts: httpx2.AsyncByteStream) -> AsyncIterator[bytes]:
    """Leave out a byte order mark: both SDKs would lose the first event with it."""
    held, begun = b"", False
    async for part in parts:
        if begun:
            yield part
            continue
        held += part
        if len(held) < len(_BOM) and _BOM.startswith(held):
            continue
        begun = True
        yield held.removeprefix(_BOM)
    if not begun and held:
        yield held


def _quiet_loggers() -> None:
    # At their finer levels the SDKs log whole requests, and environment variables set the level.
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
