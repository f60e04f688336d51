"""The imperative shell: one inbox, one consumer; it runs what the core asks for.

Invariants, in the order an event meets them:
1. The urgent lane (abort) is emptied before any other event, and again before each effect.
2. An event is in the journal before the first of its effects; if the journal fails, none runs.
3. A service or timer starts only while its generation is live in the newest snapshot: an abort
   that came while the start was pending wins. `do` effects always run, in order.
4. Services only send events, each with its generation, so the core can tell a late one.
5. `run` ends every service it started, whatever they do, within a bound.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from engine.chart.core import Core
from engine.chart.declaration import ABORT, FAULT, Chart
from engine.chart.errors import ChartError, Problem, ShellError, problem
from engine.chart.services import Emit, Service, ServiceRunner, failure_payload
from engine.chart.step import Cancel, Do, Effect, Snapshot, Start, Step, Timer
from states.events import NOTHING, Event
from states.verdict import Verdict

__all__ = ["DoEffect", "Emit", "Journal", "JournalEntry", "Observer", "Service", "Shell"]

STOP_SECONDS = 1.0
INBOX_EVENTS_MAX = 4096
NO_TIMERS: Mapping[str, float] = {}

DoEffect = Callable[[Any, Event], None]
Observer = Callable[[Step, Event], None]


class JournalEntry(NamedTuple):
    """One processed event and what it led to.

    *result* is faulted when a guard or reducer failed: nothing changed, and the event `fault`
    follows.
    """

    event: Event
    result: Literal["handled", "ignored", "stale", "faulted"]
    state: str
    path: tuple[str, ...]
    verdicts: tuple[tuple[str, Verdict], ...]
    effects: tuple[Effect, ...]
    chart_id: str
    chart_sha256: str
    context: Any


class Journal(Protocol):
    """Where every processed event is written down before its effects run."""

    def append(self, entry: JournalEntry) -> None:
        """Write *entry*; raise when that cannot be done, and no effect of it will run."""


class Shell:
    """Runs one task from *snapshot* to a final state; make it inside the loop that runs it."""

    def __init__(
        self,
        core: Core,
        snapshot: Snapshot,
        services: Mapping[str, Service],
        effects: Mapping[str, DoEffect],
        journal: Journal,
        urgent: frozenset[str] = frozenset({ABORT}),
    ) -> None:
        _check_ports(core.chart, services, effects)
        self.snapshot = snapshot
        self.failure: Exception | None = None
        self._core = core
        self._services = services
        self._effects = effects
        self._journal = journal
        self._urgent_types = urgent
        self._urgent: deque[Event] = deque()
        self._normal: deque[Event] = deque()
        self._pending: deque[tuple[Effect, Any]] = deque()
        self._runner = ServiceRunner(self._enqueue)
        # One id may stand in several states: it may send what any of them lets it.
        self._emits: dict[str, frozenset[str]] = {}
        for service in (s for state in core.chart.states.values() for s in state.services):
            known = self._emits.get(service.id, frozenset())
            self._emits[service.id] = known | set(service.emits)
        self._observer: Observer | None = None
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._door = threading.RLock()  # a signal handler may post while the loop does
        self._phase: Literal["new", "running", "ended"] = "new"
        self._is_flooded = False

    def post(self, event_type: str, payload: Mapping[str, Any] = NOTHING) -> bool:
        """Queue an event from the loop's own thread; tell whether it will be processed."""
        return self._enqueue(Event(event_type, payload))

    def post_threadsafe(self, event_type: str, payload: Mapping[str, Any] = NOTHING) -> bool:
        """Queue an event from any thread; tell whether it will be processed."""
        if not self._enter(Event(event_type, payload)):
            return False
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop is closed: nobody runs this shell any more
            return False
        return True

    async def run(
        self,
        *,
        on_step: Observer | None = None,
        stop_seconds: float = STOP_SECONDS,
        timers: Mapping[str, float] = NO_TIMERS,
    ) -> Snapshot:
        """Process events until a final state; return its snapshot.

        *on_step* hears each step after it is journaled and before its effects. Services still
        running at the end are cancelled and waited for at most *stop_seconds*; events that are
        queued by then are journaled too. *timers* gives the seconds that are left of those that
        the snapshot holds as live, when it comes from a ledger. An effect that failed when no row
        takes `fault` any more (the task had ended) stays in the attribute `failure`.

        Raises:
            ChartFaultError: a guard or reducer failed and the chart does not take `fault`.
            ShellError: the inbox is full, or this shell already ran.
            Exception: what the journal, or an effect without a `fault` row, raised.
        """
        if self._phase != "new":
            raise ShellError("chart_already_running", chart=self._core.chart.id)
        self._phase = "running"
        self._observer = on_step
        live = dict(self.snapshot.live)
        try:
            for event, seconds in timers.items():
                if event in live:
                    self._runner.time(Timer(event, seconds, live[event]))
            while not self._core.is_final(self.snapshot):
                await self._ready()
                self._consume()
            await self._runner.stop(stop_seconds)
            while not self._closed():
                self._consume()
        finally:
            self._phase = "ended"
            await self._runner.stop(stop_seconds)
        return self.snapshot

    # -- the inbox

    def _enqueue(self, event: Event) -> bool:
        is_taken = self._enter(event)
        self._wake.set()
        return is_taken

    def _enter(self, event: Event) -> bool:
        is_urgent = event.type in self._urgent_types
        lane = self._urgent if is_urgent else self._normal
        # Under the lock, so that whoever was told True finds the event in the journal.
        with self._door:
            if self._phase == "ended":
                return False
            # An abort must get through a flood, but no lane grows without end.
            if len(lane) >= INBOX_EVENTS_MAX:
                self._is_flooded = self._is_flooded or not is_urgent
                return False
            lane.append(event)
        return True

    def _closed(self) -> bool:
        """Close the inbox if it is empty; tell whether it is closed."""
        with self._door:
            if self._urgent or self._normal:
                return False
            self._phase = "ended"
            return True

    async def _ready(self) -> None:
        """Return when an event waits; in between, let the loop bring in an abort."""
        await asyncio.sleep(0)
        while not (self._urgent or self._normal):
            self._wake.clear()
            await self._wake.wait()
        if self._is_flooded and not self._urgent:
            chart = self._core.chart.id
            raise ShellError("chart_inbox_full", chart=chart, events_max=INBOX_EVENTS_MAX)

    # -- one event

    def _consume(self) -> None:
        """Process one event up to the end of its effects; aborts in between go first."""
        self._advance((self._urgent or self._normal).popleft())
        while self._pending:
            while self._urgent:
                self._advance(self._urgent.popleft())
            self._perform(*self._pending.popleft())

    def _advance(self, event: Event) -> None:
        """Feed *event*, journal it, and queue its effects."""
        try:
            step = self._core.feed(self.snapshot, event)
        except ChartError as error:
            self._write(event, Step(self.snapshot), "faulted")
            if event.type == FAULT:
                raise
            self.failure = error
            self._advance(_fault(error, event))
            return
        self._write(event, step, step.result)
        self.snapshot = step.snapshot
        if self._observer is not None:
            self._observer(step, event)
        context = step.snapshot.context
        self._pending.extend((effect, context) for effect in step.effects)
        if event.type == FAULT and self.failure is not None:
            self._settle_failure(self.failure, step)

    def _settle_failure(self, failure: Exception, step: Step) -> None:
        if step.result == "handled":
            self.failure = None
        elif not self._core.is_final(step.snapshot):
            raise failure

    def _write(
        self,
        event: Event,
        step: Step,
        result: Literal["handled", "ignored", "stale", "faulted"],
    ) -> None:
        chart = self._core.chart
        entry = JournalEntry(
            event=event,
            result=result,
            state=step.snapshot.state,
            path=step.path,
            verdicts=step.verdicts,
            effects=step.effects,
            chart_id=chart.id,
            chart_sha256=chart.sha256,
            context=step.snapshot.context,
        )
        self._journal.append(entry)

    def _perform(self, effect: Effect, context: object) -> None:
        if isinstance(effect, Start):
            if (effect.id, effect.generation) in self.snapshot.live:
                service, emits = self._services[effect.src], self._emits.get(effect.id, ())
                self._runner.start(effect, service, emits, context)
        elif isinstance(effect, Timer):
            if (effect.event, effect.generation) in self.snapshot.live:
                self._runner.time(effect)
        elif isinstance(effect, Cancel):
            self._runner.cancel(effect.generation)
        else:
            self._do(effect, context)

    def _do(self, effect: Do, context: object) -> None:
        try:
            self._effects[effect.action](context, effect.event)
        except Exception as error:
            # A fault of the fault's own effects would come back for ever.
            if effect.event.type == FAULT:
                raise
            self.failure = error
            # Ahead of what waits, but behind an abort: a queued abort is never lost.
            self._normal.appendleft(_fault(error, effect.event))
            self._wake.set()


def _fault(error: Exception, event: Event) -> Event:
    return Event(FAULT, {**failure_payload(error), "event": event.type})


def _check_ports(
    chart: Chart, services: Mapping[str, Service], effects: Mapping[str, DoEffect]
) -> None:
    problems: list[Problem] = []

    def missing(kind: str, name: str, line: int) -> None:
        facts = {"kind": kind, "name": name, "chart": chart.id}
        problems.append(problem(chart.source, line, "chart_unbound", **facts))

    for state in chart.states.values():
        for service in state.services:
            if service.src not in services:
                missing("service", service.src, service.line)
        for action in state.actions():
            if action.kind == "do" and action.name not in effects:
                missing("effect", action.name, action.line)
    if problems:
        raise ChartError(tuple(problems), file=chart.source)
