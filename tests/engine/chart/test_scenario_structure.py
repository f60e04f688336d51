"""The engine's order and structure, told in scenarios in the spirit of the W3C's SCXML suite."""

from pathlib import Path

import pytest

from engine.chart.scenario.cover import Recorder
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.read import read_scenarios
from engine.chart.scenario.report import failure_lines
from engine.chart.scenario.run import run_scenario
from tests.engine.chart.sample_probe import SAMPLES, sample_probe

PATH = Path(__file__).parent / "scenarios" / "structure.yaml"
FILE = read_scenarios(PATH.read_text("utf-8"), PATH.name, SAMPLES)
PROBE = sample_probe("nesting")


@pytest.mark.parametrize("scenario", FILE.scenarios, ids=lambda each: each.name)
def test_the_chart_goes_as_told(scenario: Scenario) -> None:
    outcome = run_scenario(scenario, PROBE)
    assert outcome.passed, "\n".join(failure_lines(outcome))


def test_there_are_cases_for_every_row_but_the_ends_of_services() -> None:
    recorder = Recorder(PROBE)
    taken = {row for each in FILE.scenarios for _, row in recorder.run(each)[1].rows}
    missing = {row.event for row in PROBE.core.chart.rows() if row not in taken}
    assert missing == {"done.invoke.session", "error.invoke.session", "error.invoke.job"}
