"""What becomes of each mutant: the lint refuses it, a scenario fails, or nothing shows it.

A mutant that no scenario shows may be no fault at all. That is proven by walking: when original
and mutant do the same from every product state that the original can reach, then by induction
the mutant reaches no other, and nothing a scenario could assert tells them apart.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from engine.chart.compile import TableRow
from engine.chart.core import Core
from engine.chart.declaration import ALWAYS, is_within
from engine.chart.errors import ChartError
from engine.chart.graph import Exploration, Node, Place, Taken
from engine.chart.lint import Names, lint
from engine.chart.mutants import Kind, Mutant, mutants_of
from engine.chart.probe import Probe, Stimulus, event_in, stimuli_of
from engine.chart.scenario.cover import Recorder
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.run import holds
from engine.chart.step import Snapshot, Step

End = Literal["lint", "killed", "equal", "alive"]


class Fate(NamedTuple):
    """How a mutant ended.

    *by* names the problem of the lint or the scenario that showed it; *states* is from how many
    product states an equal one was compared; *place* is the first step that would show an alive
    one.
    """

    mutant: str
    kind: Kind
    end: End
    by: str = ""
    states: int = 0
    place: Place | None = None


def fates_of(found: Exploration, names: Names, scenarios: Sequence[Scenario]) -> tuple[Fate, ...]:
    """Return the fate of every mutant of the walked chart under *scenarios*, all of which pass."""
    core = found.probe.core
    judge = _Judge(found, names, scenarios)
    return tuple(judge.fate(mutant) for mutant in mutants_of(core.chart, core.table))


class _Judge:
    """Holds what is worked out once for all mutants of a chart."""

    def __init__(self, found: Exploration, names: Names, scenarios: Sequence[Scenario]) -> None:
        self._found = found
        self._names = names
        cells = found.probe.core.table.rows.values()
        rows = [row for events in cells for each in events.values() for row in each]
        self._common: dict[int, Any] = {id(row): None for row in rows}
        recorder = Recorder(found.probe)
        shortest = sorted(scenarios, key=lambda each: len(each.steps))
        self._met = [(each, recorder.run(each)[1]) for each in shortest]
        self._order: dict[tuple[str, str] | None, list[Scenario]] = {None: shortest}
        first: dict[int, tuple[int, Taken]] = {}
        for number, taken in self._all():
            first.setdefault(id(taken), (number, taken))
        self._kinds = tuple(first.values())
        self._stimuli: Mapping[str, list[Stimulus]] = _by_type(stimuli_of(found.probe))

    def fate(self, mutant: Mutant) -> Fate:
        """Return what becomes of *mutant*."""
        problems = lint(mutant.chart, self._names)
        if problems:
            return Fate(mutant.name, mutant.kind, "lint", problems[0].code)
        probe = self._found.probe
        core = _MutantCore(mutant, probe.core, self._common)
        for scenario in self._touching(mutant):
            if not holds(scenario, probe, core):
                return Fate(mutant.name, mutant.kind, "killed", scenario.name)
        states, place = self._compared(mutant, core)
        end: End = "equal" if place is None else "alive"
        return Fate(mutant.name, mutant.kind, end, states=states, place=place)

    def _touching(self, mutant: Mutant) -> list[Scenario]:
        """Return the scenarios that ask the rows of *mutant*, those that take one of them first.

        The others cannot differ.
        """
        at = mutant.at
        if at not in self._order:
            asking = [(each, met) for each, met in self._met if at in met.consulted]
            taken = [{(row.source, row.event) for _, row in met.rows} for _, met in asking]
            self._order[at] = [
                each
                for wanted in (True, False)
                for (each, _), rows in zip(asking, taken, strict=True)
                if (at in rows) is wanted
            ]
        return self._order[at]

    def _compared(self, mutant: Mutant, core: Core) -> tuple[int, Place | None]:
        """Return how many product states were compared, and the first step that differs."""
        original, probe = self._found.probe.core, self._found.probe
        numbers: set[int] = set()
        for place in self._places(mutant):
            snapshot = _snapshot(probe, self._found.nodes[place.node])
            event = event_in(original, snapshot, place.stimulus)
            if event is None:
                continue
            numbers.add(place.node)
            try:
                step = core.feed(snapshot, event)
            except ChartError:
                return len(numbers), place
            if _differ(original.feed(snapshot, event), step):
                return len(numbers), place
        return len(numbers), None

    def _places(self, mutant: Mutant) -> Iterator[Place]:
        """Yield every node and stimulus at which the rows of *mutant* may be asked.

        One of each kind of step comes first: most mutants differ there already.
        """
        source, event = mutant.at or ("", ALWAYS)
        yield from self._steps(source, event, self._kinds)
        if mutant.at is not None and event == ALWAYS:
            yield from self._steps(source, event, self._all())
            return
        for number, node in enumerate(self._found.nodes):
            if mutant.at is None or is_within(node.state, source):
                kinds = self._stimuli.values() if mutant.at is None else [self._stimuli[event]]
                yield from (Place(number, each) for stimuli in kinds for each in stimuli)

    def _steps(
        self, source: str, event: str, steps: Iterable[tuple[int, Taken]]
    ) -> Iterator[Place]:
        for number, taken in steps:
            leaves = taken.path if event == ALWAYS else (taken.before,)
            if event in (ALWAYS, taken.event.type) and any(is_within(e, source) for e in leaves):
                yield Place(number, taken.stimulus)

    def _all(self) -> Iterator[tuple[int, Taken]]:
        for number, leaving in enumerate(self._found.out):
            yield from ((number, taken) for _, taken in leaving)


class _MutantCore(Core):
    """The core of a mutant: rows that it has in common with the original are compiled once."""

    def __init__(self, mutant: Mutant, original: Core, common: dict[int, Any]) -> None:
        # A mutant of a state changes what rows of the original's own table do.
        self._common = common if mutant.at is not None else {}
        super().__init__(mutant.chart, mutant.table, original.bindings, original.rows_max)

    def _compiled(self, taken: TableRow) -> Any:
        if id(taken) not in self._common:
            return super()._compiled(taken)
        if self._common[id(taken)] is None:
            self._common[id(taken)] = super()._compiled(taken)
        return self._common[id(taken)]


def _snapshot(probe: Probe, node: Node) -> Snapshot:
    live = tuple((each, at) for at, each in enumerate(sorted(node.live), 1))
    context = probe.build(node.control)
    return Snapshot(node.state, context, live, len(live))


def _differ(left: Step, right: Step) -> bool:
    """Tell whether two steps end or act differently; how the guards were asked does not count."""
    return (left.result, left.snapshot, left.effects) != (
        right.result,
        right.snapshot,
        right.effects,
    )


def _by_type(stimuli: Sequence[Stimulus]) -> dict[str, list[Stimulus]]:
    found: dict[str, list[Stimulus]] = {}
    for stimulus in stimuli:
        found.setdefault(stimulus.type, []).append(stimulus)
    return found
