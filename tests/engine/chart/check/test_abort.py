"""Abort is taken in every state, hangs on nothing, and no command is started after it."""

from engine.chart.declaration import Guard
from tests.engine.chart.check.small import found_in, sown, told, without
from tests.engine.chart.sample import sample


def test_a_missing_abort_is_found_in_each_state_that_lacks_it() -> None:
    report = found_in(without(sample("loan"), "active", "abort"))
    lost = {dict(v.problem.facts)["state"]: [each.type for each in v.trace]
            for v in report.violations if v.problem.code == "check_no_abort"}  # fmt: skip
    assert lost["active.planning"] == ["submit"]
    assert lost["active.confirm"] == ["submit", "done.invoke.plan"]
    assert "idle" not in lost
    assert not any(code == "check_no_abort" for code, _ in told(found_in(sample("loan"))))


def test_a_guard_before_the_abort_is_found() -> None:
    chart = sown()
    active = chart.states["active"]
    rows = tuple(
        row._replace(guard=Guard("name", "fresh")) if row.event == "abort" else row
        for row in active.rows
    )
    report = found_in(chart._replace(states={**chart.states, "active": active._replace(rows=rows)}))
    assert told(report) == [("check_abort_guarded", ["submit"])]


def test_an_abort_after_which_a_command_goes_out_is_found() -> None:
    stays = sown(("on: {abort: aborted, fault", "on: {abort: {actions: [note_denied]}, fault"))
    report = found_in(stays, commands=("send",))
    assert told(report) == [("check_command_after_abort", ["submit", "abort", "done.invoke.send"])]
    assert told(found_in(stays)) == []
    assert told(found_in(sown(), commands=("send",))) == []
