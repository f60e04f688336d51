"""Segments: closed runs of a chain, the only thing that is ever archived or dropped (M7, A3).

The rule: a segment ends where a signed head stands, so what is left of it when its rows are gone
is a hash that somebody else has signed.
"""

import bisect
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from memory.chain import GENESIS, Owner, Place, link_hash
from memory.database import Store
from memory.errors import LedgerError
from states.ledger_head import STREAMS, Head, SignedHead, head_line
from states.settings import AuditLimits

CLOSED, ARCHIVED, DROPPING, DROPPED = "closed", "archived", "dropping", "dropped"
_ROWS_AT_ONCE = 1_000
_COLUMNS = (
    "stream", "number", "first_position", "first_prev", "last_position", "last_hash",
    "opened_at", "closed_at", "events", "bytes", "state", "archive", "signature",
)  # fmt: skip
_ALL = (
    f"SELECT {', '.join(_COLUMNS)} FROM segment"  # noqa: S608 - names of our own
    " WHERE install_id = ? ORDER BY stream, number"
)
_INSERT = (
    f"INSERT INTO segment (install_id, {', '.join(_COLUMNS)})"  # noqa: S608 - names of our own
    f" VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"
)
_LAST = """SELECT number, last_position, last_hash FROM segment
    WHERE install_id = ? AND stream = ? ORDER BY number DESC LIMIT 1"""
_SUM = """SELECT count(*), coalesce(sum(length(text)), 0), min(at), max(at) FROM event
    WHERE install_id = ? AND stream = ? AND position BETWEEN ? AND ?"""
_AT = "SELECT at FROM event WHERE install_id = ? AND stream = ? AND position = ?"
_HASH = "SELECT hash FROM event WHERE install_id = ? AND stream = ? AND position = ?"
_LINKS = """SELECT position, trace_id, seq, tenant, user_name, algorithm, prev, hash, text
    FROM event WHERE install_id = ? AND stream = ? AND position BETWEEN ? AND ?
    ORDER BY position LIMIT ?"""


class Segment(NamedTuple):
    """One closed run: positions first to last, both in it.

    *opened_at* and *closed_at* are the times of its oldest and newest event, *bytes* counts the
    characters of their texts, *signature* is the line of the signed head at its last position.
    """

    stream: str
    number: int
    first_position: int
    first_prev: str
    last_position: int
    last_hash: str
    opened_at: str
    closed_at: str
    events: int
    bytes: int
    state: str = CLOSED
    archive: str = ""
    signature: str = ""


class Link(NamedTuple):
    """One event as it stands in its chain."""

    owner: Owner
    place: Place
    algorithm: str
    prev: str
    hash: str
    text: str


