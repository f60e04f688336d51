"""A state that nothing reaches and a row that is never taken are found, with the reason."""

import pytest

from engine.chart.declaration import Row
from engine.chart.errors import Problem
from tests.engine.chart.check.small import found_in, sown, told, with_row, without


def test_nothing_is_wrong_with_the_sound_chart() -> None:
    report = found_in(sown(), commands=("send",))
    assert told(report) == []
    assert len(report.exploration.nodes) > 5


def test_a_state_that_nothing_leads_to_is_found_once_and_its_rows_are_not_listed() -> None:
    attic = "  attic: {on: {abort: aborted, fault: failed}, after: {5: failed}}\n  completed:"
    report = found_in(sown(("  completed:", attic)))
    assert told(report) == [("check_unreachable", [])]
    assert dict(report.violations[0].problem.facts) == {"state": "attic"}


def _dead_row(*changes: tuple[str, str]) -> tuple[Problem, list[str]]:
    [violation] = found_in(sown(*changes)).violations
    return violation.problem, [each.type for each in violation.trace]


def test_a_row_behind_one_that_covers_it_is_found_with_the_way_to_its_state() -> None:
    covered = "{guard: {and: [ok, tired]}, target: failed}"
    problem, way = _dead_row(("{guard: tired, target: failed}", covered))
    assert problem.code == "check_dead_row"
    assert dict(problem.facts)["before"] == "active.sending: done.invoke.send #1"
    assert "done.invoke.send #2" in dict(problem.facts)["where"]
    assert way == ["submit"]


def test_a_row_whose_guard_never_holds_is_found_with_its_guard() -> None:
    never = "{guard: {and: [tired, fresh]}, target: failed}"
    problem, way = _dead_row(("{guard: tired, target: failed}", never))
    assert problem.code == "check_dead_guard"
    assert dict(problem.facts)["guard"] == "tired and fresh"
    assert way == ["submit"]


def test_a_row_whose_event_nothing_sends_is_found() -> None:
    # A leaf's own timer event, listened to where the timer does not run.
    report = found_in(
        with_row(sown(), Row("idle", "error.invoke.send", 1, "failed", line=9)),
    )
    assert [code for code, _ in told(report)] == ["check_never_sent"]
    assert report.violations[0].problem.line == 9


def test_a_walk_cut_short_says_nothing_of_what_it_did_not_reach() -> None:
    report = found_in(sown(), domains={"steps": (0, 1)})
    assert [code for code, _ in told(report)] == ["check_out_of_domain"]


@pytest.mark.parametrize("event", ["submit"])
def test_what_hangs_on_a_missing_row_is_reported_at_the_outermost_state(event: str) -> None:
    report = found_in(without(sown(), "idle", event))
    unmet = [dict(v.problem.facts)["state"] for v in report.violations
             if v.problem.code == "check_unreachable"]  # fmt: skip
    assert unmet == ["active", "completed", "failed"]
