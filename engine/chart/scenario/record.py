"""Turn the events of a past run into a scenario: declared fields only, nothing personal.

What travels with an event decides nothing and may be anybody's: it is left out, and the sample
record stands in for it. So the chart is run again on what is left, and must go the same way.
"""

from collections.abc import Sequence

from engine.chart.declaration import Scalar
from engine.chart.errors import ChartError
from engine.chart.probe import Probe
from engine.chart.records import Recorded
from engine.chart.scenario.model import Scenario, same
from engine.chart.scenario.script import Told, script_of


class RecordError(ChartError):
    """A ledger that cannot be told as a scenario of the chart as it is now."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__((), code, **facts)


def scenario_of(probe: Probe, name: str, records: Sequence[Recorded]) -> Scenario:
    """Return the scenario that goes the way of *records*.

    Raises:
        RecordError: there is nothing to tell, a value is not declared, or the chart as it is now
            goes another way.
    """
    # A faulted event changed nothing; the `fault` that follows it is told.
    rows = [row for row in records if row.result != "faulted"]
    if not rows:
        raise RecordError("record_empty", name=name)
    told = [_told(probe, row) for row in rows]
    furthest = 0
    for context in probe.initials:
        scenario = script_of(probe, name, context, told)
        went = _agreeing(scenario, rows)
        if went == len(rows):
            return scenario
        furthest = max(furthest, went)
    row, chart = rows[furthest], probe.core.chart.id
    raise RecordError("record_differs", seq=row.seq, event=row.event.type, chart=chart)


def _told(probe: Probe, row: Recorded) -> Told:
    event = row.event.type
    domains = probe.core.chart.events.get(event)
    if domains is None and event not in probe.core.senders:
        raise RecordError("record_event", seq=row.seq, event=event, chart=probe.core.chart.id)
    fields: dict[str, Scalar] = {}
    for name, values in (domains or {}).items():
        given = row.event.payload.get(name)
        if name not in row.event.payload or not any(same(given, value) for value in values):
            raise RecordError("record_value", seq=row.seq, event=event, field=name)
        fields[name] = given
    # Whoever sent it was no longer live, whatever generation it carried.
    late = row.result == "stale" and event in probe.core.senders
    return Told(event, fields, late)


def _agreeing(scenario: Scenario, rows: Sequence[Recorded]) -> int:
    """Return how many rows, from the first, went as *scenario* does."""
    for number, (step, row) in enumerate(zip(scenario.steps, rows, strict=True)):
        effects = [_effect_text(each) for each in row.effects]
        asserted = [each.text for each in step.effects or ()]
        if (step.dropped or "handled", step.state, asserted) != (row.result, row.state, effects):
            return number
    return len(rows)


def _effect_text(document: object) -> str:
    """Return an effect as a ledger holds it in the words of a scenario."""
    parts = document if isinstance(document, list | tuple) else ()
    return f"{parts[0]} {parts[1]}" if len(parts) > 1 else ""
