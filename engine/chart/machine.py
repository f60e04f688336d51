"""The semantics: one `transitions.HierarchicalMachine` built from a chart.

Only this module imports `transitions`. It is used synchronously (a step is atomic), without
queue, without the `to_*` transitions that would pass every guard, and in SCXML's order: exit,
then the row's actions, then entry. `compile` runs its code once per leaf and row; `reference`
steps on it directly.
"""

from collections.abc import Callable
from typing import Any, Protocol

from transitions.extensions.nesting import (
    HierarchicalMachine,
    NestedEventData,
    NestedState,
    NestedTransition,
)

from engine.chart.declaration import Action, Chart, Row, State


class Listener(Protocol):
    """What the machine tells while a row is taken, and asks before; *state* is the leaf."""

    state: str

    def permits(self, row: Row) -> bool:
        """Answer whether the guard of *row* allows it."""

    def exit(self, path: str) -> None:
        """Hear that the state *path* is left."""

    def act(self, action: Action) -> None:
        """Hear that a row's *action* runs."""

    def enter(self, path: str) -> None:
        """Hear that the state *path* is entered."""


class _DottedState(NestedState):
    # The default "_" would merge the state a_b with the child b of a.
    separator = "."


class _ScxmlTransition(NestedTransition):
    """Runs the row's actions between exits and entries."""

    def __init__(self, *args: Any, act: Callable[[], None], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.act = act

    def _change_state(self, event_data: NestedEventData) -> None:  # type: ignore[override]
        tree, exits, entries = self._resolve_transition(event_data)
        for leave in exits:
            leave()
        self._update_model(event_data, tree)
        self.act()
        for enter in entries:
            enter()


class ChartMachine(HierarchicalMachine):
    """The machine of one chart and one listener; it is not shared, not re-entrant."""

    state_cls = _DottedState
    transition_cls = _ScxmlTransition

    def __init__(self, chart: Chart, listener: Listener) -> None:
        self._listener = listener
        self._rows: dict[tuple[str, str, int], NestedTransition] = {}
        top = [state for state in chart.states.values() if not state.parent]
        super().__init__(
            model=listener,
            states=[self._declared(chart, state) for state in top],
            initial=chart.initial,
            auto_transitions=False,
            queued=False,
            send_event=True,
            ignore_invalid_triggers=True,
        )
        for row in chart.rows():
            self._declare(row)

    def trigger_row(self, event: str) -> bool:
        """Take the first enabled row for *event*, child before parent; tell whether one was."""
        if _trigger(event) not in self.events:
            return False
        return self.trigger_event(self._listener, _trigger(event))

    def take(self, leaf: str, row: Row) -> None:
        """Run *row* from *leaf* as if its guard had allowed it."""
        transition = self._rows[row.source, row.event, row.number]
        self.set_state(leaf, self._listener)
        state, event = self.get_state(row.source), self.events[_trigger(row.event)]
        event_data = NestedEventData(state, event, self, self._listener, (), {})
        event_data.source_name = row.source
        event_data.source_path = row.source.split(_DottedState.separator)
        conditions, transition.conditions = transition.conditions, []
        try:
            with self():
                transition.execute(event_data)
        finally:
            transition.conditions = conditions

    def _declared(self, chart: Chart, state: State) -> dict[str, Any]:
        listener, path = self._listener, state.path
        declared: dict[str, Any] = {
            "name": path.rpartition(".")[2],
            "final": state.final,
            "on_enter": [lambda _: listener.enter(path)],
            "on_exit": [lambda _: listener.exit(path)],
        }
        if state.initial is not None:
            declared["initial"] = state.initial.rpartition(".")[2]
            children = [chart.states[child] for child in state.children]
            declared["children"] = [self._declared(chart, child) for child in children]
        return declared

    def _declare(self, row: Row) -> None:
        def act(_: object = None) -> None:
            for action in row.actions:
                self._listener.act(action)

        trigger = _trigger(row.event)
        self.add_transition(
            trigger,
            row.source,
            row.target,
            conditions=(lambda _: self._listener.permits(row)) if row.guard else None,
            # An internal row never reaches _change_state: its actions would be lost there.
            before=act if row.target is None else None,
            act=act,
        )
        taken = self.events[trigger].transitions[row.source][-1]
        assert isinstance(taken, _ScxmlTransition)  # noqa: S101
        self._rows[row.source, row.event, row.number] = taken

    def _check_event_result(self, res: bool | None, model: object, trigger: str) -> bool:
        """Take an event without a row as not handled, without a line in the log."""
        return bool(res)

    # A trigger bound to the model as a method would be hidden by a method of the same name.

    def _add_trigger_to_model(self, trigger: str, model: object) -> None:
        """Bind nothing: rows are triggered by name."""

    def _add_model_to_state(self, state: NestedState, model: object) -> None:  # type: ignore[override]
        """Bind nothing."""


def _trigger(event: str) -> str:
    # The prefix keeps an event called "state" apart from the model's attribute.
    return f"on {event}"
