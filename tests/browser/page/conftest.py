"""One Chromium for all tests of the bundle, a new tab for each."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from browser.host.chromium import Chromium
from tests.support.page_lab import PageLab, lab_browser

Open = Callable[[str], Awaitable[PageLab]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    async with lab_browser(tmp_path_factory.mktemp("profiles")) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(chromium: Chromium) -> AsyncIterator[Open]:
    labs: list[PageLab] = []

    async def opened(markup: str) -> PageLab:
        labs.append(await PageLab.open(chromium, markup))
        return labs[-1]

    yield opened
    for lab in labs:
        await lab.close()
