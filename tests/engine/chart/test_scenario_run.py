"""A scenario passes only when every part it asks for is so; the report names what differs."""

import pytest

from engine.chart.scenario.model import Scenario
from engine.chart.scenario.read import read_scenarios
from engine.chart.scenario.report import document, failure_lines, summary
from engine.chart.scenario.run import Outcome, event_of, run_scenario
from tests.engine.chart.errand import faulty_core
from tests.engine.chart.sample_probe import SAMPLES, probe_on, sample_probe

STEPS = """
chart: errand
scenarios:
  - name: sent
    steps:
      - send: submit
        state: confirm
        effects: [do a, timer 60, do show_card]
        context: {loan.steps: 0}
      - send: count
        effects: [do ring]
        context: {loan.steps: 1}
      - {send: submit, dropped: ignored, effects: []}
      - {send: done.invoke.send, dropped: stale}
      - {send: approve, state: sending, effects: [do hide_card, do log_task, start send]}
      - {send: error.invoke.send, state: resting, effects: [timer rest_time 0.05]}
      - {send: done.invoke.send, late: true, dropped: stale, state: resting}
"""


def scenario(text: str = STEPS) -> Scenario:
    return read_scenarios(text, "one.yaml", SAMPLES).scenarios[0]


def run(text: str = STEPS) -> Outcome:
    return run_scenario(scenario(text), sample_probe("errand"))


def test_a_scenario_that_is_so_passes() -> None:
    outcome = run()
    assert outcome.passed
    assert [(ran.result, ran.state) for ran in outcome.ran][-2:] == [
        ("handled", "active.resting"), ("stale", "active.resting")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("right", "wrong", "step", "part"),
    [
        ("state: confirm", "state: sending", 1, "state"),
        ("do a, timer 60,", "timer 60, do a,", 1, "effects"),
        ("timer 60, do show_card", "timer 60", 1, "effects"),
        ("do show_card]", "do show_card, do ring]", 1, "effects"),
        ("timer 60,", "timer 60 61,", 1, "effects"),
        ("loan.steps: 1", "loan.steps: 2", 2, "context"),
        ("loan.steps: 1", "loan.steps: true", 2, "context"),
        (", dropped: ignored", "", 3, "result"),
        ("dropped: ignored", "dropped: stale", 3, "result"),
        ("submit, dropped", "abort, dropped", 3, "result"),
        ("effects: []", "effects: [do ring]", 3, "effects"),
        ("send: done.invoke.send, dropped: stale", "send: rest, dropped: stale", 4, "result"),
        ("rest_time 0.05", "rest_time 0.06", 6, "effects"),
        ("state: resting, effects", "dropped: stale, effects", 6, "result"),
    ],
)
def test_each_part_that_is_not_so_fails_its_step(
    right: str, wrong: str, step: int, part: str
) -> None:
    assert right in STEPS
    outcome = run(STEPS.replace(right, wrong))
    assert not outcome.passed
    assert len(outcome.ran) == step
    assert part in [mismatch.part for mismatch in outcome.ran[-1].mismatches]


def test_a_late_answer_is_not_the_live_one() -> None:
    error = "      - {send: error.invoke.send"
    late = "      - {send: done.invoke.send, late: true, dropped: stale, state: sending}\n"
    assert run(STEPS.replace(error, late + error)).passed
    assert not run(STEPS.replace(error, late.replace("late: true, ", "") + error)).passed


def test_a_record_replaces_parts_of_the_sample() -> None:
    probe = sample_probe("errand")
    probe = probe._replace(sample=lambda _, fields: {**fields, "record": {"a": 1, "b": 2}})
    at = probe.core.initial(probe.initials[0])
    step = scenario().steps[0]
    assert event_of(step, at, {}, probe).payload == {"record": {"a": 1, "b": 2}}
    given = step._replace(record={"b": 3})
    assert event_of(given, at, {}, probe).payload == {"record": {"a": 1, "b": 3}}


def test_the_beginning_is_the_one_that_was_asked_for() -> None:
    asks = STEPS.replace("steps:\n      - send: submit", "steps:\n      - send: submit", 1)
    asks = asks.replace("context: {loan.steps: 0}", "context: {loan.failures: 1}")
    assert not run(asks).passed
    assert run(asks.replace("name: sent", "name: sent\n    context: {loan.failures: 1}")).passed


def test_the_report_is_a_diff_with_the_way_there() -> None:
    outcome = run(STEPS.replace("do hide_card, do log_task", "do log_task, do ring"))
    assert list(failure_lines(outcome)) == [
        "FAIL one.yaml:4: sent",
        "    1  submit -> active.confirm",
        "    2  count -> active.confirm",
        "    3  submit -> active.confirm (ignored)",
        "    4  done.invoke.send -> active.confirm (stale)",
        "    5  approve -> active.sending",
        "  one.yaml:15: step 5, approve: - wanted, + got",
        "      effects",
        "    + do hide_card",
        "      do log_task",
        "    - do ring",
        "      start send",
    ]
    assert summary([outcome, run()]).endswith("12 steps: 1 passed, 1 failed")
    [failure] = document([outcome, run()])["failures"]
    assert (failure["line"], failure["step"], failure["event"]) == (15, 5, "approve")


def test_a_guard_that_breaks_fails_the_scenario_and_is_named() -> None:
    outcome = run_scenario(scenario(), probe_on(faulty_core(reducer=False)))
    assert not outcome.passed
    [mismatch] = outcome.ran[-1].mismatches
    assert mismatch.part == "fault"
    assert "LookupError" in mismatch.got[0]
