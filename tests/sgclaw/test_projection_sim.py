"""Projections of simulated tasks, with faults and kills: what the live agent asked and told."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from actions.llm.chunks import Hear, nobody
from actions.llm.provider import ModelRequest
from sgclaw.projection import model_context
from states.messages import ModelTurn
from states.wire import StateChanged, SubmitTask, TaskCompleted
from tests.sgclaw.told import check_panel, check_steps, struck
from tests.sim.episode import Stage, run_plan, stage
from tests.sim.evidence import Evidence
from tests.sim.lives import Parts, SimTaskRun
from tests.sim.loop import VirtualLoop
from tests.sim.plan import Plan, plan_of
from tests.sim.ports import SimModel
from tests.sim.world import World

EPISODES = 40


class AskedModel(SimModel):
    """The episode's model; it notes each request, and after how many rows it came."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence)
        self.asked: list[tuple[int, ModelRequest]] = []

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        self.asked.append((len(self._evidence.rows), request))
        return await super().complete(request, hear)


class ToldRun(SimTaskRun):
    """A task run; it notes what it tells the panel, together with its row."""

    told: list[StateChanged | TaskCompleted] = []  # noqa: RUF012 - each world makes its own class

    def __init__(
        self, init: Any, task: SubmitTask, send: Callable[[BaseModel], None], parts: Parts
    ) -> None:
        def noted(message: BaseModel) -> None:
            if isinstance(message, StateChanged | TaskCompleted):
                self.told.append(message)
            send(message)

        super().__init__(init, task, noted, parts)


class WatchedWorld(World):
    """A world whose model and whose agents' words are noted."""

    def __init__(self, plan: Plan, loop: VirtualLoop, folder: Path) -> None:
        super().__init__(plan, loop, folder)
        self.model = self._model = AskedModel(self.evidence)
        self.run_class = type("Run", (ToldRun,), {"told": []})


@pytest.fixture(scope="module")
def on() -> Iterator[Stage]:
    with stage() as on:
        yield on


def test_of_any_episode_the_rows_give_what_model_and_panel_were_given(on: Stage) -> None:
    asked = panels = resumed = 0
    for seed in range(1, EPISODES + 1):
        worlds: list[WatchedWorld] = []

        def make(
            plan: Plan, loop: VirtualLoop, folder: Path, into: list[WatchedWorld] = worlds
        ) -> World:
            into.append(WatchedWorld(plan, loop, folder))
            return into[0]

        evidence = run_plan(plan_of(seed), on, make)
        [world] = worlds
        rows = [{"seq": seq, **seen.row} for seq, seen in enumerate(evidence.rows, start=1)]
        for number, request in world.model.asked:
            assert struck(model_context(rows[:number])) == struck(request), f"seed {seed}"
            asked += 1
        check_steps(rows)
        told = world.run_class.told  # type: ignore[attr-defined]
        changes = [each for each in told if isinstance(each, StateChanged)]
        if evidence.faults or len(changes) != sum(len(row["path"]) for row in rows):
            continue  # a row that failed is told of, or one that stands was not told any more
        ends = [each for each in told if isinstance(each, TaskCompleted)]
        check_panel(rows, changes, ends[-1] if ends else None)
        panels += 1
        resumed += any(row["event"]["type"] == "resumed" for row in rows)
    assert asked > EPISODES
    assert panels > EPISODES / 2
    assert resumed > 0
