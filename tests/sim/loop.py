"""An event loop whose time is a number: nothing waits, the clock jumps to the next timer.

One rule: while something is ready no time passes; when nothing is, the next timer is now. The
loop counts its turns, so that an episode can be stopped at each of them and none runs for ever.
"""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

TURNS_MAX = 60_000
Turn = Callable[[int], None]


class StuckEpisodeError(Exception):
    """The episode waits for what never comes, or goes on without end."""


class _NoWaiting(selectors.SelectSelector):
    """Never waits for a descriptor: a wait of *timeout* is that much virtual time."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        self.loop.turn(timeout)
        return ()


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual time; `reset` makes it as good as new for the next episode."""

    def __init__(self) -> None:
        self._virtual_s = 0.0
        self._turns = 0
        self._turns_max = TURNS_MAX
        self._seconds_max = float("inf")
        self._on_turn: Turn | None = None
        selector = _NoWaiting()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Return the virtual seconds since the episode began."""
        return self._virtual_s

    @property
    def turns(self) -> int:
        """How often the loop has gone round."""
        return self._turns

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass at once, as a slow disk or a suspended machine does."""
        self._virtual_s += seconds

    def reset(self, seconds_max: float, on_turn: Turn | None = None) -> None:
        """Begin at zero; *on_turn* hears the number of each turn."""
        self._ready.clear()  # type: ignore[attr-defined]
        self._scheduled.clear()  # type: ignore[attr-defined]
        self._timer_cancelled_count = 0
        self._virtual_s, self._turns = 0.0, 0
        self._seconds_max = seconds_max
        self._on_turn = on_turn

    def turn(self, timeout: float | None) -> None:
        """Go round once; *timeout* is what a real loop would wait, None for ever.

        Raises:
            StuckEpisodeError: nothing will ever happen, or it has gone on for too long.
        """
        self._turns += 1
        if timeout is None:
            raise StuckEpisodeError("nothing is ready and no timer runs")
        if timeout > 0:
            self._virtual_s += timeout
        if self._turns > self._turns_max:
            raise StuckEpisodeError(f"more than {self._turns_max} turns")
        if self._virtual_s > self._seconds_max:
            raise StuckEpisodeError(f"more than {self._seconds_max:g} virtual seconds")
        if self._on_turn is not None:
            self._on_turn(self._turns)

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        """Call soon: there is one thread."""
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        """Run *func* here and now: a thread would make the order of things its own."""
        del executor
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - handed on, as an executor does
            future.set_exception(error)
        return future
