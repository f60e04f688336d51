"""Scenarios made from the chart itself: a shortest way to every row and every overlap pair.

A row counts once for each leaf it can be taken in. Of all shortest ways a small set is kept that
still meets everything: greedily the way that meets most of what is left, the shortest first.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from engine.chart.declaration import ALWAYS, Row
from engine.chart.fates import fates_of
from engine.chart.graph import Exploration, Overlap, Place, Taken
from engine.chart.lint import Names
from engine.chart.scenario.cover import Recorder
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.run import walk
from engine.chart.scenario.script import Told, script_of

LeafRow = tuple[str, Row]


class Generated(NamedTuple):
    """The scenarios to every row, to the overlap pairs and to the mutants that are still left."""

    rows: tuple[Scenario, ...]
    overlaps: tuple[Scenario, ...]
    mutants: tuple[Scenario, ...]


class Wanted(NamedTuple):
    """All that scenarios can meet: each row in each leaf, and each overlap pair."""

    rows: frozenset[LeafRow]
    overlaps: frozenset[Overlap]


class _Way(NamedTuple):
    scenario: Scenario
    meets: frozenset[Hashable]


def wanted_of(found: Exploration) -> Wanted:
    """Return all that a walk has met."""
    rows = {each for edge in found.edges for each in rows_taken(edge.taken)}
    return Wanted(frozenset(rows), frozenset(found.overlaps))


def generate(found: Exploration, names: Names) -> Generated:
    """Return a small set of scenarios that meets all that *found* met, and shows every mutant."""
    maker = _Maker(found)
    rows = maker.to_rows()
    pairs = maker.to_overlaps(rows)
    fates = fates_of(found, names, (*rows, *pairs))
    ways = [maker.whole(fate.place, fate.mutant) for fate in fates if fate.place is not None]
    mutants = {str(way.steps): way for way in ways}  # one way may show several
    return Generated(rows, pairs, tuple(sorted(mutants.values(), key=_by_length)))


class _Maker:
    """Makes the scenarios of one walked chart."""

    def __init__(self, found: Exploration) -> None:
        self._found = found
        self._recorder = Recorder(found.probe)

    def to_rows(self) -> tuple[Scenario, ...]:
        """Return few scenarios that take every row in every leaf it can be taken in."""
        ways: dict[LeafRow, _Way] = {}
        for number, leaving in enumerate(self._found.out):
            for _, taken in leaving:
                for target in rows_taken(taken):
                    if target not in ways:
                        way = self.way(Place(number, taken.stimulus), row_name(target))
                        ways[target] = _Way(way, frozenset(self._recorder.run(way)[1].rows))
        return _fewest(list(ways.values()), frozenset(ways))

    def to_overlaps(self, known: Sequence[Scenario]) -> tuple[Scenario, ...]:
        """Return few scenarios to the overlap pairs that the *known* ones do not meet."""
        met = {pair for each in known for pair in self._recorder.run(each)[1].overlaps}
        ways: dict[Overlap, _Way] = {}
        for pair, place in self._found.overlaps.items():
            if pair not in met:
                way = self.way(place, pair_name(pair))
                ways[pair] = _Way(way, frozenset(self._recorder.run(way)[1].overlaps))
        return _fewest(list(ways.values()), frozenset(ways))

    def way(self, place: Place, name: str) -> Scenario:
        """Return the shortest scenario that ends with the step at *place*."""
        probe = self._found.probe
        context = probe.initials[self._found.start(place.node)]
        told = [Told(each.type, each.fields) for each in self._found.trace_to(place)]
        return script_of(probe, name, context, told)

    def whole(self, place: Place, name: str) -> Scenario:
        """Return the shortest scenario to *place*; at the end it asserts what stayed, too."""
        scenario = self.way(place, name)
        probe, last = self._found.probe, scenario.steps[-1]
        *_, sent = walk(scenario, probe, probe.core)
        facts = probe.describe(sent.step.snapshot.context) if sent.step else last.facts
        return scenario._replace(steps=(*scenario.steps[:-1], last._replace(facts=facts)))


def rows_taken(taken: Taken) -> Iterator[LeafRow]:
    """Yield each row of *taken* with the leaf it was taken in."""
    leaf, path = taken.before, iter(taken.path)
    for row in taken.rows:
        yield leaf, row
        if row.target is not None:
            leaf = next(path, leaf)


def row_text(row: Row) -> str:
    """Return *row* as `source: event #number`."""
    return f"{row.source}: {'always' if row.event == ALWAYS else row.event} #{row.number}"


def row_name(target: LeafRow) -> str:
    """Return a row as `source: event #number`, and the leaf when it is another state."""
    leaf, row = target
    return row_text(row) if row.source == leaf else f"{row_text(row)} in {leaf}"


def pair_name(pair: Overlap) -> str:
    """Return an overlap pair as `row before row`."""
    return f"{row_name((pair.leaf, pair.winner))} before {row_text(pair.other)}"


def _fewest(ways: Sequence[_Way], targets: frozenset[Hashable]) -> tuple[Scenario, ...]:
    left, kept = set(targets), []
    while left:
        best = max(ways, key=lambda way: (len(way.meets & left), -len(way.scenario.steps)))
        if not best.meets & left:
            break
        left -= best.meets
        kept.append(best.scenario)
    return tuple(sorted(kept, key=_by_length))


def _by_length(scenario: Scenario) -> tuple[int, str]:
    return len(scenario.steps), scenario.name
