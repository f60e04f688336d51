"""Rows that fit their chain and are wrong all the same; what is told, and is no failure."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.database import Store
from memory.event_ledger import DatabaseLedger
from memory.verify import Verification, verify
from memory.verify_problem import Problem
from states.catalogue import CATALOGUE
from states.settings import AuditLimits
from tests.memory.tampering import Attacker, signed, write_ledger
from tests.support.store_lab import OWNER, TRACE, a_row, ledger_in

NO_ROWS = {
    "no JSON": "nothing", "no object": "[1]", "nothing": "", "a number": "7",
    "too deep": "[" * 5_000, "no number": '{"seq":1}', "not a number": "NaN",
}  # fmt: skip


def check(store: Store, install_id: str = OWNER.install_id) -> Verification:
    return verify(store, [], install_id=install_id)


def problem_of(store: Store) -> Problem:
    problem = check(store).problem
    assert problem is not None
    assert problem.code in CATALOGUE
    return problem


@pytest.fixture
def attacker(place: Path | str, store: Store) -> Iterator[Attacker]:
    write_ledger(store, traces=2, events=6)
    with closing(Attacker(place)) as attacker:
        yield attacker


def a_text(attacker: Attacker, **changed: object) -> str:
    last = attacker.chain("operation")[-1]
    return json.dumps(json.loads(last["text"]) | {"seq": last["seq"] + 1} | changed)


def test_an_event_that_was_appended_with_all_that_belongs_to_it_passes(
    store: Store, attacker: Attacker
) -> None:
    seq = max(r["seq"] for r in attacker.first) + 1
    text = a_text(attacker, seq=seq)
    last = max(attacker.chain("operation"), key=lambda r: r["seq"])
    assert attacker.forge(text, seq=seq, trace_id=last["trace_id"]).first == 9
    assert check(store).verified


@pytest.mark.parametrize("text", NO_ROWS.values(), ids=NO_ROWS)
def test_a_text_that_is_no_row_is_found_though_its_hash_fits(
    store: Store, attacker: Attacker, text: str
) -> None:
    spot = attacker.forge(text)
    problem = problem_of(store)
    assert (problem.code, problem.position) == ("verify_unreadable", spot.first)


@pytest.mark.parametrize("changed", [{"seq": 99}, {"trace_id": "sgclaw-20261130-ffffffffffffffff"}])
def test_a_text_of_another_row_is_found_though_its_hash_fits(
    store: Store, attacker: Attacker, changed: dict[str, object]
) -> None:
    attacker.forge(a_text(attacker, **changed))
    assert problem_of(store).code == "verify_number"


@pytest.mark.parametrize("column", ["at", "kind", "event", "state", "domain", "verdict", "outcome"])
def test_a_column_that_does_not_follow_from_the_text_is_named_with_both(
    store: Store, attacker: Attacker, column: str
) -> None:
    attacker.forge(a_text(attacker), **{column: "something else\n\x1b[2J"})
    problem = problem_of(store)
    assert (problem.code, problem.facts["column"]) == ("verify_column", column)
    assert problem.text("en").isprintable()
    assert "something else" in problem.text("zh-CN")


def test_a_number_that_no_event_has_is_missed(store: Store, attacker: Attacker) -> None:
    last = attacker.chain("operation")[-1]
    seq = last["seq"] + 7
    attacker.forge(a_text(attacker, seq=seq), seq=seq)
    problem = problem_of(store)
    assert (problem.code, problem.trace_id) == ("verify_seq_missing", last["trace_id"])
    assert problem.position == last["position"] + 1


def test_a_number_that_two_events_have_is_found(store: Store, attacker: Attacker) -> None:
    attacker.run("CREATE TABLE other AS SELECT * FROM event")
    attacker.run("DROP TABLE event")
    attacker.run("ALTER TABLE other RENAME TO event")
    last = attacker.chain("operation")[-1]
    attacker.forge(a_text(attacker, seq=last["seq"]), seq=last["seq"])
    problem = problem_of(store)
    assert (problem.code, problem.seq) == ("verify_seq_twice", last["seq"])


def test_events_of_a_chain_that_does_not_exist_are_found(store: Store, attacker: Attacker) -> None:
    attacker.add(attacker.first[0] | {"stream": "hidden", "seq": 77})
    assert (problem_of(store).code, problem_of(store).stream) == ("verify_unknown_stream", "hidden")


def test_a_clock_that_was_set_back_is_told_and_no_failure(store: Store) -> None:
    ledger = ledger_in(store)
    for hour in (8, 9, 7, 10):
        ledger.append(a_row(at=f"2026-11-30T{hour:02}:00:00.000+00:00"), durable=False)
    found = check(store)
    assert found.verified
    assert [(w.clock_back, w.clock_back_at) for w in found.streams] == [(1, 3), (0, 0)]


def test_a_chain_in_sm3_verifies_and_a_head_says_so(store: Store, place: Path | str) -> None:
    ledger = ledger_in(store, algorithm="sm3")
    ledger.append_all([a_row(n) for n in range(3)], durable=False)
    [head] = ledger.heads()
    assert verify(store, [signed(head)], install_id=OWNER.install_id).unanchored == 0
    other = verify(store, [signed(head._replace(algorithm="sha256"))], install_id=OWNER.install_id)
    assert other.problem is not None
    assert other.problem.code == "verify_head"
    with closing(Attacker(place)) as attacker:
        attacker.run("UPDATE event SET algorithm = 'md5' WHERE position = 2")
    assert (problem_of(store).code, problem_of(store).position) == ("verify_hash", 2)


def test_other_installations_in_the_same_database_are_counted_and_left_alone(
    store: Store, attacker: Attacker
) -> None:
    other = DatabaseLedger(store, OWNER._replace(install_id="f" * 16), TRACE, limits=AuditLimits())
    other.append(a_row(), durable=False)
    assert (check(store).events, check(store).others) == (12, 1)
    assert check(store, "f" * 16).events == 1
    attacker.run("UPDATE event SET text = '' WHERE install_id = ?", ("f" * 16,))
    assert check(store).verified
    assert not check(store, "f" * 16).verified


def test_a_ledger_without_an_event_has_nothing_wrong(store: Store) -> None:
    found = check(store)
    assert (found.verified, found.events, found.traces, found.unanchored) == (True, 0, 0, 0)


def test_what_was_appended_meanwhile_does_not_disturb(store: Store, attacker: Attacker) -> None:
    del attacker
    ledger = ledger_in(store)
    ledger.append(a_row(), durable=False)
    assert check(store).verified
    ledger.append(a_row(), durable=False)
    assert check(store).events == 14
