"""One processed event as a document, and back: the form of the journal's rows (L8).

Everything that decided stands in it, so that the same chart, fed the same events, can be held
against it: result, path, verdicts with their reasons, effects, and the digest of the context.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.chart.errors import ReplayError
from engine.chart.shell import JournalEntry
from engine.chart.step import Cancel, Effect, Start, Timer
from states.events import Event
from states.verdict import Verdict

_RESULTS = frozenset({"handled", "ignored", "stale", "faulted"})


class Recorded(NamedTuple):
    """One row as read back; *seq* is its number in the ledger, *at* its time in ISO 8601."""

    seq: int
    at: str
    chart: str
    chart_sha256: str
    event: Event
    result: str
    state: str
    path: tuple[str, ...]
    verdicts: tuple[Any, ...]
    effects: tuple[Any, ...]
    context_sha256: str


def document_of(entry: JournalEntry) -> dict[str, Any]:
    """Return *entry* as plain data."""
    event = entry.event
    return {
        "chart": entry.chart_id,
        "chart_sha256": entry.chart_sha256,
        "event": {
            "type": event.type,
            "payload": dict(event.payload),
            "generation": event.generation,
        },
        "result": entry.result,
        "state": entry.state,
        "path": list(entry.path),
        "verdicts": verdicts_of(entry.verdicts),
        "effects": effects_of(entry.effects),
    }


def verdicts_of(verdicts: Sequence[tuple[str, Verdict]]) -> list[dict[str, Any]]:
    """Return each guard asked, with its answer and the reason."""
    return [
        {"guard": name, "allowed": v.allowed, "reason": v.reason, "facts": dict(v.facts)}
        for name, v in verdicts
    ]


def effects_of(effects: Sequence[Effect]) -> list[list[object]]:
    """Return each effect as a list that begins with its kind."""
    return [_effect(effect) for effect in effects]


def _effect(effect: Effect) -> list[object]:
    if isinstance(effect, Start):
        return ["start", effect.id, effect.src, effect.generation, effect.owner]
    if isinstance(effect, Timer):
        return ["timer", effect.event, effect.seconds, effect.generation]
    if isinstance(effect, Cancel):
        return ["cancel", effect.id, effect.generation]
    return ["do", effect.action]


def recorded_from(row: Mapping[str, Any]) -> Recorded:
    """Return *row* as read from a ledger.

    Raises:
        ReplayError: it is not the record of an event.
    """
    try:
        event = row["event"]
        if row["kind"] != "event":
            raise ValueError(f"kind {row['kind']!r:.40}")
        found = Recorded(
            seq=int(row["seq"]),
            at=str(row.get("at", "")),
            chart=str(row["chart"]),
            chart_sha256=str(row["chart_sha256"]),
            event=_event(event),
            result=str(row["result"]),
            state=str(row["state"]),
            path=tuple(str(leaf) for leaf in row["path"]),
            verdicts=tuple(row["verdicts"]),
            effects=tuple(row["effects"]),
            context_sha256=str(row["context_sha256"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ReplayError("replay_row", seq=str(row.get("seq", "?"))[:20], why=why) from error
    if found.result not in _RESULTS:
        raise ReplayError("replay_row", seq=found.seq, why=f"result {found.result[:40]}")
    return found


def _event(document: Mapping[str, Any]) -> Event:
    payload, generation = document["payload"], document["generation"]
    if not isinstance(payload, Mapping) or not isinstance(generation, int | None):
        raise TypeError("event")
    return Event(str(document["type"]), payload, generation)
