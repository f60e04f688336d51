"""Small charts under the checker: their probe, and what is found."""

from collections.abc import Mapping
from typing import Any

from engine.chart.check import Claims, Report, check
from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.declaration import Chart, Row
from engine.chart.probe import Probe
from engine.chart.step import CoreBindings
from tests.engine.chart.sample import BINDINGS, Loan, chart_of

DOMAINS: Mapping[str, tuple[object, ...]] = {
    "risk": ("none", "read", "write"),
    "failures": (0, 1, 2, 3),
    "steps": (0, 1, 2, 3, 4),
}

# Nothing is wrong with it: every fault of these tests is sown into this chart.
SOUND = """
id: sound
version: 1
initial: idle
events:
  submit: {}
  abort: {}
  fault: {}
  done.invoke.send: {ok: [true, false]}
states:
  idle: {on: {submit: active, abort: aborted}}
  active:
    initial: sending
    on: {abort: aborted, fault: failed}
    after: {task_time: failed}
    states:
      sending:
        entry: [count_step]
        invoke:
          id: send
          src: send_command
          onDone:
            - {guard: ok, target: completed}
            - {guard: tired, target: failed}
            - {target: active.sending, actions: [count_failure]}
          onError: failed
  completed: {type: final}
  failed: {type: final}
  aborted: {type: final}
"""


def probe_of_chart(
    chart: Chart,
    bindings: CoreBindings = BINDINGS,
    domains: Mapping[str, tuple[object, ...]] = DOMAINS,
) -> Probe:
    """Return the probe of *chart*, whose whole context is its control."""
    return Probe(
        core=Core(chart, compile_table(chart), bindings),
        initials=(Loan(),),
        sample=lambda _, fields: fields,
        control=lambda context: context,
        project=lambda context: context,
        describe=lambda context: context._asdict(),
        build=lambda control: control,
        domains=domains,
    )


def sown(*changes: tuple[str, str]) -> Chart:
    """Return the sound chart after *changes* (old text, new text); the lint lets it pass."""
    text = SOUND
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return chart_of(text)


def without(chart: Chart, source: str, event: str) -> Chart:
    """Return *chart* without the rows of *event* in *source*, past the lint."""
    state = chart.states[source]
    rows = tuple(row for row in state.rows if row.event != event)
    assert rows != state.rows
    return chart._replace(states={**chart.states, source: state._replace(rows=rows)})


def with_row(chart: Chart, row: Row) -> Chart:
    """Return *chart* with *row* at the end of its source, past the lint."""
    state = chart.states[row.source]
    rows = (*state.rows, row)
    return chart._replace(states={**chart.states, row.source: state._replace(rows=rows)})


def found_in(chart: Chart, commands: tuple[str, ...] = (), **given: Any) -> Report:
    """Return what the checker says of *chart*."""
    return check(probe_of_chart(chart, **given), Claims(commands=frozenset(commands)))


def told(report: Report) -> list[tuple[str, list[str]]]:
    """Return each violation's code and the events of its way."""
    return [(v.problem.code, [each.type for each in v.trace]) for v in report.violations]
