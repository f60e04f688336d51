"""Two bounds of one try, on the loop's own clock, which these tests turn."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from actions.llm.deadline import Deadline
from actions.llm.errors import NetworkFailedError
from states.settings import ModelLimits

LIMITS = ModelLimits(first_token_seconds=30, try_seconds=120)


class TurnedLoop(asyncio.SelectorEventLoop):
    """A loop whose clock goes on when it is told to."""

    passed_s = 0.0

    def time(self) -> float:
        """Return the real time and what was added to it."""
        return time.monotonic() + self.passed_s


async def turn(seconds: float) -> None:
    """Let *seconds* pass, and whatever is due then happen."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, TurnedLoop)
    loop.passed_s += seconds
    await asyncio.sleep(0.001)


def run(body: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=TurnedLoop) as runner:
        runner.run(body)


async def silent() -> None:
    async with Deadline(LIMITS):
        await turn(29)
        await turn(2)


async def silent_after_a_token() -> None:
    async with Deadline(LIMITS) as deadline:
        await turn(29)
        deadline.token_seen()
        await turn(90)
        # Only the first token counts.
        deadline.token_seen()
        await turn(2)


async def in_time() -> None:
    async with Deadline(LIMITS) as deadline:
        await turn(29)
        deadline.token_seen()
        await turn(89)


async def turned_into_another_error() -> None:
    async with Deadline(LIMITS):
        try:
            await turn(31)
        except asyncio.CancelledError:
            raise ConnectionError from None


async def failed_by_itself() -> None:
    async with Deadline(LIMITS):
        raise TimeoutError("its own")


def test_a_first_token_that_is_late_ends_the_try() -> None:
    with pytest.raises(NetworkFailedError, match="30") as caught:
        run(silent())
    assert caught.value.code == "model_first_token_late"


def test_after_a_token_the_whole_try_is_what_counts() -> None:
    with pytest.raises(NetworkFailedError, match="120") as caught:
        run(silent_after_a_token())
    assert caught.value.code == "model_try_late"
    run(in_time())


def test_a_first_token_cannot_be_later_than_the_whole() -> None:
    async def body() -> None:
        async with Deadline(ModelLimits(first_token_seconds=30, try_seconds=10)):
            await turn(11)

    with pytest.raises(NetworkFailedError) as caught:
        run(body())
    assert caught.value.code == "model_try_late"


def test_a_client_that_turns_the_bound_into_its_own_error_does_not_hide_it() -> None:
    with pytest.raises(NetworkFailedError) as caught:
        run(turned_into_another_error())
    assert caught.value.code == "model_first_token_late"


def test_an_error_of_what_runs_inside_is_let_through() -> None:
    with pytest.raises(TimeoutError, match="its own"):
        run(failed_by_itself())


def test_cancelling_from_outside_stays_a_cancelling() -> None:
    async def body() -> None:
        waiting = asyncio.ensure_future(silent_for_ever())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async def silent_for_ever() -> None:
        async with Deadline(LIMITS):
            await asyncio.Event().wait()

    run(body())
