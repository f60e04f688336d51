"""The services and timers of one shell: started, cancelled, and ended whatever they do.

A service is somebody else's coroutine. It may raise anything, answer after it was cancelled, or
swallow the cancellation; none of that reaches the chart as more than a stale event.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Any

from engine.chart.declaration import completion_events
from engine.chart.errors import ShellError
from engine.chart.step import Start, Timer
from states.errors import SgclawError
from states.events import NOTHING, Event

Emit = Callable[[str, Mapping[str, Any]], None]
Service = Callable[[Any, Emit], Awaitable[Mapping[str, Any]]]
Post = Callable[[Event], object]

ERROR_TEXT_CHARS_MAX = 2000
CLOSE_TRIES_MAX = 3
CLOSE_SECONDS = 0.2


class ServiceRunner:
    """Runs services as tasks and timers on the loop; everything they say goes to *post*."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._timers: dict[int, asyncio.TimerHandle] = {}

    def start(
        self, start: Start, service: Service, emits: Collection[str], context: object
    ) -> None:
        """Start *service*; it may send the events *emits* and must end with a mapping."""
        emit = partial(self._emit, start, emits)
        task = asyncio.create_task(
            self._serve(start, service, context, emit), name=f"{start.id}#{start.generation}"
        )
        self._tasks[start.generation] = task
        task.add_done_callback(partial(self._forget, start.generation))

    def time(self, timer: Timer) -> None:
        """Post the event of *timer* when its seconds are over."""
        self._timers[timer.generation] = asyncio.get_running_loop().call_later(
            timer.seconds, self._ring, timer
        )

    def cancel(self, generation: int) -> None:
        """End the service or timer of *generation*; do nothing when it has ended."""
        timer = self._timers.pop(generation, None)
        if timer is not None:
            timer.cancel()
        task = self._tasks.pop(generation, None)
        if task is not None:
            self._leaving.add(task)
            task.cancel()

    async def stop(self, seconds: float) -> None:
        """Cancel everything, wait at most *seconds*, and close what swallowed its cancellation."""
        for generation in (*self._timers, *self._tasks):
            self.cancel(generation)
        try:
            if self._leaving:
                await asyncio.wait(self._leaving, timeout=seconds)
        finally:
            stubborn = [task for task in self._leaving if not task.done()]
            for task in stubborn:
                _close(task)
        if stubborn:
            await asyncio.wait(stubborn, timeout=CLOSE_SECONDS)

    async def _serve(self, start: Start, service: Service, context: object, emit: Emit) -> None:
        done, error = completion_events(start.id)
        try:
            payload = _mapping(start, await service(context, emit))
        except asyncio.CancelledError:
            # Not cancelled from here: the service gave up by itself, and its state must hear.
            if start.generation in self._tasks:
                gave_up = {"error": "CancelledError", "text": f"{start.src} cancelled itself"}
                self._post(Event(error, gave_up, start.generation))
        except Exception as failure:  # noqa: BLE001 - the edge to somebody else's code
            self._post(Event(error, failure_payload(failure), start.generation))
        else:
            self._post(Event(done, payload, start.generation))

    def _emit(
        self, start: Start, emits: Collection[str], event: str, payload: Mapping[str, Any]
    ) -> None:
        if event not in emits:
            raise ShellError("chart_emit_undeclared", id=start.id, event=event)
        self._post(Event(event, payload, start.generation))

    def _ring(self, timer: Timer) -> None:
        self._timers.pop(timer.generation, None)
        self._post(Event(timer.event, NOTHING, timer.generation))

    def _forget(self, generation: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(generation, None)
        self._leaving.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved: a closed coroutine ends its task with an error


def failure_payload(failure: Exception) -> dict[str, str]:
    """Return what an error event says about *failure*."""
    code = failure.code if isinstance(failure, SgclawError) else type(failure).__name__
    return {"error": code, "text": str(failure)[:ERROR_TEXT_CHARS_MAX]}


def _mapping(start: Start, payload: object) -> Mapping[str, Any]:
    if not isinstance(payload, Mapping):
        raise ShellError("chart_payload_no_mapping", src=start.src, kind=type(payload).__name__)
    return payload


def _close(task: asyncio.Task[None]) -> None:
    """End a coroutine that swallows CancelledError: closing it raises GeneratorExit in it."""
    coroutine: Any = task.get_coro()
    for _ in range(CLOSE_TRIES_MAX):
        try:
            coroutine.close()
        except Exception:  # noqa: BLE001, S112 - it awaited again or raised: try once more
            continue
        break
    task.cancel()
