"""The erp_write chart's probe: its beginning, its sample payloads, and the facts of its context."""

from collections.abc import Mapping
from typing import Any

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.probe import Probe
from sgclaw.proof.task import describe
from states.erp_write import CONTROL_DOMAINS, Context, Record

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
    return Probe(
        core=core,
        initials=(Context(),),
        sample=sample,
        control=lambda context: context.control,
        project=lambda context: Context(context.control, _EMPTY),
        describe=describe,
        build=lambda control: Context(control, _EMPTY),
        domains=CONTROL_DOMAINS,
    )


def sample(event: str, fields: Mapping[str, Scalar]) -> Mapping[str, Any]:
    """Return *fields* with the record that the reducers of *event* read."""
    if event.startswith("error."):
        return {"error": "no_response", "text": "…", **fields}
    record = _RECORDS.get(event)
    return fields if record is None else {**fields, "record": record}
