"""Every scenario file holds, the generated ones are fresh, and no fault survives all of them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.chart.coverage import Coverage
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.report import failure_lines
from engine.chart.scenario.run import run_scenario
from sgclaw.proof.charts import probe_of
from sgclaw.proof.scenarios import (
    FOLDER,
    GENERATED,
    REASONS,
    coverage_in,
    generated,
    read_file,
    scenario_paths,
)
from statecharts import chart_names

# Making every path and mutant anew is CPU time, on a busy machine more than a minute of it.
pytestmark = pytest.mark.timeout(240)

ROOT = Path(__file__).parents[2]
HERE = ROOT / FOLDER
FILES = [read_file(path) for path in scenario_paths([HERE])]
SCENARIOS = [(file.chart, scenario) for file in FILES for scenario in file.scenarios]


def name_of(value: object) -> str:
    return value.name if isinstance(value, Scenario) else str(value)


@pytest.mark.parametrize(("chart", "scenario"), SCENARIOS, ids=name_of)
def test_the_chart_goes_as_told(chart: str, scenario: Scenario) -> None:
    outcome = run_scenario(scenario, probe_of(chart))
    assert outcome.passed, "\n".join(failure_lines(outcome))


@pytest.fixture(scope="module", params=chart_names())
def fresh(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, str]]:
    return request.param, generated(request.param)


def test_the_generated_files_are_what_the_chart_makes(
    fresh: tuple[str, Mapping[str, str]],
) -> None:
    chart, texts = fresh
    folder = HERE / GENERATED
    committed = {path.name: path.read_text("utf-8") for path in folder.glob(f"{chart}_*.yaml")}
    told = f"run `sgclaw chart coverage {chart} --write {(FOLDER / GENERATED).as_posix()}`"
    assert committed == texts, told
    assert f"{chart}_rows.yaml" in texts


@pytest.fixture(scope="module", params=chart_names())
def coverage(request: pytest.FixtureRequest) -> Coverage:
    return coverage_in(HERE, request.param)


def test_every_row_and_every_overlap_pair_is_met(coverage: Coverage) -> None:
    assert coverage.rows.missing == ()
    assert coverage.overlaps.missing == ()
    assert coverage.rows.of >= len(set(probe_of(coverage.chart).core.chart.rows()))
    assert coverage.overlaps.of > 0


def test_every_mutant_dies_or_is_listed_with_its_reason(coverage: Coverage) -> None:
    assert [fate.mutant for fate in coverage.unlisted] == [], f"see {FOLDER / REASONS}"
    assert coverage.overtaken == ()
    assert coverage.ended("killed") > coverage.ended("lint") > 0


def test_what_is_listed_is_proven_by_walking_not_believed(coverage: Coverage) -> None:
    assert coverage.ended("alive") == 0
    assert all(fate.states > 0 for fate in coverage.fates if fate.end == "equal")
