"""A skill's child killed at each journaled point of a run of the built-in skill on the demo.

The skill ends as crashed, the model is told, and the task goes on; what was sent is all answered.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sgclaw.past_run import past_run
from tests.e2e.conftest import Desk, call, desk_in, skill_call
from tests.e2e.kill.hosts import Hosts, hosts
from tests.support.ledger_lab import TraceLedger, traces_in

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(600)]
HOSTS = 3
POINTS = 38
SKILL = "erp-monthly-report"
_LOOK = call("getText", {"selector": "body"}, id_="look")


def script_of(runs: int) -> list[dict[str, Any]]:
    """Return a model that runs the skill again and again, each month once."""
    replies = []
    for number in range(runs):
        month = f"{2010 + number // 12}-{1 + number % 12:02}"
        params = {"month": month, "department": "采购部", "format": "csv"}
        replies += [skill_call(SKILL, params), _LOOK]
    return [*replies, {"text": "Here is what the page says."}]


def _rows(desk: Desk) -> list[dict[str, Any]]:
    [trace] = traces_in(desk.folder / "data")
    return TraceLedger(desk.folder / "data", trace).rows()


def runs_of(desk: Desk) -> list[list[dict[str, Any]]]:
    """Return the ledger rows of each skill run, from its start to its end."""
    runs: list[list[dict[str, Any]]] = []
    for row in _rows(desk):
        if any(effect[:2] == ["start", "skill"] for effect in row["effects"]):
            runs.append([])
        if runs and (not runs[-1] or not runs[-1][-1]["event"]["type"].endswith("invoke.skill")):
            runs[-1].append(row)
    return runs


async def _run(desk: Desk, started: Hosts, first: int) -> int:
    """Kill the child after row *first* of the first run, of the next HOSTS rows later, ..."""
    runs = len(range(first, POINTS, HOSTS))
    words = ["run", "--demo", "reports", "--provider", desk.script(*script_of(runs))]
    job = {
        "words": [*words, "--max-steps", "1000", "--out", str(desk.folder / "out")],
        "env": desk.env,
        "text": str(desk.folder / "text"),
        "blow": ["skills", str(first), str(HOSTS)],
    }
    return await started.run(job, lambda _: None)


async def test_a_skill_child_killed_at_any_point_ends_that_skill_and_no_more(
    tmp_path: Path,
) -> None:
    desks = [desk_in(tmp_path / str(first)) for first in range(HOSTS)]
    async with hosts() as started:
        runs = (_run(desk, started, first) for first, desk in enumerate(desks))
        assert await asyncio.gather(*runs) == [0] * HOSTS
    ended = {}
    for first, desk in enumerate(desks):
        for number, rows in enumerate(runs_of(desk)):
            ended[first + number * HOSTS] = rows
        _check(desk)
    assert sorted(ended) == list(range(POINTS))
    # The child of row 0 is the spare, which is replaced; at the last row it is dead by itself.
    last = {point: rows[-1]["event"] for point, rows in ended.items()}
    well = [point for point, event in last.items() if event["type"] == "done.invoke.skill"]
    assert sorted(well) == [0, POINTS - 1]
    assert len(ended[POINTS - 1]) == POINTS
    crashed = {event["payload"].get("error") for point, event in last.items() if point not in well}
    assert crashed == {"skill_crashed"}


def _check(desk: Desk) -> None:
    """Nothing is unknown, no export came without a click, and the ledger replays."""
    past = past_run(_rows(desk))
    assert past.replayed.difference is None
    assert past.replayed.snapshot.state == "completed"
    commands = past.replayed.snapshot.context.record.commands
    assert all(sent.success for sent in commands)
    clicks = [sent for sent in commands if sent.params.get("selector") == "#export-btn"]
    # The page of a killed skill may be left before its export came.
    assert 0 < len(list((desk.folder / "out" / "downloads").iterdir())) <= len(clicks)
    assert "Traceback" not in (desk.folder / "text").read_text(encoding="utf-8")
    desk.until(lambda: desk.left_over() == [], seconds=10)
