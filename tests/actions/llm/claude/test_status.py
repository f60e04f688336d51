"""Every refusal of the server says whose turn it is, after one request and in few words (R4)."""

import asyncio
from typing import Any

import pytest

from actions.llm.chunks import nobody
from actions.llm.claude_family import make_claude
from actions.llm.errors import (
    ContextTooLongError,
    ModelCallError,
    NetworkFailedError,
    OperatorMustActError,
    ProviderBusyError,
    RateLimitedError,
    RetryableError,
    UserMustActError,
)
from states.settings import ModelLimits
from tests.actions.llm.claude.lab import (
    CHARS_MAX,
    KEY,
    PROMPT,
    Endpoint,
    Lab,
    claude_at,
    reply,
    text,
    tool,
)
from tests.support.byte_server import (
    HANG,
    Op,
    Script,
    Sleep,
    byte_server,
    chunk,
    claude_frames,
    claude_start,
    head,
    refusal,
    stream,
)

STATUSES: dict[int, type[ModelCallError]] = {
    400: OperatorMustActError,
    401: UserMustActError,
    402: UserMustActError,
    403: UserMustActError,
    404: OperatorMustActError,
    405: OperatorMustActError,
    408: NetworkFailedError,
    409: OperatorMustActError,
    413: ContextTooLongError,
    415: OperatorMustActError,
    422: OperatorMustActError,
    429: RateLimitedError,
    431: OperatorMustActError,
    500: ProviderBusyError,
    501: ProviderBusyError,
    502: ProviderBusyError,
    503: ProviderBusyError,
    504: ProviderBusyError,
    529: ProviderBusyError,
}
WHOLE = stream(claude_frames(*reply(text(0, "Hi"))))


def refused(status: int, kind: str, message: str, **headers: str) -> Script:
    """Return a refusal as the API writes it."""
    failure = {"type": "error", "error": {"type": kind, "message": message}}
    return refusal(status, failure, **headers)


async def error_of(script: Script, **limits: Any) -> tuple[ModelCallError, Lab]:
    """Return what a try comes to that is answered with *script*."""
    async with claude_at(script, WHOLE, limits=ModelLimits(**limits)) as lab:
        with pytest.raises(ModelCallError) as caught:
            await lab.turn()
    return caught.value, lab


@pytest.mark.parametrize(("status", "expected"), STATUSES.items())
async def test_each_status_says_who_must_act(status: int, expected: type[ModelCallError]) -> None:
    error, lab = await error_of(refused(status, "x_error", "said so"))
    assert (type(error), error.facts["said"]) == (expected, "said so")
    assert (error.facts["status"], len(lab.server.requests)) == (status, 1)


MESSAGES = [
    (400, "prompt is too long: 210000 tokens > 200000 maximum", ContextTooLongError),
    (400, "Your credit balance is too low to access the API.", UserMustActError),
    (429, "You exceeded your current quota.", UserMustActError),
]


@pytest.mark.parametrize(("status", "message", "expected"), MESSAGES)
async def test_the_words_of_some_refusals_say_more_than_their_status(
    status: int, message: str, expected: type[ModelCallError]
) -> None:
    error, _ = await error_of(refused(status, "invalid_request_error", message))
    assert type(error) is expected


async def test_a_wait_that_the_server_asks_for_is_handed_on_not_waited_for() -> None:
    error, lab = await error_of(refused(429, "rate_limit_error", "slow down", retry_after="3000"))
    assert isinstance(error, RetryableError)
    assert (error.retry_after_s, len(lab.server.requests)) == (3000.0, 1)


async def test_the_server_cannot_make_the_sdk_try_again() -> None:
    _, lab = await error_of(refused(400, "x", "y", x_should_retry="true"))
    assert len(lab.server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    async with byte_server(WHOLE) as other:
        error, _ = await error_of(refusal(status, {}, location=other.url))
        assert (type(error), other.requests) == (OperatorMustActError, [])


async def test_an_error_tells_the_servers_words_short_and_never_the_key() -> None:
    error, _ = await error_of(refused(401, "authentication_error", f"bad {KEY} " + "x" * 9_000))
    shown = error.text("en") + error.text("zh-CN") + repr(error) + repr(error.__context__)
    assert KEY not in shown
    assert len(str(error.facts["said"])) <= ModelLimits().error_chars_max + 1


async def test_an_error_page_of_a_proxy_is_told_by_its_status() -> None:
    script = [head(502, "text/html"), chunk(b"<html>Bad gateway</html>" * 9_000), chunk(b"")]
    error, _ = await error_of(script)
    assert type(error) is ProviderBusyError


async def test_a_server_that_is_not_there_is_a_failed_network() -> None:
    family = make_claude(Endpoint("http://127.0.0.1:1"), ModelLimits(), CHARS_MAX)
    with pytest.raises(NetworkFailedError) as caught:
        await family.attempt(PROMPT, nobody)
    await family.close()
    assert caught.value.code == "model_unreachable"


def drip(data: bytes) -> list[Op]:
    """Return *data* sent over and over, with little pauses, for longer than any bound here."""
    return [op for _ in range(400) for op in (chunk(data), Sleep(0.05))]


FRAMES = claude_frames(claude_start(), *tool(0, '{"a": 1}', stop=False))
SILENT: dict[str, Script] = {
    "no byte": [HANG],
    "head only": [head(), HANG],
    "keep-alives only": [head(), *drip(b": ping\n\n")],
    "pings only": [head(), *drip(b'event: ping\ndata: {"type": "ping"}\n\n')],
    "start only": [head(), chunk(claude_frames(claude_start())), HANG],
    "empty text": [head(), chunk(claude_frames(claude_start(), *text(0, "", ""))), HANG],
}


async def late(script: Script, **limits: Any) -> str:
    """Return the code of the bound at which *script* is left; its connection must be closed."""
    async with claude_at(script, limits=ModelLimits(**limits)) as lab:
        with pytest.raises(NetworkFailedError) as caught:
            await lab.turn()
        # On a busy machine the bound may pass before the request is even there.
        for request in lab.server.requests:
            await asyncio.wait_for(request.left.wait(), 20)
    return caught.value.code


async def test_a_server_that_says_nothing_is_left_at_the_first_bound() -> None:
    codes = await asyncio.gather(
        *(late(script, first_token_seconds=1.5) for script in SILENT.values())
    )
    assert dict(zip(SILENT, codes, strict=True)) == dict.fromkeys(SILENT, "model_first_token_late")


async def test_a_server_that_never_comes_to_an_end_is_left_at_the_second_bound() -> None:
    endless = drip(claude_frames(tool(0, "x")[1]))
    assert await late([head(), chunk(FRAMES), *endless], try_seconds=1) == "model_try_late"


async def test_a_cancelled_try_leaves_its_connection() -> None:
    async with claude_at([head(), chunk(FRAMES), HANG]) as lab:
        told = asyncio.Event()
        running = asyncio.ensure_future(lab.turn(hear=lambda _: told.set()))
        await asyncio.wait_for(told.wait(), 20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(lab.server.requests[0].left.wait(), 20)
