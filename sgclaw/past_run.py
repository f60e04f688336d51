"""A run as its ledger tells it: replayed to its last snapshot, and how much of its time is left.

The rule: what the same chart, guards and reducers do not reproduce exactly is not gone on with.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from engine.chart.core import Core
from engine.chart.errors import ReplayError
from engine.chart.records import Recorded, recorded_from
from engine.chart.replay import Comparison, Replayed, replay
from engine.chart.step import CoreBindings
from memory.ledger import read_rows
from sgclaw.charts import WIRINGS, load_named, table_of, wiring_of
from sgclaw.context_digest import ContextDigest
from states.secrets import strike_all
from states.settings import Settings

RESUMED = "resumed"


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
        raise ReplayError("replay_row", seq=record.seq, why=str(error)) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def records_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Recorded, ...]:
    """Return the event records among *rows*.

    Raises:
        ReplayError: one is broken.
    """
    return tuple(recorded_from(row) for row in rows)


def past_run(path: Path) -> PastRun:
    """Return the run whose ledger is *path*, as far as it can be reproduced.

    Raises:
        LedgerError: the ledger is damaged.
        ReplayError: a row is broken, or of another chart version.
    """
    records = records_of(read_rows(path))
    named = records[0].chart if records else "task"
    chart = named if named in WIRINGS else "task"  # another chart's rows are refused below
    wired = wiring_of(chart)
    delays = {**wired.delays_of(Settings()), **_recorded_delays(records)}
    bindings = CoreBindings(wired.guards, wired.reducers, delays)
    core = Core(load_named(chart), table_of(chart), bindings)
    by = Comparison(ContextDigest(), lambda document: strike_all(document, by_key=False))
    return PastRun(records, replay(core, wired.context(), records, by), core)


def _recorded_delays(records: Iterable[Recorded]) -> dict[str, float]:
    """Return the delays that the run was set to: they are settings, and stand in its timers."""
    found: dict[str, float] = {}
    for record in records:
        for effect in record.effects:
            match effect:
                case ["timer", str() as event, int() | float() as seconds, _]:
                    found.setdefault(event.rpartition(".")[2], float(seconds))
    return found
