"""One errand with one approved write, and each fault at each place it can strike."""

from collections.abc import Iterator

import pytest

from tests.sim.episode import Stage, run_plan, stage
from tests.sim.evidence import Evidence
from tests.sim.invariants import breaches_of
from tests.sim.plan import (
    BROWSER_KINDS,
    PIPE_KINDS,
    STORE_KINDS,
    BrowserFault,
    Jump,
    PipeFault,
    PipeKind,
    Plan,
    StoreFault,
    StoreKind,
)
from tests.sim.plans import ONE_WRITE, WRITE_ONLY

WELL = BrowserFault("none", 0.0, 0.0)


@pytest.fixture(scope="module")
def on() -> Iterator[Stage]:
    with stage() as on:
        yield on


def held(plan: Plan, on: Stage) -> Evidence:
    """Run *plan*, which is no longer calm, and hold it against every invariant."""
    evidence = run_plan(plan._replace(calm=False), on)
    assert [str(each) for each in breaches_of(evidence)] == [], evidence.written["story"]
    assert sum(done.needs_person for done in evidence.done) <= 1
    return evidence


@pytest.mark.parametrize("kind", STORE_KINDS)
def test_the_ledger_fails_at_any_row(kind: StoreKind, on: Stage) -> None:
    rows = run_plan(ONE_WRITE, on).rows
    for nth in range(1, len(rows) + 1):
        evidence = held(ONE_WRITE._replace(store=(StoreFault(nth, kind, 30.0),)), on)
        assert evidence.end is not None
        # Only what must be on the disk is synced.
        syncs = kind == "sync_failed" and any(row.durable for row in rows[nth - 1 :])
        if kind in ("full", "torn") or syncs:
            assert (evidence.end.state, evidence.end.reason) == ("failed", "ledger_unwritable")


def test_a_full_disk_before_the_write_means_no_write(on: Stage) -> None:
    whole = run_plan(ONE_WRITE, on)
    approved = next(
        n for n, row in enumerate(whole.rows, 1) if row.row["event"]["type"] == "done.invoke.ask"
    )
    evidence = held(ONE_WRITE._replace(store=(StoreFault(approved, "full", 0.0),)), on)
    assert [card.ended for card in evidence.cards] == ["approved"]
    assert [done.needs_person for done in evidence.done] == [False]


@pytest.mark.parametrize("kind", PIPE_KINDS)
def test_the_pipe_fails_at_any_message(kind: PipeKind, on: Stage) -> None:
    sent = run_plan(ONE_WRITE, on).sent
    for down_or_up in ("down", "up"):
        for nth in range(sum(each.direction == down_or_up for each in sent)):
            fault = PipeFault("down" if down_or_up == "down" else "up", nth, kind, 12.0)
            held(ONE_WRITE._replace(pipe=(fault,)), on)


@pytest.mark.parametrize("kind", BROWSER_KINDS)
@pytest.mark.parametrize("slow_s", [0.0, 14.0])
def test_the_browser_fails_at_any_command(kind: str, slow_s: float, on: Stage) -> None:
    commands = len(run_plan(ONE_WRITE, on).reached)
    for nth in range(commands):
        fault = BrowserFault(kind, 0.0, slow_s)  # type: ignore[arg-type]
        held(ONE_WRITE._replace(browser=(*[WELL] * nth, fault)), on)


@pytest.mark.parametrize("seconds", [21.0, 240.0])
def test_the_clock_jumps_at_any_turn(seconds: float, on: Stage) -> None:
    writes = set()
    for turn in range(1, run_plan(WRITE_ONLY, on).turns, 2):
        evidence = held(WRITE_ONLY._replace(jumps=(Jump(turn, seconds),)), on)
        writes.add(sum(done.needs_person for done in evidence.done))
    assert writes == {0, 1}
