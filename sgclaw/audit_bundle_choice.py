"""What goes into a bundle: whole runs, and of each chain the stretches that hold their events (A4).

The rule: a stretch begins with a chosen event and goes on, without a gap, to the next signed head;
so whoever has it needs nothing else to prove it. Events of other runs in it are without content.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from memory.database import Store
from memory.reader import has_trace
from sgclaw.errors import UsageError
from sgclaw.trace import is_trace
from states.ledger_head import SignedHead

_IN_PERIOD = "SELECT DISTINCT trace_id FROM event WHERE install_id = ?"
_PLACES = "SELECT stream, position FROM event WHERE install_id = ? AND trace_id = ?"


class Choice(NamedTuple):
    """Which runs: those named, those with an event from *since* to *before* (not included).

    Both moments are ISO 8601 in UTC with milliseconds, "" for no bound; with no name and no bound
    every run is chosen.
    """

    traces: tuple[str, ...] = ()
    since: str = ""
    before: str = ""


class Stretch(NamedTuple):
    """Events *first* to *last* of one stream's chain; *anchored* if a signed head ends it."""

    stream: str
    first: int
    last: int
    anchored: bool


def moment(text: str, *, option: str) -> str:
    """Return *text*, a date or a moment in ISO 8601, as the ledger writes moments.

    A moment without a zone is in UTC, as is a date: its beginning, and its end for `--until`.

    Raises:
        UsageError: it is neither.
    """
    if not text:
        return ""
    try:
        if len(text) == len("2026-11-29"):
            day = date.fromisoformat(text) + timedelta(days=option == "--until")
            at = datetime(day.year, day.month, day.day, tzinfo=UTC)
        else:
            at = datetime.fromisoformat(text)
            at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError("export_time_malformed", option=option, text=text) from error
    return at.isoformat(timespec="milliseconds")


def chosen_traces(store: Store, install: str, choice: Choice) -> tuple[str, ...]:
    """Return the runs of *install* that *choice* means, in the order of their names.

    Raises:
        UsageError: a name is no trace id or names no run, or nothing is chosen.
        LedgerError: the ledger cannot be read.
    """
    for trace in choice.traces:
        if not is_trace(trace):
            raise UsageError("trace_malformed", trace=trace)
        if not has_trace(store, install, trace):
            raise UsageError("trace_unknown", trace=trace, folder=store.place)
    if choice.traces and not choice.since and not choice.before:
        return tuple(sorted(set(choice.traces)))
    sql, params = _IN_PERIOD, [install]
    for sign, bound in ((">=", choice.since), ("<", choice.before)):
        if bound:
            sql += f" AND at {sign} ?"
            params.append(bound)
    found = {str(trace) for (trace,) in store.all(sql, params)}
    if choice.traces:
        found &= set(choice.traces)
    if not found:
        raise UsageError("export_empty")
    return tuple(sorted(found))


def stretches_of(
    store: Store, install: str, traces: Sequence[str], heads: Sequence[SignedHead]
) -> tuple[Stretch, ...]:
    """Return what of each chain is needed for *traces*, in order of stream and position.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    places: Mapping[str, list[int]] = defaultdict(list)
    for trace in traces:
        for stream, position in store.all(_PLACES, (install, trace)):
            places[stream].append(int(position))
    found: list[Stretch] = []
    for stream in sorted(places):
        ends = sorted({h.head.position for h in heads if h.head[:2] == (install, stream)})
        found += _stretches(stream, sorted(places[stream]), ends)
    return tuple(found)


def _stretches(stream: str, positions: Sequence[int], ends: Sequence[int]) -> list[Stretch]:
    found: list[Stretch] = []
    for position in positions:
        if found and position <= found[-1].last:
            continue
        at = bisect_left(ends, position)
        anchored = at < len(ends)
        found.append(Stretch(stream, position, ends[at] if anchored else positions[-1], anchored))
    return found
