"""Whose turn it is when a provider refuses: one table of statuses and codes for both families (R4).

A server's own words are kept short, plain and without secrets; the key is struck out verbatim.
"""

import json
import re
import ssl
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import httpx2

from actions.llm.errors import (
    ContextTooLongError,
    ModelCallError,
    NetworkFailedError,
    OperatorMustActError,
    ProviderBusyError,
    RateLimitedError,
    RetryableError,
    StreamBrokenError,
    UserMustActError,
)
from states.secrets import REDACTED, strike

_TOO_LONG = re.compile(
    r"context_length_exceeded|prompt is too long|maximum context length|context window"
    r"|available context size|input is too long|exceeds? the (model'?s )?context|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|billing|exceeded your current quota|credit balance|insufficient balance",
    re.IGNORECASE,
)
# What a code or type says that comes in a stream, where the status was 200 already.
_STATUS_OF = {
    "authentication_error": 401, "invalid_api_key": 401, "billing_error": 402,
    "insufficient_quota": 402, "permission_error": 403, "permission_denied": 403,
    "not_found_error": 404, "model_not_found": 404, "invalid_request_error": 400,
    "invalid_request": 400, "badrequesterror": 400, "context_length_exceeded": 400,
    "request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429,
    "too_many_requests": 429, "requests": 429, "tokens": 429, "api_error": 500,
    "server_error": 500, "internal_server_error": 500, "internalservererror": 500,
    "service_unavailable": 503, "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
_BY_STATUS: dict[int, tuple[type[ModelCallError], str]] = {
    401: (UserMustActError, "model_key_refused"),
    402: (UserMustActError, "model_quota_spent"),
    403: (UserMustActError, "model_not_permitted"),
    404: (OperatorMustActError, "model_not_found"),
    408: (NetworkFailedError, "model_asked_again"),
    413: (ContextTooLongError, "model_prompt_too_long"),
    429: (RateLimitedError, "model_rate_limited"),
}
_REDIRECTS = range(300, 400)
_SERVER_FAULTS = range(500, 1_000)
# Only under these may a server's words tell more than its status does.
_QUOTA_SAID = (400, 403, 429)
_LENGTH_SAID = (400, 422)
# Spaces that are folded away must not let the rest of a long text in.
_READ_PER_CHAR = 4
_NOTHING = "—"


@dataclass(frozen=True)
class Words:
    """How a server's words are told: at most *chars_max*, with *key* struck out."""

    chars_max: int
    key: str = field(default="", repr=False)

    def of(self, text: object) -> str:
        """Return *text* as one plain line, short and without secrets."""
        whole = str(text)
        if self.key:
            whole = whole.replace(self.key, REDACTED)
        head = whole[: self.chars_max * _READ_PER_CHAR]
        plain = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in head)
        line = strike(" ".join(plain.split()))
        return f"{line[: self.chars_max]}…" if len(line) > self.chars_max else line or _NOTHING


class _Refusal(NamedTuple):
    codes: tuple[str, ...]
    message: str


def status_error(
    status: int, body: object, headers: Mapping[str, str], tell: Words
) -> ModelCallError:
    """Return the error that an answer of *status* stands for; *body* is as the SDK parsed it."""
    refusal = _refusal(body)
    said, wait_s = tell.of(refusal.message), _retry_after(headers)
    if wait_s is not None:
        said += f"; Retry-After: {wait_s:g} s"
    error = _by_status(status, refusal)(status=status, said=said)
    if isinstance(error, RetryableError):
        error.retry_after_s = wait_s
    return error


def frame_error(body: object, tell: Words) -> ModelCallError:
    """Return the error that an error event inside a stream stands for: its code or type tells."""
    refusal = _refusal(body)
    for code in refusal.codes:
        status = int(code) if re.fullmatch(r"[345][0-9]{2}", code) else _STATUS_OF.get(code.lower())
        if status is not None:
            return _by_status(status, refusal)(status=status, said=tell.of(refusal.message))
    if _QUOTA.search(refusal.message):
        return UserMustActError("model_quota_spent", status=200, said=tell.of(refusal.message))
    if _TOO_LONG.search(refusal.message):
        return ContextTooLongError(
            "model_prompt_too_long", status=200, said=tell.of(refusal.message)
        )
    return StreamBrokenError("model_stream_failed", said=tell.of(refusal.message))


def network_error(error: BaseException, host: str, seconds: float, tell: Words) -> ModelCallError:
    """Return the error that a failed connection stands for; its causes tell which one it is.

    *seconds* is the bound of connecting, for the sentence.
    """
    causes = list(_causes(error))
    said = tell.of(str(causes[-1]) or type(causes[-1]).__name__)
    for cause in causes:
        match cause:
            case ModelCallError():
                return cause
            case ssl.SSLCertVerificationError():
                return OperatorMustActError("model_certificate", host=host, said=said)
            case httpx2.UnsupportedProtocol() | httpx2.InvalidURL() | httpx2.LocalProtocolError():
                return OperatorMustActError("model_address_wrong", said=said)
    for cause in causes:
        match cause:
            case httpx2.ConnectTimeout():
                return NetworkFailedError("model_connect_late", host=host, seconds=seconds)
            case httpx2.ConnectError() | httpx2.ProxyError():
                return NetworkFailedError("model_unreachable", host=host, said=said)
    return NetworkFailedError("model_cut", said=said)


def no_server_error(kind: str, text: str, tell: Words) -> OperatorMustActError:
    """Return the error for a success that is no event stream: a page, a document, nothing."""
    return OperatorMustActError("model_no_server", kind=tell.of(kind), said=tell.of(text))


def _by_status(status: int, refusal: _Refusal) -> Callable[..., ModelCallError]:
    said = " ".join((*refusal.codes, refusal.message))
    if status in _QUOTA_SAID and _QUOTA.search(said):
        status = 402
    elif status in _LENGTH_SAID and _TOO_LONG.search(said):
        status = 413
    if status in _BY_STATUS:
        kind, code = _BY_STATUS[status]
    elif status in _REDIRECTS:
        kind, code = OperatorMustActError, "model_redirected"
    elif status in _SERVER_FAULTS:
        kind, code = ProviderBusyError, "model_busy"
    else:
        kind, code = OperatorMustActError, "model_bad_request"
    return lambda **facts: kind(code, **facts)


def _refusal(body: object) -> _Refusal:
    """Read the shapes in use: {"error": {…}}, {"error": "…"}, {"message": …}, {"detail": …}."""
    inner: Any = body
    if isinstance(inner, Mapping) and inner.get("error"):
        inner = inner["error"]
    if not isinstance(inner, Mapping):
        return _Refusal((), _text(inner))
    codes = tuple(str(inner[key]) for key in ("code", "type") if inner.get(key) not in (None, ""))
    for key in ("message", "detail", "error"):
        if inner.get(key):
            return _Refusal(codes, _text(inner[key]))
    return _Refusal(codes, _text(inner) if inner else "")


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait that the server asks for; a date counts from the server's own clock."""
    text = headers.get("retry-after", "").strip()
    millis = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", millis):
        return float(millis) / 1000
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text):
        return float(text)
    try:
        wait = parsedate_to_datetime(text) - parsedate_to_datetime(headers.get("date", ""))
        return max(wait.total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found
