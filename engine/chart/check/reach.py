"""Nothing of a chart is dead: every state is reached, and every declared row is taken."""

from collections.abc import Iterator

from engine.chart.declaration import Row, is_within
from engine.chart.errors import problem
from engine.chart.graph import Exploration, Violation


def states_are_reached(found: Exploration) -> Iterator[Violation]:
    """Report each state in which nothing ever stands, the outermost only."""
    chart = found.probe.core.chart
    met = {*found.passed, *(node.state for node in found.nodes)}
    unmet = [path for path in chart.states if not any(is_within(leaf, path) for leaf in met)]
    for path in unmet:
        if chart.states[path].parent not in unmet:
            line = chart.states[path].line
            yield Violation(problem(chart.source, line, "check_unreachable", state=path))


def rows_are_taken(found: Exploration) -> Iterator[Violation]:
    """Report each row that is never taken although its state is reached, and how it is reached."""
    chart = found.probe.core.chart
    begins = {node.state for node, place in zip(found.nodes, found.parents, strict=True)
              if place is None}  # fmt: skip
    for row in chart.rows():
        if row in found.taken_rows or chart.states[row.source].final:
            continue
        begun = any(is_within(leaf, row.source) for leaf in begins)
        place = next((at for leaf, at in found.passed.items() if is_within(leaf, row.source)), None)
        if place is None and not begun:
            continue
        code, cause = _cause(found, row)
        told = problem(chart.source, row.line, code, where=_where(row), **cause)
        yield Violation(told) if begun or place is None else found.violation(told, place)


def _cause(found: Exploration, row: Row) -> tuple[str, dict[str, str]]:
    """Return why *row* is never taken: rows before it, its own guard, or no event at all."""
    chart = found.probe.core.chart
    rivals = {overlap.winner: None for overlap in found.overlaps if overlap.other == row}
    if row.guard is None:
        for leaf in chart.leaves():
            tried = chart.rows_for(leaf.path, row.event)
            before = tried[: tried.index(row)] if row in tried else ()
            rivals |= {rival: None for rival in before if rival in found.taken_rows}
    if rivals:
        return "check_dead_row", {"before": ", ".join(map(_where, rivals))}
    if row.guard is None:
        return "check_never_sent", {}
    return "check_dead_guard", {"guard": row.guard.text()}


def _where(row: Row) -> str:
    return f"{row.source}: {row.event or 'always'} #{row.number}"