def time_of(text: str) -> datetime | None:
    """Return the time that *text* says (UTC where it says no zone), None when it says none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def segments_of(store: Store, install_id: str) -> list[Segment]:
    """Return every segment of the installation, by stream and number.

    Raises:
        LedgerError: the store cannot be read.
    """
    return [Segment(*row) for row in store.all(_ALL, (install_id,))]


def links_of(store: Store, install_id: str, segment: Segment) -> Iterator[Link]:
    """Yield the events of *segment* in order, as they are stored: nothing is checked here.

    Raises:
        LedgerError: the store cannot be read.
    """
    at, last = segment.first_position, segment.last_position
    while at <= last:
        rows = store.all(_LINKS, (install_id, segment.stream, at, last, _ROWS_AT_ONCE))
        for position, trace_id, seq, tenant, user, algorithm, prev, link, text in rows:
            place = Place(segment.stream, position, trace_id, seq)
            yield Link(Owner(install_id, tenant, user), place, algorithm, prev, link, text)
            at = int(position) + 1
        if len(rows) < _ROWS_AT_ONCE:
            return


def checked(links: Iterable[Link], install_id: str, segment: Segment) -> Iterator[Link]:
    """Yield *links* while each follows the one before and has the hash that its text comes to.

    Raises:
        LedgerError: one does not, or they do not come to what *segment* says.
    """
    position, prev = segment.first_position - 1, segment.first_prev
    for link in links:
        position += 1
        is_next = (link.owner.install_id, link.place.stream, link.place.position, link.prev) == (
            install_id, segment.stream, position, prev,
        )  # fmt: skip
        if not is_next or position > segment.last_position or _hash(link) != link.hash:
            raise _broken(segment, position)
        prev = link.hash
        yield link
    if (position, prev) != (segment.last_position, segment.last_hash):
        raise _broken(segment, position + 1)


def close_segments(
    store: Store,
    install_id: str,
    anchors: Sequence[SignedHead],
    now: datetime,
    limits: AuditLimits,
) -> list[Segment]:
    """Close what is full or old of each stream's open run, as far as *anchors* reach; return it.

    *anchors* are heads whose signature was found right. A segment holds at most *limits*' events
    and seconds, unless no anchor stands so near.

    Raises:
        LedgerError: the store cannot be written, does not hold what an anchor says, or another
            process closed meanwhile: nothing is closed.
    """
    # All of the open run is read for it: too long to keep those waiting who write.
    found = closable(store, install_id, anchors, now, limits)
    with store.writing(durable=True):
        for segment in found:
            store.run(_INSERT, (install_id, *segment))
    return found


def closable(
    store: Store,
    install_id: str,
    anchors: Sequence[SignedHead],
    now: datetime,
    limits: AuditLimits,
) -> list[Segment]:
    """Return what `close_segments` would close, and close nothing.

    Raises:
        LedgerError: the store cannot be read, or does not hold what an anchor says.
    """
    found: list[Segment] = []
    for stream in STREAMS:
        own = [a for a in anchors if (a.head.install_id, a.head.stream) == (install_id, stream)]
        own.sort(key=lambda anchor: anchor.head.position)
        found += _closing(store, (install_id, stream), own, now, limits)
    return found


def _closing(
    store: Store,
    owned: tuple[str, str],
    anchors: list[SignedHead],
    now: datetime,
    limits: AuditLimits,
) -> Iterator[Segment]:
    rows = store.all(_LAST, owned)
    number, last, prev = rows[0] if rows else (0, 0, GENESIS)
    while True:
        left = anchors[bisect.bisect_right(anchors, last, key=lambda a: a.head.position) :]
        if not left:
            return
        _check_held(store, left[-1].head)
        begun = time_of(store.all(_AT, (*owned, last + 1))[0][0])
        anchor = cut(left, last, begun, now, limits)
        if anchor is None:
            return
        _check_held(store, anchor.head)
        end = anchor.head.position
        events, size, oldest, newest = store.all(_SUM, (*owned, last + 1, end))[0]
        number += 1
        yield Segment(
            owned[1], number, last + 1, prev, end, anchor.head.hash, oldest, newest,
            int(events), int(size), signature=head_line(anchor).decode("ascii"),
        )  # fmt: skip
        last, prev = end, anchor.head.hash


def cut(
    anchors: Sequence[SignedHead],
    last: int,
    begun: datetime | None,
    now: datetime,
    limits: AuditLimits,
) -> SignedHead | None:
    """Return where the run behind position *last* is to be closed, None when it may stay open.

    *anchors* are those behind *last*, in order; *begun* is the time of the run's first event.
    """
    full = last + limits.segment_events_max
    seconds = timedelta(seconds=min(limits.segment_seconds_max, _SECONDS_MAX))
    is_old = begun is not None and now - begun > seconds
    if anchors[-1].head.position < full and not is_old:
        return None
    fitting = anchors[0]
    for anchor in anchors:
        at = time_of(anchor.at)
        if anchor.head.position > full or (begun and at and at - begun > seconds):
            break
        fitting = anchor
    return fitting


_SECONDS_MAX = 3_153_600_000


def _check_held(store: Store, head: Head) -> None:
    """Refuse a ledger that lacks the event of a signed head, or holds another one there."""
    rows = store.all(_HASH, (head.install_id, head.stream, head.position))
    if [(head.hash,)] != [tuple(row) for row in rows]:
        raise LedgerError(
            "ledger_head_differs", path=store.place, stream=head.stream, position=head.position
        )


def _hash(link: Link) -> str:
    try:
        return link_hash(link.owner, link.place, link.algorithm, link.prev, link.text)
    except (ValueError, TypeError):  # no such algorithm, or no text: it was changed
        return ""


def _broken(segment: Segment, position: int) -> LedgerError:
    return LedgerError(
        "ledger_segment_broken", stream=segment.stream, number=segment.number, position=position
    )
