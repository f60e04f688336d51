"""What the probes of all charts share: control and record told apart, sample records, facts."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.probe import Facts, Payload, Probe
from states.task import Request, StepResult

_TEXT_CHARS_MAX = 120

Build = Callable[[Any], Any]
Sample = Callable[[str, Mapping[str, Scalar]], Payload]


def probe_with(
    core: Core, build: Build, start: Any, sample: Sample, domains: Mapping[str, tuple[object, ...]]
) -> Probe:
    """Return the probe of a chart whose context is a control and an opaque record.

    *build* makes a context of a control, with an empty record; a task begins with *start*.
    """
    return Probe(
        core=core,
        initials=(build(start),),
        sample=sample,
        control=lambda context: context.control,
        project=lambda context: build(context.control),
        describe=describe,
        build=build,
        domains=domains,
    )


def filled(
    event: str, fields: Mapping[str, Scalar], record: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Return *fields* with the *record* that the reducers of *event* read."""
    if event.startswith("error."):
        return {"error": "no_response", "text": "…", **fields}
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
