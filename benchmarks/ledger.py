"""The journal, its replay and its projections: what a task pays per event, and a reload at once.

The events are those of a task of twenty steps on a page of 2,000 characters, of which a person
approves one and the policy refuses one; the projections are of a conversation of 2,000 such events.
"""

import json
import statistics
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from engine.chart.core import Core
from engine.chart.records import document_of
from engine.chart.shell import JournalEntry
from memory.chain import Owner
from memory.database import open_store
from memory.event_ledger import DatabaseLedger
from sgclaw.charts import bindings_of, task_chart, task_table
from sgclaw.journal import LedgerJournal
from sgclaw.past_run import past_run
from sgclaw.projection import model_context, panel_history
from states.secrets import strike_all
from states.task import Context

ROUNDS = 7
STEPS = 20
CONVERSATION_STEPS = 666
AT = datetime(2026, 11, 29, tzinfo=UTC)
TRACE = "sgclaw-20261129-0123456789abcdef"
PAGE_TEXT = "发票 FP0001 作废 " * 150
_REQUEST = {
    "tool": "browser_action",
    "action": "click",
    "params": {"selector": "#void"},
    "expected_domain": "erp.example.com",
    "call_id": "1",
    "call_digest": "d" * 64,
}
_TURN = {
    "turn": {"text": "next", "tool_calls": [{"id": "1", "name": "browser_action"}]},
    "request": _REQUEST,
}
_CALL = {"reply": "call", "effect": "act", "claims": False, "record": _TURN}
_RESULT = {"result": {"success": True, "page_text": PAGE_TEXT}, "page": {}}
_OK = {"outcome": "ok", "asked": "new", "record": _RESULT}
_SEEN = {"outcome": "ok", "repeats": 0, "same_failures": 0, "steps": "left",
         "record": {"observation": PAGE_TEXT}}  # fmt: skip
_YES = {"decision": "approved", "steps": "left", "record": {"digest": "d", "approved_by": "x"}}
_TEXT = {"reply": "text", "effect": "read", "claims": False, "record": {"turn": {"text": "done"}}}


def measure() -> dict[str, float]:
    """Return µs per journaled event, events replayed per second, and ms of each projection."""
    entries, long = entries_of(STEPS), rows_of(entries_of(CONVERSATION_STEPS))
    rounds = [(*_journaled(entries), *_projected(long)) for _ in range(ROUNDS)]
    journaled, replayed, panel, model = map(statistics.median, zip(*rounds, strict=True))
    return {
        "journaled_event_us": journaled,
        "replay_events_per_s": replayed,
        "panel_2000_events_ms": panel,
        "model_context_2000_events_ms": model,
    }


def rows_of(entries: list[JournalEntry]) -> list[dict[str, Any]]:
    """Return *entries* as ledger rows."""
    return [
        {"v": 1, "seq": seq, "at": AT.isoformat(timespec="milliseconds"), "trace_id": TRACE,
         "kind": "event", **json.loads(json.dumps(strike_all(document_of(entry), by_key=False))),
         "context_sha256": "0" * 64}
        for seq, entry in enumerate(entries, start=1)
    ]  # fmt: skip


def entries_of(steps: int) -> list[JournalEntry]:
    """Return what the journal is given in a task of *steps* steps."""
    core = Core(task_chart(), task_table(), bindings_of("task"))
    events: list[tuple[str, dict[str, Any]]] = [("submit_task", {"step_mode": False})]
    for step in range(steps):
        asked = step == steps // 2
        refused = step == steps // 3
        effect = "confirm" if asked else "deny" if refused else "act"
        call = {**_CALL, "effect": effect}
        events.append(("done.invoke.plan" if step == 0 else "done.invoke.think", call))
        if asked:
            events.append(("done.invoke.ask", _YES))
        if not refused:
            events.append(("done.invoke.act", _OK))
        events.append(("done.invoke.observe", _SEEN))
    events.append(("done.invoke.think", _TEXT))
    snapshot, entries, chart = core.initial(Context()), [], core.chart
    for kind, payload in events:
        event = core.stamped(snapshot, kind, payload)
        step_ = core.feed(snapshot, event)
        snapshot = step_.snapshot
        entries.append(
            JournalEntry(event, step_.result, snapshot.state, step_.path, step_.verdicts,
                         step_.effects, chart.id, chart.sha256, snapshot.context)
        )  # fmt: skip
    assert snapshot.state == "completed"
    return entries


def _journaled(entries: list[JournalEntry]) -> tuple[float, float]:
    """Return µs per event from the engine to the disk, and events replayed per second."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = DatabaseLedger(open_store(Path(folder) / "ledger.db"), Owner("bench"), TRACE)
        journal = LedgerJournal(ledger, TRACE, lambda: AT)
        began = perf_counter()
        for entry in entries:
            journal.append(entry)
        spent = perf_counter() - began
        rows = ledger.rows()
        ledger.close()
    began = perf_counter()
    past = past_run(rows)
    replayed = perf_counter() - began
    assert past.replayed.difference is None
    assert past.replayed.events == len(entries)
    return spent / len(entries) * 1e6, len(entries) / replayed


def _projected(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the ms that panel and model context of *rows* take."""
    began = perf_counter()
    items = panel_history(rows)
    panel = perf_counter() - began
    began = perf_counter()
    request = model_context(rows)
    model = perf_counter() - began
    assert items[-1].status == "completed"
    assert request is not None
    assert request.call_number > CONVERSATION_STEPS
    return 1e3 * panel, 1e3 * model


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.1f}")
