"""A browser whose policy names two hosts, neither a resource of the other, and a bare listener."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from browser.host.executor import Executor
from browser.host.gate import BlockedRequest
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW, Outcome
from browser.page import bundle_source
from states.policy import Policy
from tests.support.raw_listener import RawListener, listening
from tests.support.site import Site, serve
from tests.support.until import until

HERE, THERE = "localhost", "127.0.0.1"


class TwoHosts(NamedTuple):
    """Its pages are *here*, other rules of its policy name *there* and the *listener*."""

    opened: OpenBrowser
    here: Site
    there: Site
    listener: RawListener
    blocked: list[BlockedRequest]

    @property
    def executor(self) -> Executor:
        """The executor of the one tab."""
        return self.opened.executor

    def url(self, path: str = "/") -> str:
        """Return the address of *path* here."""
        return f"http://{HERE}:{self.here.port}{path}"

    async def go(self, url: str) -> Outcome:
        """Navigate the tab to *url*."""
        host = url.split("/")[2].partition(":")[0]
        return await self.executor.execute("navigate", {"url": url}, host, lambda _: ALLOW)

    async def show(self, body: str) -> None:
        """Show a page here with *body*, all its requests forgotten."""
        self.here.pages["/"] = f"<body>{body}"
        outcome = await self.go(self.url())
        assert outcome.error is None
        self.forget()

    async def script(self, source: str) -> Any:
        """Return what *source* gives in the page's own world, with a user's gesture."""
        asked = {"expression": source, "returnByValue": True, "userGesture": True}
        answer = await self.executor.tab.session.send("Runtime.evaluate", asked)
        return answer["result"].get("value")

    async def stopped(self, url: str) -> None:
        """Wait until the gate stopped *url*."""
        await until(lambda: any(request.url.startswith(url) for request in self.blocked))

    def forget(self) -> None:
        """Forget everything that arrived or was blocked so far."""
        for list_ in (self.here.hits, self.there.hits, self.listener.arrived, self.blocked):
            list_.clear()


@contextmanager
def _places() -> Iterator[tuple[Site, Site, RawListener]]:
    with serve({}) as here, serve({}) as there, listening() as listener:
        yield here, there, listener


@asynccontextmanager
async def two_hosts(folder: Path) -> AsyncIterator[TwoHosts]:
    """Start the browser, both sites and the listener."""
    with _places() as (here, there, listener):
        rule = {"scheme": "http", "allow": ["*"]}
        hosts = [
            {**rule, "host": HERE, "port": here.port},
            {**rule, "host": THERE, "port": there.port},
            {**rule, "host": THERE, "port": listener.port},
        ]
        policy = Policy.model_validate({"version": 1, "hosts": hosts})
        options = LaunchOptions(policy=policy, profiles_root=folder)
        blocked: list[BlockedRequest] = []
        opened = await open_browser(options, bundle_source(), on_block=blocked.append)
        async with opened:
            yield TwoHosts(opened, here, there, listener, blocked)
