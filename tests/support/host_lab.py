"""A real browser behind the gate, with a site the policy allows and one it does not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from browser.host.downloads import Downloads
from browser.host.executor import Executor
from browser.host.gate import BlockedRequest, Gate
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW, Approve, Outcome
from browser.host.page_source import page_source
from browser.host.tab import Tab
from browser.page import bundle_source
from states.policy import Policy
from states.settings import BrowserLimits
from tests.support.site import Page, Site, serve

DOMAIN = "127.0.0.1"


class TabLab:
    """One tab of the lab: `do` commands as the agent would, `script` as the page itself."""

    def __init__(self, lab: "HostLab", executor: Executor) -> None:
        self.lab = lab
        self.executor = executor

    async def do(
        self,
        action: str,
        *,
        approve: Approve = lambda _: ALLOW,
        domain: str = DOMAIN,
        **params: Any,
    ) -> Outcome:
        """Return the outcome of *action*."""
        return await self.executor.execute(action, params, domain, approve)

    async def text(self, selector: str) -> str:
        """Return what getText reads."""
        outcome = await self.do("getText", selector=selector)
        assert outcome.error is None
        return str(outcome.data["text"])

    async def script(self, source: str) -> Any:
        """Return what *source* gives in the page's own world, with a user's gesture."""
        asked = {"expression": source, "returnByValue": True, "userGesture": True}
        answer = await self.executor.tab.session.send("Runtime.evaluate", asked)
        return answer["result"].get("value")


class HostLab:
    """The browser, its *good* site (in the policy) and its *bad* site (outside it)."""

    def __init__(self, opened: OpenBrowser, policy: Policy, sites: tuple[Site, Site]) -> None:
        self.opened = opened
        self.policy = policy
        self.good, self.bad = sites
        self.blocked: list[BlockedRequest] = []
        self._tabs: list[TabLab] = []

    @property
    def gate(self) -> Gate:
        """The gate of the browser."""
        return self.opened.gate

    async def open(self, *pages: Page, limits: BrowserLimits | None = None) -> TabLab:
        """Return a new tab that shows the first of *pages*, served at `/`, `/1`, `/2`, ..."""
        for number, page in enumerate(pages):
            self.good.pages[f"/{number or ''}"] = page
        tab = await self.blank(limits)
        opened = await tab.do("navigate", url=self.good.url())
        assert opened.error is None
        self.good.hits.clear()
        return tab

    async def blank(
        self, limits: BrowserLimits | None = None, downloads: Downloads | None = None
    ) -> TabLab:
        """Return a new tab that shows nothing yet."""
        session = await self.gate.open_tab()
        tab = Tab(session, page_source(bundle_source(), self.policy), limits or BrowserLimits())
        executor = Executor(self.gate, tab, downloads)
        await executor.start()
        self._tabs.append(TabLab(self, executor))
        return self._tabs[-1]

    async def tidy(self) -> None:
        """Close the tabs and forget pages and hits: the next test starts anew."""
        while self._tabs:
            executor = self._tabs.pop().executor
            executor.stop()
            await self.gate.close_tab(executor.tab.session)
        for popup in self.gate.popups.since(0):
            await self.gate.close_tab(popup.session)
        for site in (self.good, self.bad):
            site.pages.clear()
            site.hits.clear()
        self.blocked.clear()


def policy_for(*ports: int, **rule: Any) -> Policy:
    """Return a policy that allows everything on these ports of this machine."""
    given = {"host": DOMAIN, "scheme": "http", "allow": ["*"], **rule}
    hosts = [{**given, "port": port} for port in ports]
    return Policy.model_validate({"version": 1, "hosts": hosts, "risk_words": ["作废"]})


@asynccontextmanager
async def host_lab(folder: Path) -> AsyncIterator[HostLab]:
    """Start the browser and both sites."""
    with serve({}) as good, serve({}) as bad:
        policy = policy_for(good.port)
        options = LaunchOptions(policy=policy, profiles_root=folder)
        blocked: list[BlockedRequest] = []
        opened = await open_browser(options, bundle_source(), on_block=blocked.append)
        async with opened:
            lab = HostLab(opened, policy, (good, bad))
            lab.blocked = blocked
            yield lab
