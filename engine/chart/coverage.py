"""How much of a chart its scenarios hold fast: rows, overlap pairs, and mutants."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.chart.errors import Problem, problem
from engine.chart.fates import Fate, fates_of
from engine.chart.graph import Exploration
from engine.chart.lint import Names
from engine.chart.paths import pair_name, row_name, wanted_of
from engine.chart.scenario.cover import Recorder
from engine.chart.scenario.model import Scenario, ScenarioError
from engine.chart.yaml12 import parse

Reasons = Mapping[str, str]


class Counted(NamedTuple):
    """How many there are, and the names of those that no scenario meets."""

    of: int
    missing: tuple[str, ...]

    @property
    def met(self) -> int:
        """Return how many are met."""
        return self.of - len(self.missing)


class Coverage(NamedTuple):
    """What the scenarios of *chart* come to.

    *unlisted* are mutants that no scenario shows and no list excuses; *overtaken* stand in the
    list and are shown all the same, or do not exist.
    """

    chart: str
    scenarios: int
    failed: tuple[str, ...]
    rows: Counted
    overlaps: Counted
    fates: tuple[Fate, ...]
    unlisted: tuple[Fate, ...]
    overtaken: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Tell whether nothing is left open."""
        missing = (*self.failed, *self.rows.missing, *self.overlaps.missing)
        return not (missing or self.unlisted or self.overtaken)

    def ended(self, end: str) -> int:
        """Return how many mutants ended as *end*."""
        return sum(fate.end == end for fate in self.fates)


def coverage_of(
    found: Exploration, names: Names, scenarios: Sequence[Scenario], reasons: Reasons
) -> Coverage:
    """Return what *scenarios* hold fast of the walked chart; *reasons* excuse mutants by name."""
    recorder = Recorder(found.probe)
    ran = [recorder.run(scenario) for scenario in scenarios]
    wanted = wanted_of(found)
    rows = wanted.rows - {row for _, met in ran for row in met.rows}
    pairs = wanted.overlaps - {pair for _, met in ran for pair in met.overlaps}
    passing = [outcome.scenario for outcome, _ in ran if outcome.passed]
    fates = fates_of(found, names, passing)
    survivors = {fate.mutant: fate for fate in fates if fate.end in {"equal", "alive"}}
    return Coverage(
        chart=found.probe.core.chart.id,
        scenarios=len(scenarios),
        failed=tuple(outcome.scenario.name for outcome, _ in ran if not outcome.passed),
        rows=Counted(len(wanted.rows), tuple(sorted(map(row_name, rows)))),
        overlaps=Counted(len(wanted.overlaps), tuple(sorted(map(pair_name, pairs)))),
        fates=fates,
        unlisted=tuple(fate for name, fate in survivors.items() if name not in reasons),
        overtaken=tuple(name for name in reasons if name not in survivors),
    )


def read_reasons(text: str, source: str, charts: Sequence[str]) -> Mapping[str, Reasons]:
    """Return by chart why each listed mutant is no fault: `chart: {mutant: reason}`.

    Raises:
        ScenarioError: the text is not of that form.
    """
    root, problems = parse(text, source)
    found: dict[str, dict[str, str]] = {}
    listed = root.value if root is not None and root.value is not None else {}
    if not isinstance(listed, dict):
        problems.append(_wrong(source, 1, source, "a mapping"))
        listed = {}
    for chart, (line, node) in listed.items():
        if chart not in charts or not isinstance(node.value, dict):
            expected = f"one of {', '.join(charts)} with a mapping"
            problems.append(_wrong(source, line, chart, expected))
            continue
        found[chart] = {}
        for mutant, (at, reason) in node.value.items():
            if not isinstance(reason.value, str) or not reason.value.strip():
                problems.append(_wrong(source, at, mutant, "a reason"))
            found[chart][mutant] = str(reason.value)
    if problems:
        raise ScenarioError(tuple(problems), source)
    return found


def _wrong(source: str, line: int, where: str, expected: str) -> Problem:
    return problem(source, line, "chart_wrong_type", where=where, expected=expected)
