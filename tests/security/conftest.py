"""Two browsers for the attacks: one that may open one site only, one that may open both."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.security.stage import Stage, staged
from tests.support.site import Site, serve


@pytest.fixture(scope="module")
def sites() -> Iterator[tuple[Site, Site]]:
    """The site of the task, and one that no task needs."""
    with serve({}) as good, serve({"/leak": "<p>thanks"}) as bad:
        yield good, bad


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(
    sites: tuple[Site, Site], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    """A stage whose policy names the site of the task alone."""
    async with staged(tmp_path_factory.mktemp("guarded"), sites, everything=False) as stage:
        yield stage


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_to_all(
    sites: tuple[Site, Site], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    """A stage whose policy names the other site too."""
    async with staged(tmp_path_factory.mktemp("open"), sites, everything=True) as stage:
        yield stage
