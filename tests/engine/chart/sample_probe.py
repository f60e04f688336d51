"""How the small charts of the engine's tests are walked and scripted."""

from functools import partial

from engine.chart.core import Core
from engine.chart.probe import Probe
from engine.chart.scenario.read import Probes
from tests.engine.chart.sample import CHARTS, Loan, sample_core

NAMES = tuple(sorted(path.stem for path in CHARTS.glob("*.yaml")))


def probe_on(core: Core) -> Probe:
    """Return the probe of the sample chart that *core* steps on."""
    return Probe(
        core=core,
        initials=(Loan(), Loan(failures=1)),
        sample=lambda _, fields: dict(fields),
        control=lambda context: context,
        project=lambda context: context,
        describe=lambda context: {f"loan.{name}": v for name, v in context._asdict().items()},
        build=lambda control: control,
    )


def sample_probe(name: str) -> Probe:
    """Return the probe of a chart of the folder `charts`."""
    return probe_on(sample_core(name))


SAMPLES: Probes = {name: partial(sample_probe, name) for name in NAMES}
