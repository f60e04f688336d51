"""The stores that a ledger's tests run on: an SQLite file and a PostgreSQL database, both real."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.database import Store, open_store
from tests.support.postgres import shared_cluster


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """Give where a new database is to be: an SQLite file, then an empty PostgreSQL database."""
    if request.param == "sqlite":
        yield tmp_path / "ledger" / "ledger.db"
        return
    with shared_cluster().database() as url:
        yield url


@pytest.fixture
def store(place: Path | str) -> Iterator[Store]:
    """Give an open store at *place*."""
    with closing(open_store(place)) as opened:
        yield opened
