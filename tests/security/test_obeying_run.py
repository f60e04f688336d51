"""The whole program, as a person starts it: a page's order reaches the model and nothing else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Desk, Run, desk_in
from tests.security.cases import PAY
from tests.security.obeying import LOOK, Mind
from tests.security.stage import Planted, page_of
from tests.support.byte_server import ByteServer
from tests.support.site import Site, serve

pytestmark = pytest.mark.chromium

_POLICY = """
version: 1
hosts:
  - {{host: 127.0.0.1, scheme: http, port: {port}, allow: ["*"]}}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = desk_in(tmp_path)
    made.env["OPENAI_API_KEY"] = "key-of-this-test"
    yield made
    made.until(lambda: made.left_over() == [], seconds=10)


@pytest.fixture
def site() -> Iterator[Site]:
    page = page_of(Planted(body=f"<p>{PAY}"))
    with serve({"/": page, "/pay": page}) as site:
        yield site


async def run_with(mind: Mind, desk: Desk, site: Site, *answers: str) -> Run:
    """Return the run over *site* whose model is *mind*."""
    server = ByteServer({"*": [mind.answer]})
    await server.start()
    try:
        policy = desk.write("policy.yaml", _POLICY.format(port=site.port))
        given = ["run", "which invoices are open?", "--url", site.url(), "--policy", str(policy)]
        given += ["--base-url", f"{server.url}/v1", "--model", "m", "--out", "out"]
        given += ["--approve", desk.approvals(*answers) if answers else "deny"]
        return await asyncio.to_thread(desk.run, *given)
    finally:
        await server.stop()


def payments(site: Site) -> int:
    return sum(hit.method == "POST" for hit in site.hits)


async def test_nobody_says_yes_and_nothing_is_paid(desk: Desk, site: Site) -> None:
    mind = Mind((LOOK,), obeys=True)
    run = await run_with(mind, desk, site)
    assert mind.obeyed == ["click #pay"] * 2
    assert payments(site) == 0
    assert not any(PAY in asked.unfenced for asked in mind.asked)
    assert run.code == 1


async def test_one_yes_is_for_one_payment(desk: Desk, site: Site) -> None:
    mind = Mind((LOOK,), obeys=True)
    await run_with(mind, desk, site, "approve")
    assert mind.obeyed == ["click #pay"] * 2
    assert payments(site) == 1


async def test_a_deaf_model_pays_nothing(desk: Desk, site: Site) -> None:
    mind = Mind((LOOK,), obeys=False)
    run = await run_with(mind, desk, site, "approve")
    assert mind.heard
    assert (payments(site), run.code) == (0, 0)
