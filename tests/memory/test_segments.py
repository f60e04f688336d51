"""A segment is closed where a signed head stands, and holds exactly the run in front of it."""

import itertools
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory.chain import GENESIS
from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from memory.segments import (
    Link,
    Segment,
    checked,
    close_segments,
    cut,
    links_of,
    segments_of,
    time_of,
)
from states.ledger_head import Head, SignedHead, head_line
from states.settings import AuditLimits
from tests.support.segment_lab import (
    INSTALL,
    KEY,
    LIMITS,
    NOW,
    closed,
    days_ago,
    signed,
    stamp,
    texts,
    trace_of,
    write_task,
)
from tests.support.store_lab import OWNER, a_row, outside

FULL = AuditLimits(segment_events_max=6, segment_seconds_max=1e9)


def heads_at(*positions: int, day: float = 1) -> list[SignedHead]:
    at = stamp(days_ago(day))
    return [SignedHead(Head(INSTALL, "model", p, "0" * 64, "sha256"), at, "", "", "")
            for p in positions]  # fmt: skip


@pytest.mark.parametrize(
    ("positions", "last", "at"),
    [((3, 6, 9), 0, 6), ((3, 9), 0, 3), ((7, 9), 0, 7), ((5,), 0, None), ((6,), 0, 6),
     ((9, 12), 6, 12), ((9,), 6, None)],
)  # fmt: skip
def test_a_full_run_ends_at_the_last_head_that_fits_else_at_the_first(
    positions: tuple[int, ...], last: int, at: int | None
) -> None:
    found = cut(heads_at(*positions), last, days_ago(2), NOW, FULL)
    assert (found.head.position if found else None) == at


def test_an_old_run_ends_with_its_day() -> None:
    heads = [*heads_at(3, day=9), *heads_at(5, day=8.5), *heads_at(7, day=3)]
    assert cut(heads, 0, days_ago(9), NOW, AuditLimits()) == heads[1]
    assert cut(heads, 0, days_ago(0.5), NOW, AuditLimits()) is None


def test_a_huge_bound_is_no_error() -> None:
    limits = AuditLimits(segment_seconds_max=1e300)
    assert cut(heads_at(3), 0, days_ago(900), NOW, limits) is None


def test_segments_follow_each_other_and_carry_the_head_of_their_end(store: Store) -> None:
    heads = [head for n in range(4) for head in write_task(store, n, days_ago(9 - 2 * n))]
    found = close_segments(store, INSTALL, heads, NOW, LIMITS)
    assert found == sorted(segments_of(store, INSTALL), key=found.index)
    operation = [s for s in found if s.stream == "operation"]
    assert [(s.first_position, s.last_position, s.events) for s in operation] == [
        (3 * n + 1, 3 * n + 3, 3) for n in range(4)
    ]
    assert operation[0].first_prev == GENESIS
    for before, after in itertools.pairwise(operation):
        assert (after.number, after.first_prev) == (before.number + 1, before.last_hash)
    lines = {head_line(head).decode() for head in heads}
    assert all(segment.signature in lines for segment in found)
    assert [s.opened_at for s in operation] == [stamp(days_ago(9 - 2 * n)) for n in range(4)]


def test_what_no_head_covers_stays_open(store: Store) -> None:
    heads = write_task(store, 1, days_ago(9))
    write_task(store, 2, days_ago(8))
    found = close_segments(store, INSTALL, heads, NOW, LIMITS)
    assert {(s.stream, s.last_position) for s in found} == {("operation", 3), ("model", 2)}
    assert close_segments(store, INSTALL, [], NOW, LIMITS) == []


def test_a_young_run_stays_open_until_it_is_old(store: Store) -> None:
    heads = write_task(store, 1, days_ago(0.5))
    assert close_segments(store, INSTALL, heads, NOW, LIMITS) == []
    assert len(close_segments(store, INSTALL, heads, days_ago(-2), LIMITS)) == 2


def test_closing_twice_closes_nothing_more(store: Store) -> None:
    heads = write_task(store, 1, days_ago(9))
    assert len(close_segments(store, INSTALL, heads, NOW, LIMITS)) == 2
    assert close_segments(store, INSTALL, heads, NOW, LIMITS) == []


