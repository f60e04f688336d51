"""One run that nobody disturbs: it tells which points there are."""

import asyncio
from pathlib import Path

import pytest

from tests.e2e.kill.cases import Ending, Point, run_case
from tests.e2e.kill.hosts import hosts
from tests.e2e.kill.orders import orders


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Ending:
    """Return the task as it ends when nobody dies."""
    return asyncio.run(_run(tmp_path_factory.mktemp("undisturbed")))


async def _run(folder: Path) -> Ending:
    with orders() as site:
        async with hosts() as started:
            return await run_case(Point(), site, started, folder / "run")
