"""The pages of miniwob on a site of their own, and a gated browser that may open them."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from browser.host.launch_flags import LaunchOptions
from browser.host.opened import open_browser
from browser.page import bundle_source
from tests.support.host_lab import HostLab, TabLab, policy_for
from tests.support.wob_site import WobSite, serve_wob


@pytest.fixture(scope="module")
def wob() -> Iterator[WobSite]:
    """The site; its rewards are counted per module."""
    with serve_wob() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab(wob: WobSite, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TabLab]:
    """A tab of a browser behind the gate, which allows the site and nothing else."""
    policy = policy_for(wob.site.port)
    options = LaunchOptions(policy=policy, profiles_root=tmp_path_factory.mktemp("profiles"))
    async with await open_browser(options, bundle_source()) as opened:
        yield await HostLab(opened, policy, (wob.site, wob.site)).blank()
