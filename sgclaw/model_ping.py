"""Ask a model's server for its list of models: is it there, does it take the key (doctor --ping).

One small request without a prompt; no redirect is followed and no proxy used.
"""

import http.client
import json
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
    """Return what the server of *spec* says to a request for its models."""
    address = urlsplit(spec.base_url)
    host, port = str(address.hostname), address.port
    make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = make(host, port, timeout=limits.connect_seconds)
    path = address.path.rstrip("/") + ("/v1/models" if spec.kind == "claude" else "/models")
    try:
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
