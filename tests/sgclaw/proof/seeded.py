"""Shipped charts with a fault sown into their text, and what the checker says of them."""

from engine.chart.check import Report, check
from engine.chart.graph import Violation
from engine.chart.load import load_chart
from engine.chart.probe import Probe, event_in
from sgclaw.charts import names_of
from sgclaw.proof.charts import claims_of, probe_for
from statecharts import chart_text


def probe_with(name: str, *changes: tuple[str, str]) -> Probe:
    """Return the probe of the chart *name* after *changes* (old text, new text), lint passed."""
    text = chart_text(name)
    for old, new in changes:
        assert text.count(old) == 1, f"{text.count(old)} times: {old}"
        text = text.replace(old, new)
    return probe_for(load_chart(text, source=f"{name}.yaml", names=names_of(name)))


def report_on(name: str, *changes: tuple[str, str]) -> Report:
    """Return what the checker says of the chart *name* after *changes*."""
    return check(probe_with(name, *changes), claims_of(name))


def the(report: Report, code: str) -> Violation:
    """Return the one violation *code* of *report*."""
    [found] = [each for each in report.violations if each.problem.code == code]
    return found


def way_of(violation: Violation) -> list[str]:
    """Return the way to *violation*, one line an event."""
    return [" ".join([each.type, *map(str, each.fields.values())]) for each in violation.trace]


def replays(report: Report, violation: Violation) -> bool:
    """Tell whether the real core takes each event of the way; the last may be the one dropped."""
    probe = report.exploration.probe
    at = probe.core.initial(probe.initials[violation.start])
    for number, stimulus in enumerate(violation.trace, 1):
        event = event_in(probe.core, at, stimulus)
        if event is None:
            return False
        step = probe.core.feed(at, event)
        if step.result != "handled":
            return number == len(violation.trace)
        at = step.snapshot
    return True
