"""A query finds exactly the events that have its facts, newest first, alike on both stores."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from memory.audit_query import Match, Query, find
from memory.chain import Owner
from memory.database import Store, open_store
from memory.event_ledger import DatabaseLedger

LI, WANG = Owner("a" * 32, "acme", "li.wei"), Owner("b" * 32, "acme", "王芳")
ALLOWED = [{"guard": "policy_allows", "allowed": True}]
DENIED = [{"guard": "policy_allows", "allowed": False}]
COUNT_MAX = 10_000


def trace(number: int) -> str:
    return f"sgclaw-20261130-{number:016x}"


def row(event: str, at: str, payload: Any, **more: Any) -> dict[str, Any]:
    return {
        "at": f"2026-11-30T08:{at}+00:00", "kind": "event", "state": "active.planning", "path": [],
        "event": {"type": event, "payload": payload, "generation": None}, "verdicts": [], **more,
    }  # fmt: skip


def asked(action: str, minute: int, verdicts: Sequence[Any] = ALLOWED, **call: str) -> Any:
    request = {"tool": "browser_action", "action": action, "expected_domain": "erp.example.com"}
    payload = {"record": {"request": request}}
    at = f"{minute:02}:00.000"
    return row("done.invoke.think", at, payload, verdicts=list(verdicts), call=call)


def done(action: str, minute: int, outcome: str = "ok") -> Any:
    call = {"action": action, "domain": "oa.example.com"}
    return row("done.invoke.act", f"{minute:02}:00.500", {"outcome": outcome}, call=call)


def write(store: Store, owner: Owner, number: int, rows: Sequence[Any]) -> None:
    DatabaseLedger(store, owner, trace(number)).append_all(
        [row | {"trace_id": trace(number)} for row in rows], durable=False
    )


@pytest.fixture
def filled(store: Store) -> Store:
    """Give a store with two tasks of two users."""
    write(store, LI, 1, [asked("click", 0), done("click", 1), asked("eval", 2, DENIED)])
    skill = asked("getText", 3, skill="erp-monthly-report")
    write(store, WANG, 2, [skill, done("getText", 4, "failed"), asked("click", 5)])
    return store


def seen(store: Store, query: Query, limit: int = 100, offset: int = 0) -> list[str]:
    found = find(store, query, limit, offset, COUNT_MAX)
    return [f"{match.trace_id[-1]}.{match.seq}" for match in found.matches]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(), "2.3 2.2 2.1 1.3 1.2 1.1"),
        (Query(user_name="王芳"), "2.3 2.2 2.1"),
        (Query(user_name="nobody"), ""),
        (Query(domain="oa.example.com"), "2.2 1.2"),
        (Query(action="click"), "2.3 1.2 1.1"),
        (Query(verdict="denied"), "1.3"),
        (Query(skill="erp-monthly-report"), "2.1"),
        (Query(outcome="failed"), "2.2"),
        (Query(outcome="refused"), "1.3"),
        (Query(trace_id=trace(2)), "2.3 2.2 2.1"),
        (Query(trace_id=trace(2), action="click"), "2.3"),
        (Query(trace_id=trace(3)), ""),
        (Query(action="click", outcome="ok", user_name="li.wei"), "1.2"),
        (Query(action="click", domain="erp.example.com", verdict="allowed"), "2.3 1.1"),
        (Query(verdict="allowed", outcome="ok"), ""),
        (Query(since="2026-11-30T08:03:00.000+00:00"), "2.3 2.2 2.1"),
        (Query(before="2026-11-30T08:01:00.500+00:00"), "1.1"),
        (Query("2026-11-30T08:01:00.000+00:00", "2026-11-30T08:04:00.000+00:00"), "2.1 1.3 1.2"),
        (Query("2026-11-30T08:01:00.000+00:00", "2026-11-30T08:05:00.000+00:00",
               action="click", user_name="li.wei"), "1.2"),
    ],
)  # fmt: skip
def test_a_query_finds_what_has_all_its_facts_newest_first(
    filled: Store, query: Query, expected: str
) -> None:
    assert seen(filled, query) == expected.split()


@pytest.mark.parametrize(
    "value", ["' OR 1=1 --", "li.wei' --", "%", "li_wei", "?", "LI.WEI", "li.wei ", "\\"]
)
def test_a_value_is_a_value_and_no_sql(filled: Store, value: str) -> None:
    assert "li.wei" in {match.user_name for match in find(filled, Query(), 9, 0, 9).matches}
    assert seen(filled, Query(user_name=value)) == []
    assert seen(filled, Query(user_name=value, action="click")) == []
    assert len(seen(filled, Query())) == 6


def test_pages_follow_each_other_without_a_gap(filled: Store) -> None:
    whole = seen(filled, Query())
    pages = [seen(filled, Query(), limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [len(page) for page in pages] == [2, 2, 2, 0]
    assert list(chain(*pages)) == whole


def test_a_match_has_the_owner_and_the_place_of_its_event(filled: Store) -> None:
    [match] = find(filled, Query(outcome="failed"), 9, 0, COUNT_MAX).matches
    assert match == Match(
        "b" * 32, "operation", 1, trace(2), 2, "2026-11-30T08:04:00.500+00:00", "acme", "王芳",
        "done.invoke.act", "active.planning", "getText", "oa.example.com", "", "", "failed",
    )  # fmt: skip


@pytest.mark.parametrize("limit", [100, 2])
def test_totals_are_of_all_matches_whatever_is_shown(filled: Store, limit: int) -> None:
    found = find(filled, Query(), limit, 0, COUNT_MAX)
    assert (found.number, found.is_counted) == (6, True)
    assert found.totals.outcome == {"": 3, "ok": 1, "failed": 1, "refused": 1}
    assert found.totals.verdict == {"": 2, "allowed": 3, "denied": 1}
    assert found.totals.domain == {"erp.example.com": 4, "oa.example.com": 2}


def test_a_count_stops_at_its_bound_and_says_so(filled: Store) -> None:
    found = find(filled, Query(), 2, 0, 4)
    assert (len(found.matches), found.number, found.is_counted) == (2, 4, False)
    assert sum(found.totals.verdict.values()) == 4
    assert find(filled, Query(), 2, 0, 7).is_counted


def test_a_task_is_in_order_even_when_its_clock_was_set_back(store: Store) -> None:
    write(store, LI, 1, [done("click", 9), done("click", 3), done("click", 6)])
    assert seen(store, Query(trace_id=trace(1))) == ["1.3", "1.2", "1.1"]
    assert seen(store, Query()) == ["1.1", "1.3", "1.2"]


def test_an_empty_ledger_has_no_match(store: Store) -> None:
    found = find(store, Query(), 100, 0, 100)
    assert (found.matches, found.number, found.is_counted) == ((), 0, True)


def test_a_changed_column_is_shown_without_what_a_terminal_obeys(store: Store) -> None:
    write(store, Owner("a" * 32, "acme", "li\x7f\x9b2Jwei\u202e"), 1, [done("click", 1)])
    [match] = find(store, Query(), 1, 0, 1).matches
    assert match.user_name == "li\ufffd\ufffd2Jwei\ufffd"


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (Query(), "event_at"),
        (Query(since="2026-11-30T08:00:00.000+00:00"), "event_at"),
        (Query(action="click"), "event_action"),
        (Query(user_name="li.wei", verdict="denied"), "event_verdict"),
        (Query(user_name="li.wei", action="getText", outcome="failed"), "event_action"),
        (Query(trace_id=trace(1), action="click"), "sqlite_autoindex_event_"),
    ],
)  # fmt: skip
def test_each_query_is_led_by_the_index_of_its_rarest_fact(
    tmp_path: Path, query: Query, index: str
) -> None:
    store = open_store(tmp_path / "ledger.db")
    common = [asked("click", n % 60) for n in range(300)]
    write(store, LI, 1, [*common, asked("eval", 2, DENIED), done("getText", 4, "failed")])
    write(store, WANG, 2, [done("click", 1)])
    statements: list[str] = []
    connection = store.db.connection()
    connection.set_trace_callback(statements.append)
    assert find(store, query, 1, 0, 100).matches
    connection.set_trace_callback(None)
    plans = [list(connection.execute(f"EXPLAIN QUERY PLAN {sql}")) for sql in statements]
    store.close()
    steps = [step[3] for plan in plans for step in plan if " event" in step[3]]
    assert not [step for step in steps if "INDEX" not in step]
    assert any(f"USING INDEX {index}" in step for step in steps)
