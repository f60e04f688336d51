"""The scenario files of the shipped charts: found, read, and made anew."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from engine.chart.coverage import Coverage, Reasons, coverage_of, read_reasons
from engine.chart.explore import explore
from engine.chart.paths import generate
from engine.chart.scenario.model import Scenario, ScenarioFile
from engine.chart.scenario.read import Probes, read_scenarios
from engine.chart.scenario.script import written
from sgclaw.charts import names_of
from sgclaw.errors import UsageError
from sgclaw.proof.charts import probe_of
from statecharts import chart_names

FOLDER = Path("tests/scenarios")
GENERATED = "generated"
REASONS = "equivalent.yaml"
_HEADING = (
    "Made from the chart by `sgclaw chart coverage {chart} --write {folder}`; do not edit.",
    "{what}",
)
_WHAT = {
    "rows": "A shortest way to every row, in every leaf it can be taken in.",
    "overlaps": "Pairs of rows that are both enabled: only their order decides.",
    "mutants": "What shows the mutants that the other two files leave alive.",
}


def probes() -> Probes:
    """Return how to walk each shipped chart, by its name."""
    return {name: partial(probe_of, name) for name in chart_names()}


def scenario_paths(given: Sequence[Path]) -> tuple[Path, ...]:
    """Return the scenario files among *given* files and folders, in order.

    Raises:
        UsageError: one does not exist, or there is none.
    """
    found: list[Path] = []
    for path in given or (FOLDER,):
        if path.is_dir():
            inside = (each for kind in ("*.yaml", "*.yml") for each in path.rglob(kind))
            found += sorted(each for each in inside if each.name != REASONS)
        elif path.is_file():
            found.append(path)
        else:
            raise UsageError("scenario_file_missing", path=path)
    if not found:
        raise UsageError("scenario_none", where=", ".join(map(str, given or (FOLDER,))))
    return tuple(dict.fromkeys(found))


def read_file(path: Path) -> ScenarioFile:
    """Return the scenarios of *path*.

    Raises:
        UsageError: it cannot be read.
        ScenarioError: it is no scenario file.
    """
    return read_scenarios(text_of(path), str(path), probes())


def text_of(path: Path) -> str:
    """Return the text of *path*.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("chart_file_unreadable", path=path, why=str(error)) from error


def committed(folder: Path, chart: str) -> tuple[Scenario, ...]:
    """Return every scenario of *chart* under *folder*."""
    files = [read_file(path) for path in scenario_paths([folder])]
    return tuple(each for file in files if file.chart == chart for each in file.scenarios)


def reasons_in(folder: Path) -> Mapping[str, Reasons]:
    """Return why mutants are excused, by chart and mutant."""
    path = folder / REASONS
    return read_reasons(text_of(path), str(path), chart_names()) if path.is_file() else {}


def coverage_in(folder: Path, chart: str) -> Coverage:
    """Return what the scenarios under *folder* hold fast of *chart*."""
    reasons = reasons_in(folder).get(chart, {})
    scenarios = committed(folder, chart)
    return coverage_of(explore(probe_of(chart)), names_of(chart), scenarios, reasons)


def generated(chart: str) -> Mapping[str, str]:
    """Return the text of each scenario file that is made from *chart*, by its name."""
    probe = probe_of(chart)
    made = generate(explore(probe), names_of(chart))
    texts = {}
    for kind, scenarios in made._asdict().items():
        if scenarios:
            folder = (FOLDER / GENERATED).as_posix()
            facts = {"chart": chart, "folder": folder, "what": _WHAT[kind]}
            heading = [line.format(**facts) for line in _HEADING]
            texts[f"{chart}_{kind}.yaml"] = written(probe, scenarios, heading)
    return texts
