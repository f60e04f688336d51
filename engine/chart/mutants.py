"""Small faults put into a chart on purpose: each must be noticed by a scenario.

A mutant is a changed declaration. Its table is patched from the chart's own: what a row does
from a leaf does not depend on the other rows, so the machine runs only once for all new targets.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeVar

from engine.chart.compile import Table, TableRow, compile_table
from engine.chart.declaration import Chart, Guard, Row, State, is_within

Kind = Literal[
    "delete row",
    "retarget",
    "drop guard",
    "negate guard",
    "drop guard part",
    "drop action",
    "swap rows",
    "drop entry action",
    "drop exit action",
]
Key = tuple[str, str, int]
_TRIAL = "trial"
_Item = TypeVar("_Item")


class Mutant(NamedTuple):
    """One fault: *name* tells it apart, *at* is the row's source and event ("" for a state's)."""

    name: str
    kind: Kind
    at: tuple[str, str] | None
    chart: Chart
    table: Table


class _Changed(NamedTuple):
    """One row of a mutated list: as declared, and where its ops come from.

    *key* is the row it was made of, *target* its new target, *dropped* the action left out.
    """

    row: Row
    key: Key
    target: str | None = None
    dropped: int | None = None


def mutants_of(chart: Chart, table: Table) -> Iterator[Mutant]:
    """Yield each mutant of *chart*, whose compiled form is *table*."""
    foundry = _Foundry(chart, table)
    for state in chart.states.values():
        for event in dict.fromkeys(row.event for row in state.rows):
            rows = state.alternatives(event)
            for at in range(len(rows)):
                yield from foundry.of_row(rows, at)
        yield from _of_state(chart, table, state)


def _of_state(chart: Chart, table: Table, state: State) -> Iterator[Mutant]:
    for at, action in enumerate(state.entry):
        changed = state._replace(entry=_without(state.entry, at))
        name = f"{state.path}: drop entry {action.text()}"
        yield Mutant(name, "drop entry action", None, _with_state(chart, changed), table)
    for at, action in enumerate(state.exit):
        changed = state._replace(exit=_without(state.exit, at))
        name = f"{state.path}: drop exit {action.text()}"
        yield Mutant(name, "drop exit action", None, _with_state(chart, changed), table)


class _Foundry:
    """Makes the mutants of one chart's rows."""

    def __init__(self, chart: Chart, table: Table) -> None:
        self._chart = chart
        self._table = table
        self._targets = tuple(leaf.path for leaf in chart.leaves() if leaf.path != chart.initial)
        self._known = _by_key(table)
        self._trials = _trials(chart, self._targets)

    def of_row(self, rows: tuple[Row, ...], at: int) -> Iterator[Mutant]:
        """Yield the mutants of the row *at* of its alternatives *rows*."""
        row, kept = rows[at], [_Changed(each, _key(each)) for each in rows]
        name = f"{row.source}: {row.event or 'always'} #{row.number}"
        yield self._made(f"{name}: delete", "delete row", [*kept[:at], *kept[at + 1 :]], row)
        here = self._chart.leaf_of(row.target) if row.target else None
        for target in self._targets:
            if target != here:
                changed = _Changed(row._replace(target=target), _key(row), target)
                yield self._one(f"{name}: to {target}", "retarget", kept, at, changed)
        for kind, text, guard in _guards(row.guard):
            changed = kept[at]._replace(row=row._replace(guard=guard))
            yield self._one(f"{name}: {text}", kind, kept, at, changed)
        for place, action in enumerate(row.actions):
            fewer = row._replace(actions=_without(row.actions, place))
            changed = kept[at]._replace(row=fewer, dropped=place)
            text = f"{name}: drop {action.text()}"
            yield self._one(text, "drop action", kept, at, changed)
        if at + 1 < len(rows):
            swapped = [*kept[:at], kept[at + 1], kept[at], *kept[at + 2 :]]
            yield self._made(f"{name}: swap with #{row.number + 1}", "swap rows", swapped, row)

    def _one(
        self, name: str, kind: Kind, kept: list[_Changed], at: int, changed: _Changed
    ) -> Mutant:
        return self._made(name, kind, [*kept[:at], changed, *kept[at + 1 :]], changed.row)

    def _made(self, name: str, kind: Kind, changed: list[_Changed], row: Row) -> Mutant:
        numbered = [
            each._replace(row=each.row._replace(number=number))
            for number, each in enumerate(changed, start=1)
        ]
        state = self._chart.states[row.source]
        others = tuple(each for each in state.rows if each.event != row.event)
        declared = state._replace(rows=(*others, *(each.row for each in numbered)))
        table = self._patched(row.source, row.event, numbered)
        where = (row.source, row.event)
        return Mutant(name, kind, where, _with_state(self._chart, declared), table)

    def _patched(self, source: str, event: str, changed: list[_Changed]) -> Table:
        cells = dict(self._table.rows)
        for leaf, events in self._table.rows.items():
            if event in events and is_within(leaf, source):
                before = [each for each in events[event] if each.row.source != source]
                # The child's rows come before the source's own, the ancestors' after them.
                own = len([each for each in before if is_within(each.row.source, source)])
                mine = [self._compiled(leaf, each) for each in changed]
                cells[leaf] = {**events, event: (*before[:own], *mine, *before[own:])}
        return Table(cells)

    def _compiled(self, leaf: str, changed: _Changed) -> TableRow:
        if changed.target is not None:
            found = self._trials[leaf, changed.key, changed.target]
        else:
            found = self._known[leaf, changed.key]
        ops = found.ops
        if changed.dropped is not None:
            acts = [at for at, op in enumerate(ops) if op.kind == "act"]
            ops = _without(ops, acts[changed.dropped])
        return TableRow(changed.row, found.leaf, ops)


def _guards(guard: Guard | None) -> Iterator[tuple[Kind, str, Guard | None]]:
    if guard is None:
        return
    yield "drop guard", "drop guard", None
    negated = guard.parts[0] if guard.op == "not" else Guard("not", "", (guard,))
    yield "negate guard", "negate guard", negated
    if guard.op in {"and", "or"}:
        for at, part in enumerate(guard.parts):
            rest = _without(guard.parts, at)
            fewer = rest[0] if len(rest) == 1 else guard._replace(parts=rest)
            yield "drop guard part", f"drop {part.text()}", fewer


def _trials(chart: Chart, targets: tuple[str, ...]) -> Mapping[tuple[str, Key, str], TableRow]:
    """Return what each row would do from each leaf with each of *targets*."""
    states: dict[str, State] = {}
    made: dict[str, tuple[Key, str]] = {}
    for state in chart.states.values():
        rows = []
        for row in state.rows:
            for target in targets:
                event = f"{_TRIAL} {len(made)}"
                made[event] = (_key(row), target)
                rows.append(row._replace(event=event, number=1, target=target))
        states[state.path] = state._replace(rows=tuple(rows))
    table = compile_table(chart._replace(states=states))
    return {
        (leaf, *made[event]): rows[0]
        for leaf, events in table.rows.items()
        for event, rows in events.items()
    }


def _by_key(table: Table) -> Mapping[tuple[str, Key], TableRow]:
    return {
        (leaf, _key(each.row)): each
        for leaf, events in table.rows.items()
        for rows in events.values()
        for each in rows
    }


def _key(row: Row) -> Key:
    return row.source, row.event, row.number


def _with_state(chart: Chart, state: State) -> Chart:
    return chart._replace(states={**chart.states, state.path: state})


def _without(items: tuple[_Item, ...], at: int) -> tuple[_Item, ...]:
    return (*items[:at], *items[at + 1 :])
