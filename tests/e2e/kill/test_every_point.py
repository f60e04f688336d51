"""Agent, browser and host killed at each journaled point of six steps with one write (L8).

The site sees the write at most once; what is not known is never called done; the task ends.
"""

import asyncio
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from memory.ledger import read_rows
from tests.e2e.kill.blow import Victim
from tests.e2e.kill.cases import Ending, Model, Point, run_case
from tests.e2e.kill.hosts import hosts
from tests.e2e.kill.orders import orders
from tests.e2e.kill.verdict import faults, hosts_word, table

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(900)]
AT_ONCE = 3
ROWS = {"ledger": 22, "journal": 12}
# Called, sent back for a person, approved, answered, observed; intent and outcome.
ROWS_OF_WRITE = {"ledger": 5, "journal": 2}
# Who follows the killed one is killed after the first row of its own.
TWICE: dict[Victim, tuple[Point, ...]] = {
    "agent": tuple(Point("ledger", row, "agent", "stubborn", twice=True) for row in (11, 13)),
    "host": (
        Point("ledger", 13, "host", "stubborn", twice=True),
        Point("journal", 8, "host", "stubborn", twice=True),
        Point("journal", 9, "host", "stubborn", twice=True),
    ),
}


def test_a_run_that_nobody_disturbs_writes_once(undisturbed: Ending) -> None:
    assert faults(undisturbed) == []
    assert (undisturbed.codes, undisturbed.writes, hosts_word(undisturbed)) == ([0], 1, ["done"])
    assert {name: len(rows) for name, rows in _journals(undisturbed).items()} == ROWS


@pytest.mark.parametrize("victim", ["agent", "browser", "host"])
async def test_the_write_is_done_at_most_once_wherever_one_is_killed(
    undisturbed: Ending, victim: Victim, tmp_path: Path
) -> None:
    points = points_of(undisturbed, victim)
    assert len(points) == sum(ROWS.values()) + 2 + len(TWICE.get(victim, ()))
    endings = await _all(points, tmp_path)
    assert not any(map(faults, endings)), "\n" + table(endings)
    # The points are not all alike: the write was done in some, in others nobody can know.
    assert {"done", "unknown"} <= {word for ending in endings for word in hosts_word(ending)}
    assert {ending.writes for ending in endings} == {0, 1}


def points_of(undisturbed: Ending, victim: Victim) -> list[Point]:
    """Return every point for *victim*; around the write the model is one that writes again."""
    points = []
    for where, rows in _journals(undisturbed).items():
        first = next(number for number, row in enumerate(rows, 1) if "#go" in json.dumps(row))
        for number in range(1, len(rows) + 1):
            about_it = first <= number < first + ROWS_OF_WRITE[where]
            model: Model = "stubborn" if about_it else "plain"
            points.append(Point(where, number, victim, model))  # type: ignore[arg-type]
    at_site = [Point("site", 1, victim, "stubborn"), Point("site", 1, victim, "boastful")]
    return [*points, *at_site, *TWICE.get(victim, ())]


def _journals(ending: Ending) -> dict[str, list[dict[str, Any]]]:
    return {"ledger": ending.ledger.rows(), "journal": list(read_rows(ending.journal))}


async def _all(points: list[Point], folder: Path) -> list[Ending]:
    room = asyncio.Semaphore(AT_ONCE)
    with orders() as site:
        async with hosts() as started:

            async def one(point: Point) -> Ending:
                async with room:
                    return await run_case(point, site, started, folder / point.name)

            return list(await asyncio.gather(*map(one, points)))


def test_every_victim_is_known_to_the_blow() -> None:
    assert set(get_args(Victim)) == {"agent", "browser", "host", "skill"}
