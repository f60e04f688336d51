"""The product in virtual time: seeded faults, a stop at every turn, the same story every time."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sim.__main__ import simulate
from tests.sim.episode import Stage, run_plan, run_seed, stage
from tests.sim.invariants import breaches_of
from tests.sim.plan import (
    BROWSER_KINDS,
    PIPE_KINDS,
    STOP_KINDS,
    STORE_KINDS,
    Answer,
    Stop,
    StopKind,
    plan_of,
)
from tests.sim.plans import TWO_WRITES, WRITE_ONLY, click, errand, says

ROOT = Path(__file__).parent.parent.parent
SECONDS = 7.0


@pytest.fixture(scope="module")
def on() -> Iterator[Stage]:
    with stage() as on:
        yield on


def test_no_episode_breaks_an_invariant() -> None:
    report = simulate(first=1, episodes=None, seconds=SECONDS)
    assert [found.told() for found in report.found] == []
    assert report.episodes >= 20


@pytest.mark.parametrize("kind", STOP_KINDS)
def test_a_stop_at_every_turn_breaks_nothing(kind: StopKind, on: Stage) -> None:
    writes, ends = set(), set()
    # Two lives cost twice: there every other turn, the rest is left to the seeds.
    step = 2 if kind in ("kill_host", "browser_lost") else 1
    for turn in range(1, run_plan(WRITE_ONLY, on).turns, step):
        plan = WRITE_ONLY._replace(seed=turn, calm=False, stops=(Stop(kind, turn),))
        evidence = run_plan(plan, on)
        assert [str(each) for each in breaches_of(evidence)] == [], f"turn {turn}"
        writes.add(sum(done.needs_person for done in evidence.done))
        ends.add(evidence.end.state if evidence.end else "none")
    # The stops came before and after the one write.
    assert writes == {0, 1}
    # Who was killed is followed by one that goes on, and comes to the end.
    assert ("aborted" if kind == "abort" else "completed") in ends


def test_two_writes_of_one_reply_are_one_question(on: Stage) -> None:
    evidence = run_plan(TWO_WRITES, on)
    assert [str(each) for each in breaches_of(evidence)] == []
    assert [len(card.listed) for card in evidence.cards] == [2]
    assert [done.number for done in evidence.done] == [1, 2]


@pytest.mark.parametrize("kind", ["kill_agent", "abort"])
def test_a_stop_at_any_turn_of_a_list_breaks_nothing(kind: StopKind, on: Stage) -> None:
    writes = set()
    for turn in range(1, run_plan(TWO_WRITES, on).turns, 3):
        plan = TWO_WRITES._replace(seed=turn, calm=False, stops=(Stop(kind, turn),))
        evidence = run_plan(plan, on)
        assert [str(each) for each in breaches_of(evidence)] == [], f"turn {turn}"
        writes.add(sum(done.needs_person for done in evidence.done))
    assert writes >= {0, 1, 2}  # the stops came before, between and after the two


def test_a_question_that_nobody_answers_expires(on: Stage) -> None:
    plan = errand(click("#pay", 1), says("ok"), answer=Answer("silent", 0.0))
    evidence = run_plan(plan, on)
    assert evidence.end is not None
    assert (evidence.end.state, evidence.end.reason) == ("failed", "approval_expired")
    assert [card.ended for card in evidence.cards] == ["cancelled"]
    assert evidence.done == []


def test_the_same_seed_tells_the_same_story(on: Stage) -> None:
    first = [run_seed(seed, on).written["story"] for seed in range(100, 112)]
    again = [run_seed(seed, on).written["story"] for seed in reversed(range(100, 112))]
    assert first == again[::-1]
    assert len(set(first)) == len(first)


def test_another_process_tells_the_same_story(on: Stage) -> None:
    asked = [sys.executable, "-m", "tests.sim", "--seed", "108", "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    run = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, check=True)
    told = json.loads(run.stdout)
    assert told["story"] == run_seed(108, on).written["story"].splitlines()


def test_every_fault_comes_up() -> None:
    plans = [plan_of(seed) for seed in range(3_000)]
    assert {fault.kind for plan in plans for fault in plan.pipe} == set(PIPE_KINDS)
    assert {fault.kind for plan in plans for fault in plan.store} == set(STORE_KINDS)
    assert {fault.kind for plan in plans for fault in plan.browser} == set(BROWSER_KINDS)
    assert {stop.kind for plan in plans for stop in plan.stops} == set(STOP_KINDS)
    assert {reply.status for plan in plans for reply in plan.replies} >= {0, 500, 503}
    assert {answer.kind for plan in plans for answer in plan.answers} == {
        "approve", "reject", "expire", "silent",
    }  # fmt: skip
    assert any(plan.jumps for plan in plans)


def test_a_calm_episode_has_no_fault() -> None:
    assert plan_of(5).faults() == []
    assert plan_of(6).faults() != []


def test_the_product_acts_and_asks_in_what_is_simulated(on: Stage) -> None:
    seen = [run_seed(seed, on) for seed in range(200, 225)]
    assert sum(done.needs_person for each in seen for done in each.done) >= 5
    assert sum(kind == "skill" for each in seen for _, kind in each.stops) >= 3
    assert {each.end.state for each in seen if each.end} >= {"completed", "failed"}
