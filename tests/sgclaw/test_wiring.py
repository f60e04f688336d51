"""Chart names equal function names: nothing is unbound, nothing is bound and unused."""

import pytest

from engine.chart.declaration import Chart
from engine.chart.load import Names
from engine.chart.step import check_bindings
from sgclaw.charts import (
    NAMES,
    WIRINGS,
    bindings_of,
    load_named,
    names_for,
    names_of,
    table_of,
    task_chart,
    task_table,
    wiring_of,
)
from statecharts import ChartMissingError, chart_names, chart_text
from states.settings import Settings

CHARTS = sorted(WIRINGS)


def test_every_chart_of_the_product_is_wired_and_nothing_else_is() -> None:
    assert list(chart_names()) == CHARTS == ["erp_write", "task"]


@pytest.mark.parametrize("name", CHARTS)
def test_every_bound_name_is_used_by_the_chart_and_every_used_one_bound(name: str) -> None:
    assert used_in(load_named(name)) == names_of(name)


@pytest.mark.parametrize("name", CHARTS)
def test_a_name_too_many_or_one_too_few_would_be_found(name: str) -> None:
    names = names_of(name)
    for kind in names._fields:
        bound: frozenset[str] = getattr(names, kind)
        assert used_in(load_named(name)) != names._replace(**{kind: bound | {"never_used"}})
        assert used_in(load_named(name)) != names._replace(**{kind: bound - {min(bound)}})


@pytest.mark.parametrize("name", CHARTS)
def test_every_delay_of_a_chart_has_its_seconds_in_the_settings(name: str) -> None:
    delays = wiring_of(name).delays_of(Settings())
    assert set(delays) == names_of(name).delays
    assert all(seconds > 0 for seconds in delays.values())
    check_bindings(load_named(name), bindings_of(name))


@pytest.mark.parametrize("name", CHARTS)
def test_the_control_starts_inside_its_domains(name: str) -> None:
    wired = wiring_of(name)
    control = wired.context().control
    assert set(control._fields) == set(wired.control_domains)
    for field, values in wired.control_domains.items():
        assert getattr(control, field) in values


def test_the_bindings_of_one_chart_are_not_those_of_the_other() -> None:
    assert names_of("task").guards.isdisjoint(names_of("erp_write").guards)
    assert bindings_of("erp_write").guards != bindings_of("task").guards


def test_the_settings_reach_the_delays() -> None:
    slow = Settings.model_validate({"erp": {"lease_seconds": 7}})
    assert bindings_of("erp_write", slow).delays["lease_seconds"] == 7
    assert bindings_of("erp_write").delays["lease_seconds"] != 7


def test_a_chart_is_loaded_and_compiled_once() -> None:
    assert task_chart() is load_named("task")
    assert task_table() is table_of("task")
    assert table_of("erp_write") is table_of("erp_write")
    assert names_of("task") == NAMES


def test_a_chart_that_is_not_there_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ChartMissingError, match="erp_write, task"):
        wiring_of("erp_turm")


@pytest.mark.parametrize("name", CHARTS)
def test_a_text_is_read_with_the_names_of_the_chart_it_says_it_is(name: str) -> None:
    assert names_for(chart_text(name)) == names_of(name)


@pytest.mark.parametrize("text", ["", "id: mine", "id: [task]", "states: [", "- id", "id: 3"])
def test_a_text_that_is_none_of_the_charts_may_use_the_names_of_the_task(text: str) -> None:
    assert names_for(text) == NAMES


def used_in(chart: Chart) -> Names:
    states = list(chart.states.values())
    actions = [action for state in states for action in state.actions()]
    return Names(
        guards=frozenset(
            name for row in chart.rows() if row.guard is not None for name in row.guard.names()
        ),
        reducers=frozenset(action.name for action in actions if action.kind == "reduce"),
        effects=frozenset(action.name for action in actions if action.kind == "do"),
        services=frozenset(service.src for state in states for service in state.services),
        delays=frozenset(d.key for state in states for d in state.delays if d.seconds is None),
    )
