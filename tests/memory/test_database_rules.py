"""The database itself keeps an event from being changed or removed, whoever asks it to."""

# ruff: noqa: S608 - the statements of somebody who means no good

import sqlite3
from pathlib import Path

import psycopg
import pytest

from memory.chain import Owner
from memory.database import Store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from tests.support.store_lab import (
    OWNER,
    TRACE,
    a_row,
    broken_links,
    ledger_in,
    outside,
    stored,
)

REFUSED = (sqlite3.Error, psycopg.Error)
EVENT_COLUMNS = [
    "install_id",
    "stream",
    "position",
    "trace_id",
    "seq",
    "at",
    "kind",
    "tenant",
    "user_name",
    "event",
    "state",
    "action",
    "domain",
    "verdict",
    "skill",
    "outcome",
    "algorithm",
    "text",
    "prev",
    "hash",
]
AGAIN = ", ".join("'forged'" if name == "text" else name for name in EVENT_COLUMNS)
CHANGES = (
    "UPDATE event SET text = '{}'",
    "UPDATE event SET verdict = 'allowed' WHERE position = 2",
    "UPDATE event SET text = text",
    "UPDATE event SET install_id = 'another'",
    "DELETE FROM event",
    "DELETE FROM event WHERE position = 3",
    "WITH last AS (SELECT max(seq) AS seq FROM event)"
    " DELETE FROM event WHERE seq IN (SELECT seq FROM last)",
    f"INSERT INTO event SELECT {AGAIN} FROM event WHERE position = 2",
    f"INSERT INTO event SELECT {AGAIN} FROM event WHERE position = 2"
    " ON CONFLICT (install_id, stream, position) DO UPDATE SET text = excluded.text",
)
CHANGES_OF_SQLITE = (
    f"REPLACE INTO event SELECT {AGAIN} FROM event WHERE position = 2",
    f"INSERT OR REPLACE INTO event SELECT {AGAIN} FROM event WHERE seq = 3",
    "UPDATE OR REPLACE event SET position = 1 WHERE position = 2",
    "UPDATE OR IGNORE event SET text = ''",
)
CHANGES_OF_POSTGRESQL = (
    "TRUNCATE event",
    "TRUNCATE event, segment CASCADE",
    "MERGE INTO event USING (SELECT 2 AS n) other ON position = n"
    " WHEN MATCHED THEN UPDATE SET text = 'forged'",
    "MERGE INTO event USING (SELECT 2 AS n) other ON position = n WHEN MATCHED THEN DELETE",
)
SEGMENT = "INSERT INTO segment VALUES (?, 'operation', 1, 1, '', 2, '', '', '', 2, 9, ?, '', '')"


def changes(place: Path | str) -> tuple[str, ...]:
    """Return the statements that change what is written, as the database at *place* spells them."""
    return CHANGES + (CHANGES_OF_SQLITE if isinstance(place, Path) else CHANGES_OF_POSTGRESQL)


def filled(place: Path | str, store: Store) -> list[tuple[object, ...]]:
    """Write three events; return all that stands in the table."""
    ledger_in(store).append_all([a_row(n) for n in range(3)], durable=True)
    return rows(place)


def rows(place: Path | str) -> list[tuple[object, ...]]:
    """Return all that stands in the table of events."""
    return outside(place, "SELECT * FROM event ORDER BY position")


def test_no_statement_changes_or_removes_an_event(place: Path | str, store: Store) -> None:
    before = filled(place, store)
    for statement in changes(place):
        try:
            outside(place, statement)
        except REFUSED:
            pass
        else:
            pytest.fail(f"went through: {statement}")
        assert rows(place) == before, statement


def test_through_the_store_too_it_is_refused_as_a_sentence(place: Path | str, store: Store) -> None:
    before = filled(place, store)
    for statement in changes(place):
        with pytest.raises(LedgerError), store.writing(durable=True):
            store.run(statement)
    assert rows(place) == before
    ledger = ledger_in(store)
    ledger.append(a_row("the store works on"), durable=True)
    assert (stored(place), broken_links(place)) == ([1, 2, 3, 4], [])


