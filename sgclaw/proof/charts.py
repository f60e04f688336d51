"""The probe of each shipped chart, by its name."""

from collections.abc import Callable
from functools import cache

from engine.chart.core import Core, CoreBindings
from engine.chart.probe import Probe
from sgclaw.charts import task_chart, task_table
from sgclaw.proof.task import task_probe
from sgclaw.wiring import GUARDS, REDUCERS, delays_of
from states.settings import Settings


def _task() -> Probe:
    bindings = CoreBindings(GUARDS, REDUCERS, delays_of(Settings()))
    return task_probe(Core(task_chart(), task_table(), bindings))


_PROBES: dict[str, Callable[[], Probe]] = {"task": _task}


@cache
def probe_of(chart: str) -> Probe:
    """Return the probe of the shipped chart named *chart*.

    Raises:
        KeyError: there is none.
    """
    return _PROBES[chart]()
