"""Rows go only with their whole segment, a cut-off drop is gone on with, and the rest verifies."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from memory.archive import archive_name, archive_segments
from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from memory.prune import (
    check_before_drop,
    drop,
    finish_dropping,
    forget_archive,
    is_cut,
    is_unfinished,
    newest_event,
    traces_holding,
)
from memory.segments import Segment, close_segments, segments_of
from memory.verify import verify
from states.ledger_head import SignedHead
from tests.support.segment_lab import (
    INSTALL,
    LIMITS,
    NOW,
    closed,
    days_ago,
    positions,
    signed,
    stamp,
    tell_prune,
    trace_of,
    write_task,
)
from tests.support.store_lab import OWNER, a_row, outside


def nobody(_: str) -> bool:
    return False


def aged(store: Store, *days: float) -> tuple[list[Segment], list[SignedHead]]:
    """Write a task for each of *days* ago; return the operation's segments, and heads."""
    heads = [head for n, day in enumerate(days, 1) for head in write_task(store, n, days_ago(day))]
    found = close_segments(store, INSTALL, heads, NOW, LIMITS)
    return [segment for segment in found if segment.stream == "operation"], heads


def test_a_dropped_segment_takes_its_rows_and_no_other(store: Store) -> None:
    segments, _ = aged(store, 99, 95, 2)
    dropped = drop(store, INSTALL, segments[0])
    assert dropped == segments[0]._replace(state="dropped")
    assert dropped in segments_of(store, INSTALL)
    assert positions(store, "operation") == list(range(4, 10))
    assert positions(store, "model") == list(range(1, 7))


def test_what_is_left_verifies_at_every_step(store: Store) -> None:
    segments, heads = aged(store, 99, 95, 2)
    tell_prune(store, *segments)
    for segment in segments:
        drop(store, INSTALL, segment)
        verified = verify(store, heads, install_id=INSTALL)
        assert verified.problem is None
    assert positions(store, "operation") == [10]
    heads += write_task(store, 9, NOW)
    assert positions(store, "operation") == [10, 11, 12, 13]
    assert verify(store, heads, install_id=INSTALL).problem is None


def test_a_drop_that_was_cut_off_is_gone_on_with(place: Path | str, store: Store) -> None:
    segments, heads = aged(store, 99, 2)
    tell_prune(store, segments[0])
    outside(
        place, "UPDATE segment SET state = 'dropping' WHERE stream = 'operation' AND number = 1"
    )
    outside(place, "DELETE FROM event WHERE stream = 'operation' AND position = 1")
    assert verify(store, heads, install_id=INSTALL).problem is None
    assert finish_dropping(store, INSTALL) == [segments[0]._replace(state="dropped")]
    assert finish_dropping(store, INSTALL) == []
    assert positions(store, "operation") == [4, 5, 6, 7]
    assert verify(store, heads, install_id=INSTALL).problem is None


def test_what_another_prune_took_meanwhile_is_not_dropped_twice(store: Store) -> None:
    segments, _ = aged(store, 99)
    drop(store, INSTALL, segments[0])
    with pytest.raises(LedgerError) as raised:
        drop(store, INSTALL, segments[0])
    assert raised.value.code == "ledger_segment_moved"


def test_an_archive_that_was_changed_keeps_its_rows(store: Store, tmp_path: Path) -> None:
    closed(store, 99)
    archive_segments(store, INSTALL, tmp_path, tmp_path)
    for segment in segments_of(store, INSTALL):
        check_before_drop(store, INSTALL, segment, tmp_path)
        path = tmp_path / archive_name(segment)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(LedgerError) as raised:
            check_before_drop(store, INSTALL, segment, tmp_path)
        assert raised.value.code == "ledger_archive_unreadable"


def test_rows_that_were_changed_are_evidence_and_stay(place: Path | str, store: Store) -> None:
    segments, _ = aged(store, 99)
    check_before_drop(store, INSTALL, segments[0], Path())
    outside(place, "DROP TRIGGER event_stays" + ("" if store.is_sqlite else " ON event"))
    outside(place, "UPDATE event SET user_name = 'eve' WHERE position = 2")
    with pytest.raises(LedgerError) as raised:
        check_before_drop(store, INSTALL, segments[0], Path())
    assert raised.value.facts["position"] == 2


