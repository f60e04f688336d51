"""A monitor is walked beside the chart: what it says is told once, by the shortest way."""

from engine.chart.explore import explore
from engine.chart.graph import Taken
from tests.engine.chart.check.small import SOUND, probe_of_chart
from tests.engine.chart.sample import chart_of


class SendsAtMost:
    """Counts the sendings; *most* are allowed."""

    initial = 0

    def __init__(self, most: int) -> None:
        self._most = most

    def step(self, state: int, taken: Taken) -> tuple[int, str]:
        """Count."""
        state += taken.starts("send")
        return state, "check_unreachable" if state > self._most else ""


def test_what_breaks_is_told_once_with_the_shortest_way_and_where() -> None:
    [violation] = explore(probe_of_chart(chart_of(SOUND)), [SendsAtMost(2)]).violations
    assert [each.type for each in violation.trace] == ["submit", *["done.invoke.send"] * 2]
    assert {each.fields["ok"] for each in violation.trace[1:]} == {False}
    facts = dict(violation.problem.facts)
    assert facts == {"state": "active.sending", "event": "done.invoke.send"}
    assert violation.problem.line > 1


def test_a_monitor_that_remembers_more_than_the_chart_is_walked_to_its_end() -> None:
    # The chart is tired after four sendings; nothing in its states tells the fourth time apart.
    assert explore(probe_of_chart(chart_of(SOUND)), [SendsAtMost(3)]).violations
    assert not explore(probe_of_chart(chart_of(SOUND)), [SendsAtMost(4)]).violations


def test_each_monitor_is_walked_by_itself() -> None:
    found = explore(probe_of_chart(chart_of(SOUND)), [SendsAtMost(9), SendsAtMost(1)])
    [violation] = found.violations
    assert len(violation.trace) == 2
