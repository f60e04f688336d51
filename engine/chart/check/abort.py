"""Abort works everywhere, whatever the context holds, and nothing is commanded after it."""

from collections.abc import Iterator

from engine.chart.declaration import ABORT
from engine.chart.errors import problem
from engine.chart.graph import Exploration, Taken, Violation


def aborts_are_taken(found: Exploration) -> Iterator[Violation]:
    """Report where abort does nothing, and where it hangs on a guard."""
    chart = found.probe.core.chart
    reported: set[str] = set()
    for number, node in enumerate(found.nodes):
        state = chart.states[node.state]
        if state.final or node.state in reported:
            continue
        rows = chart.rows_for(node.state, ABORT)
        guarded = any(row.guard is not None for row in rows)
        taken = any(taken.event.type == ABORT and taken.rows for _, taken in found.out[number])
        if taken and not guarded:
            continue
        reported.add(node.state)
        code = "check_abort_guarded" if guarded else "check_no_abort"
        line = rows[0].line if rows else state.line
        told = problem(chart.source, line, code, state=node.state)
        yield Violation(told, found.start(number), found.trace(number))


class NoCommandAfterAbort:
    """After an abort none of *commands* (services, by id) is started any more: a monitor."""

    initial = False

    def __init__(self, commands: frozenset[str]) -> None:
        self._commands = commands

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Remember the abort."""
        aborted = state or taken.event.type == ABORT
        broken = aborted and taken.starts(*self._commands)
        return aborted, "check_command_after_abort" if broken else ""
