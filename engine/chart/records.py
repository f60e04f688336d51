"""One processed event as a document, and back: the form of the journal's rows (L8).

Everything that decided stands in it, so that the same chart, fed the same events, can be held
against it: result, path, verdicts with their reasons, effects, and the digest of the context.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from engine.chart.errors import ReplayError
from engine.chart.shell import JournalEntry
from engine.chart.step import Cancel, Effect, Start, Timer
from states.events import Event
from states.verdict import Verdict

# The pipe lets 64 levels pass by default; whoever walks over a row must come to its ground.
NESTING_MAX = 200
_NESTED = (dict, list)
_RESULTS = frozenset({"handled", "ignored", "stale", "faulted"})
Kind = TypeVar("Kind")


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
        return _recorded(row)
    except KeyError as error:
        why = f"without {error}"
    except _NoRecordError as error:
        why = str(error)
    raise ReplayError("replay_row", seq=_short(row.get("seq", "?")), why=why)


class _NoRecordError(Exception):
    """A part of a row is not what it must be."""


def _recorded(row: Mapping[str, Any]) -> Recorded:
    if _is_deeper(row, NESTING_MAX):
        raise _NoRecordError(f"it nests deeper than {NESTING_MAX}")
    if row["kind"] != "event":
        raise _NoRecordError("its kind is not event")
    event = _typed(row, "event", dict)
    found = Recorded(
        seq=_typed(row, "seq", int),
        at=_typed(row, "at", str) if "at" in row else "",
        chart=_typed(row, "chart", str),
        chart_sha256=_typed(row, "chart_sha256", str),
        event=Event(_typed(event, "type", str), _typed(event, "payload", dict), _generation(event)),
        result=_typed(row, "result", str),
        state=_typed(row, "state", str),
        path=tuple(_typed(row, "path", list)),
        verdicts=tuple(_typed(row, "verdicts", list)),
        effects=tuple(_typed(row, "effects", list)),
        context_sha256=_typed(row, "context_sha256", str),
    )
    if found.result not in _RESULTS:
        raise _NoRecordError(f"result {found.result[:40]}")
    return found


def _typed(document: Mapping[str, Any], key: str, kind: type[Kind]) -> Kind:
    value = document[key]
    # JSON's true is Python's 1: exactly the kind, so that it is not taken for a number.
    if type(value) is not kind:
        raise _NoRecordError(f"{key} is {type(value).__name__}, not {kind.__name__}")
    return value


def _generation(event: Mapping[str, Any]) -> int | None:
    return None if event["generation"] is None else _typed(event, "generation", int)


def _is_deeper(document: Mapping[str, Any], levels: int) -> bool:
    """Tell whether lists and objects stand in each other more than *levels* deep."""
    level: list[Any] = [document]
    for _ in range(levels):
        inside = (each if isinstance(each, list) else each.values() for each in level)
        level = [value for values in inside for value in values if isinstance(value, _NESTED)]
        if not level:
            return False
    return True


def _short(value: object) -> object:
    return value if type(value) is int else type(value).__name__
