"""Chart names equal function names: nothing is unbound, nothing is bound and unused."""

from sgclaw.charts import task_chart
from sgclaw.wiring import DELAYS, EFFECTS, GUARDS, REDUCERS, SERVICES, delays_of
from statecharts import chart_names
from states.settings import Settings


def test_every_bound_name_is_used_by_the_chart() -> None:
    used = names_in_chart()
    assert sorted(set(GUARDS) - used["guards"]) == []
    assert sorted(set(REDUCERS) - used["reducers"]) == []
    assert sorted(EFFECTS - used["effects"]) == []
    assert sorted(SERVICES - used["services"]) == []
    assert sorted(DELAYS - used["delays"]) == []


def test_every_name_of_the_chart_is_bound() -> None:
    used = names_in_chart()
    assert used["guards"] <= set(GUARDS)
    assert used["reducers"] <= set(REDUCERS)
    assert used["effects"] <= EFFECTS
    assert used["services"] <= SERVICES
    assert used["delays"] == set(delays_of(Settings()))


def test_the_task_chart_is_listed() -> None:
    assert "task" in chart_names()


def names_in_chart() -> dict[str, set[str]]:
    used: dict[str, set[str]] = {
        kind: set() for kind in ("guards", "reducers", "effects", "services", "delays")
    }
    for state in task_chart().states.values():
        for row in state.rows:
            used["guards"] |= set(row.guard.names()) if row.guard else set()
        actions = [a for row in state.rows for a in row.actions] + [*state.entry, *state.exit]
        used["reducers"] |= {a.name for a in actions if a.kind == "reduce"}
        used["effects"] |= {a.name for a in actions if a.kind == "do"}
        used["services"] |= {s.src for s in (*state.invokes, *state.spawns)}
        used["delays"] |= {d.key for d in state.delays if d.seconds is None}
    return used
