"""An untouched ledger verifies; every way to change it is found, 100 of 100, and placed."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.database import Store
from memory.verify import Verification, verify
from states.ledger_head import SignedHead
from tests.memory.tampering import BY_HEADS_ALONE, IN_THE_CHAIN, Attacker, Way, write_ledger
from tests.support.store_lab import OWNER

TRIALS = {True: 100, False: 5}  # of the same code: SQLite first, PostgreSQL is slow to restore


@pytest.fixture
def heads(store: Store) -> list[SignedHead]:
    return write_ledger(store)


@pytest.fixture
def attacker(place: Path | str, heads: list[SignedHead]) -> Iterator[Attacker]:
    with closing(Attacker(place)) as attacker:
        yield attacker


def check(store: Store, heads: list[SignedHead]) -> Verification:
    return verify(store, heads, install_id=OWNER.install_id)


def test_an_untouched_ledger_verifies_up_to_its_last_event(
    store: Store, heads: list[SignedHead]
) -> None:
    found = check(store, heads)
    assert found.problem is None
    assert (found.events, found.traces, found.heads) == (240, 4, len(heads))
    assert found.unanchored == 0
    assert [(w.stream, w.events) for w in found.streams] == [("operation", 160), ("model", 80)]


@pytest.mark.parametrize("way", [*IN_THE_CHAIN, *BY_HEADS_ALONE], ids=lambda w: w.__name__)
def test_every_way_to_change_the_ledger_is_found_and_placed(
    store: Store, heads: list[SignedHead], attacker: Attacker, way: Way
) -> None:
    for trial in range(TRIALS[store.is_sqlite]):
        spot = attacker.tamper(way)
        problem = check(store, heads).problem
        assert problem is not None, (trial, spot)
        assert problem.stream == spot.stream, (trial, problem)
        assert spot.first <= problem.position <= spot.last, (trial, spot, problem)
        attacker.restore()
    assert check(store, heads).verified


@pytest.mark.parametrize("way", BY_HEADS_ALONE, ids=lambda w: w.__name__)
def test_it_is_the_heads_that_show_a_chain_cut_off_or_made_anew(
    store: Store, heads: list[SignedHead], attacker: Attacker, way: Way
) -> None:
    for _ in range(TRIALS[store.is_sqlite]):
        attacker.tamper(way)
        found = check(store, [])
        assert found.verified
        assert found.unanchored == found.events
        assert not check(store, heads).verified
        attacker.restore()
