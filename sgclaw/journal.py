"""The engine's journal on the ledger (L8): each processed event is a row before its effects run."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from engine.chart.core import Cancel, Start
from engine.chart.records import document_of
from engine.chart.shell import JournalEntry
from memory.facts import FINAL_STATES
from sgclaw.context_digest import ContextDigest
from states.secrets import strike_all
from states.task import Context

# A row that starts one of these is an intent, one that ends or cancels it an outcome: both synced,
# as is the row that ends the task.
DURABLE_SERVICES = frozenset({"act", "ask"})


_ANSWERS = frozenset(
    {"skill_asked", *(f"{end}.invoke.{of}" for end in ("done", "error")
                      for of in ("act", "ask", "skill"))}
)  # fmt: skip


class Ledger(Protocol):
    """The port of the ledger: rows go in, numbered, and stay."""

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row*; on the disk itself when this returns, if *durable*.

        Raises:
            LedgerError: it could not be written; the caller must not act.
        """


class Watch(Protocol):
    """Who wants to know what the ledger comes to."""

    def is_due(self) -> bool:
        """Tell whether the next row must be on the disk, to be told of."""

    def appended(self, *, durable: bool) -> None:
        """Take note of a row."""


class LedgerJournal:
    """Writes journal entries as ledger rows of one trace."""

    def __init__(
        self,
        ledger: Ledger,
        trace_id: str,
        now: Callable[[], datetime],
        watch: Watch | None = None,
    ) -> None:
        """Write to *ledger* as *trace_id*; *watch* is told of each row."""
        self._ledger = ledger
        self._watch = watch
        self._trace_id = trace_id
        self._now = now
        self._digest = ContextDigest()

    def append(self, entry: JournalEntry) -> None:
        """Write *entry*, without secrets.

        Raises:
            LedgerError: it could not be written; the shell runs no effect.
        """
        touched = {e.id for e in entry.effects if isinstance(e, Start | Cancel)}
        ends = entry.event.type.removeprefix("done.invoke.").removeprefix("error.invoke.")
        row = {
            "at": self._now().isoformat(timespec="milliseconds"),
            "trace_id": self._trace_id,
            "kind": "event",
            **strike_all(document_of(entry), by_key=False),
            "context_sha256": self._digest(entry.context),
            **called(entry),
        }
        durable = bool(DURABLE_SERVICES & {*touched, ends}) or entry.state in FINAL_STATES
        durable = durable or (self._watch is not None and self._watch.is_due())
        self._ledger.append(row, durable=durable)
        if self._watch is not None:
            self._watch.appended(durable=durable)


def called(entry: JournalEntry) -> dict[str, dict[str, str]]:
    """Return what call an answer of *entry* is about, for those who look for it (A4).

    The event of an answer does not name the command, nor a skill's call the skill.
    """
    if entry.event.type not in _ANSWERS or not isinstance(entry.context, Context):
        return {}
    record, control = entry.context.record, entry.context.control
    request = record.request
    in_skill = control.skill == "running" or request.tool == "run_skill"
    skill = record.skill_request.params.get("name", "") if in_skill else ""
    action, domain = request.action or request.tool, request.expected_domain
    return {"call": {"action": action, "domain": domain, "skill": str(skill)}}
