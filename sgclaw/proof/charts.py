"""The probe and the claims of each shipped chart, by its name."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from engine.chart.check import Claims
from engine.chart.compile import Table, compile_table
from engine.chart.core import Core
from engine.chart.declaration import Chart
from engine.chart.probe import Probe
from sgclaw.charts import bindings_of, load_named, table_of
from sgclaw.proof import erp_write, monitors_erp_write, monitors_task, task


class _Proof(NamedTuple):
    probe: Callable[[Core], Probe]
    claims: Claims


_PROOFS = {
    "task": _Proof(task.task_probe, Claims(monitors_task.MONITORS, monitors_task.COMMANDS)),
    "erp_write": _Proof(erp_write.erp_write_probe, Claims(monitors_erp_write.MONITORS)),
}


@cache
def probe_of(chart: str) -> Probe:
    """Return the probe of the shipped chart named *chart*.

    Raises:
        KeyError: there is none.
    """
    return probe_for(load_named(chart), table_of(chart))


def probe_for(chart: Chart, table: Table | None = None) -> Probe:
    """Return the probe of *chart*, a shipped one or a changed copy of it.

    Its id tells whose copy it is; like its names, those of a foreign one are the task's.
    """
    name = chart.id if chart.id in _PROOFS else "task"
    return _PROOFS[name].probe(Core(chart, table or compile_table(chart), bindings_of(name)))


def claims_of(chart: str) -> Claims:
    """Return what is claimed of the chart with the id *chart*.

    Monitors see events and effects. What a row only writes into the record (that `take_approval`
    keeps the digest and who said yes) they cannot see: that is held by the scenarios, which
    compare the record, and by `chart coverage`, where a row without its reducer must be killed.
    """
    return _PROOFS[chart if chart in _PROOFS else "task"].claims
