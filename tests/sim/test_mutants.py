"""The simulation finds a product with one fault in it, by the invariant that is meant for it."""

from collections.abc import Iterator

import pytest

from tests.sim import mutants
from tests.sim.__main__ import simulate
from tests.sim.episode import Stage, run_plan, run_seed, stage
from tests.sim.invariants import breaches_of
from tests.sim.plan import PipeFault
from tests.sim.plans import ONE_WRITE
from tests.sim.world import World

SEEDS = range(1, 120)
FOUND_BY: tuple[tuple[type[World], int], ...] = (
    (mutants.ApprovalKept, 1),
    (mutants.ResentAfterKill, 2),
    (mutants.JournalAfterEffect, 3),
    (mutants.BudgetIgnored, 7),
    (mutants.PolicyOpen, 8),
    (mutants.SilenceIsNo, 10),
)


@pytest.fixture(scope="module")
def on() -> Iterator[Stage]:
    with stage() as on:
        yield on


@pytest.mark.parametrize(("world", "number"), FOUND_BY, ids=lambda v: getattr(v, "__name__", ""))
def test_a_mutant_is_found_within_some_episodes(world: type[World], number: int, on: Stage) -> None:
    def finds(seed: int) -> bool:
        return number in {each.invariant.number for each in breaches_of(run_seed(seed, on, world))}

    found = next((seed for seed in SEEDS if finds(seed)), None)
    assert found is not None
    # The control: the product itself, on the very same episode.
    real = breaches_of(run_seed(found, on))
    assert [str(each) for each in real if each.invariant.number == number] == []


def test_a_command_sent_again_after_silence_is_found(on: Stage) -> None:
    lost = ONE_WRITE._replace(calm=False, pipe=(PipeFault("down", 2, "lost", 0.0),))
    again = breaches_of(run_plan(lost, on, mutants.ResentAfterSilence))
    assert "call 1 had 2 effects" in {each.what for each in again}
    assert [str(each) for each in breaches_of(run_plan(lost, on))] == []


def test_a_broken_seed_is_told_with_its_story_and_its_command() -> None:
    report = simulate(first=2, episodes=1, seconds=0, make=mutants.JournalAfterEffect)
    [broken] = report.found
    told = broken.told()
    assert "invariant 3 (intent before effect, outcome after): click (call" in told
    assert "again: python -m tests.sim --seed 2\n" in told
    assert "down    submit_task" in told
    assert report.document()["broken"][0]["command"] == "python -m tests.sim --seed 2"
