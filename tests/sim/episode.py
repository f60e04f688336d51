"""Run episodes: one loop for all of them, a folder in memory for their ledgers, one judge each."""

import asyncio
import contextlib
import gc
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.chart.core import Core
from engine.chart.replay import Comparison, replay
from sgclaw.charts import bindings_of, task_chart, task_table
from sgclaw.context_digest import ContextDigest
from sgclaw.past_run import records_of
from states.errors import SgclawError
from states.secrets import strike_all
from states.task import Context
from tests.sim.evidence import Evidence
from tests.sim.loop import StuckEpisodeError, VirtualLoop
from tests.sim.plan import Plan, plan_of
from tests.sim.world import SETTINGS, World

MakeWorld = Callable[[Plan, VirtualLoop, Path], World]
COLLECT_EVERY = 50
_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory; elsewhere the usual place


class Stage(NamedTuple):
    """What all episodes share."""

    loop: VirtualLoop
    folder: Path


@contextlib.contextmanager
def stage() -> Iterator[Stage]:
    """Give a loop and a folder for as many episodes as wanted."""
    where = _MEMORY if _MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="sgclaw-sim-", dir=where))
    loop = VirtualLoop()
    # What an episode leaves is collected every so often, not in the middle of one.
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield Stage(loop, folder)
    finally:
        gc.enable()
        gc.unfreeze()
        asyncio.set_event_loop(None)
        loop.close()
        shutil.rmtree(folder, ignore_errors=True)


def run_seed(seed: int, on: Stage, make: MakeWorld = World) -> Evidence:
    """Run the episode of *seed*."""
    return run_plan(plan_of(seed), on, make)


def run_plan(plan: Plan, on: Stage, make: MakeWorld = World) -> Evidence:
    """Run the episode of *plan* and return what was seen of it."""
    loop = on.loop
    if plan.seed % COLLECT_EVERY == 0:
        gc.collect()
    world = make(plan, loop, on.folder)
    evidence = world.evidence
    # Several lives, each as long as a task may take.
    loop.reset(seconds_max=20 * SETTINGS.task.task_seconds + plan.jumped_s, on_turn=world.on_turn)
    loop.set_task_factory(world.factory)  # type: ignore[arg-type]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            loop.run_until_complete(world.run())
        except StuckEpisodeError as error:
            evidence.stuck = str(error)
            evidence.tell("world", f"stuck: {error}")
        turns = loop.turns
        _clear(loop)
        evidence.unheard = world.unheard()
    evidence.written["agent log"] = said.getvalue()
    evidence.written["host log"] = "\n".join(
        f"{note.event} {note.facts}" for note in evidence.notes
    )
    rows = world.ledger
    if rows:
        evidence.replay = replay_problem(rows, evidence, world.lives)
        evidence.written["ledger"] = "".join(_line(row) for row in rows)
    for path in (on.folder / "ledger").glob("*"):
        path.unlink()
    if evidence.end is not None:
        evidence.written["result"] = evidence.end.model_dump_json()
    evidence.written["story"] = evidence.story()
    evidence.turns = turns
    return evidence


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


@cache
def _core() -> Core:
    """Return the core that replays; the delays stand in the recorded timers."""
    return Core(task_chart(), task_table(), bindings_of("task", SETTINGS))


def replay_problem(ledger: Sequence[Mapping[str, Any]], evidence: Evidence, life: int) -> str:
    """Return what a replay of *ledger* finds wrong against *evidence*, "" when nothing is."""
    by = Comparison(ContextDigest(), lambda document: strike_all(document, by_key=False))
    try:
        past = replay(_core(), Context(), records_of(ledger), by)
    except SgclawError as error:
        return f"the ledger does not replay: {error}"
    if past.difference is not None:
        return f"the replay differs: {past.difference}"
    rows, snapshot = evidence.rows, past.snapshot
    # A row whose sync failed may be on the disk or not.
    if not rows or any(kind == "sync_failed" for _, kind in evidence.faults):
        return ""
    if snapshot.state != rows[-1].row["state"]:
        return f"the replay ends in {snapshot.state}, the task in {rows[-1].row['state']}"
    live = evidence.snapshots.get(life)
    if live is None or live.state != snapshot.state or evidence.stopped("agent_killed"):
        return ""
    same = ContextDigest()(live.context) == ContextDigest()(snapshot.context)
    return "" if same else "the replay ends in another context"


def _clear(loop: VirtualLoop) -> None:
    """End what is left, so that it cannot reach into the next episode."""
    loop.reset(seconds_max=float("inf"))
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=60))
