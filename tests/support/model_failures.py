"""Ways in which a model server lets a task down, and what must come of each (R4).

The table is shared: each family meets it in a process of its own and with a browser.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.support.byte_server import HANG, Played, answer, head, refusal
from tests.support.model_lab import Reply, Wire, browse, finish

GOOD = finish("I only looked.", 1)
LOOKED = browse("navigate", {"url": "https://erp.example.com/invoices"})
PAGE = b"<!doctype html><title>Sign in</title>"
_CUT = '{"action": "type", "params": {"selector": "@3", "value": "1234'


@dataclass(frozen=True)
class Case:
    """What the server answers, how often it is asked, and how the task ends.

    *words* stand in the sentence that a person reads: what, why, and what to do.
    """

    answers: Callable[[Wire], Sequence[Reply | Played]]
    tries: int
    reason: str = ""
    words: tuple[str, ...] = ()
    settings: Mapping[str, float] = field(default_factory=dict)


def refused(status: int, kind: str, message: str, **headers: str) -> Callable[[Wire], list[Played]]:
    """Return the answers of a server that always says no in the form of both families."""
    body = {"type": "error", "error": {"type": kind, "code": kind, "message": message}}
    return lambda _: [refusal(status, body, **headers)]


def _cut(_: Wire) -> list[Reply | Played]:
    return [Reply(name="browser_action", raw=_CUT, stop="max_tokens")]


def _overflows_once(_: Wire) -> list[Reply | Played]:
    [too_long] = refused(400, "invalid_request_error", "prompt is too long: 300000 tokens")(_)
    return [LOOKED, too_long, GOOD]


CASES: Mapping[str, Case] = {
    "key refused": Case(
        refused(401, "authentication_error", "invalid x-api-key"), 1, "model_failed",
        ("does not accept the API key", "HTTP 401: invalid x-api-key", "set a valid key"),
    ),
    "quota spent": Case(
        refused(429, "insufficient_quota", "You exceeded your current quota"), 1, "model_failed",
        ("quota or credit", "HTTP 429: You exceeded", "top it up"),
    ),
    "no such model": Case(
        refused(404, "not_found_error", "model: test-model"), 1, "model_failed",
        ("knows no such model", "HTTP 404: model: test-model", "check --model"),
    ),
    "a page instead": Case(
        lambda _: [answer(200, PAGE, "text/html")], 1, "model_failed",
        ("no model server", "text/html", "check --base-url"),
    ),
    "rate limit for long": Case(
        refused(429, "rate_limit_error", "slow down", retry_after="3600"), 1, "model_failed",
        ("asks for fewer requests", "HTTP 429: slow down", "try again later"),
    ),
    "overloaded for good": Case(
        refused(529, "overloaded_error", "busy"), 4, "model_failed",
        ("overloaded", "HTTP 529: busy", "try again later"),
    ),
    "overloaded once": Case(
        lambda w: [*refused(529, "overloaded_error", "busy")(w), LOOKED, GOOD], 3
    ),
    "silent": Case(
        lambda _: [[head(), HANG]], 2, "model_failed",
        ("said nothing within 2.0 s", "SGCLAW_MODEL_FIRST_TOKEN_SECONDS"),
        {"first_token_seconds": 2, "retries_max": 1},
    ),
    "cut in a number": Case(
        _cut, 3, "output_cut", ("cut at the limit of their length", "nothing of them was run"),
    ),
    "window full once": Case(_overflows_once, 3),
    "window full for good": Case(
        refused(400, "invalid_request_error", "prompt is too long: 300000 tokens"), 3,
        "window_full", ("does not fit the model's window", "SGCLAW_MODEL_CONTEXT_TOKENS"),
    ),
    "declined": Case(
        lambda _: [Reply(text="I can't help with that.", stop="refusal")], 1, "model_declined",
        ("declined", "Say it in other words"),
    ),
}  # fmt: skip
