"""Monitors: small machines that watch every step of a walk and say when a rule is broken.

A monitor sees the event, the effects and the states entered, never the chart's own variables:
a chart that keeps wrong books cannot fool it. Its state is immutable and hashable, so a walk can
go through every pair of product state and monitor state.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Protocol

from engine.chart.errors import problem
from engine.chart.graph import Exploration, Taken, Violation
from engine.chart.probe import Stimulus

_Here = tuple[int, Hashable]
_Ways = Mapping[_Here, tuple[_Here, Stimulus] | None]


class Monitor(Protocol):
    """Watches steps; *initial* is its state before the first."""

    @property
    def initial(self) -> Any:
        """Return the state before the first step."""

    def step(self, state: Any, taken: Taken) -> tuple[Any, str]:
        """Return the state after *taken*, and what it broke: a key of the catalogue, or ""."""


def watch_over(found: Exploration, monitor: Monitor) -> Iterator[Violation]:
    """Walk *found* beside *monitor*; yield each thing broken once, by the shortest way."""
    moves: dict[Hashable, dict[int, tuple[Hashable, str]]] = {}
    ways: dict[_Here, tuple[_Here, Stimulus] | None] = {
        (number, monitor.initial): None
        for number, place in enumerate(found.parents)
        if place is None
    }
    line = list(ways)
    broken: set[str] = set()
    for here in line:
        number, state = here
        known = moves.setdefault(state, {})
        for target, taken in found.out[number]:
            move = known.get(id(taken))
            if move is None:
                move = known[id(taken)] = monitor.step(state, taken)
            after, code = move
            if code:
                if code not in broken:
                    broken.add(code)
                    yield _broken(found, code, (here, taken), ways)
                continue
            there = (target, after)
            if there not in ways:
                ways[there] = (here, taken.stimulus)
                line.append(there)


def _broken(found: Exploration, code: str, at: tuple[_Here, Taken], ways: _Ways) -> Violation:
    here, taken = at
    trace = [taken.stimulus]
    while (way := ways[here]) is not None:
        here, stimulus = way
        trace.append(stimulus)
    row = taken.rows[-1] if taken.rows else None
    source = found.probe.core.chart.source
    facts = {"state": taken.before, "event": taken.event.type}
    told = problem(source, row.line if row else 1, code, **facts)
    return Violation(told, here[0], tuple(reversed(trace)))
