"""Several tries of one model call: which failure is worth another, and after what wait (R4).

What a failed try had told is discarded: a reply is always the whole reply of one try.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from actions.llm.chunks import Chunk, Hear, TryFailed
from actions.llm.errors import RetryableError
from states.catalogue import Lang
from states.messages import ModelTurn
from states.settings import ModelLimits

# The product's own sentence around what a provider said.
SENTENCE_CHARS_MAX = 500

Attempt = Callable[[Hear], Awaitable[ModelTurn]]


class WaitingClock(Protocol):
    """Seconds that only go forward, and a way to let some pass."""

    def monotonic(self) -> float:
        """Return seconds since some fixed point."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let *seconds* pass."""
        ...


class Answered(NamedTuple):
    """The reply, and how long its own try took to its first token."""

    turn: ModelTurn
    first_token_ms: int


class _Ear:
    """Passes on what a try tells, and notes when it began to."""

    def __init__(self, hear: Hear, clock: WaitingClock) -> None:
        self._hear = hear
        self._clock = clock
        self.started = clock.monotonic()
        self.first: float | None = None

    def __call__(self, chunk: Chunk) -> None:
        if self.first is None:
            self.first = self._clock.monotonic()
        self._hear(chunk)

    def first_token_ms(self) -> int:
        return 0 if self.first is None else _ms(self.first - self.started)

    def duration_ms(self) -> int:
        return _ms(self._clock.monotonic() - self.started)


async def with_tries(
    attempt: Attempt, hear: Hear, limits: ModelLimits, clock: WaitingClock, lang: Lang = "en"
) -> Answered:
    """Make tries until one gives a reply; tell *hear* of each that failed.

    Raises:
        ModelCallError: the last failure; no further try is worth it.
    """
    number = 0
    while True:
        number += 1
        ear = _Ear(hear, clock)
        try:
            turn = await attempt(ear)
        except RetryableError as error:
            wait_s = wait_after(error, number, limits)
            text_max = limits.error_chars_max + SENTENCE_CHARS_MAX
            told = _told(error, number, wait_s or 0.0, ear, error.text(lang)[:text_max])
            hear(told._replace(last=wait_s is None))
            if wait_s is None:
                raise
        else:
            return Answered(turn, ear.first_token_ms())
        await clock.sleep(wait_s)


def wait_after(error: RetryableError, number: int, limits: ModelLimits) -> float | None:
    """Return the seconds to wait after try *number* failed, None when no other follows.

    Each own wait is twice the one before. A longer one that the provider asks for is kept to, as
    long as it is within bounds: to come back earlier would only be refused again.
    """
    asked = error.retry_after_s or 0.0
    if number > limits.retries_max or asked > limits.retry_after_seconds_max:
        return None
    return max(limits.retry_seconds * 2.0 ** (number - 1), asked)


def _told(error: RetryableError, number: int, wait_s: float, ear: _Ear, text: str) -> TryFailed:
    return TryFailed(
        number=number,
        kind=error.kind,
        code=error.code,
        text=text,
        wait_s=wait_s,
        duration_ms=ear.duration_ms(),
        usage=error.usage,
        discarded=ear.first is not None,
    )


def _ms(seconds: float) -> int:
    return max(0, round(1000 * seconds))
