"""Tries: only what may get better is tried again, after waits that both sides can bear (R4)."""

import asyncio
import math
from collections.abc import Sequence

import pytest

from actions.llm.chunks import Chunk, Hear, Said, TryFailed, nobody
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
from actions.llm.tries import SENTENCE_CHARS_MAX, Answered, wait_after, with_tries
from sgclaw.clock import MonotonicClock
from states.messages import ModelTurn, Usage
from states.settings import ModelLimits

LIMITS = ModelLimits()
TURN = ModelTurn(text="done")


class HandClock:
    """A clock that stands still but for its sleeps; it keeps their lengths."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Attempts:
    """Fails with each error in turn, then replies; each try says a word and takes two seconds."""

    def __init__(self, errors: Sequence[ModelCallError], clock: HandClock, said: str = "") -> None:
        self.errors = list(errors)
        self.clock = clock
        self.said = said
        self.made = 0

    async def __call__(self, hear: Hear) -> ModelTurn:
        self.made += 1
        self.clock.now += 0.5
        if self.said:
            hear(Said(self.said))
        self.clock.now += 1.5
        if self.errors:
            raise self.errors.pop(0)
        return TURN


def asks(seconds: float) -> RateLimitedError:
    error = RateLimitedError("rate")
    error.retry_after_s = seconds
    return error


async def test_a_reply_at_once_waits_for_nothing() -> None:
    clock, heard = HandClock(), list[Chunk]()
    answered = await with_tries(Attempts([], clock, "hi"), heard.append, LIMITS, clock)
    assert answered == Answered(TURN, 500)
    assert heard == [Said("hi")]
    assert clock.slept == []


@pytest.mark.parametrize(
    "error",
    [
        NetworkFailedError("n"),
        ProviderBusyError("n"),
        RateLimitedError("n"),
        StreamBrokenError("n"),
    ],
)
async def test_what_may_get_better_is_tried_three_times_more_after_1_2_and_4_seconds(
    error: RetryableError,
) -> None:
    clock = HandClock()
    attempts = Attempts([error] * 9, clock)
    with pytest.raises(type(error)) as caught:
        await with_tries(attempts, nobody, LIMITS, clock)
    assert caught.value is error
    assert attempts.made == 4
    assert clock.slept == [1, 2, 4]


async def test_the_last_try_may_still_succeed() -> None:
    clock = HandClock()
    attempts = Attempts([NetworkFailedError("n")] * 3, clock)
    assert (await with_tries(attempts, nobody, LIMITS, clock)).turn == TURN
    assert attempts.made == 4


@pytest.mark.parametrize(
    "error", [UserMustActError("u"), OperatorMustActError("o"), ContextTooLongError("c")]
)
async def test_what_somebody_must_mend_is_not_tried_again(error: ModelCallError) -> None:
    clock, heard = HandClock(), list[Chunk]()
    attempts = Attempts([error], clock)
    with pytest.raises(type(error)):
        await with_tries(attempts, heard.append, LIMITS, clock)
    assert attempts.made == 1
    assert (clock.slept, heard) == ([], [])


async def test_no_retries_means_one_try() -> None:
    clock = HandClock()
    attempts = Attempts([NetworkFailedError("n")], clock)
    with pytest.raises(NetworkFailedError):
        await with_tries(attempts, nobody, ModelLimits(retries_max=0), clock)
    assert attempts.made == 1


async def test_a_failed_try_is_told_with_what_it_was_and_that_its_words_are_discarded() -> None:
    clock, heard = HandClock(), list[Chunk]()
    busy = ProviderBusyError("x" * 2_000)
    busy.usage = Usage(input_tokens=7)
    await with_tries(Attempts([busy], clock, "half"), heard.append, LIMITS, clock)
    failed = TryFailed(
        number=1, kind="overload", code="x" * 2_000, wait_s=1,
        text="x" * (LIMITS.error_chars_max + SENTENCE_CHARS_MAX),
        duration_ms=2_000, usage=Usage(input_tokens=7), discarded=True,
    )  # fmt: skip
    assert heard == [Said("half"), failed, Said("half")]


async def test_a_try_that_told_nothing_discards_nothing() -> None:
    clock, heard = HandClock(), list[Chunk]()
    answered = await with_tries(Attempts([asks(0)], clock), heard.append, LIMITS, clock)
    assert [chunk.discarded for chunk in heard if isinstance(chunk, TryFailed)] == [False]
    assert answered.first_token_ms == 0


async def test_the_first_token_is_timed_from_the_start_of_its_own_try() -> None:
    clock = HandClock()
    attempts = Attempts([NetworkFailedError("n")] * 2, clock, "w")
    assert (await with_tries(attempts, nobody, LIMITS, clock)).first_token_ms == 500


@pytest.mark.parametrize(
    ("asked", "number", "wait"),
    [(30, 1, 30), (0.5, 1, 1), (3, 3, 4), (60, 1, 60), (0, 2, 2), (-5, 1, 1), (math.nan, 1, 1),
     (60.1, 1, None), (math.inf, 1, None), (1e300, 1, None), (0, 4, None)],
)  # fmt: skip
def test_a_wait_that_is_asked_for_is_kept_to_within_bounds(
    asked: float, number: int, wait: float | None
) -> None:
    assert wait_after(asks(asked), number, LIMITS) == wait


async def test_a_longer_wait_than_the_bound_ends_the_call_at_once() -> None:
    clock = HandClock()
    attempts = Attempts([asks(300)], clock)
    with pytest.raises(RateLimitedError):
        await with_tries(attempts, nobody, LIMITS, clock)
    assert (attempts.made, clock.slept) == (1, [])
    patient = ModelLimits(retry_after_seconds_max=300)
    assert await with_tries(Attempts([asks(300)], clock), nobody, patient, clock)
    assert clock.slept == [300]


async def test_a_cancelled_call_ends_in_the_middle_of_its_wait() -> None:
    waits = asyncio.Event()

    def hear(chunk: Chunk) -> None:
        if isinstance(chunk, TryFailed):
            waits.set()

    attempts = Attempts([asks(59)], HandClock())
    call = asyncio.create_task(with_tries(attempts, hear, LIMITS, MonotonicClock()))
    await waits.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert attempts.made == 1


async def test_a_cancelled_try_is_not_tried_again() -> None:
    begun, made = asyncio.Event(), list[int]()

    async def attempt(hear: Hear) -> ModelTurn:
        made.append(1)
        begun.set()
        await asyncio.Event().wait()
        return TURN

    call = asyncio.create_task(with_tries(attempt, nobody, LIMITS, MonotonicClock()))
    await begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert made == [1]


async def test_the_real_clock_goes_on() -> None:
    clock = MonotonicClock()
    before = clock.monotonic()
    await clock.sleep(0.01)
    assert clock.monotonic() > before
