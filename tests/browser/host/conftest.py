"""One browser for all tests of a module, a clean lab for each."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.host_lab import HostLab, host_lab


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[HostLab]:
    """The browser of the module."""
    async with host_lab(tmp_path_factory.mktemp("profiles")) as lab:
        yield lab


@pytest_asyncio.fixture(loop_scope="module")
async def lab(shared_lab: HostLab) -> AsyncIterator[HostLab]:
    """The lab, tidied after the test."""
    yield shared_lab
    await shared_lab.tidy()
