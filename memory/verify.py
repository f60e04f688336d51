"""Prove the ledger: each chain again from its first event, held against the signed heads (M7).

The rule: nothing stored is believed. Each hash is computed from the row's own text, each column
derived from it again, and what is missing must lie in a dropped segment that a signed head covers.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memory.database import Store
from memory.errors import LedgerError
from memory.segments import Segment, segments_of
from memory.verify_chain import COLUMNS, Walk, Walked
from memory.verify_problem import Problem
from memory.verify_segments import drop_problem, segments_problem
from memory.verify_traces import check_traces
from states.ledger_head import STREAMS, SignedHead

_ROWS = (
    f"SELECT {', '.join(COLUMNS)} FROM event"  # noqa: S608 - names of our own
    " WHERE install_id = ? AND stream = ? ORDER BY position"
)
# Each may be as long as the ledger takes, some megabytes.
_ROWS_AT_ONCE = 100
_STREAMS = "SELECT DISTINCT stream FROM event WHERE install_id = ?"
_OTHERS = "SELECT count(DISTINCT install_id) FROM event WHERE install_id <> ?"


class Verification(NamedTuple):
    """What a check came to; *problem* is the first thing that is wrong, None when nothing is.

    *streams* tells of each chain as far as it was walked, *traces* counts them, *traces_cut* are
    those whose first rows retention dropped, *others* counts other installations in the store,
    which were not looked at.
    """

    install_id: str
    problem: Problem | None
    streams: tuple[Walked, ...]
    traces: int = 0
    traces_cut: int = 0
    others: int = 0

    @property
    def verified(self) -> bool:
        """Tell whether nothing is wrong."""
        return self.problem is None

    @property
    def events(self) -> int:
        """How many events were checked."""
        return sum(walked.events for walked in self.streams)

    @property
    def heads(self) -> int:
        """How many signed heads were held against an event or the end of a dropped segment."""
        return sum(walked.heads for walked in self.streams)

    @property
    def unanchored(self) -> int:
        """How many events stand behind the last signed head of their stream."""
        return sum(walked.unanchored for walked in self.streams)


def verify(store: Store, heads: Sequence[SignedHead], *, install_id: str) -> Verification:
    """Check every event of *install_id* in *store* against its chain, its text and *heads*.

    *heads* are those of the installation, their signatures already checked (`read_heads`); read
    them before, so that none is newer than what is looked at. Rows pass through, none is kept.

    Raises:
        LedgerError: the store cannot be read.
    """
    try:
        return _verify(store, heads, install_id)
    except LedgerError:
        if not store.is_sqlite:
            raise
    # A text that is no text any more stops SQLite's driver: read again, so that it has a name.
    with _any_text(store):
        return _verify(store, heads, install_id)


def _verify(store: Store, heads: Sequence[SignedHead], install_id: str) -> Verification:
    with _one_moment(store):
        [(others,)] = store.all(_OTHERS, (install_id,))
        segments = segments_of(store, install_id)
        problem = _foreign(heads, install_id) or _unknown_stream(store, install_id)
        streams: list[Walked] = []
        for stream in STREAMS:
            own = [s for s in segments if s.stream == stream]
            misfit = segments_problem(install_id, own)
            # Segments that do not fit bridge nothing.
            walk = Walk(install_id, stream, [] if misfit else own, _of_stream(heads, stream))
            streams.append(walk.over(store.each(_ROWS, (install_id, stream), _ROWS_AT_ONCE)))
            problem = problem or misfit or streams[-1].problem
        problem = problem or drop_problem(store, install_id, segments)
        traces = check_traces(store, install_id, _dropped(segments))
    return Verification(
        install_id, problem or traces.problem, tuple(streams), traces.total, traces.cut, int(others)
    )


def _of_stream(heads: Iterable[SignedHead], stream: str) -> list[SignedHead]:
    return sorted((h for h in heads if h.head.stream == stream), key=lambda h: h.head.position)


def _dropped(segments: Iterable[Segment]) -> frozenset[str]:
    return frozenset(s.stream for s in segments if s.state in ("dropping", "dropped"))


def _foreign(heads: Iterable[SignedHead], install_id: str) -> Problem | None:
    for signed in heads:
        head = signed.head
        if head.install_id != install_id or head.stream not in STREAMS:
            facts = {"theirs": head.install_id, "at": signed.at}
            return Problem("verify_other_install", install_id, head.stream, head.position,
                           signed.trace_id, facts=facts)  # fmt: skip
    return None


def _unknown_stream(store: Store, install_id: str) -> Problem | None:
    for (stream,) in store.all(_STREAMS, (install_id,)):
        if stream not in STREAMS:
            return Problem("verify_unknown_stream", install_id, str(stream))
    return None


@contextlib.contextmanager
def _one_moment(store: Store) -> Iterator[None]:
    """See the store in the block as it is now, whatever others write meanwhile."""
    with store.db.atomic():
        if not store.is_sqlite:
            store.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


@contextlib.contextmanager
def _any_text(store: Store) -> Iterator[None]:
    """Read any bytes as text in the block; what is no UTF-8 comes out as what no hash fits."""
    connection = store.db.connection()
    before = connection.text_factory
    connection.text_factory = _as_text
    try:
        yield
    finally:
        connection.text_factory = before


def _as_text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
