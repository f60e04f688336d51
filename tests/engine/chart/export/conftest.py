"""One Chromium for the pictures."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.page_lab import PageLab, lab_browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PageLab]:
    async with lab_browser(tmp_path_factory.mktemp("profiles")) as browser:
        opened = await PageLab.open(browser, "<p>")
        yield opened
        await opened.close()
