"""Replay: the journal's events through a fresh core must give the same path, effects, context.

The core is pure, so a difference means that the ledger, a guard, a reducer or the chart is not
what it was. Nothing is started and nothing is written.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engine.chart.core import Core
from engine.chart.errors import ChartError, ReplayError
from engine.chart.records import Recorded, effects_of, verdicts_of
from engine.chart.step import Snapshot, Step

Digest = Callable[[Any], str]
Strike = Callable[[Any], Any]


class Difference(NamedTuple):
    """Where the replay first left the record: row *seq*, the part, and both versions of it."""

    seq: int
    event: str
    part: str
    recorded: object
    replayed: object


class Replayed(NamedTuple):
    """What the replay came to: the last snapshot, how many events, the first difference."""

    snapshot: Snapshot
    events: int
    path: tuple[str, ...]
    difference: Difference | None


class Comparison(NamedTuple):
    """How two versions are made comparable.

    *digest* is of a context; *strike* takes out what a ledger may not hold (secrets), since the
    record went through it.
    """

    digest: Digest
    strike: Strike


def replay(core: Core, context: Any, records: Iterable[Recorded], by: Comparison) -> Replayed:
    """Feed *records* to *core* from *context*; stop at the first difference.

    Raises:
        ReplayError: a record is of another chart, or of another version of this one, or holds
            something that no run has written.
    """
    snapshot = core.initial(context)
    path = [snapshot.state]
    events = 0
    for record in records:
        check_chart(core, record)
        step = _fed(core, snapshot, record)
        try:
            difference = _difference(record, step or Step(snapshot), by, faulted=step is None)
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            why = type(error).__name__
            raise ReplayError("replay_row", seq=record.seq, why=why) from error
        if difference is not None:
            return Replayed(snapshot, events, tuple(path), difference)
        events += 1
        if step is not None:
            snapshot = step.snapshot
            path += step.path
    return Replayed(snapshot, events, tuple(path), None)


def check_chart(core: Core, record: Recorded) -> None:
    """Refuse a record of another chart, or of another version of it: it proves nothing here.

    Raises:
        ReplayError: it is one.
    """
    chart = core.chart
    if (record.chart, record.chart_sha256) != (chart.id, chart.sha256):
        raise ReplayError(
            "replay_other_chart",
            seq=record.seq,
            theirs=f"{record.chart} {record.chart_sha256[:12]}",
            ours=f"{chart.id} {chart.sha256[:12]}",
        )


def _fed(core: Core, snapshot: Snapshot, record: Recorded) -> Step | None:
    """Return the step, None when a guard or reducer failed: then nothing happened."""
    try:
        return core.feed(snapshot, record.event)
    except ChartError:
        return None


def _difference(
    record: Recorded, step: Step, by: Comparison, *, faulted: bool
) -> Difference | None:
    result = "faulted" if faulted else step.result
    parts: tuple[tuple[str, object, object], ...] = (
        ("result", record.result, result),
        ("path", list(record.path), list(step.path)),
        ("state", record.state, step.snapshot.state),
        ("verdicts", list(record.verdicts), by.strike(verdicts_of(step.verdicts))),
        ("effects", list(record.effects), effects_of(step.effects)),
        ("context", record.context_sha256, by.digest(step.snapshot.context)),
    )
    for part, recorded, replayed in parts:
        if recorded != replayed:
            return Difference(record.seq, record.event.type, part, recorded, replayed)
    return None
