"""An end is an end: no row leaves a final state, and nothing is still running in one."""

from engine.chart.declaration import Row, Service
from tests.engine.chart.check.small import found_in, sown, told, with_row


def test_a_final_state_that_goes_on_is_found() -> None:
    report = found_in(with_row(sown(), Row("completed", "submit", 1, "active")))
    assert told(report) == [("check_end_goes_on", ["submit", "done.invoke.send", "submit"])]


def test_a_service_that_outlives_the_end_is_found() -> None:
    chart = sown()
    watcher = Service("watcher", "work")
    end = chart.states["failed"]._replace(invokes=(watcher,))
    report = found_in(chart._replace(states={**chart.states, "failed": end}))
    assert told(report)[0][0] == "check_final_keeps_sender"
    assert dict(report.violations[0].problem.facts) == {"id": "watcher", "state": "failed"}
