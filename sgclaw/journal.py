"""The engine's journal on the ledger (L8): each processed event is a row before its effects run."""

from collections.abc import Callable
from datetime import datetime

from engine.chart.core import Cancel, Start
from engine.chart.records import document_of
from engine.chart.shell import JournalEntry
from memory.ledger import JsonLinesLedger
from sgclaw.context_digest import ContextDigest
from states.secrets import strike_all

# A row that starts one of these is an intent, one that ends or cancels it an outcome: both synced.
DURABLE_SERVICES = frozenset({"act", "ask"})


class LedgerJournal:
    """Writes journal entries as ledger rows of one trace."""

    def __init__(self, ledger: JsonLinesLedger, trace_id: str, now: Callable[[], datetime]) -> None:
        self._ledger = ledger
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
        }
        self._ledger.append(row, durable=bool(DURABLE_SERVICES & {*touched, ends}))
