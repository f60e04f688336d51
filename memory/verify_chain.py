"""One chain, walked from its first event to its last (M7).

Dropped segments are bridged: the walk goes on behind one with the hash it ended in. That hash is
bound by the event behind it, and a signed head must stand there or further on.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memory.chain import GENESIS, Owner, Place, link_hash
from memory.facts import Facts, facts_of
from memory.segments import DROPPED, DROPPING, Segment
from memory.verify_problem import Problem
from states.ledger_head import SignedHead

# What `over` takes of each event: these columns, then those of `Facts`, in its order.
COLUMNS = ("position", "trace_id", "seq", "tenant", "user_name", "algorithm", "prev", "hash",
           "text", *Facts._fields)  # fmt: skip
_FACTS_FROM = COLUMNS.index("stream")
_SHOWN_CHARS = 60


class Walked(NamedTuple):
    """How far a chain was walked, and what was found.

    *events* were checked, *heads* signed heads held against them. The chain reaches to *position*
    and the last head that fits stands at *anchored*; *dropped* positions went with their segments.
    *clock_back* counts events with a time before the one in front of them, the first of them at
    *clock_back_at*: told only, since clocks are set.
    """

    stream: str
    problem: Problem | None
    events: int
    heads: int
    position: int
    anchored: int
    dropped: int
    clock_back: int
    clock_back_at: int

    @property
    def unanchored(self) -> int:
        """How many events stand behind the last signed head."""
        return self.position - self.anchored


class Walk:
    """The walk over one chain; it ends at the first event that is wrong."""

    def __init__(
        self,
        install_id: str,
        stream: str,
        segments: Sequence[Segment],
        heads: Sequence[SignedHead],
    ) -> None:
        """Start before the first event; *segments* follow each other, *heads* go up."""
        self._install_id = install_id
        self._stream = stream
        self._segments = list(reversed(segments))
        self._heads = list(reversed(heads))
        self._hash: str | None = GENESIS  # None behind rows that are being dropped
        self._position = self._events = self._held = self._anchored = 0
        self._dropped = self._dropped_to = 0
        self._at = ""
        self._clock_back = self._clock_back_at = 0
        self._characters = 0
        self._oldest = self._newest = ""

    def over(self, rows: Iterable[Any]) -> Walked:
        """Walk over *rows*, each of them the values of `COLUMNS`."""
        problem = self._walk(rows)
        return Walked(
            self._stream, problem, self._events, self._held, self._position, self._anchored,
            self._dropped, self._clock_back, self._clock_back_at,
        )  # fmt: skip

    def _walk(self, rows: Iterable[Any]) -> Problem | None:
        for row in rows:
            problem = (
                self._enter_segment(row[0])
                or self._wrong_place(row)
                or self._wrong_row(row)
                or self._pass(row)
            )
            if problem is not None:
                return problem
        return self._enter_segment(None) or self._end()

    def _wrong_place(self, row: Any) -> Problem | None:
        found, wanted = row[0], self._position + 1
        if found == wanted:
            return None
        if type(found) is int and found < wanted:
            return self._wrong("verify_twice", row, found)
        return self._wrong("verify_gap", row, wanted, found=found)

    def _wrong_row(self, row: Any) -> Problem | None:
        """Return what is wrong with *row* itself, which stands where it should."""
        position, trace_id, seq, tenant, user, algorithm, prev, link, text = row[:_FACTS_FROM]
        place = Place(self._stream, position, trace_id, seq)
        owner = Owner(self._install_id, tenant, user)
        if _link(owner, place, algorithm, (prev, text)) != link:
            return self._wrong("verify_hash", row, position)
        if prev != self._hash and self._hash is not None:
            return self._wrong("verify_prev", row, position)
        try:
            document = json.loads(text)
            facts = facts_of(document)
            is_own = document["trace_id"] == trace_id and document["seq"] == seq
        except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
            return self._wrong("verify_unreadable", row, position)
        if not is_own:
            return self._wrong("verify_number", row, position)
        if row[_FACTS_FROM:] != facts:
            return self._wrong_column(row, facts)
        return None

    def _wrong_column(self, row: Any, facts: Facts) -> Problem:
        said = dict(zip(Facts._fields, row[_FACTS_FROM:], strict=True))
        name = next(name for name, value in facts._asdict().items() if said[name] != value)
        return self._wrong(
            "verify_column", row, row[0], column=name, said=_shown(said[name]),
            derived=_shown(getattr(facts, name)),
        )  # fmt: skip

    def _pass(self, row: Any) -> Problem | None:
        """Take *row*, in which nothing is wrong; return what it makes wrong around it."""
        position, algorithm, link, text, at = row[0], row[5], row[7], row[8], row[_FACTS_FROM + 1]
        self._position = position
        self._hash = link
        self._events += 1
        if at < self._at:
            self._clock_back += 1
            self._clock_back_at = self._clock_back_at or position
        self._at = at
        self._characters += len(text)
        self._oldest = min(self._oldest or at, at)
        self._newest = max(self._newest, at)
        while self._heads and self._heads[-1].head.position == position:
            signed = self._heads.pop()
            if (signed.head.hash, signed.head.algorithm) != (link, algorithm):
                return self._remade(signed, row[1], row[2])
            self._hold(position)
        if self._segments and self._segments[-1].last_position == position:
            return self._leave_segment(self._segments.pop())
        return None

    def _enter_segment(self, found: int | None) -> Problem | None:
        """Go on behind what was dropped in front of position *found*, None at the chain's end."""
        while self._segments and self._segments[-1].first_position == self._position + 1:
            segment = self._segments[-1]
            first, last = segment.first_position, segment.last_position
            self._start_run()
            if segment.state == DROPPED or (
                segment.state == DROPPING and (found is None or found > last)
            ):
                self._segments.pop()
                self._skip_to(last, segment.last_hash)
                problem = self._meet_dropped_heads(last, segment.last_hash)
                if problem is not None:
                    return problem
                continue
            # Rows leave from the front, so the rest of a segment is still a run.
            if segment.state == DROPPING and found is not None and first < found:
                self._skip_to(found - 1, None)
                return self._meet_dropped_heads(found - 1, None)
            return None
        return None

    def _skip_to(self, position: int, link: str | None) -> None:
        self._dropped += position - self._position
        self._position = self._dropped_to = position
        self._hash = link

    def _meet_dropped_heads(self, last: int, link: str | None) -> Problem | None:
        while self._heads and self._heads[-1].head.position <= last:
            signed = self._heads.pop()
            if signed.head.position < last or link is None:
                continue  # what it speaks of is gone
            if signed.head.hash != link:
                return self._remade(signed, "", 0)
            self._hold(last)
        return None

    def _hold(self, position: int) -> None:
        self._held += 1
        self._anchored = position

    def _start_run(self) -> None:
        self._characters = 0
        self._oldest = self._newest = ""

    def _leave_segment(self, segment: Segment) -> Problem | None:
        said = {"hash": segment.last_hash}
        found = {"hash": self._hash}
        if segment.state != DROPPING:
            said |= {"opened_at": segment.opened_at, "closed_at": segment.closed_at,
                     "bytes": str(segment.bytes)}  # fmt: skip
            found |= {"opened_at": self._oldest, "closed_at": self._newest,
                      "bytes": str(self._characters)}  # fmt: skip
        for part, value in said.items():
            if value != found[part]:
                return self._at_end("verify_segment", number=segment.number, part=part)
        return None

    def _end(self) -> Problem | None:
        """Return what is missing behind the last event."""
        if self._heads:
            signed = self._heads[-1]
            facts = {"end": self._position, "seen": signed.head.position, "at": signed.at}
            return Problem("verify_truncated", self._install_id, self._stream, self._position + 1,
                           signed.trace_id, facts=facts)  # fmt: skip
        if self._segments:
            last = self._segments[0]
            return self._at_end("verify_cut_segment", number=last.number, last=last.last_position)
        if self._dropped_to > self._anchored:
            return self._at_end("verify_dropped_unsigned", last=self._dropped_to)
        return None

    def _remade(self, signed: SignedHead, trace_id: str, seq: int) -> Problem:
        facts = {"after": self._anchored, "at": signed.at}
        return Problem("verify_head", self._install_id, self._stream, signed.head.position,
                       trace_id, seq, facts)  # fmt: skip

    def _at_end(self, code: str, **facts: object) -> Problem:
        return Problem(code, self._install_id, self._stream, self._position, facts=facts)

    def _wrong(self, code: str, row: Any, position: int, **facts: object) -> Problem:
        trace_id, seq = _shown(row[1]), row[2] if type(row[2]) is int else 0
        return Problem(code, self._install_id, self._stream, position, trace_id, seq, facts)


def _link(owner: Owner, place: Place, algorithm: str, said: tuple[str, str]) -> str:
    try:
        return link_hash(owner, place, algorithm, *said)
    except (ValueError, TypeError):  # no such algorithm, or no text: the column was changed
        return ""


def _shown(value: object) -> str:
    text = str(value)[:_SHOWN_CHARS]
    return text if text.isprintable() else ascii(text)[1:-1]