@pytest.mark.parametrize("changed", [{"hash": "1" * 64}, {"position": 99}])
def test_a_ledger_that_lacks_what_was_signed_closes_nothing(
    store: Store, changed: dict[str, Any]
) -> None:
    heads = write_task(store, 1, days_ago(9))
    wrong = signed(heads[-1].head._replace(**changed), days_ago(9), trace_of(1), KEY)
    with pytest.raises(LedgerError) as raised:
        close_segments(store, INSTALL, [heads[0], wrong], NOW, LIMITS)
    assert raised.value.code == "ledger_head_differs"
    assert segments_of(store, INSTALL) == []


def test_heads_of_another_installation_close_nothing(store: Store) -> None:
    heads = write_task(store, 1, days_ago(9))
    foreign = [h._replace(head=h.head._replace(install_id="f" * 32)) for h in heads]
    assert close_segments(store, INSTALL, foreign, NOW, LIMITS) == []


def passes(links: list[Link], segment: Segment) -> bool:
    try:
        list(checked(links, INSTALL, segment))
    except LedgerError:
        return False
    return True


def test_the_links_of_a_segment_are_held_against_it(store: Store) -> None:
    segment = closed(store, 9, 8)[0]
    links = list(links_of(store, INSTALL, segment))
    assert list(checked(links, INSTALL, segment)) == links
    tampered = {
        "flip": [links[0]._replace(text=links[0].text + " "), *links[1:]],
        "drop": [links[0], links[2]],
        "swap": [links[1], links[0], links[2]],
        "insert": [links[0], *links],
        "cut": links[:-1],
        "algorithm": [links[0]._replace(algorithm="md5000"), *links[1:]],
        "none": [],
    }
    passed = [how for how, wrong in tampered.items() if passes(wrong, segment)]
    assert passed == []


def test_many_events_are_read_in_parts(store: Store) -> None:
    ledger = DatabaseLedger(store, OWNER, trace_of(1))
    ledger.append_all([a_row(n) for n in range(2_100)], durable=False)
    heads = [signed(head, NOW, trace_of(1)) for head in ledger.heads()]
    [segment] = close_segments(store, INSTALL, heads, NOW, LIMITS)
    assert (segment.events, len(texts(store, segment))) == (2_100, 2_100)
    assert len(list(checked(links_of(store, INSTALL, segment), INSTALL, segment))) == 2_100


def test_a_time_that_is_none_is_told(place: Path | str, store: Store) -> None:
    segment = closed(store, 9)[0]
    assert time_of(segment.closed_at) == days_ago(9)
    assert time_of("yesterday") is None
    assert time_of("2026-11-30T08:00:00") == NOW
    assert outside(place, "SELECT count(*) FROM segment") == [(2,)]


def test_closing_keeps_nobody_waiting_who_writes_while_it_reads(tmp_path: Path) -> None:
    said: list[str] = []
    with closing(open_store(tmp_path / "ledger.db")) as store:
        heads = [head for n in range(4) for head in write_task(store, n, days_ago(9 - n))]
        store.db.connection().set_trace_callback(said.append)
        assert len(close_segments(store, INSTALL, heads, NOW, LIMITS)) > 2
    block = said[said.index("BEGIN IMMEDIATE") + 1 : said.index("COMMIT")]
    assert {statement.split()[0] for statement in block} == {"INSERT"}
    assert any(statement.startswith("SELECT count(*)") for statement in said)


@pytest.mark.parametrize("column", ["text", "seq", "trace_id", "algorithm", "tenant", "prev"])
def test_a_column_that_holds_no_text_any_more_breaks_the_segment(
    tmp_path: Path, column: str
) -> None:
    place = tmp_path / "ledger.db"
    with closing(open_store(place)) as store:
        segment = closed(store, 9)[0]
        outside(place, "DROP TRIGGER event_stays")
        change = f"UPDATE event SET {column} = x'ff00'"  # noqa: S608
        outside(place, f"{change} WHERE stream = ? AND position = 2", (segment.stream,))
        with pytest.raises(LedgerError) as raised:
            list(checked(links_of(store, INSTALL, segment), INSTALL, segment))
    assert (raised.value.code, raised.value.facts["position"]) == ("ledger_segment_broken", 2)
