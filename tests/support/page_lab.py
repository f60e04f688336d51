"""A tab of a real Chromium with the page bundle in an isolated world, without any gate."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from browser.host.chromium import Chromium
from browser.host.launch_flags import LaunchOptions
from browser.host.target_session import TargetSession
from browser.page import bundle_source
from states.policy import Policy

WORLD = "page_lab"


def flat(nodes: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield every node of a snapshot in document order."""
    for node in nodes:
        yield node
        yield from flat(node.get("children", []))


class PageLab:
    """One tab; `ask` calls the bundle, `run` runs script as the page itself would."""

    def __init__(self, session: TargetSession) -> None:
        self.session = session
        self._context_id = 0

    @classmethod
    async def open(cls, browser: Chromium, markup: str) -> Self:
        """Return a new tab that shows *markup*."""
        send = browser.transport.send
        target = (await send("Target.createTarget", {"url": "about:blank"}))["targetId"]
        attached = await send("Target.attachToTarget", {"targetId": target, "flatten": True})
        self = cls(TargetSession(browser.transport, attached["sessionId"], target, "page"))
        await self.session.send("Page.enable")
        await self.show(markup)
        return self

    async def show(self, markup: str) -> None:
        """Show *markup* and put a new bundle beside it."""
        tree = await self.session.send("Page.getFrameTree")
        frame = tree["frameTree"]["frame"]["id"]
        await self.session.send("Page.setDocumentContent", {"frameId": frame, "html": markup})
        world = {"frameId": frame, "worldName": WORLD}
        made = await self.session.send("Page.createIsolatedWorld", world)
        self._context_id = made["executionContextId"]
        await self._evaluate(bundle_source() + ";true", self._context_id)

    async def ask(self, function: str, **arg: Any) -> Any:
        """Return what `__sg.function(arg)` answers."""
        return await self._evaluate(f"__sg.{function}({json.dumps(arg)})", self._context_id)

    async def run(self, script: str) -> Any:
        """Return what *script* gives in the page's own world."""
        return await self._evaluate(script, None)

    async def in_world(self, script: str) -> Any:
        """Return what *script* gives in the bundle's world."""
        return await self._evaluate(script, self._context_id)

    async def click(self, x: float, y: float) -> None:
        """Press and release the left button at (x, y)."""
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await self.session.send("Input.dispatchMouseEvent", event)

    async def insert(self, text: str) -> None:
        """Type *text* where the focus is."""
        await self.session.send("Input.insertText", {"text": text})

    async def close(self) -> None:
        """Close the tab."""
        target = {"targetId": self.session.target_id}
        await self.session.transport.send("Target.closeTarget", target)

    async def _evaluate(self, expression: str, context_id: int | None) -> Any:
        arg = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        where = {} if context_id is None else {"contextId": context_id}
        told = await self.session.send("Runtime.evaluate", arg | where)
        if "exceptionDetails" in told:
            raise AssertionError(json.dumps(told["exceptionDetails"])[:2000])
        return told["result"].get("value")


@asynccontextmanager
async def lab_browser(root: Path) -> AsyncIterator[Chromium]:
    """Run a Chromium whose profile stands in *root*."""
    options = LaunchOptions(policy=Policy(version=1, hosts=()), profiles_root=root)
    async with await Chromium.launch(options) as browser:
        yield browser
