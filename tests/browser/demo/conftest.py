"""One certificate for all tests of the demo company; one company and one visitor for each."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from browser.demo.certificate import DemoCertificate, ensure_certificate
from browser.demo.server import DemoCompany
from tests.browser.demo.visitor import TODAY, Visitor


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> DemoCertificate:
    """Return a certificate that is valid by the real clock, which the TLS client reads."""
    folder: Path = tmp_path_factory.mktemp("certificate")
    return ensure_certificate(folder, datetime.now(UTC))  # noqa: TID251


@pytest.fixture
async def company(certificate: DemoCertificate) -> AsyncIterator[DemoCompany]:
    """Yield a running company that answers at once."""
    async with DemoCompany(certificate, delay_ms=0, today=TODAY) as running:
        yield running


@pytest.fixture
async def visitor(certificate: DemoCertificate, company: DemoCompany) -> AsyncIterator[Visitor]:
    """Yield a visitor of the running company."""
    arrived = Visitor(certificate, company.port)
    yield arrived
    arrived.close()
