"""A past run becomes a scenario: the way it went, the declared fields, and nothing else."""

from typing import Any

import pytest

from engine.chart.records import Recorded, effects_of
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.read import read_scenarios
from engine.chart.scenario.record import RecordError, scenario_of
from engine.chart.scenario.run import run_scenario
from engine.chart.scenario.script import written
from states.events import Event
from tests.engine.chart.sample_probe import SAMPLES, sample_probe

PROBE = sample_probe("loan")
SECRET = "hunter2"
PLAN = {"verdict": "act", "risk": "write", "mac": True}
WAY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("approve", {}),
    ("submit", {"record": SECRET}),
    ("done.invoke.plan", {**PLAN, "record": SECRET, "note": SECRET}),
    ("approve", {}),
    ("done.invoke.plan", PLAN),
    ("abort", {}),
)


def run(*events: tuple[str, dict[str, Any]]) -> list[Recorded]:
    """Return the records of *events*, each sent by its live sender if it has one."""
    core, rows = PROBE.core, []
    at = core.initial(PROBE.initials[0])
    for seq, (kind, payload) in enumerate(events, 1):
        event = core.stamped(at, kind, payload)
        step = core.feed(at, event)
        at = step.snapshot
        rows.append(
            Recorded(seq, "", "loan", "", event, step.result, at.state, step.path, (),
                     tuple(effects_of(step.effects)), "")
        )  # fmt: skip
    return rows


def told(rows: list[Recorded]) -> tuple[str, Scenario]:
    text = written(PROBE, [scenario_of(PROBE, "run", rows)])
    [scenario] = read_scenarios(text, "", SAMPLES).scenarios
    assert run_scenario(scenario, PROBE).passed
    return text, scenario


def test_a_run_goes_the_same_way_as_a_scenario() -> None:
    scenario = told(run(*WAY))[1]
    assert [(step.send, step.dropped) for step in scenario.steps] == [
        ("approve", "ignored"), ("submit", None), ("done.invoke.plan", None), ("approve", None),
        ("done.invoke.plan", "stale"), ("abort", None),
    ]  # fmt: skip
    assert scenario.steps[2].fields == PLAN
    assert scenario.steps[2].facts == {"loan.risk": "write"}
    assert scenario.steps[4].late


def test_what_decides_nothing_stays_out() -> None:
    assert SECRET not in told(run(*WAY))[0]


def test_a_step_that_broke_is_told_by_the_fault_after_it() -> None:
    rows = run(("submit", {}), ("fault", {}))
    broke = rows[0]._replace(event=Event("note", {"loud": True}), result="faulted", seq=9)
    scenario = told([rows[0], broke, rows[1]])[1]
    assert [step.send for step in scenario.steps] == ["submit", "fault"]


def test_a_beginning_other_than_the_first_is_found() -> None:
    probe = PROBE._replace(initials=(PROBE.initials[1]._replace(failures=2), *PROBE.initials))
    retry = ("done.invoke.critic", {"verdict": "retry", "risk": "read"})
    act = ("done.invoke.plan", {**PLAN, "risk": "read"})
    rows = run(("submit", {}), act, ("done.invoke.send", {"ok": True}), retry)
    assert rows[-1].state.startswith("active.executing")
    assert scenario_of(probe, "run", rows).context.failures == 0


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"state": "failed"}, "record_differs"),
        ({"result": "ignored"}, "record_differs"),
        ({"effects": (["do", "ring"],)}, "record_differs"),
        ({"effects": (3,)}, "record_differs"),
        ({"event": Event("unheard_of")}, "record_event"),
        ({"event": Event("done.invoke.plan", {**PLAN, "risk": "odd"})}, "record_value"),
        ({"event": Event("done.invoke.plan", {**PLAN, "mac": 1})}, "record_value"),
        ({"event": Event("done.invoke.plan", {"verdict": "act"})}, "record_value"),
    ],
)
def test_a_run_that_this_chart_would_not_make_is_refused(change: dict[str, Any], code: str) -> None:
    rows = run(*WAY)
    rows[2] = rows[2]._replace(**change)
    with pytest.raises(RecordError) as caught:
        scenario_of(PROBE, "run", rows)
    assert (caught.value.code, caught.value.facts["seq"]) == (code, 3)


def test_a_run_without_events_is_refused() -> None:
    with pytest.raises(RecordError) as caught:
        scenario_of(PROBE, "run", [])
    assert caught.value.code == "record_empty"
