"""The product's charts, loaded with the names they may use."""

from functools import cache

from engine.chart.compile import Table, compile_table
from engine.chart.declaration import Chart
from engine.chart.load import Names, load_chart
from sgclaw.wiring import DELAYS, EFFECTS, GUARDS, REDUCERS, SERVICES
from statecharts import chart_text

NAMES = Names(
    guards=frozenset(GUARDS),
    reducers=frozenset(REDUCERS),
    effects=EFFECTS,
    services=SERVICES,
    delays=DELAYS,
)


def load_named(name: str) -> Chart:
    """Return the chart *name* of the product.

    Raises:
        ChartError: it does not pass the lint; every problem is in it.
    """
    return load_chart(chart_text(name), source=f"statecharts/{name}.yaml", names=NAMES)


@cache
def task_chart() -> Chart:
    """Return the chart of a browser task."""
    return load_named("task")


@cache
def task_table() -> Table:
    """Return the compiled chart of a browser task."""
    return compile_table(task_chart())
