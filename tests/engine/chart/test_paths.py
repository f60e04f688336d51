"""The scenarios made from a chart meet every row and every overlap pair, by shortest ways."""

import pytest

from engine.chart.explore import explore
from engine.chart.paths import Generated, generate, wanted_of
from engine.chart.scenario.cover import Recorder
from engine.chart.scenario.read import read_scenarios
from engine.chart.scenario.run import run_scenario
from engine.chart.scenario.script import Told, script_of, written
from tests.engine.chart.sample import NAMES
from tests.engine.chart.sample_probe import SAMPLES, sample_probe

CHARTS = ("errand", "loan", "nesting", "order")


def made(name: str) -> Generated:
    return generate(explore(sample_probe(name)), NAMES)


@pytest.mark.parametrize("name", CHARTS)
def test_every_row_and_pair_that_can_be_met_is_met(name: str) -> None:
    probe = sample_probe(name)
    wanted, recorder = wanted_of(explore(probe)), Recorder(probe)
    found = made(name)
    rows = {row for each in found.rows for row in recorder.run(each)[1].rows}
    ways = (*found.rows, *found.overlaps)
    pairs = {pair for each in ways for pair in recorder.run(each)[1].overlaps}
    assert rows == wanted.rows
    assert pairs == wanted.overlaps
    assert {row for _, row in wanted.rows} <= set(probe.core.chart.rows())


@pytest.mark.parametrize("name", CHARTS)
def test_one_scenario_meets_several_rows(name: str) -> None:
    found, wanted = made(name), wanted_of(explore(sample_probe(name)))
    assert len(found.rows) < len(wanted.rows)
    assert len({str(each.steps) for each in found.rows}) == len(found.rows)


@pytest.mark.parametrize("name", CHARTS)
def test_what_is_written_is_read_back_the_same_and_passes(name: str) -> None:
    probe = sample_probe(name)
    for scenarios in made(name):
        if not scenarios:
            continue
        text = written(probe, scenarios, ["a heading", ""])
        assert text == written(probe, scenarios, ["a heading", ""])
        read = read_scenarios(text, "", SAMPLES).scenarios
        assert [each.name for each in read] == [each.name for each in scenarios]
        assert all(run_scenario(each, probe).passed for each in read)
        assert written(probe, read, ["a heading", ""]) == text


def test_the_same_chart_makes_the_same_scenarios() -> None:
    assert made("loan") == made("loan")


def test_a_way_is_a_shortest() -> None:
    by_name = {each.name: each for each in made("nesting").rows}
    assert [step.send for step in by_name["outer.left: pick #2"].steps] == ["go", "pick"]
    assert max(len(each.steps) for each in by_name.values()) <= 4


def test_a_script_asserts_all_that_the_chart_does() -> None:
    probe = sample_probe("errand")
    told = [Told("submit"), Told("submit"), Told("count"), Told("done.invoke.send", late=True)]
    script = script_of(probe, "one", probe.initials[1], told)
    first, again, count, late = script.steps
    assert [each.text for each in first.effects or ()] == [
        "do a", "timer after.active.60", "do show_card"
    ]  # fmt: skip
    assert (again.dropped, late.dropped, late.late) == ("ignored", "stale", True)
    assert (count.facts, first.facts) == ({"loan.steps": 1}, {})
    assert "context: {loan.failures: 1}" in written(probe, [script])
