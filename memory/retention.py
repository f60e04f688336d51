"""Retention: what may go, and what stays, as pure functions of rows, days and a moment (A3).

The rule: only whole closed segments go, oldest first and without a gap; whatever is in doubt
stays. Long-term memory is not a class of this: it is kept.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from memory.segments import ARCHIVED, DROPPED, DROPPING, Segment, time_of
from states.settings import AuditLimits

Profile = Literal["standard", "long"]
Why = Literal[
    "past", "young", "not_archived", "unfinished", "running", "behind_kept", "time_unreadable"
]
# States in which a task or an operation of the ERP is over, as the charts declare them.
ENDS = frozenset(
    {"completed", "failed", "aborted", "succeeded", "cancelled", "expired", "refused", "taken",
     "unknown"}
)  # fmt: skip


# Between the reading of a clock and the look at a file that is being written.
_SLACK = timedelta(seconds=60)


class Days(NamedTuple):
    """How many days each class is kept at least."""

    operation: int
    pipe: int
    model: int


# The seed's own days (7.3), and a profile above the half year that some rules ask for.
PROFILES: Mapping[str, Days] = {"standard": Days(90, 30, 90), "long": Days(185, 185, 185)}


class Fate(NamedTuple):
    """What becomes of one segment: it goes when *why* is `past`, else it stays for that reason."""

    segment: Segment
    why: Why

    @property
    def goes(self) -> bool:
        """Tell whether it is to be dropped."""
        return self.why == "past"

    @property
    def is_due(self) -> bool:
        """Tell whether its days are over, whether or not it goes."""
        return self.why not in ("young", "time_unreadable")


def days_of(limits: AuditLimits, profile: str | None = None) -> Days:
    """Return the days of each class: the profile's, except where *limits* name others."""
    days = PROFILES[profile or limits.retention_profile]
    own = Days(limits.operation_days, limits.pipe_days, limits.model_days)
    return Days(*(mine or theirs for mine, theirs in zip(own, days, strict=True)))


def is_past(at: datetime, days: int, now: datetime) -> bool:
    """Tell whether *at* is more than *days* before *now*."""
    return now - at > timedelta(days=days)


def fates(
    segments: Iterable[Segment],
    days: Days,
    now: datetime,
    held: Mapping[tuple[str, int], Why],
    *,
    archived_only: bool,
) -> list[Fate]:
    """Return what becomes of each of *segments* that is not dropped yet, oldest first.

    *held* names segments, as (stream, number), that a trace holds back, and why. With
    *archived_only* one that was not archived stays. One whose dropping was begun goes in any case.
    """
    found: list[Fate] = []
    stopped: set[str] = set()
    for segment in sorted(segments, key=lambda s: (s.stream, s.number)):
        if segment.state == DROPPED:
            continue
        why = _why(segment, getattr(days, segment.stream), now)
        if why == "past" and segment.state != DROPPING:
            why = held.get((segment.stream, segment.number), why)
            if why == "past" and archived_only and segment.state != ARCHIVED:
                why = "not_archived"
        if why == "past" and segment.stream in stopped:
            why = "behind_kept"
        if why != "past":
            stopped.add(segment.stream)
        found.append(Fate(segment, why))
    return found


def _why(segment: Segment, days: int, now: datetime) -> Why:
    if segment.state == DROPPING:
        return "past"  # it was decided, and is half done
    closed = time_of(segment.closed_at)
    if closed is None:
        return "time_unreadable"
    return "past" if is_past(closed, days, now) else "young"


def clock_doubt(
    now: datetime, newest: datetime | None, days: int
) -> Literal["", "behind", "ahead"]:
    """Return what makes *now* doubtful before something kept for *days* is dropped.

    *newest* is the time of the newest thing that was written. A clock before it was set back. A
    clock so far ahead that even the newest thing is past its days would empty the ledger: either
    nothing was done for so long, or the clock jumped; only a person can tell.
    """
    if newest is None:
        return ""
    if now + _SLACK < newest:
        return "behind"
    return "ahead" if is_past(newest, days, now) else ""
