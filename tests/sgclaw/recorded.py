"""Ledgers of real task runs in this process: one that asks and acts, one cut at any row."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from states.wire import ConfirmRequest
from tests.sgclaw.task_stage import Answer, Request, TaskStage, asks, call, done, says
from tests.support.ledger_lab import TraceLedger

REPLIES = (
    {"text": "first look, then void", **call("getText", {"selector": "#sum"}, "a")},
    call("click", {"selector": "#void"}, "b"),
    call("getText", {"selector": "#state"}, "c"),
    {"text": "The invoice is void."},
)


def host() -> Callable[[Request], Answer]:
    """Return a host that wants a person's yes for the click, and gets it."""
    approved: list[str] = []

    def answer(request: Request) -> Answer:
        if isinstance(request, ConfirmRequest):
            approved.append(request.digest)
            return says(request.seq, "approved")
        if getattr(request, "action", "") == "click" and not approved:
            return asks(request.seq)
        return done(request.seq, text="12")

    return answer


async def recorded(data: Path) -> TraceLedger:
    """Run the task to its end and return its ledger."""
    stage = TaskStage(data, REPLIES, host())
    end = await stage.run()
    assert end.state == "completed", end
    return stage.ledger


def rows(source: TraceLedger | Path) -> list[dict[str, Any]]:
    if isinstance(source, TraceLedger):
        return source.rows()
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


def write_rows(place: Path, kept: list[dict[str, Any]]) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
    place.write_text("".join(lines), encoding="utf-8")
    return place
