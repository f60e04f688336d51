"""Ledger rows of a walk through a chart, in the form that the journal writes."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.declaration import Chart
from engine.chart.load import Names, load_chart
from engine.chart.records import document_of
from engine.chart.shell import JournalEntry
from engine.chart.step import CoreBindings, Step
from states.events import Event
from states.verdict import ALLOWED, refused

TRACE = "sgclaw-20261129-0123456789abcdef"
START = datetime(2026, 11, 29, 8, 30, tzinfo=UTC)
HOSTILE = "<b>&\"'\x07\u202e\ud800 " + "拒绝的理由很长" * 30
LONG_ACTION = (
    "mark_it_again_with_a_name_that_is_as_long_as_the_card_is_wide_and_then_some_more_of_it"
)
DELAY = "long_delay_with_a_long_name"
NASTY_BINDINGS = CoreBindings(
    {
        "says_yes": lambda _context, _event: ALLOWED,
        "says_no": lambda _context, _event: refused("guard_negated", guard=HOSTILE),
    },
    {"mark_it": lambda context, _event: context, LONG_ACTION: lambda context, _event: context},
    {DELAY: 60.0},
)
_NAMES = Names(
    frozenset(NASTY_BINDINGS.guards),
    frozenset(NASTY_BINDINGS.reducers),
    frozenset(),
    frozenset({"watch_something_for_a_long_time"}),
    frozenset({DELAY}),
)
LONG_EVENT = (
    "a_very_long_event_name_that_goes_on_and_on_until_it_does_not_fit_into_any_card_that_a_"
    "reasonable_person_would_draw_on_paper"
)
NASTY_WALK = (
    *("leave", LONG_EVENT, "go", "leave", "go", "go", "leave", "unheard_of"),
    *("dotted.event.name.with.many.parts", "go", "go", "go", "go"),
)


def nasty() -> Chart:
    """Return the chart in which everything is too long or looks like markup."""
    text = (Path(__file__).parent / "nasty.yaml").read_text("utf-8")
    return load_chart(text, source="nasty.yaml", names=_NAMES)


def told(
    core: Core, context: Any, sends: Iterable[tuple[str, Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """Return the ledger rows of *sends*, one a second, each sent by whoever may send it."""
    rows: list[dict[str, Any]] = []
    snapshot = core.initial(context)
    for name, payload in sends:
        event = core.stamped(snapshot, name, payload)
        step = core.feed(snapshot, event)
        snapshot = step.snapshot
        rows.append(row_of(core.chart, len(rows) + 1, event, step))
    return rows


def row_of(chart: Chart, number: int, event: Event, step: Step) -> dict[str, Any]:
    """Return the ledger row of *step*, as it comes back from the file."""
    told_by = (step.result, step.snapshot.state, step.path, step.verdicts, step.effects)
    entry = JournalEntry(event, *told_by, chart.id, chart.sha256, context=step.snapshot.context)
    at = (START + timedelta(seconds=number - 1)).isoformat(timespec="milliseconds")
    head = {"v": 1, "seq": number, "at": at, "trace_id": TRACE, "kind": "event"}
    row: dict[str, Any] = json.loads(json.dumps({**head, **document_of(entry)}))
    return row


def nasty_run() -> list[dict[str, Any]]:
    """Return the rows of a walk through the nasty chart, with refusals and an unknown event."""
    chart = nasty()
    core = Core(chart, compile_table(chart), NASTY_BINDINGS)
    return told(core, None, [(name, {}) for name in NASTY_WALK])
