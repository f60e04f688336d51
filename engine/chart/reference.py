"""The reference: the same `feed` as `Core`, stepping on the `transitions` machine itself.

It shares no compiled code with the core: guards are walked as trees, entry and exit are read
from the declaration. Tests hold the two in lock-step; the program steps on the table.
"""

from typing import Any

from engine.chart.declaration import (
    ALWAYS,
    Action,
    Chart,
    Guard,
    Row,
    State,
    completion_events,
)
from engine.chart.errors import ChartRuntimeError
from engine.chart.guard import ask, reduce_with
from engine.chart.machine import ChartMachine
from engine.chart.step import (
    MACROSTEP_ROWS_MAX,
    Cancel,
    CoreBindings,
    Do,
    Effect,
    Snapshot,
    Start,
    Step,
    Timer,
    check_bindings,
)
from states.events import Event
from states.verdict import ALLOWED, Verdict, refused


class _Model:
    """The machine's model during one step."""

    def __init__(self, chart: Chart, bindings: CoreBindings) -> None:
        self._chart = chart
        self._bindings = bindings
        self.load(Snapshot("", None), Event(""))

    def load(self, snapshot: Snapshot, event: Event) -> None:
        self.state, self.context = snapshot.state, snapshot.context
        self.live, self.generation = list(snapshot.live), snapshot.generation
        self.event = event
        self.effects: list[Effect] = []
        self.verdicts: list[tuple[str, Verdict]] = []
        self.path: list[str] = []

    # -- what the machine asks and tells

    def permits(self, row: Row) -> bool:
        return row.guard is None or self._judge(row.guard).allowed

    def exit(self, path: str) -> None:
        state = self._chart.states[path]
        for action in state.exit:
            self.act(action)
        for service in (*state.invokes, *state.spawns):
            self._cancel(service.id)
        for delay in state.delays:
            self._cancel(delay.event)

    def enter(self, path: str) -> None:
        state = self._chart.states[path]
        for action in state.entry:
            self.act(action)
        for service in state.invokes:
            self._start(service.id, service.src, path)
        for delay in state.delays:
            seconds = delay.seconds
            seconds = self._bindings.delays[delay.key] if seconds is None else seconds
            generation = self._go_live(delay.event)
            self.effects.append(Timer(delay.event, seconds, generation))
        if not state.children:
            self.path.append(path)

    def act(self, action: Action) -> None:
        name = action.name
        if action.kind == "reduce":
            function = self._bindings.reducers[name]
            self.context = reduce_with(name, function, self.context, self.event)
        elif action.kind == "do":
            self.effects.append(Do(name, self.event))
        elif action.kind == "stop":
            self._cancel(name)
        else:
            owner, src = next(
                (state.path, spawn.src)
                for state in self._chart.states.values()
                for spawn in state.spawns
                if spawn.id == name
            )
            self._cancel(name)
            self._start(name, src, owner)

    # -- the parts

    def _judge(self, guard: Guard) -> Verdict:
        if guard.op == "name":
            function = self._bindings.guards[guard.name]
            verdict = ask(guard.name, function, self.context, self.event)
            self.verdicts.append((guard.name, verdict))
            return verdict
        if guard.op == "not":
            inner = guard.parts[0]
            negated = refused("guard_negated", guard=inner.text())
            return negated if self._judge(inner).allowed else ALLOWED
        verdict = self._judge(guard.parts[0])
        for part in guard.parts[1:]:
            if verdict.allowed == (guard.op == "or"):
                return verdict
            verdict = self._judge(part)
        return verdict

    def _start(self, service_id: str, src: str, owner: str) -> None:
        self.effects.append(Start(service_id, src, self._go_live(service_id), owner))

    def _go_live(self, key: str) -> int:
        self.generation += 1
        self.live.append((key, self.generation))
        return self.generation

    def _cancel(self, key: str) -> None:
        for pair in [pair for pair in self.live if pair[0] == key]:
            self.live.remove(pair)
            self.effects.append(Cancel(*pair))


class ReferenceCore:
    """Slow and plain; not re-entrant, because the machine keeps the state of the step."""

    def __init__(self, chart: Chart, bindings: CoreBindings) -> None:
        check_bindings(chart, bindings)
        self.chart = chart
        self._model = _Model(chart, bindings)
        self._model.state = chart.initial
        self._machine = ChartMachine(chart, self._model)

    def initial(self, context: Any) -> Snapshot:
        """Return the snapshot before any event."""
        return Snapshot(self.chart.leaf_of(self.chart.initial), context)

    def feed(self, snapshot: Snapshot, event: Event) -> Step:
        """Return what *event* does in *snapshot*; see `Core.feed`."""
        ended: tuple[tuple[str, int], ...] = ()
        ids = [id_ for state in self.chart.states.values() for id_ in _ids_sending(state, event)]
        if ids or event.generation is not None:
            senders = [pair for pair in snapshot.live if pair[1] == event.generation]
            senders = [pair for pair in senders if pair[0] in ids]
            if not senders:
                return Step(snapshot, result="stale")
            if event.type.startswith(("done.", "error.", "after.")):
                ended = (senders[0],)
        model = self._model
        model.load(snapshot, event)
        model.live = [pair for pair in model.live if pair not in ended]
        if not self._machine.trigger_row(event.type):
            left = snapshot._replace(live=tuple(model.live))
            return Step(left, (), tuple(model.verdicts), "ignored")
        for _ in range(MACROSTEP_ROWS_MAX):
            if not self._machine.trigger_row(ALWAYS):
                break
        else:
            raise ChartRuntimeError(self.chart.id, model.state, event.type, MACROSTEP_ROWS_MAX)
        after = Snapshot(model.state, model.context, tuple(model.live), model.generation)
        effects, verdicts = tuple(model.effects), tuple(model.verdicts)
        return Step(after, effects, verdicts, "handled", tuple(model.path))


def _ids_sending(state: State, event: Event) -> list[str]:
    ids = [s.id for s in state.services if event.type in completion_events(s.id)]
    ids += [s.id for s in state.services if event.type in s.emits]
    return ids + [delay.event for delay in state.delays if delay.event == event.type]
