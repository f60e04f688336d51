"""The segment rows, held against each other, the heads they carry and the prunes told of (M7)."""

import json
from collections.abc import Iterator, Sequence

from memory.chain import GENESIS
from memory.database import Store
from memory.segments import DROPPED, DROPPING, Segment
from memory.verify_problem import Problem
from states.ledger_head import STREAMS, parse_head

_NUMBERS = ("number", "first_position", "last_position", "events", "bytes")
_GONE = (DROPPING, DROPPED)
_PRUNES = "SELECT text FROM event WHERE install_id = ? AND kind = 'pruning'"


def segments_problem(install_id: str, segments: Sequence[Segment]) -> Problem | None:
    """Return what is wrong with *segments*, all of one stream in the order of their numbers.

    They follow each other from the first position, each carries the head of its end, and none is
    gone behind one that is kept.
    """
    number, last, link = 0, 0, GENESIS
    is_kept = False
    for segment in segments:
        part = _wrong_part(install_id, segment, (number + 1, last + 1, link))
        if not part and is_kept and segment.state in _GONE:
            part = "state"
        is_kept = is_kept or segment.state not in _GONE
        if part:
            end = segment.last_position if type(segment.last_position) is int else 0
            facts = {"number": segment.number, "part": part}
            return Problem("verify_segment", install_id, segment.stream, end, facts=facts)
        number, last, link = segment.number, segment.last_position, segment.last_hash
    return None


def drop_problem(store: Store, install_id: str, segments: Sequence[Segment]) -> Problem | None:
    """Return the segment that is gone though no prune in the chain tells of it.

    Each prune tells what it drops and what was gone by then, so the last of a stream is enough.

    Raises:
        LedgerError: the store cannot be read.
    """
    last = {s.stream: s for s in segments if s.stream in STREAMS and s.state in _GONE}
    if not last:
        return None
    told = {ends for (text,) in store.all(_PRUNES, (install_id,)) for ends in _told(text)}
    for stream, segment in last.items():
        end = segment.last_position
        if (stream, segment.number, end, segment.last_hash) not in told:
            facts = {"number": segment.number, "last": end}
            return Problem("verify_drop_untold", install_id, stream, end, facts=facts)
    return None


def _told(text: str) -> Iterator[tuple[object, ...]]:
    """Yield the ends of the segments that the row *text* of a prune says are gone."""
    try:
        payload = json.loads(text)["event"]["payload"]
        for one in (*payload["segments"], *payload["dropped"]):
            ends = (one["stream"], one["number"], one["last_position"], one["last_hash"])
            hash(ends)  # whatever a forged row puts there is no end of a segment
            yield ends
    except (ValueError, RecursionError, KeyError, TypeError):
        return


def _wrong_part(install_id: str, segment: Segment, wanted: tuple[int, int, str]) -> str:
    """Return the name of the first column that does not fit, "" when all do."""
    for name in _NUMBERS:
        if type(getattr(segment, name)) is not int:
            return name
    number, first, link = wanted
    if segment.number != number:
        return "number"
    if segment.first_position != first:
        return "first_position"
    if segment.first_prev != link:
        return "first_prev"
    if segment.last_position < first:
        return "last_position"
    if segment.events != segment.last_position - first + 1:
        return "events"
    signed = parse_head(str(segment.signature).encode("ascii", "replace"))
    end = (install_id, segment.stream, segment.last_position, segment.last_hash)
    return "" if signed is not None and signed.head[:4] == end else "signature"