def test_a_time_that_was_changed_beside_the_text_drops_nothing_early(
    place: Path | str, store: Store
) -> None:
    heads = write_task(store, 1, days_ago(9))
    outside(place, "DROP TRIGGER event_stays" + ("" if store.is_sqlite else " ON event"))
    outside(place, "UPDATE event SET at = ?", (stamp(days_ago(99)),))
    segment = close_segments(store, INSTALL, heads, NOW, LIMITS)[0]
    assert segment.closed_at == stamp(days_ago(99))
    with pytest.raises(LedgerError) as raised:
        check_before_drop(store, INSTALL, segment, Path())
    assert raised.value.code == "ledger_segment_broken"


def test_a_running_and_an_unfinished_trace_hold_their_segment(store: Store) -> None:
    heads = write_task(store, 1, days_ago(99)) + write_task(store, 2, days_ago(99), ended=False)
    segment = close_segments(store, INSTALL, heads, NOW, LIMITS)[0]
    one, two = trace_of(1), trace_of(2)
    assert traces_holding(store, INSTALL, segment, nobody) == ("unfinished", [two])
    assert traces_holding(store, INSTALL, segment, one.__eq__) == ("running", [one])
    write_task(store, 2, days_ago(98))
    assert traces_holding(store, INSTALL, segment, nobody) == ("past", [])


def test_a_trace_whose_end_was_dropped_is_cut_and_holds_nothing(store: Store) -> None:
    closed(store, 99, 2)
    model = next(s for s in segments_of(store, INSTALL) if s.stream == "model")
    operation = next(s for s in segments_of(store, INSTALL) if s.stream == "operation")
    assert not is_cut(store, INSTALL, trace_of(1))
    drop(store, INSTALL, model)
    assert is_cut(store, INSTALL, trace_of(1))
    assert not is_cut(store, INSTALL, trace_of(2))
    assert not is_unfinished(store, INSTALL, trace_of(1))
    assert traces_holding(store, INSTALL, operation, nobody) == ("past", [])


def test_only_a_task_without_end_is_unfinished(store: Store) -> None:
    write_task(store, 1, days_ago(9))
    write_task(store, 2, days_ago(9), ended=False)
    assert [is_unfinished(store, INSTALL, trace_of(n)) for n in (1, 2, 3)] == [False, True, False]


def test_the_newest_event_is_that_of_both_streams(store: Store) -> None:
    assert newest_event(store, INSTALL) == ""
    write_task(store, 1, days_ago(3))
    write_task(store, 2, days_ago(5))
    assert newest_event(store, INSTALL) == stamp(days_ago(3))
    assert newest_event(store, "f" * 32) == ""


def test_an_archive_that_is_gone_is_forgotten(store: Store, tmp_path: Path) -> None:
    closed(store, 99)
    archived = archive_segments(store, INSTALL, tmp_path, tmp_path)
    forget_archive(store, INSTALL, archived[0])
    assert [s.archive for s in segments_of(store, INSTALL)] == ["", archived[1].archive]


def test_rows_go_a_few_at_a_time_so_that_a_task_can_write_in_between(tmp_path: Path) -> None:
    said: list[str] = []
    with closing(open_store(tmp_path / "ledger.db")) as store:
        ledger = DatabaseLedger(store, OWNER, trace_of(1))
        at = stamp(days_ago(99))
        ledger.append_all([a_row(n, at=at) for n in range(700)], durable=True)
        heads = [signed(head, days_ago(99), trace_of(1)) for head in ledger.heads()]
        [segment] = close_segments(store, INSTALL, heads, NOW, LIMITS)
        store.db.connection().set_trace_callback(said.append)
        drop(store, INSTALL, segment)
        assert positions(store, "operation") == []
    blocks = "\n".join(said).split("COMMIT")
    # A statement with a trigger is said once more for it.
    rows = re.compile(r"^DELETE .* BETWEEN (\d+) AND (\d+)$", re.MULTILINE)
    deleted = [{*rows.findall(block)} for block in blocks]
    sizes = [int(last) - int(first) + 1 for [(first, last)] in filter(None, deleted)]
    assert (sum(sizes), max(sizes)) == (700, 200)
