"""A press that needs no person, but may have acted before a kill, needs one to be made again."""

from pathlib import Path

import pytest

from tests.e2e.kill.blow import Victim
from tests.e2e.kill.cases import Point, Where, run_case
from tests.e2e.kill.hosts import hosts
from tests.e2e.kill.orders import orders

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]


@pytest.mark.parametrize(
    ("where", "victim", "writes", "questions"),
    [
        ("never", "agent", 2, 0),
        ("site", "agent", 1, 1),
        ("site", "browser", 1, 1),
        ("site", "host", 1, 1),
    ],
)
async def test_an_unknown_press_is_repeated_on_a_persons_word_only(
    where: Where, victim: Victim, writes: int, questions: int, tmp_path: Path
) -> None:
    with orders() as site:
        async with hosts() as started:
            point = Point(where, 1, victim, "quiet")
            ending = await run_case(point, site, started, tmp_path / "run")
    assert ending.log.count("CONFIRM: ASK") == questions, ending.text
    assert ending.writes == writes, ending.text
    assert ending.codes[-1] == 0, ending.text
    assert (" is not known" in ending.text) == (where == "site")
