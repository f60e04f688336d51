"""How much room the ledger takes, by stream (A3)."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from memory.database import Store
from memory.segments import Segment
from states.ledger_head import STREAMS

_SUMS = """SELECT count(*), coalesce(sum(length(text)), 0), min(at), max(at) FROM event
    WHERE install_id = ? AND stream = ?"""
_EVENTS = "SELECT count(*) FROM event"
_RELATIONS = "SELECT pg_total_relation_size('event') + pg_total_relation_size('segment')"


class StreamSize(NamedTuple):
    """One stream: *bytes* counts the characters of its events' texts, *segments* by state."""

    stream: str
    events: int
    bytes: int
    oldest: str
    newest: str
    segments: Mapping[str, int]


class StoreSize(NamedTuple):
    """The database: *bytes* of its file or tables, of its write-ahead log, events of everyone."""

    bytes: int
    wal_bytes: int
    events: int

    @property
    def bytes_per_1000_events(self) -> int | None:
        """Bytes on the disk for 1,000 events, None when there is none."""
        return (self.bytes + self.wal_bytes) * 1_000 // self.events if self.events else None


def stream_sizes(store: Store, install_id: str, segments: list[Segment]) -> list[StreamSize]:
    """Return what each stream of the installation holds; *segments* are all of it.

    Raises:
        LedgerError: the store cannot be read.
    """
    found: list[StreamSize] = []
    for stream in STREAMS:
        events, size, oldest, newest = store.all(_SUMS, (install_id, stream))[0]
        states = Counter(segment.state for segment in segments if segment.stream == stream)
        found.append(
            StreamSize(stream, int(events), int(size), oldest or "", newest or "", dict(states))
        )
    return found


def store_size(store: Store) -> StoreSize:
    """Return how large the database is.

    Raises:
        LedgerError: the store cannot be read.
    """
    events = int(store.all(_EVENTS)[0][0])
    if not store.is_sqlite:
        return StoreSize(int(store.all(_RELATIONS)[0][0]), 0, events)
    return StoreSize(_file_size(store.place), _file_size(store.place + "-wal"), events)


def _file_size(path: str) -> int:
    try:
        return Path(path).lstat().st_size
    except OSError:
        return 0
