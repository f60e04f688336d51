"""Traces of other days in a ledger, and the signed heads that a host would have kept of them."""

import resource
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from nacl.signing import SigningKey

from memory.database import Store
from memory.event_ledger import DatabaseLedger
from memory.segments import Segment, close_segments, links_of
from states.key_id import key_id_of
from states.ledger_head import Head, SignedHead
from states.settings import AuditLimits
from tests.support.store_lab import OWNER, a_row

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)
KEY = SigningKey(bytes(range(32)))
INSTALL = OWNER.install_id
LIMITS = AuditLimits(segment_events_max=10)


def days_ago(days: float) -> datetime:
    """Return the moment *days* before `NOW`."""
    return NOW - timedelta(days=days)


def stamp(at: datetime) -> str:
    """Return *at* as the ledger writes it."""
    return at.isoformat(timespec="milliseconds")


def trace_of(number: int) -> str:
    """Return a trace id of its own for *number*."""
    return f"sgclaw-20260101-{number:016x}"


def rows_of_task(trace: str, at: datetime, *, ended: bool = True) -> list[dict[str, Any]]:
    """Return the rows of a small task: three of the operation stream, two of the model's."""
    kinds = [
        ("submit_task", "active.planning"), ("done.invoke.plan", "active.executing"),
        ("done.invoke.act", "active.observing"), ("step_observed", "active.evaluate"),
        ("done.invoke.think", "completed" if ended else "active.executing"),
    ]  # fmt: skip
    return [
        a_row(f"{trace} {n}", event, trace_id=trace, at=stamp(at), state=state, path=[state])
        for n, (event, state) in enumerate(kinds)
    ]


def write_task(store: Store, number: int, at: datetime, *, ended: bool = True) -> list[SignedHead]:
    """Append a small task of the time *at*; return the heads that its end leaves, signed."""
    trace = trace_of(number)
    ledger = DatabaseLedger(store, OWNER, trace)
    ledger.append_all(rows_of_task(trace, at, ended=ended), durable=True)
    return [signed(head, at, trace) for head in ledger.heads()]


def signed(head: Head, at: datetime, trace: str, key: SigningKey = KEY) -> SignedHead:
    """Return *head* as the host signs it."""
    unsigned = SignedHead(head, stamp(at), trace, key_id_of(bytes(key.verify_key)), "")
    return unsigned._replace(signature=key.sign(unsigned.signed_bytes()).signature.hex())


def tell_prune(store: Store, *gone: Segment) -> None:
    """Write the row by which a prune tells that *gone* go."""
    segments = [segment._asdict() for segment in gone]
    event = {"type": "pruning", "payload": {"segments": segments, "dropped": []}}
    trace = f"sgclaw-20261130-{secrets.token_hex(8)}"
    row = a_row(trace_id=trace, at=stamp(NOW), kind="pruning", state="", path=[])
    DatabaseLedger(store, OWNER, trace).append(row | {"event": event}, durable=True)


def closed(store: Store, *days: float, limits: AuditLimits = LIMITS) -> list[Segment]:
    """Write one task for each of *days* ago, and close what can be closed."""
    heads = [head for n, day in enumerate(days, 1) for head in write_task(store, n, days_ago(day))]
    return close_segments(store, INSTALL, heads, NOW, limits)


def positions(store: Store, stream: str) -> list[int]:
    """Return the positions of *stream* that stand in the ledger."""
    sql = "SELECT position FROM event WHERE stream = ? ORDER BY position"
    return [int(position) for (position,) in store.all(sql, (stream,))]


def texts(store: Store, segment: Segment) -> list[str]:
    """Return the texts of *segment*'s events."""
    return [link.text for link in links_of(store, INSTALL, segment)]


@contextmanager
def files_of_at_most(count: int) -> Iterator[None]:
    """Have no file written in the block grow over *count* bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
