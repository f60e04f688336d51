"""The engine's journal on the ledger (L8): each processed event is a row before its effects run."""

from collections.abc import Callable
from datetime import datetime

from engine.chart.core import Cancel, Do, Start, Timer
from engine.chart.shell import JournalEntry
from memory.ledger import JsonLinesLedger
from states.secrets import strike_all

# A row that starts one of these is an intent, one that ends or cancels it an outcome: both synced.
DURABLE_SERVICES = frozenset({"act", "ask"})


class LedgerJournal:
    """Writes journal entries as ledger rows of one trace."""

    def __init__(self, ledger: JsonLinesLedger, trace_id: str, now: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._trace_id = trace_id
        self._now = now

    def append(self, entry: JournalEntry) -> None:
        """Write *entry*.

        Raises:
            LedgerError: it could not be written; the shell runs no effect.
        """
        touched = {e.id for e in entry.effects if isinstance(e, Start | Cancel)}
        ends = entry.event.type.removeprefix("done.invoke.").removeprefix("error.invoke.")
        row = {
            "at": self._now().isoformat(timespec="milliseconds"),
            "trace_id": self._trace_id,
            "kind": "event",
            "chart": entry.chart_id,
            "chart_sha256": entry.chart_sha256,
            "event": {
                "type": entry.event.type,
                "payload": strike_all(dict(entry.event.payload), by_key=False),
                "generation": entry.event.generation,
            },
            "result": entry.result,
            "state": entry.state,
            "path": list(entry.path),
            "verdicts": [
                {"guard": name, "allowed": v.allowed, "reason": v.reason, "facts": dict(v.facts)}
                for name, v in entry.verdicts
            ],
            "effects": [_effect(effect) for effect in entry.effects],
        }
        self._ledger.append(row, durable=bool(DURABLE_SERVICES & {*touched, ends}))


def _effect(effect: Start | Timer | Cancel | Do) -> list[object]:
    if isinstance(effect, Start):
        return ["start", effect.id, effect.src, effect.generation, effect.owner]
    if isinstance(effect, Timer):
        return ["timer", effect.event, effect.seconds, effect.generation]
    if isinstance(effect, Cancel):
        return ["cancel", effect.id, effect.generation]
    return ["do", effect.action]
