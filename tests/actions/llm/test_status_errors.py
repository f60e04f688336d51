"""Errors of both families by what a server or the network says; its words are shown clean."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx2
import pytest

from actions.llm.errors import (
    ContextTooLongError,
    ModelCallError,
    NetworkFailedError,
    OperatorMustActError,
    ProviderBusyError,
    RateLimitedError,
    StreamBrokenError,
    UserMustActError,
)
from actions.llm.http_client import make_http_client
from actions.llm.status_errors import Words, frame_error, network_error, no_server_error
from states.settings import ModelLimits

TELL = Words(300)

FRAMES: dict[str, tuple[object, type[ModelCallError]]] = {
    "overloaded_error": ({"type": "overloaded_error", "message": "x"}, ProviderBusyError),
    "api_error": ({"type": "api_error"}, ProviderBusyError),
    "timeout_error": ({"type": "timeout_error"}, ProviderBusyError),
    "rate_limit_error": ({"type": "rate_limit_error"}, RateLimitedError),
    "authentication_error": ({"type": "authentication_error"}, UserMustActError),
    "permission_error": ({"type": "permission_error"}, UserMustActError),
    "billing_error": ({"type": "billing_error"}, UserMustActError),
    "not_found_error": ({"type": "not_found_error"}, OperatorMustActError),
    "invalid_request_error": ({"type": "invalid_request_error"}, OperatorMustActError),
    "request_too_large": ({"type": "request_too_large"}, ContextTooLongError),
    "too long": (
        {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"},
        ContextTooLongError,
    ),
    "wrapped": ({"type": "error", "error": {"type": "overloaded_error"}}, ProviderBusyError),
    "the code before the type": (
        {"code": "insufficient_quota", "type": "invalid_request_error"}, UserMustActError),
    "a number": ({"code": 429, "message": "x"}, RateLimitedError),
    "a number that is no status": ({"code": 17, "message": "x"}, StreamBrokenError),
    "quota in words": ({"message": "You exceeded your current quota"}, UserMustActError),
    "length in words": ("the prompt exceeds the model's context", ContextTooLongError),
    "unknown": ({"type": "odd"}, StreamBrokenError),
    "nothing": (None, StreamBrokenError),
}  # fmt: skip


@pytest.mark.parametrize("case", FRAMES)
def test_an_error_in_a_stream_is_told_by_its_code_or_type(case: str) -> None:
    body, kind = FRAMES[case]
    assert type(frame_error(body, TELL)) is kind


def test_words_are_one_short_plain_line_without_the_key() -> None:
    tell = Words(20, "canary-4711")
    assert "canary" not in repr(tell)
    assert tell.of("a\n\x1b[1m\u202eb\u200b\ud800  c") == "a [1m b c"
    assert tell.of("key canary-4711!") == "key [redacted]!"
    assert tell.of("x" * 50) == "x" * 20 + "…"
    assert tell.of(" " * 1_000 + "canary-4711") == "—"
    assert tell.of("") == "—"
    assert Words(100).of(f"x sk-{'a' * 30}") == "x [redacted]"
    # An empty key is none: nothing is struck out between all characters.
    assert Words(100, "").of("abc") == "abc"


def test_a_page_instead_of_a_server_is_told_with_its_kind() -> None:
    error = no_server_error("text/html", "<html>\n<b>", TELL)
    assert (error.code, error.facts) == (
        "model_no_server", {"kind": "text/html", "said": "<html> <b>"},
    )  # fmt: skip


def caused(outer: Exception, inner: BaseException) -> Exception:
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (httpx2.ConnectError("no route"), NetworkFailedError, "model_unreachable"),
        (httpx2.ProxyError("403"), NetworkFailedError, "model_unreachable"),
        (httpx2.ConnectTimeout(""), NetworkFailedError, "model_connect_late"),
        (httpx2.ReadError("reset"), NetworkFailedError, "model_cut"),
        (httpx2.ReadTimeout(""), NetworkFailedError, "model_cut"),
        (httpx2.UnsupportedProtocol("ftp"), OperatorMustActError, "model_address_wrong"),
        (caused(RuntimeError(), httpx2.ConnectError("x")), NetworkFailedError,
         "model_unreachable"),
        (caused(RuntimeError(), StreamBrokenError("model_too_long")), StreamBrokenError,
         "model_too_long"),
        (RuntimeError("odd"), NetworkFailedError, "model_cut"),
    ],
)  # fmt: skip
def test_a_failed_connection_is_told_by_its_causes(
    error: Exception, kind: type[ModelCallError], code: str
) -> None:
    told = network_error(error, "model.example", 10, TELL)
    assert (type(told), told.code) == (kind, code)


@contextmanager
def deaf_port() -> Iterator[int]:
    """Listen on a port whose queue is full: further connections are neither taken nor refused."""
    with ExitStack() as held:
        listening = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = held.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]


async def test_a_connection_that_is_not_taken_is_given_up_in_time() -> None:
    limits = ModelLimits(connect_seconds=0.2)
    with deaf_port() as port:
        async with make_http_client(limits, {}) as client:
            with pytest.raises(httpx2.ConnectTimeout) as caught:
                await client.post(f"http://127.0.0.1:{port}/")
    told = network_error(caught.value, "127.0.0.1", limits.connect_seconds, TELL)
    assert told.code == "model_connect_late"
    assert "0.2" in told.text("en")
