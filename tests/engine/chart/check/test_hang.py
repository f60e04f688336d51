"""What could hang is found: a dropped completion, a wait for nothing, a circle without an end."""

from tests.engine.chart.check.small import SOUND, found_in, sown, told, without
from tests.engine.chart.sample import chart_of, sample


def test_a_missing_else_drops_the_completion() -> None:
    sound = sown()
    state = sound.states["active.sending"]
    rows = tuple(row for row in state.rows if row.guard or row.event != "done.invoke.send")
    chart = sound._replace(states={**sound.states, state.path: state._replace(rows=rows)})
    report = found_in(chart)
    assert told(report) == [
        ("check_dropped", ["submit", "done.invoke.send"]),
        ("check_waits", ["submit", "done.invoke.send"]),
        # The retry went with the else, so nobody gets tired any more.
        ("check_dead_guard", ["submit"]),
    ]
    assert report.violations[0].trace[-1].fields == {"ok": False}


def test_a_dropped_error_is_found() -> None:
    report = found_in(without(sown(), "active.sending", "error.invoke.send"))
    assert ("check_dropped", ["submit", "error.invoke.send"]) in told(report)


def test_an_emitted_event_that_some_state_ignores_is_found() -> None:
    assert found_in(sample("loan")).exploration.dropped == {}
    quiet = found_in(without(sample("loan"), "active", "asked"))
    assert ("active.executing.waiting", "asked") in quiet.exploration.dropped
    assert "check_dropped" in [code for code, _ in told(quiet)]


def test_a_wait_for_nothing_is_found_though_a_timer_bounds_the_whole() -> None:
    report = found_in(
        sown(
            ("  fault: {}\n", "  fault: {}\n  note: {}\n"),
            ("      sending:\n", "      pause: {on: {fault: aborted}}\n      sending:\n"),
            ("onError: failed", "onError: active.pause"),
        )
    )
    assert told(report) == [("check_waits", ["submit", "error.invoke.send"])]
    assert dict(report.violations[0].problem.facts) == {"state": "active.pause"}


def test_a_state_that_waits_for_somebody_outside_is_ended_by_a_timer_around_it() -> None:
    asks = SOUND.replace("    states:\n", "    states:\n      asking: {on: {note: failed}}\n", 1)
    asks = asks.replace("onError: failed", "onError: active.asking").replace(
        "  fault: {}", "  fault: {}\n  note: {}"
    )
    assert told(found_in(chart_of(asks))) == []
    untimed = without(chart_of(asks), "active", "after.active.task_time")
    active = untimed.states["active"]._replace(delays=())
    report = found_in(untimed._replace(states={**untimed.states, "active": active}))
    assert told(report) == [("check_waits", ["submit", "error.invoke.send"])]


def test_a_circle_without_a_way_out_is_found_though_an_abort_would_leave_it() -> None:
    ring = SOUND.replace("completed}\n", "active.sending}\n").replace(
        "target: failed", "target: active.sending"
    )
    ring = ring.replace("onError: failed", "onError: active.sending").replace(
        "    after: {task_time: failed}\n", ""
    )
    report = found_in(chart_of(ring))
    assert ("check_no_end", []) in told(report)
    ways = [v.trace for v in report.violations if v.problem.code == "check_no_end"]
    assert [[each.type for each in way] for way in ways] == [[], ["submit"]]
