"""The numbers of each trace over all its streams: none missing, none twice (M7).

A number may be missing only where retention dropped the front of a stream: in front of all that
the trace still has there.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from memory.database import Store
from memory.verify_problem import Problem

_COUNT = "SELECT count(DISTINCT trace_id) FROM event WHERE install_id = ?"
_UNEVEN = """SELECT trace_id FROM event WHERE install_id = ? GROUP BY trace_id
    HAVING min(seq) <> 1 OR max(seq) <> count(*) OR count(DISTINCT seq) <> count(*)
    ORDER BY trace_id"""
_ROWS = """SELECT seq, stream, position FROM event WHERE install_id = ? AND trace_id = ?
    ORDER BY seq, stream, position"""


class Traces(NamedTuple):
    """How many traces there are, how many lost their front to retention, and what is wrong."""

    total: int
    cut: int
    problem: Problem | None


def check_traces(store: Store, install_id: str, dropped: Collection[str]) -> Traces:
    """Check the numbers of every trace; *dropped* are the streams that lost segments.

    Raises:
        LedgerError: the store cannot be read.
    """
    [(count,)] = store.all(_COUNT, (install_id,))
    cut = 0
    for (trace_id,) in store.all(_UNEVEN, (install_id,)):
        rows = store.all(_ROWS, (install_id, trace_id))
        problem = _problem(install_id, str(trace_id), rows, dropped)
        if problem is not None:
            return Traces(int(count), cut, problem)
        cut += 1
    return Traces(int(count), cut, None)


def _problem(
    install_id: str, trace_id: str, rows: Sequence[Any], dropped: Collection[str]
) -> Problem | None:
    firsts: dict[str, int] = {}
    for seq, stream, _ in rows:
        firsts.setdefault(stream, seq)
    last = 0
    for seq, stream, position in rows:
        if seq == last:
            return Problem("verify_seq_twice", install_id, stream, position, trace_id, seq)
        # The whole gap has to lie in front of what one of the cut streams still has.
        is_cut = any(firsts.get(name, seq) >= seq for name in dropped)
        if seq != last + 1 and not is_cut:
            return Problem("verify_seq_missing", install_id, stream, position, trace_id, last + 1)
        last = seq
    return None
