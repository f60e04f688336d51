"""A walked chart as data: its product states, the steps between them, and what was found wrong."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.chart.declaration import Row
from engine.chart.errors import Problem
from engine.chart.probe import Probe, Stimulus
from engine.chart.step import Effect, Result, Start
from states.events import Event


class Overlap(NamedTuple):
    """In *leaf* the row *winner* was taken, and the later guarded row *other* was enabled too."""

    leaf: str
    winner: Row
    other: Row


class Taken(NamedTuple):
    """One event met in the leaf *before*, and all that the macrostep did.

    *rows* are the rows taken, in order; *overlaps* the pairs that only their order decided.
    """

    before: str
    stimulus: Stimulus
    event: Event
    result: Result = "ignored"
    effects: tuple[Effect, ...] = ()
    path: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    overlaps: tuple[Overlap, ...] = ()

    def starts(self, *services: str) -> bool:
        """Tell whether one of *services* (by id) is started."""
        return any(isinstance(each, Start) and each.id in services for each in self.effects)


class Violation(NamedTuple):
    """A rule that a chart breaks, and the shortest way there: what to feed it, in order.

    *start* is the number of the beginning among the probe's *initials*.
    """

    problem: Problem
    start: int = 0
    trace: tuple[Stimulus, ...] = ()


class Node(NamedTuple):
    """One product state; in a final state nothing but the leaf counts."""

    state: str
    control: Hashable
    live: frozenset[str]


class Place(NamedTuple):
    """A step of the walk: *stimulus* met in the node numbered *node*."""

    node: int
    stimulus: Stimulus


class Edge(NamedTuple):
    """*taken* leads from one node to another, both by number."""

    source: int
    target: int
    taken: Taken


class Exploration(NamedTuple):
    """A walked chart: nodes by number, and where each row and overlap was first met.

    *out* holds for each node its (target, taken); *passed* where a leaf is first entered, be it
    only on the way; *dropped* where a live sender's event was
    ignored; *events* counts (node, event) pairs, *feeds* the steps that the core had to run. A walk
    is *cut* when something was so wrong that it did not go on from there: what it did not reach
    says nothing then.
    """

    probe: Probe
    nodes: tuple[Node, ...]
    parents: tuple[Place | None, ...]
    out: tuple[Sequence[tuple[int, Taken]], ...]
    taken_rows: Mapping[Row, Place]
    overlaps: Mapping[Overlap, Place]
    passed: Mapping[str, Place]
    dropped: Mapping[tuple[str, str], Place]
    violations: tuple[Violation, ...]
    events: int
    feeds: int
    cut: bool = False

    @property
    def edges(self) -> Iterator[Edge]:
        """Yield every step that a row takes."""
        for source, leaving in enumerate(self.out):
            for target, taken in leaving:
                yield Edge(source, target, taken)

    def trace(self, node: int) -> tuple[Stimulus, ...]:
        """Return a shortest way from a beginning to *node*."""
        found: list[Stimulus] = []
        while (place := self.parents[node]) is not None:
            node = place.node
            found.append(place.stimulus)
        return tuple(reversed(found))

    def trace_to(self, place: Place) -> tuple[Stimulus, ...]:
        """Return a shortest way that ends with the step at *place*."""
        return (*self.trace(place.node), place.stimulus)

    def start(self, node: int) -> int:
        """Return the number of the beginning that `trace(node)` starts from."""
        while (place := self.parents[node]) is not None:
            node = place.node
        return node

    def violation(self, problem_found: Problem, place: Place) -> Violation:
        """Return *problem_found* with a shortest way that ends with the step at *place*."""
        return Violation(problem_found, self.start(place.node), self.trace_to(place))
