"""The erp_write chart's probe: its beginning and its sample payloads."""

from collections.abc import Mapping
from typing import Any

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.probe import Probe
from sgclaw.proof.facts import filled, probe_with
from states.erp_write import CONTROL_DOMAINS, Context, Control, Record

_EMPTY = Record()
_RECORDS: dict[str, Mapping[str, Any]] = {
    "propose_change": {"language": "zh-CN"},
    "abort": {"reason": "…"},
    "done.invoke.prepare": {"preview_id": "card", "summary": "…", "digest": "digest"},
    "save": {"user": "person"},
    "done.invoke.recheck": {"digest": "digest"},
    "done.invoke.enqueue": {"rows": (1,)},
    "done.invoke.settle": {"rows": (1,)},
}


def erp_write_probe(core: Core) -> Probe:
    """Return the probe of the erp_write chart that *core* steps on."""
    return probe_with(core, _context, Control(), sample, CONTROL_DOMAINS)


def _context(control: Control) -> Context:
    return Context(control, _EMPTY)


def sample(event: str, fields: Mapping[str, Scalar]) -> Mapping[str, Any]:
    """Return *fields* with the record that the reducers of *event* read."""
    return filled(event, fields, _RECORDS.get(event))
