"""Where an upload goes (A3): an https address, or http on this very machine; never told aloud.

The address may hold a credential in its query, so that no error, output or file repeats it.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from sgclaw.errors import UsageError

URL, TOKEN, PROXY = (
    "SGCLAW_AUDIT_UPLOAD_URL",
    "SGCLAW_AUDIT_UPLOAD_TOKEN",
    "SGCLAW_AUDIT_UPLOAD_PROXY",
)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_URL_CHARS_MAX = 2_000
_PLAIN = re.compile(r"[\x21-\x7e]+")
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
_PROXY = re.compile(r"http://(?:([^@/\s]+)@)?([A-Za-z0-9.-]{1,253}):([0-9]{1,5})/?")
_PORT_MAX = 65_535


class Proxy(NamedTuple):
    """A proxy that tunnels (CONNECT); *credentials* is `user:password`, "" for none."""

    host: str
    port: int
    credentials: str


class Target(NamedTuple):
    """A checked address, and what is shown at its door."""

    scheme: str
    host: str
    port: int
    path: str
    query: str
    token: str
    proxy: Proxy | None

    @property
    def shown(self) -> str:
        """The address without path and query, for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def id(self) -> str:
        """A name for this place, the same whatever credential its query holds."""
        return hashlib.sha256(f"{self.shown}{self.path}".encode()).hexdigest()[:16]

    def path_of(self, name: str) -> str:
        """Return the request path of the object *name*."""
        path = f"{self.path}/{quote(name)}"
        return f"{path}?{self.query}" if self.query else path


def target_of(url: str, environment: Mapping[str, str]) -> Target:
    """Return the place that *url* names, with token and proxy from *environment*.

    Raises:
        UsageError: it is no address that may be used, or token or proxy are none.
    """
    token = environment.get(TOKEN, "")
    if token and not _TOKEN.fullmatch(token):
        raise UsageError("upload_token_invalid")
    if len(url) > _URL_CHARS_MAX or not _PLAIN.fullmatch(url):
        raise UsageError("upload_url_invalid")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise UsageError("upload_url_invalid") from error
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise UsageError("upload_url_invalid")
    if "@" in parts.netloc or parts.fragment:
        raise UsageError("upload_url_credentials")
    is_local = host in LOOPBACK
    if parts.scheme == "http" and not is_local:
        raise UsageError("upload_url_insecure")
    default = 443 if parts.scheme == "https" else 80
    proxy = None if is_local else _proxy_of(environment.get(PROXY, ""))
    path = parts.path.rstrip("/")
    return Target(parts.scheme, host, port or default, path, parts.query, token, proxy)


def _proxy_of(text: str) -> Proxy | None:
    if not text:
        return None
    found = _PROXY.fullmatch(text)
    if found is None or not 0 < int(found[3]) <= _PORT_MAX:
        raise UsageError("upload_proxy_invalid")
    return Proxy(found[2], int(found[3]), found[1] or "")
