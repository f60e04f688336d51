"""The task chart's probe: its beginning and its sample payloads."""

from collections.abc import Mapping
from typing import Any

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.probe import Probe
from sgclaw.proof.facts import filled, probe_with
from states.messages import ModelTurn
from states.page import PageState
from states.task import (
    CONTROL_DOMAINS,
    Context,
    Control,
    Record,
    Request,
    SentCommand,
    StepResult,
)

_TURN = ModelTurn(text="…")
_PAGE = PageState()
_REQUEST = Request(action="click", call_digest="call")
_RECORDS: dict[str, Mapping[str, Any]] = {
    "submit_task": {"instruction": "…"},
    "resumed": {
        "note": "…",
        "sent": SentCommand(seq=1, action="click", success=False),
        "page": _PAGE,
    },
    "skill_asked": {"request": _REQUEST.model_copy(update={"source": "skill"})},
    "done.invoke.plan": {"turn": _TURN, "request": _REQUEST},
    "done.invoke.think": {"turn": _TURN, "request": _REQUEST},
    "done.invoke.observe": {"observation": "…"},
    "done.invoke.ask": {"digest": "digest", "approved_by": "person"},
}


def task_probe(core: Core) -> Probe:
    """Return the probe of the task chart that *core* steps on."""
    return probe_with(core, _context, Control(), sample, CONTROL_DOMAINS)


_EMPTY = Record()


def _context(control: Control) -> Context:
    return Context(control, _EMPTY)


def sample(event: str, fields: Mapping[str, Scalar]) -> Mapping[str, Any]:
    """Return *fields* with the record that the reducers of *event* read."""
    record = _RECORDS.get(event)
    if fields.get("outcome") == "confirmation":  # the host did nothing: there is no result
        record = {"digest": "digest"}
    elif event in ("done.invoke.act", "done.invoke.skill"):
        record = {"result": StepResult(success=fields.get("outcome") == "ok"), "page": _PAGE}
    return filled(event, fields, record)
