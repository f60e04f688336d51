"""The functional core: one event in, one step out; no clock, no task, no input or output.

A macrostep is the event's first enabled row and then eventless rows until none is enabled.
Every service and timer that a step starts gets a generation; an event that a service or timer
sends is stale unless it carries a live one. That replaces trust in cancellation.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from engine.chart.compile import Op, Table, TableRow
from engine.chart.declaration import ALWAYS, Action, Chart, Delay, Service, completion_events
from engine.chart.errors import ChartRuntimeError
from engine.chart.guard import Judge, judge_of, reduce_with
from engine.chart.step import (
    MACROSTEP_ROWS_MAX,
    Cancel,
    CoreBindings,
    Do,
    Effect,
    Reducer,
    Result,
    Snapshot,
    Start,
    Step,
    Timer,
    check_bindings,
)
from states.events import NOTHING, Event
from states.verdict import Verdict

__all__ = [
    "Cancel",
    "Core",
    "CoreBindings",
    "Do",
    "Effect",
    "Senders",
    "Snapshot",
    "Start",
    "Step",
    "Timer",
    "senders_of",
]


class _Run:
    """The one mutable thing: what the macrostep has gathered so far."""

    __slots__ = ("context", "effects", "event", "generation", "live", "path", "state", "verdicts")

    def __init__(self, snapshot: Snapshot, event: Event, live: dict[str, int]) -> None:
        self.state = snapshot.state
        self.context = snapshot.context
        self.generation = snapshot.generation
        self.event = event
        self.live = live
        self.effects: list[Effect] = []
        self.verdicts: list[tuple[str, Verdict]] = []
        self.path: list[str] = []


_RunOp = Callable[[_Run], None]


class _Compiled(NamedTuple):
    judge: Judge | None
    target: str | None
    ops: tuple[_RunOp, ...]


class Senders(NamedTuple):
    """Which live ids may send an event, and whether the event ends its sender."""

    ids: frozenset[str]
    ends: bool


def senders_of(chart: Chart) -> dict[str, Senders]:
    """Return, for each event that only a service or timer may send, who that is."""
    senders: dict[str, Senders] = {}
    for state in chart.states.values():
        for service in state.services:
            for event in completion_events(service.id):
                senders[event] = Senders(frozenset({service.id}), ends=True)
            for event in service.emits:
                known = senders.get(event)
                others = known.ids if known is not None else frozenset()
                senders[event] = Senders(others | {service.id}, ends=False)
        for delay in state.delays:
            senders[delay.event] = Senders(frozenset({delay.event}), ends=True)
    return senders


class Core:
    """Steps on the compiled table; shared by all tasks of a chart, since it keeps nothing."""

    def __init__(
        self,
        chart: Chart,
        table: Table,
        bindings: CoreBindings,
        rows_max: int = MACROSTEP_ROWS_MAX,
    ) -> None:
        check_bindings(chart, bindings)
        self.chart = chart
        self.table = table
        self.bindings = bindings
        self.rows_max = rows_max
        self.senders: Mapping[str, Senders] = senders_of(chart)
        self._services = {
            s.id: (s, state.path) for state in chart.states.values() for s in state.spawns
        }
        self._rows: Mapping[str, Mapping[str, tuple[_Compiled, ...]]] = {
            leaf: {event: tuple(map(self._compiled, rows)) for event, rows in events.items()}
            for leaf, events in table.rows.items()
        }

    def initial(self, context: Any) -> Snapshot:
        """Return the snapshot before any event."""
        return Snapshot(self.chart.leaf_of(self.chart.initial), context)

    def is_final(self, snapshot: Snapshot) -> bool:
        """Tell whether *snapshot* stands in a final state."""
        return self.chart.states[snapshot.state].final

    def stamped(
        self, snapshot: Snapshot, event_type: str, payload: Mapping[str, Any] = NOTHING
    ) -> Event:
        """Return the event as its live sender in *snapshot* would send it.

        For tests, scenarios and the checker; an event that anyone may send stays unstamped.
        """
        senders = self.senders.get(event_type)
        ids = senders.ids if senders is not None else ()
        generation = next((gen for live, gen in snapshot.live if live in ids), None)
        return Event(event_type, payload, generation)

    def feed(self, snapshot: Snapshot, event: Event) -> Step:
        """Return what *event* does in *snapshot*, which stays as it is.

        Raises:
            ChartFaultError: a guard or reducer failed; nothing happened.
            ChartRuntimeError: eventless rows follow each other without end.
        """
        live = dict(snapshot.live)
        senders = self.senders.get(event.type)
        if senders is not None or event.generation is not None:
            sender = _sender(live, senders, event.generation)
            if sender is None:
                return Step(snapshot, (), (), "stale", ())
            if senders is not None and senders.ends:
                # It answers once: what comes again under this generation is stale.
                del live[sender]
        run = _Run(snapshot, event, live)
        handled = self._take(run, event.type)
        taken = 1
        while handled and self._take(run, ALWAYS):
            taken += 1
            if taken > self.rows_max:
                raise ChartRuntimeError(self.chart.id, run.state, event.type, self.rows_max)
        after = Snapshot(run.state, run.context, tuple(live.items()), run.generation)
        result: Result = "handled" if handled else "ignored"
        return Step(after, tuple(run.effects), tuple(run.verdicts), result, tuple(run.path))

    def _take(self, run: _Run, event_type: str) -> bool:
        for judge, target, ops in self._rows[run.state].get(event_type, ()):
            if judge is None or judge(run.context, run.event, run.verdicts).allowed:
                for op in ops:
                    op(run)
                if target is not None:
                    run.state = target
                    run.path.append(target)
                return True
        return False

    # -- from ops to functions, once

    def _compiled(self, taken: TableRow) -> _Compiled:
        row = taken.row
        judge = judge_of(row.guard, self.bindings.guards) if row.guard else None
        ops = tuple(each for op in taken.ops for each in self._ops(op))
        return _Compiled(judge, None if row.target is None else taken.leaf, ops)

    def _ops(self, op: Op) -> Iterable[_RunOp]:
        if op.action is not None:
            yield self._action(op.action)
            return
        state = self.chart.states[op.path]
        if op.kind == "enter":
            yield from map(self._action, state.entry)
            for service in state.invokes:
                yield _starting(service, state.path)
            for delay in state.delays:
                yield _timing(delay, self._seconds(delay))
            return
        # SCXML leaves a state before it ends what the state owns.
        yield from map(self._action, state.exit)
        ids = [s.id for s in state.services] + [delay.event for delay in state.delays]
        if ids:
            yield _cancelling(tuple(ids))

    def _action(self, action: Action) -> _RunOp:
        if action.kind == "reduce":
            return _reducing(action.name, self.bindings.reducers[action.name])
        if action.kind == "spawn":
            return _starting(*self._services[action.name])
        if action.kind == "stop":
            return _cancelling((action.name,))
        return _doing(action.name)

    def _seconds(self, delay: Delay) -> float:
        return self.bindings.delays[delay.key] if delay.seconds is None else delay.seconds


def _sender(live: dict[str, int], senders: Senders | None, generation: int | None) -> str | None:
    if senders is None or generation is None:
        return None
    return next((each for each in senders.ids if live.get(each) == generation), None)


def _reducing(name: str, function: Reducer) -> _RunOp:
    def run_reducer(run: _Run) -> None:
        run.context = reduce_with(name, function, run.context, run.event)

    return run_reducer


def _doing(name: str) -> _RunOp:
    def ask_effect(run: _Run) -> None:
        run.effects.append(Do(name, run.event))

    return ask_effect


def _starting(service: Service, owner: str) -> _RunOp:
    service_id, src = service.id, service.src

    def start(run: _Run) -> None:
        before = run.live.pop(service_id, None)
        if before is not None:
            run.effects.append(Cancel(service_id, before))
        run.generation += 1
        run.live[service_id] = run.generation
        run.effects.append(Start(service_id, src, run.generation, owner))

    return start


def _timing(delay: Delay, seconds: float) -> _RunOp:
    event = delay.event

    def time(run: _Run) -> None:
        run.generation += 1
        run.live[event] = run.generation
        run.effects.append(Timer(event, seconds, run.generation))

    return time


def _cancelling(ids: tuple[str, ...]) -> _RunOp:
    def cancel(run: _Run) -> None:
        for each in ids:
            generation = run.live.pop(each, None)
            if generation is not None:
                run.effects.append(Cancel(each, generation))

    return cancel
