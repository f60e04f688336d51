"""The model checker: everything design section 2 asks of a chart, shown over all it can do.

The walk finds what goes wrong on the way (a guard that raises, rows without end, a counter out
of its bounds) and what the monitors see; each module here holds one family of properties over
the finished graph. Every violation comes with a shortest way to it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engine.chart.check.abort import NoCommandAfterAbort, aborts_are_taken
from engine.chart.check.hang import completions_are_taken, end_is_reachable, waits_end
from engine.chart.check.reach import rows_are_taken, states_are_reached
from engine.chart.check.rest import ends_absorb
from engine.chart.explore import NODES_MAX, Exploration, explore
from engine.chart.graph import Violation
from engine.chart.monitor import Monitor
from engine.chart.probe import Probe

__all__ = ["Claims", "Report", "check"]


class Claims(NamedTuple):
    """What is claimed of one chart beside what holds for every chart.

    *commands* are the services (by id) that may not start any more after an abort.
    """

    monitors: Sequence[Monitor] = ()
    commands: frozenset[str] = frozenset()


class Report(NamedTuple):
    """The walk, and every violation found."""

    exploration: Exploration
    violations: tuple[Violation, ...]


Property = Callable[[Exploration], Iterator[Violation]]
# These hold for what was walked, however far that is.
_ON_THE_WAY: tuple[Property, ...] = (completions_are_taken, waits_end, ends_absorb)
# These speak of what is never met: a walk that was cut short cannot tell.
_IN_ALL: tuple[Property, ...] = (
    states_are_reached,
    rows_are_taken,
    end_is_reachable,
    aborts_are_taken,
)


def check(probe: Probe, claims: Claims | None = None, limit: int = NODES_MAX) -> Report:
    """Walk the chart of *probe* and return all that is wrong with it, *claims* included."""
    claims = claims or Claims()
    monitors = (NoCommandAfterAbort(claims.commands), *claims.monitors)
    found = explore(probe, monitors, limit)
    properties = _ON_THE_WAY if found.cut else (*_ON_THE_WAY, *_IN_ALL)
    violations = tuple(each for holds in properties for each in holds(found))
    return Report(found, (*found.violations, *violations))
