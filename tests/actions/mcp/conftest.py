"""The lab of a test, and the servers of others."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.actions.mcp.lab import Lab


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    made = Lab(tmp_path)
    yield made
    await made.close()
