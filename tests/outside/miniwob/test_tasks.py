"""Tasks of miniwob through agent, pipe and host: role and name are all that is said of a target.

A policy reads goal and page in a tab of its own (the same seed gives the same page); its steps are
the lines of a scripted model in `sgclaw run`. The reward is what the server of the pages counted.
"""

from collections import defaultdict
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
import pytest_asyncio

from tests.e2e.conftest import Run
from tests.outside.miniwob.case import Case
from tests.outside.miniwob.play import played, shared_out
from tests.outside.miniwob.policies import POLICIES, episodes_of
from tests.outside.miniwob.rehearse import StepFailedError, rehearse
from tests.support.host_lab import TabLab
from tests.support.wob_site import Episode, WobSite, serve_wob

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(420),
    pytest.mark.asyncio(loop_scope="module"),
]

TASKS_MIN = 60


class Played(NamedTuple):
    """What all episodes came to: rewards, failed rehearsals, and the runs of the program."""

    rewards: dict[Episode, list[float]]
    unplayed: dict[Episode, str]
    runs: list[Run]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def all_played(
    tab: TabLab, wob: WobSite, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Played]:
    """Rehearse every episode, then play them all on a site where nothing was tried before."""
    cases: list[Case] = []
    unplayed: dict[Episode, str] = {}
    for task, policy in POLICIES.items():
        for episode in episodes_of(task):
            try:
                cases.append(await rehearse(tab, wob, episode, policy))
            except (StepFailedError, LookupError, ValueError) as error:
                unplayed[episode] = f"{type(error).__name__}: {error}"
    with serve_wob() as stage:
        runs = played(shared_out(cases), stage, tmp_path_factory.mktemp("runs"))
        yield Played(stage.rewards, unplayed, runs)


@pytest.mark.parametrize("task", POLICIES)
async def test_a_task_earns_the_whole_reward_with_each_seed(all_played: Played, task: str) -> None:
    why = {each: all_played.unplayed.get(each, "") for each in episodes_of(task)}
    earned = {each: all_played.rewards.get(each, []) for each in episodes_of(task)}
    assert earned == {each: [1.0] for each in why}, why


async def test_every_run_completed_and_no_step_failed(all_played: Played) -> None:
    failed = [
        (command["action"], command["params"])
        for run in all_played.runs
        for command in run.result["commands"]
        if not command["success"]
    ]
    assert [run.code for run in all_played.runs] == [0] * len(all_played.runs), failed
    assert failed == []


async def test_targets_are_named_by_role_and_name_only(all_played: Played) -> None:
    selectors = [
        command["params"][name]
        for run in all_played.runs
        for command in run.result["commands"]
        for name in ("selector", "to")
        if command["params"].get(name)
    ]
    assert len(selectors) > len(POLICIES)
    assert [each for each in selectors if '"' not in each or each[0] in "@[#."] == []


async def test_at_least_sixty_tasks_are_played_with_three_seeds_each() -> None:
    by_task: dict[str, set[int]] = defaultdict(set)
    for task in POLICIES:
        by_task[task] |= {each.seed for each in episodes_of(task)}
    assert len(by_task) >= TASKS_MIN
    assert {len(seeds) for seeds in by_task.values()} == {3}
