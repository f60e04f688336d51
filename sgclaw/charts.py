"""The product's charts, each loaded and stepped with the names it may use."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from engine.chart.compile import Table, compile_table
from engine.chart.declaration import Chart
from engine.chart.load import Names, load_chart
from engine.chart.step import CoreBindings, GuardFunction, Reducer
from engine.chart.yaml12 import parse
from sgclaw import wiring, wiring_erp
from statecharts import ChartMissingError, chart_text
from states import erp_write, task
from states.settings import Settings


class Wiring(NamedTuple):
    """All that one chart is bound to.

    *context* makes the context a run starts with; *control_domains* are the finite values of
    its control, for a checker.
    """

    guards: Mapping[str, GuardFunction]
    reducers: Mapping[str, Reducer]
    effects: frozenset[str]
    services: frozenset[str]
    delays: frozenset[str]
    delays_of: Callable[[Settings], Mapping[str, float]]
    context: Callable[[], Any]
    control_domains: Mapping[str, tuple[object, ...]]

    @property
    def names(self) -> Names:
        """Return the names that the chart may use."""
        return Names(
            guards=frozenset(self.guards),
            reducers=frozenset(self.reducers),
            effects=self.effects,
            services=self.services,
            delays=self.delays,
        )


WIRINGS: Mapping[str, Wiring] = {
    "task": Wiring(
        guards=wiring.GUARDS,
        reducers=wiring.REDUCERS,
        effects=wiring.EFFECTS,
        services=wiring.SERVICES,
        delays=wiring.DELAYS,
        delays_of=wiring.delays_of,
        context=task.Context,
        control_domains=task.CONTROL_DOMAINS,
    ),
    "erp_write": Wiring(
        guards=wiring_erp.ERP_GUARDS,
        reducers=wiring_erp.ERP_REDUCERS,
        effects=wiring_erp.ERP_EFFECTS,
        services=wiring_erp.ERP_SERVICES,
        delays=wiring_erp.ERP_DELAYS,
        delays_of=wiring_erp.erp_delays_of,
        context=erp_write.Context,
        control_domains=erp_write.CONTROL_DOMAINS,
    ),
}

NAMES = WIRINGS["task"].names


def wiring_of(name: str) -> Wiring:
    """Return what the chart *name* is bound to.

    Raises:
        ChartMissingError: no chart of that name is wired.
    """
    if name not in WIRINGS:
        raise ChartMissingError(name)
    return WIRINGS[name]


def names_of(name: str) -> Names:
    """Return the names that the chart *name* may use."""
    return wiring_of(name).names


def bindings_of(name: str, settings: Settings | None = None) -> CoreBindings:
    """Return the guards, reducers and delays of the chart *name*, the delays from *settings*."""
    bound = wiring_of(name)
    return CoreBindings(bound.guards, bound.reducers, bound.delays_of(settings or Settings()))


def names_for(text: str) -> Names:
    """Return the names of the chart whose id stands in *text*; the task's for a foreign id."""
    root, _ = parse(text, "")
    top = root.value if root is not None and isinstance(root.value, dict) else {}
    stated = top["id"][1].value if "id" in top else None
    return WIRINGS[stated].names if isinstance(stated, str) and stated in WIRINGS else NAMES


@cache
def load_named(name: str) -> Chart:
    """Return the chart *name* of the product.

    Raises:
        ChartError: it does not pass the lint; every problem is in it.
    """
    return load_chart(chart_text(name), source=f"statecharts/{name}.yaml", names=names_of(name))


@cache
def table_of(name: str) -> Table:
    """Return the compiled chart *name*."""
    return compile_table(load_named(name))


def task_chart() -> Chart:
    """Return the chart of a browser task."""
    return load_named("task")


def task_table() -> Table:
    """Return the compiled chart of a browser task."""
    return table_of("task")
