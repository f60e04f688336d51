"""Each row that begins or ends a side effect, or a question about one, is synced (L8)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.chart.shell import JournalEntry
from memory.ledger import JsonLinesLedger, read_rows
from sgclaw.charts import task_chart
from sgclaw.journal import LedgerJournal, Watch
from states.events import Event
from tests.statecharts.test_task import CALL, CONFIRM, OK, SEEN, TEXT, YES, Walk

AT = datetime(2026, 3, 1, tzinfo=UTC)
TRACE = "sgclaw-20260301-0123456789abcdef"


class Journaled:
    """A walk over the task chart whose every step goes to a ledger; `synced` names the events."""

    def __init__(self, path: Path, watch: Watch | None = None) -> None:
        self.path = path
        self.synced: list[str] = []
        self.rows: list[str] = []
        self.ledger = JsonLinesLedger(path, self._sync)
        self._journal = LedgerJournal(self.ledger, TRACE, lambda: AT, watch)
        self.walk = Walk()
        self._write("submit_task", {})

    def _sync(self, _: int) -> None:
        self.synced.append(self.rows[-1])

    def done(self, service: str, payload: dict[str, Any]) -> None:
        self.walk.done(service, payload)
        self._write(f"done.invoke.{service}", payload)

    def send(self, event: str, by: str = "") -> None:
        self.walk.send(event, by=by)
        self._write(event, {})

    def _write(self, event: str, payload: dict[str, Any]) -> None:
        step = self.walk.last
        assert step is not None
        assert step.result == "handled"
        chart = task_chart()
        self.rows.append(event)
        self._journal.append(
            JournalEntry(
                Event(event, payload), "handled", step.snapshot.state, step.path,
                step.verdicts, step.effects, chart.id, chart.sha256, step.snapshot.context,
            )
        )  # fmt: skip


@pytest.fixture
def journaled(tmp_path: Path) -> Any:
    found = Journaled(tmp_path / "t.jsonl")
    yield found
    found.ledger.close()


def test_what_begins_or_ends_a_command_is_synced(journaled: Journaled) -> None:
    journaled.done("plan", CALL)
    journaled.done("act", OK)
    journaled.done("observe", SEEN)
    journaled.done("think", CALL)
    journaled.send("error.invoke.act", by="act")
    assert journaled.synced == [
        "done.invoke.plan", "done.invoke.act", "done.invoke.think", "error.invoke.act"
    ]  # fmt: skip


def test_what_begins_or_ends_a_question_is_synced(journaled: Journaled) -> None:
    journaled.done("plan", CONFIRM)
    journaled.done("ask", YES)
    assert journaled.synced == ["done.invoke.plan", "done.invoke.ask"]
    journaled.send("abort")
    assert journaled.synced[-1] == "abort"  # the command that was under way ended with it


def test_what_touches_nothing_outside_is_written_without_waiting_for_the_disk(
    journaled: Journaled,
) -> None:
    journaled.done("plan", TEXT)
    assert journaled.synced == []
    told = [row["event"]["type"] for row in read_rows(journaled.path)]
    assert told == ["submit_task", "done.invoke.plan"]


def test_the_row_that_ends_the_task_is_synced(journaled: Journaled) -> None:
    journaled.send("abort")
    assert journaled.synced == ["abort"]


class Watching:
    """Wants a row on the disk when *due*; `rows` says of each whether it was."""

    def __init__(self) -> None:
        self.due = False
        self.rows: list[bool] = []

    def is_due(self) -> bool:
        return self.due

    def appended(self, *, durable: bool) -> None:
        self.rows.append(durable)


def test_a_row_that_the_host_is_to_be_told_of_is_synced_first(tmp_path: Path) -> None:
    watch = Watching()
    journaled = Journaled(tmp_path / "t.jsonl", watch)
    watch.due = True
    journaled.done("plan", TEXT)
    assert (journaled.synced, watch.rows) == (["done.invoke.plan"], [False, True])
    journaled.ledger.close()


def test_no_secret_reaches_the_ledger(journaled: Journaled) -> None:
    secret = "ghp_" + "a" * 24
    journaled._write("submit_task", {"record": {"instruction": f"log in with {secret}"}})
    [_, row] = read_rows(journaled.path)
    assert row["event"]["payload"] == {"record": {"instruction": "log in with [redacted]"}}
