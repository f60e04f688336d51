"""Compile a chart to a flat table by running the machine's own code once per leaf and row."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from engine.chart.declaration import Action, Chart, Row
from engine.chart.machine import ChartMachine


class Op(NamedTuple):
    """One thing a row does, in order: a state is left or entered, or an action runs."""

    kind: Literal["exit", "act", "enter"]
    path: str = ""
    action: Action | None = None


class TableRow(NamedTuple):
    """A declared *row* as taken from one leaf: where it ends and what it does."""

    row: Row
    leaf: str
    ops: tuple[Op, ...]


class Table(NamedTuple):
    """leaf -> event -> rows, the child's before the parent's, in the order they are tried."""

    rows: Mapping[str, Mapping[str, tuple[TableRow, ...]]]


class _Probe:
    """Writes down what the machine does."""

    def __init__(self) -> None:
        self.state = ""
        self.ops: list[Op] = []

    def permits(self, row: Row) -> bool:
        return True

    def exit(self, path: str) -> None:
        self.ops.append(Op("exit", path))

    def act(self, action: Action) -> None:
        self.ops.append(Op("act", action=action))

    def enter(self, path: str) -> None:
        self.ops.append(Op("enter", path))


def compile_table(chart: Chart) -> Table:
    """Return what each row of *chart* does from each leaf it can be taken in."""
    probe = _Probe()
    machine = ChartMachine(chart, probe)
    table: dict[str, dict[str, tuple[TableRow, ...]]] = {}
    for leaf in chart.leaves():
        events = dict.fromkeys(row.event for state in chart.chain(leaf.path) for row in state.rows)
        table[leaf.path] = {}
        for event in events:
            rows = []
            for row in chart.rows_for(leaf.path, event):
                probe.ops = []
                machine.take(leaf.path, row)
                rows.append(TableRow(row, probe.state, tuple(probe.ops)))
            table[leaf.path][event] = tuple(rows)
    return Table(table)
