"""A run as its ledger tells it: replayed to its last snapshot, and how much of its time is left.

The rule: what the same chart, guards and reducers do not reproduce exactly is not gone on with.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from engine.chart.core import Core
from engine.chart.errors import ReplayError
from engine.chart.records import Recorded, recorded_from
from engine.chart.replay import Comparison, Replayed, replay
from engine.chart.step import CoreBindings
from memory.event_ledger import FORMAT_VERSION
from sgclaw.charts import WIRINGS, load_named, table_of, wiring_of
from sgclaw.context_digest import ContextDigest
from states.secrets import strike_all
from states.settings import Settings

PREFIX = "active."
RESUMED = "resumed"
TASK = "task"


class PastRun(NamedTuple):
    """The records of one trace and what they come to."""

    records: tuple[Recorded, ...]
    replayed: Replayed
    core: Core

    @property
    def is_over(self) -> bool:
        """Tell whether the task reached a final state."""
        return self.core.is_final(self.replayed.snapshot)

    @property
    def seconds(self) -> float:
        """Return how long the task ran, without the time between a kill and its resumption."""
        sessions: list[list[datetime]] = [[]]
        for record in self.records:
            if record.event.type == RESUMED:
                sessions.append([])
            sessions[-1].append(_time(record))
        return sum(max((s[-1] - s[0]).total_seconds(), 0.0) for s in sessions if s)


def _time(record: Recorded) -> datetime:
    try:
        found = datetime.fromisoformat(record.at)
    except ValueError as error:
        raise ReplayError("replay_row", seq=record.seq, why="at is no time") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def records_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Recorded, ...]:
    """Return the event records among *rows*.

    Raises:
        ReplayError: one is broken.
    """
    return tuple(recorded_from(row) for row in rows)


def past_run(
    rows: Sequence[Mapping[str, Any]], trace: str | None = None, settings: Settings | None = None
) -> PastRun:
    """Return the run that the ledger's *rows* tell, as far as it can be reproduced.

    All rows must be of one trace, of *trace* if given. The seconds of its timers come from
    *settings*, those that the run was started with; without, they are believed as recorded.

    Raises:
        ReplayError: a row is broken, of another trace, or of another chart version.
    """
    records = records_of(rows)
    _check_rows(rows, trace)
    for record in records:
        _time(record)
    named = records[0].chart if records else TASK
    chart = named if named in WIRINGS else TASK  # another chart's rows are refused below
    wired = wiring_of(chart)
    delays = dict(wired.delays_of(settings or Settings()))
    if settings is None:
        delays |= _recorded_delays(records)
    core = Core(
        load_named(chart), table_of(chart), CoreBindings(wired.guards, wired.reducers, delays)
    )
    by = Comparison(ContextDigest(), lambda document: strike_all(document, by_key=False))
    return PastRun(records, replay(core, wired.context(), records, by), core)


def resumable(rows: Sequence[Mapping[str, Any]], trace: str, settings: Settings) -> PastRun:
    """Return the task *trace* in *rows* for a new agent to go on with, as *settings* began it.

    Raises:
        ReplayError: it is of another trace, chart or chart version, or a replay of it comes to
            something else.
    """
    past = past_run(rows, trace, settings)
    if past.core.chart.id != TASK:
        raise ReplayError("replay_other_chart", seq=1, theirs=past.core.chart.id, ours=TASK)
    difference = past.replayed.difference
    if difference is not None:
        raise ReplayError("replay_differs", seq=difference.seq, part=difference.part)
    return past


def _check_rows(rows: Iterable[Mapping[str, Any]], trace: str | None) -> None:
    """Refuse rows of another format, and rows that are not all of one trace.

    Raises:
        ReplayError: there is one.
    """
    for row in rows:
        version, found = row.get("v"), row.get("trace_id")
        if type(version) is not int or version != FORMAT_VERSION:
            raise ReplayError("replay_format", seq=row["seq"], ours=FORMAT_VERSION)
        if not isinstance(found, str):
            raise ReplayError("replay_row", seq=row["seq"], why="without trace_id")
        trace = trace or found
        if found != trace:
            raise ReplayError("replay_other_trace", seq=row["seq"], theirs=found[:60], ours=trace)


def _recorded_delays(records: Iterable[Recorded]) -> dict[str, float]:
    """Return the delays that the run was set to: they are settings, and stand in its timers.

    Raises:
        ReplayError: one is no number of seconds.
    """
    found: dict[str, float] = {}
    for record in records:
        for effect in record.effects:
            match effect:
                case ["timer", str() as event, seconds, _]:
                    found.setdefault(event.rpartition(".")[2], _seconds(record, seconds))
    return found


def _seconds(record: Recorded, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            seconds = float(value)
        except OverflowError:
            seconds = math.inf
        if 0 <= seconds < math.inf:
            return seconds
    raise ReplayError("replay_row", seq=record.seq, why="a timer without seconds")
