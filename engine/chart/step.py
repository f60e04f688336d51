"""The words of a step: what goes in, what comes out, and what a chart's names are bound to."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from engine.chart.declaration import Chart
from engine.chart.errors import ChartError, problem
from states.events import Event
from states.verdict import Verdict

MACROSTEP_ROWS_MAX = 100

GuardFunction = Callable[[Any, Event], Verdict]
Reducer = Callable[[Any, Event], Any]
Result = Literal["handled", "ignored", "stale"]


class Snapshot(NamedTuple):
    """All that a chart remembers between two events.

    *state* is the leaf, *live* the services and timers that may still answer (id or timer
    event, generation), *generation* the last one given out.
    """

    state: str
    context: Any
    live: tuple[tuple[str, int], ...] = ()
    generation: int = 0


class Start(NamedTuple):
    """Start the service *src* as *id*; it ends with the state *owner*."""

    id: str
    src: str
    generation: int
    owner: str


class Timer(NamedTuple):
    """Post *event* after *seconds*."""

    event: str
    seconds: float
    generation: int


class Cancel(NamedTuple):
    """End the service or timer *id* of this generation; its answer would be stale."""

    id: str
    generation: int


class Do(NamedTuple):
    """Run the effect *action* for *event*."""

    action: str
    event: Event


Effect = Start | Timer | Cancel | Do


class Step(NamedTuple):
    """What one event did: the macrostep of its row and the eventless rows after it.

    *verdicts* holds each guard evaluated, in order; *path* each leaf entered, in order. An
    event that no row takes is ignored, one whose sender is no longer live is stale.
    """

    snapshot: Snapshot
    effects: tuple[Effect, ...] = ()
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    result: Result = "handled"
    path: tuple[str, ...] = ()


class CoreBindings(NamedTuple):
    """What the pure names of a chart mean: guards, reducers, and the seconds of each delay."""

    guards: Mapping[str, GuardFunction] = {}
    reducers: Mapping[str, Reducer] = {}
    delays: Mapping[str, float] = {}


def check_bindings(chart: Chart, bindings: CoreBindings) -> None:
    """Refuse to step on a name that has no meaning.

    Raises:
        ChartError: a guard, reducer or delay of *chart* is not bound.
    """
    used: dict[tuple[str, str], int] = {}
    for state in chart.states.values():
        for delay in state.delays:
            if delay.seconds is None:
                used.setdefault(("delay", delay.key), delay.line)
        for action in state.actions():
            if action.kind == "reduce":
                used.setdefault(("reducer", action.name), action.line)
    for row in chart.rows():
        for name in row.guard.names() if row.guard else ():
            used.setdefault(("guard", name), row.line)
    tables: dict[str, Mapping[str, object]] = {
        "guard": bindings.guards,
        "reducer": bindings.reducers,
        "delay": bindings.delays,
    }
    problems = tuple(
        problem(chart.source, line, "chart_unbound", kind=kind, name=name, chart=chart.id)
        for (kind, name), line in used.items()
        if name not in tables[kind]
    )
    if problems:
        raise ChartError(problems, file=chart.source)
