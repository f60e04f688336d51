"""The task chart's probe: its beginnings, its sample payloads, and the facts of its context."""

from collections.abc import Mapping
from typing import Any

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.probe import Facts, Probe
from states.messages import ModelTurn
from states.page import PageState
from states.task import CONTROL_DOMAINS, Context, Record, Request, SentCommand, StepResult

_TEXT_CHARS_MAX = 120
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


_EMPTY = Record()


def sample(event: str, fields: Mapping[str, Scalar]) -> Mapping[str, Any]:
    """Return *fields* with the record that the reducers of *event* read."""
    if event.startswith("error."):
        return {"error": "no_response", "text": "…", **fields}
    record = _RECORDS.get(event)
    if fields.get("outcome") == "confirmation":  # the host did nothing: there is no result
        record = {"digest": "digest"}
    elif event in ("done.invoke.act", "done.invoke.skill"):
        record = {"result": StepResult(success=fields.get("outcome") == "ok"), "page": _PAGE}
    return fields if record is None else {**fields, "record": record}


def describe(context: Any) -> Facts:
    """Return each fact of *context* by its path: a scalar, or how many there are."""
    control = {f"control.{name}": value for name, value in context.control._asdict().items()}
    record = {f"record.{name}": _told(value) for name, value in context.record._asdict().items()}
    return {**control, **record}


def _told(value: object) -> Scalar:
    if isinstance(value, tuple):
        return len(value)
    if isinstance(value, Request):
        return f"{value.action or value.tool} {value.host_digest}".strip()
    if isinstance(value, StepResult):
        return "ok" if value.success else value.error or "failed"
    if isinstance(value, str):
        return value[:_TEXT_CHARS_MAX]
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)[:_TEXT_CHARS_MAX]