@pytest.mark.parametrize(
    ("trigger", "statement"),
    [
        ("event_stays", "UPDATE event SET text = '{}'"),
        ("event_is_kept", "DELETE FROM event WHERE position = 3"),
    ],
)
def test_without_its_trigger_a_statement_goes_through(
    place: Path | str, store: Store, trigger: str, statement: str
) -> None:
    """The control: it is the trigger that refuses, not the statement that is wrong."""
    before = filled(place, store)
    outside(place, f"DROP TRIGGER {trigger_at(place, trigger)}")
    outside(place, statement)
    assert rows(place) != before


def test_an_event_may_go_only_with_the_segment_that_is_dropped(
    place: Path | str, store: Store
) -> None:
    filled(place, store)
    outside(place, SEGMENT, (OWNER.install_id, "closed"))
    for state in ("closed", "archived", "dropped"):
        outside(place, "UPDATE segment SET state = ?", (state,))
        with pytest.raises(REFUSED):
            outside(place, "DELETE FROM event WHERE position = 1")
    outside(place, "UPDATE segment SET state = 'dropping'")
    for kept in ("DELETE FROM event WHERE position = 3", "DELETE FROM event"):
        with pytest.raises(REFUSED):
            outside(place, kept)
    assert stored(place) == [1, 2, 3]
    outside(place, "DELETE FROM event WHERE position <= 2")
    assert stored(place) == [3]


def test_a_dropped_segment_opens_no_other_chain(place: Path | str, store: Store) -> None:
    filled(place, store)
    ledger_in(store, "model").append(a_row(1, "done.invoke.plan"), durable=True)
    other = DatabaseLedger(store, Owner("another"), TRACE)
    other.append(a_row(1), durable=True)
    outside(place, SEGMENT, (OWNER.install_id, "dropping"))
    for kept in ("stream = 'model'", "install_id = 'another'"):
        with pytest.raises(REFUSED):
            outside(place, f"DELETE FROM event WHERE {kept}")
    outside(place, "DELETE FROM event WHERE stream = 'operation' AND position = 1"
            " AND install_id = ?", (OWNER.install_id,))  # fmt: skip
    assert len(rows(place)) == 4


def test_a_segment_is_never_removed_nor_put_in_an_unknown_state(
    place: Path | str, store: Store
) -> None:
    filled(place, store)
    outside(place, SEGMENT, (OWNER.install_id, "dropping"))
    for statement in ("DELETE FROM segment", "UPDATE segment SET state = 'gone'",
                      "UPDATE segment SET state = ''"):  # fmt: skip
        with pytest.raises(REFUSED):
            outside(place, statement)
    with pytest.raises(REFUSED):
        outside(place, SEGMENT.replace("1, 1,", "2, 1,"), (OWNER.install_id, "open"))
    assert outside(place, "SELECT number, state FROM segment") == [(1, "dropping")]


def test_a_number_is_given_once(place: Path | str, store: Store) -> None:
    filled(place, store)
    place_of_2 = {"position": "9", "prev": "'x'"}
    values = ", ".join(place_of_2.get(name, name) for name in EVENT_COLUMNS)
    with pytest.raises(REFUSED):
        outside(place, f"INSERT INTO event SELECT {values} FROM event WHERE position = 2")
    values = ", ".join({"position": "9", "seq": "9"}.get(name, name) for name in EVENT_COLUMNS)
    outside(place, f"INSERT INTO event SELECT {values} FROM event WHERE position = 2")
    assert stored(place) == [1, 2, 3, 9]
    assert broken_links(place) == [f"operation 9 ({TRACE} 9)"]


def test_a_ledger_that_lost_the_race_for_a_number_is_refused(
    place: Path | str, store: Store
) -> None:
    first, second = ledger_in(store), ledger_in(store)
    first.append(a_row("first"), durable=True)
    with pytest.raises(LedgerError) as caught:
        second.append(a_row("second"), durable=True)
    assert caught.value.code == "ledger_twice"
    with pytest.raises(LedgerError):
        second.append(a_row("third"), durable=True)
    first.append(a_row("fourth"), durable=True)
    assert (stored(place), broken_links(place)) == ([1, 2], [])


def trigger_at(place: Path | str, trigger: str) -> str:
    """Return *trigger* as a DROP statement names it."""
    # PostgreSQL has one trigger for both rules.
    return trigger if isinstance(place, Path) else "event_stays ON event"
