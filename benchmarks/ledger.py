"""The journal and its replay: µs per event with and without fsync, and events replayed a second.

The events are those of a task of twenty steps on a page of 2,000 characters, one of them approved.
"""

import os
import statistics
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from engine.chart.core import Core, CoreBindings
from engine.chart.shell import JournalEntry
from memory.ledger import JsonLinesLedger
from sgclaw.charts import bindings_of, task_chart, task_table
from sgclaw.journal import LedgerJournal
from sgclaw.past_run import past_run
from states.task import Context

ROUNDS = 7
STEPS = 20
AT = datetime(2026, 11, 29, tzinfo=UTC)
TRACE = "sgclaw-20261129-0123456789abcdef"
_PAGE_TEXT = "发票 FP0001 作废 " * 150
_TURN = {"turn": {"text": "next", "tool_calls": [{"id": "1", "name": "browser_action"}]}}
_CALL = {"reply": "call", "effect": "act", "claims": False, "record": _TURN}
_RESULT = {"result": {"success": True, "page_text": _PAGE_TEXT}, "page": {}}
_OK = {"outcome": "ok", "asked": "new", "record": _RESULT}
_SEEN = {"outcome": "ok", "repeats": 0, "same_failures": 0, "steps": "left",
         "record": {"observation": _PAGE_TEXT}}  # fmt: skip
_YES = {"decision": "approved", "steps": "left", "record": {"digest": "d", "approved_by": "x"}}
_TEXT = {"reply": "text", "effect": "read", "claims": False, "record": {"turn": {"text": "done"}}}


def measure() -> dict[str, float]:
    """Return µs per journaled event without and with fsync, and events replayed per second."""
    entries = _entries(Core(task_chart(), task_table(), _bindings()))
    rounds = [_round(entries) for _ in range(ROUNDS)]
    plain, synced, replayed = (statistics.median(column) for column in zip(*rounds, strict=True))
    return {
        "journaled_event_us": plain,
        "journaled_event_fsync_us": synced,
        "replay_events_per_s": replayed,
    }


def _bindings() -> CoreBindings:
    return bindings_of("task")


def _entries(core: Core) -> list[JournalEntry]:
    events: list[tuple[str, dict[str, Any]]] = [("submit_task", {"step_mode": False})]
    for step in range(STEPS):
        asked = step == STEPS // 2
        call = {**_CALL, "effect": "confirm"} if asked else _CALL
        events.append(("done.invoke.plan" if step == 0 else "done.invoke.think", call))
        if asked:
            events.append(("done.invoke.ask", _YES))
        events += [("done.invoke.act", _OK), ("done.invoke.observe", _SEEN)]
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


def _round(entries: list[JournalEntry]) -> tuple[float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plain.jsonl"
        plain = _written(path, entries, lambda _: None)
        synced = _written(Path(folder) / "synced.jsonl", entries, os.fsync)
        began = perf_counter()
        past = past_run(path)
        spent = perf_counter() - began
        assert past.replayed.difference is None
        assert past.replayed.events == len(entries)
    return plain, synced, len(entries) / spent


def _written(path: Path, entries: list[JournalEntry], sync: Callable[[int], None]) -> float:
    ledger = JsonLinesLedger(path, sync)
    journal = LedgerJournal(ledger, TRACE, lambda: AT)
    began = perf_counter()
    for entry in entries:
        journal.append(entry)
    spent = perf_counter() - began
    ledger.close()
    return spent / len(entries) * 1e6


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.1f}")
