"""Ask a model's server for its list of models: is it there, does it take the key (doctor --ping).

One small request without a prompt; no redirect is followed and no proxy used. A socket's timeout
counts from byte to byte, so the whole of it has a bound of its own.
"""

import http.client
import json
import queue
import socket
import threading
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from states.catalogue import Lang, words
from states.settings import ModelLimits
from states.wire import ProviderSpec

_ANSWER_BYTES_MAX = 1_048_576
_CLAUDE_VERSION = "2023-06-01"
_OK, _REFUSED = 200, (401, 403)


class Pong(NamedTuple):
    """What the server answered: a key of the catalogue, and its facts."""

    ok: bool
    said: str
    facts: tuple[tuple[str, str], ...] = ()

    def text(self, lang: Lang = "en") -> str:
        """Return it as a sentence of *lang*."""
        return words(self.said, lang, **dict(self.facts))


def ping(spec: ProviderSpec, limits: ModelLimits) -> Pong:
    """Return what the server of *spec* says to a request for its models.

    It is waited for as long as for a model's first token.
    """
    pongs: queue.SimpleQueue[Pong | Exception] = queue.SimpleQueue()
    sockets: list[socket.socket] = []

    def ask() -> None:
        try:
            pongs.put(_asked(spec, limits.connect_seconds, sockets))
        except Exception as error:  # noqa: BLE001 - it is raised again by whoever waits
            pongs.put(error)

    # A daemon: a name that is never resolved holds up neither this nor the exit.
    threading.Thread(target=ask, name="ping", daemon=True).start()
    try:
        pong = pongs.get(timeout=limits.first_token_seconds)
    except queue.Empty:
        for connected in sockets:
            # Ends whatever still waits for it.
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
        host, seconds = str(urlsplit(spec.base_url).hostname), f"{limits.first_token_seconds:g}"
        return Pong(ok=False, said="ping_late", facts=(("host", host), ("seconds", seconds)))
    if isinstance(pong, Exception):
        raise pong
    return pong


def _asked(spec: ProviderSpec, connect_seconds: float, sockets: list[socket.socket]) -> Pong:
    """Return what the server says; the connection's socket goes to *sockets*."""
    address = urlsplit(spec.base_url)
    host, port = str(address.hostname), address.port
    make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = make(host, port, timeout=connect_seconds)
    path = address.path.rstrip("/") + ("/v1/models" if spec.kind == "claude" else "/models")
    try:
        connection.connect()
        sockets.append(connection.sock)
        connection.request("GET", path, headers=_headers(spec))
        answer = connection.getresponse()
        body = answer.read(_ANSWER_BYTES_MAX)
    except (OSError, http.client.HTTPException) as error:
        why = str(getattr(error, "strerror", None) or error) or type(error).__name__
        return Pong(ok=False, said="ping_unreachable", facts=(("host", host), ("why", why)))
    finally:
        connection.close()
    if answer.status in _REFUSED:
        return Pong(ok=False, said="ping_key_refused", facts=(("status", str(answer.status)),))
    names = _names(body) if answer.status == _OK else None
    if names is None:
        return Pong(ok=False, said="ping_no_list", facts=(("status", str(answer.status)),))
    if names and spec.model not in names:
        return Pong(ok=False, said="ping_model_missing",
                    facts=(("model", spec.model), ("number", str(len(names)))))  # fmt: skip
    return Pong(ok=True, said="ping_ok")


def _headers(spec: ProviderSpec) -> dict[str, str]:
    if not spec.api_key:
        return {}
    if spec.kind == "claude":
        return {"x-api-key": spec.api_key, "anthropic-version": _CLAUDE_VERSION}
    return {"Authorization": f"Bearer {spec.api_key}"}


def _names(body: bytes) -> set[str] | None:
    """Return the names in a list of models, None when *body* is no such list."""
    try:
        rows = json.loads(body)["data"]
        return {str(row["id"]) for row in rows}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
