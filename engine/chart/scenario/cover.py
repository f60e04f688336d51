"""Which rows a scenario takes, and where only the order of the rows decided.

The same core steps on the same table, in which each row first tells that it is taken.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.chart.compile import Op, Table, TableRow
from engine.chart.core import Core
from engine.chart.declaration import ALWAYS, Action, Row
from engine.chart.graph import Overlap
from engine.chart.guard import judge_of
from engine.chart.probe import Probe
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.run import Outcome, RanStep, run_scenario
from engine.chart.step import Reducer
from states.events import Event


class Met(NamedTuple):
    """What a scenario meets.

    *rows* by the leaf they were taken in, *overlaps*, and *consulted*: each source and event whose
    rows were asked, taken or not.
    """

    rows: frozenset[tuple[str, Row]]
    overlaps: frozenset[Overlap]
    consulted: frozenset[tuple[str, str]]


class Recorder:
    """A core of *probe* that notes the rows it takes; one for many scenarios."""

    def __init__(self, probe: Probe) -> None:
        core = probe.core
        self._probe = probe
        self._rows: set[tuple[str, Row]] = set()
        self._overlaps: set[Overlap] = set()
        self._notes: dict[str, Reducer] = {}
        table = Table(
            {
                leaf: {
                    event: tuple(self._telling(leaf, rows, at) for at in range(len(rows)))
                    for event, rows in events.items()
                }
                for leaf, events in core.table.rows.items()
            }
        )
        reducers = {**core.bindings.reducers, **self._notes}
        self._core = Core(core.chart, table, core.bindings._replace(reducers=reducers))

    def run(self, scenario: Scenario) -> tuple[Outcome, Met]:
        """Return what *scenario* comes to, and what it meets."""
        self._rows.clear()
        self._overlaps.clear()
        outcome = run_scenario(scenario, self._probe, self._core)
        asked = frozenset(each for ran in outcome.ran for each in self._asked(ran))
        return outcome, Met(frozenset(self._rows), frozenset(self._overlaps), asked)

    def _asked(self, ran: RanStep) -> Iterator[tuple[str, str]]:
        rows = self._probe.core.table.rows
        for leaf, event in ((ran.before, ran.step.send), *((leaf, ALWAYS) for leaf in ran.path)):
            yield from ((each.row.source, event) for each in rows[leaf].get(event, ()))

    def _telling(self, leaf: str, rows: tuple[TableRow, ...], at: int) -> TableRow:
        name = f"{leaf} {rows[at].row.event} {at}"
        self._notes[name] = self._note(leaf, rows, at)
        op = Op("act", action=Action("reduce", name))
        return rows[at]._replace(ops=(op, *rows[at].ops))

    def _note(self, leaf: str, rows: tuple[TableRow, ...], at: int) -> Reducer:
        winner = rows[at].row
        guards = self._probe.core.bindings.guards
        others = [
            (each.row, judge_of(each.row.guard, guards))
            for each in rows[at + 1 :]
            if each.row.guard is not None
        ]

        def note(context: Any, event: Event) -> Any:
            self._rows.add((leaf, winner))
            for other, judge in others:
                if judge(context, event, []).allowed:
                    self._overlaps.add(Overlap(leaf, winner, other))
            return context

        return note
