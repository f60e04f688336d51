"""The shipped charts pass every check, and the quick walk of them is exact."""

import pytest

from engine.chart.check import check
from engine.chart.explore import explore
from sgclaw.proof.charts import claims_of, probe_for, probe_of
from statecharts import chart_names
from tests.engine.chart.naive import naive_steps, steps_of
from tests.sgclaw.proof.seeded import report_on


@pytest.mark.parametrize("name", chart_names())
def test_nothing_is_wrong_with_a_shipped_chart(name: str) -> None:
    report = report_on(name)
    assert [each.problem.text() for each in report.violations] == []
    found = report.exploration
    assert set(found.taken_rows) == set(found.probe.core.chart.rows())
    assert claims_of(name).monitors


@pytest.mark.parametrize("name", chart_names())
def test_the_walk_finds_every_state_and_step_of_the_naive_walk_and_no_other(name: str) -> None:
    probe = probe_of(name)
    far, steps = naive_steps(probe)
    found = explore(probe)
    assert {node: len(found.trace(n)) for n, node in enumerate(found.nodes)} == far
    assert steps_of(found) == steps


@pytest.mark.parametrize("name", chart_names())
def test_every_beginning_lies_in_the_declared_domains(name: str) -> None:
    probe = probe_of(name)
    for context in probe.initials:
        for field, value in probe.control(context)._asdict().items():  # type: ignore[attr-defined]
            assert value in probe.domains[field]


def test_the_task_is_walked_in_few_steps_of_the_core() -> None:
    found = explore(probe_of("task"))
    assert len(found.nodes) > 1000
    assert found.feeds < found.events / 10


def test_a_copy_under_a_foreign_id_is_held_to_the_same_claims() -> None:
    chart = probe_of("task").core.chart._replace(id="mine")
    assert claims_of("mine") == claims_of("task")
    assert check(probe_for(chart), claims_of("mine")).violations == ()
