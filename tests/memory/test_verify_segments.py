"""What retention dropped is bridged where a signed head covers it; nothing else may be missing."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.database import Store
from memory.prune import drop
from memory.segments import Segment, close_segments
from memory.verify import Verification, verify
from states.ledger_head import SignedHead
from states.settings import AuditLimits
from tests.memory.tampering import Attacker, write_ledger
from tests.support.segment_lab import tell_prune
from tests.support.store_lab import OWNER, a_row, ledger_in

NOW = datetime(2026, 12, 24, tzinfo=UTC)
COLUMNS = {
    "number": "7", "first_position": "first_position + 1", "first_prev": f"'{'b' * 64}'",
    "last_position": "last_position + 1", "last_hash": f"'{'b' * 64}'",
    "opened_at": "'2026-01-01'", "closed_at": "'2026-12-31'", "events": "events - 1",
    "bytes": "bytes + 1", "signature": "''",
}  # fmt: skip
_COUNTED = ("opened_at", "closed_at", "bytes")


@pytest.fixture
def heads(store: Store) -> list[SignedHead]:
    return write_ledger(store)


@pytest.fixture
def segments(store: Store, heads: list[SignedHead]) -> list[Segment]:
    limits = AuditLimits(segment_events_max=40, segment_seconds_max=3_600)
    return close_segments(store, OWNER.install_id, heads, NOW, limits)


@pytest.fixture
def dropped(store: Store, segments: list[Segment]) -> list[Segment]:
    first = [s for s in segments if (s.stream, s.number) in (("operation", 1), ("operation", 2))]
    tell_prune(store, *first)
    return [drop(store, OWNER.install_id, segment) for segment in first]


@pytest.fixture
def attacker(place: Path | str, store: Store, heads: list[SignedHead]) -> Iterator[Attacker]:
    del store, heads
    with closing(Attacker(place)) as attacker:
        yield attacker


def check(store: Store, heads: list[SignedHead]) -> Verification:
    return verify(store, heads, install_id=OWNER.install_id)


def code_of(found: Verification) -> str:
    return found.problem.code if found.problem else ""


def ends_of(attacker: Attacker, number: int) -> dict[str, Any]:
    [(last, link)] = attacker.run(
        "SELECT last_position, last_hash FROM segment WHERE stream = 'operation' AND number = ?",
        (number,),
    )
    return {"last_position": last, "last_hash": link}


def test_closed_segments_verify(
    store: Store, heads: list[SignedHead], segments: list[Segment]
) -> None:
    assert {s.stream for s in segments} == {"operation", "model"}
    assert len(segments) > 4
    assert check(store, heads).verified


def test_what_retention_dropped_is_bridged_and_told(
    store: Store, heads: list[SignedHead], dropped: list[Segment]
) -> None:
    found = check(store, heads)
    assert found.problem is None
    gone = sum(s.events for s in dropped)
    assert gone > 40
    assert [(w.dropped, w.events) for w in found.streams] == [(gone, 161 - gone), (0, 80)]
    assert (found.traces_cut, found.unanchored) == (4, 1)


def test_a_whole_stream_may_be_gone(
    store: Store, heads: list[SignedHead], segments: list[Segment]
) -> None:
    gone = [s for s in segments if s.stream == "model"]
    tell_prune(store, *gone)
    for segment in gone:
        drop(store, OWNER.install_id, segment)
    found = check(store, heads)
    assert found.problem is None
    assert found.streams[1].dropped == gone[-1].last_position


def test_dropping_that_was_cut_short_verifies(
    store: Store, heads: list[SignedHead], dropped: list[Segment], attacker: Attacker
) -> None:
    third = dropped[-1].last_position
    attacker.run("UPDATE segment SET state = 'dropping' WHERE stream = 'operation' AND number = 3")
    assert code_of(check(store, heads)) == "verify_drop_untold"
    tell_prune(store, dropped[-1]._replace(number=3, **ends_of(attacker, 3)))
    assert check(store, heads).verified
    attacker.remove("operation", range(third + 1, third + 8))
    found = check(store, heads)
    assert found.problem is None
    assert found.streams[0].dropped == third + 7


def test_dropped_events_that_no_head_covers_do_not_verify(
    store: Store, heads: list[SignedHead], dropped: list[Segment]
) -> None:
    early = [h for h in heads if h.head.position < dropped[-1].last_position]
    assert code_of(check(store, early)) == "verify_dropped_unsigned"
    at_the_end = [h for h in heads if h.head.position == dropped[-1].last_position]
    assert check(store, at_the_end).verified


@pytest.mark.parametrize("number", [2, 3])
def test_a_segment_row_that_was_changed_is_found(
    store: Store, heads: list[SignedHead], dropped: list[Segment], attacker: Attacker, number: int
) -> None:
    assert dropped[-1].number == 2
    attacker.run("CREATE TABLE kept_segments AS SELECT * FROM segment")
    for column, value in COLUMNS.items():
        if number == 2 and column in _COUNTED:
            continue  # what a dropped segment held cannot be counted again
        attacker.run(
            f"UPDATE segment SET {column} = {value}"  # noqa: S608
            f" WHERE stream = 'operation' AND number = {number}"
        )
        found = check(store, heads)
        assert code_of(found) == "verify_segment", column
        assert found.problem is not None
        assert found.problem.stream == "operation"
        attacker.run("DELETE FROM segment")
        attacker.run("INSERT INTO segment SELECT * FROM kept_segments")
        assert check(store, heads).verified


def test_events_dropped_beyond_their_segment_are_missed(
    store: Store, heads: list[SignedHead], dropped: list[Segment], attacker: Attacker
) -> None:
    behind = dropped[-1].last_position + 1
    attacker.remove("operation", [behind])
    found = check(store, heads)
    assert found.problem is not None
    assert (found.problem.code, found.problem.position) == ("verify_gap", behind)


def test_a_segment_row_that_is_gone_bridges_nothing(
    store: Store, heads: list[SignedHead], dropped: list[Segment], attacker: Attacker
) -> None:
    assert dropped
    attacker.run("DELETE FROM segment WHERE stream = 'operation' AND number = 1")
    assert code_of(check(store, heads)) == "verify_segment"
    attacker.run("DELETE FROM segment WHERE stream = 'operation'")
    assert code_of(check(store, heads)) == "verify_gap"


def test_an_event_put_back_into_a_dropped_segment_is_found(
    store: Store, heads: list[SignedHead], dropped: list[Segment], attacker: Attacker
) -> None:
    assert dropped
    row = next(r for r in attacker.first if r["stream"] == "operation")
    attacker.add(row | {"position": 3, "seq": 999})
    found = check(store, heads)
    assert found.problem is not None
    assert (found.problem.code, found.problem.position) == ("verify_twice", 3)


def excise(attacker: Attacker, segment: Segment) -> None:
    """Take *segment* out as retention would, and tell nobody."""
    attacker.run(
        "UPDATE segment SET state = 'dropped' WHERE stream = ? AND number = ?",
        (segment.stream, segment.number),
    )
    attacker.remove(segment.stream, range(segment.first_position, segment.last_position + 1))


def test_a_beginning_that_went_without_a_prune_is_found(
    store: Store, heads: list[SignedHead], segments: list[Segment], attacker: Attacker
) -> None:
    first = next(s for s in segments if s.stream == "operation")
    excise(attacker, first)
    found = check(store, heads)
    assert found.problem is not None
    assert (found.problem.code, found.problem.position) == (
        "verify_drop_untold", first.last_position,
    )  # fmt: skip
    tell_prune(store, first._replace(last_hash="b" * 64), first._replace(stream="model"))
    assert code_of(check(store, heads)) == "verify_drop_untold"
    tell_prune(store, first)
    assert check(store, heads).verified


def test_a_later_prune_tells_of_all_that_is_gone_in_front(
    store: Store, heads: list[SignedHead], segments: list[Segment], attacker: Attacker
) -> None:
    one, two = [s for s in segments if s.stream == "operation"][:2]
    excise(attacker, one)
    excise(attacker, two)
    tell_prune(store, one)
    assert code_of(check(store, heads)) == "verify_drop_untold"
    tell_prune(store, two)
    assert check(store, heads).verified


def test_a_segment_that_went_from_the_middle_is_found(
    store: Store, heads: list[SignedHead], segments: list[Segment], attacker: Attacker
) -> None:
    third = next(s for s in segments if (s.stream, s.number) == ("operation", 3))
    tell_prune(store, third)
    assert check(store, heads).verified
    excise(attacker, third)
    found = check(store, heads)
    assert found.problem is not None
    assert (found.problem.code, found.problem.facts["part"]) == ("verify_segment", "state")


@pytest.mark.parametrize("payload", [None, [], {}, {"segments": 3}, {"segments": [[]]},
                                     {"segments": [{"stream": {}, "number": []}]}])  # fmt: skip
def test_a_prune_row_that_tells_nonsense_tells_nothing(
    store: Store, heads: list[SignedHead], segments: list[Segment], attacker: Attacker,
    payload: Any,
) -> None:  # fmt: skip
    excise(attacker, segments[0])
    trace = "sgclaw-20261130-00000000000000ff"
    event = {"type": "pruning", "payload": payload}
    row = a_row(trace_id=trace, kind="pruning") | {"event": event}
    ledger_in(store, trace).append(row, durable=True)
    assert code_of(check(store, heads)) == "verify_drop_untold"


def test_a_chain_cut_off_within_its_closed_segments_is_found_without_heads(
    store: Store, segments: list[Segment], attacker: Attacker
) -> None:
    last = max(s.last_position for s in segments if s.stream == "model")
    attacker.remove("model", range(last, 81))
    assert code_of(check(store, [])) == "verify_cut_segment"
