"""The task's tabs: the one it works in, and beneath it those that opened it.

The rule: what a command opened on an allowed host is gone on in at once, and nothing is ever said
or done of another tab than the one the answer shows. A tab beneath that opens a dialog comes to the
front until the dialog is answered: it may hold the others up, and nobody but a person answers it.
"""

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

import ada_url

from browser.host.errors import CommandError, HostError
from browser.host.gate import Gate
from browser.host.popups import Popup
from browser.host.tab import Tab
from browser.host.transport import CdpEvent, Unsubscribe

T = TypeVar("T")

_CLOSE_S = 5.0
_URL_CHARS_MAX = 500


class ClosedTab(NamedTuple):
    """A tab of the task that is no more."""

    tab_id: str
    url: str


class TabClosedError(CommandError):
    """The tab closed while a command ran in it; the one beneath is the task's again."""

    def __init__(self, url: str, *, last: bool) -> None:
        super().__init__("tab_closed_last" if last else "tab_closed", url=url or "about:blank")


class Tabs:
    """The tabs of one task, behind *gate*, the *first* one at the bottom."""

    def __init__(self, gate: Gate, first: Tab) -> None:
        self._gate = gate
        self._stack = [first]
        self._last = first
        self._opens_after = 0
        self._opens_until = 0.0
        self._bundle = first.worlds.bundle
        self._limits = first.limits
        self._closed: list[ClosedTab] = []
        self._closing = asyncio.Event()
        self._stop_listening: Unsubscribe = lambda: None

    async def start(self) -> None:
        """Make the first tab ready for commands."""
        self._stop_listening = self._gate.transport.subscribe(self._heard)
        await self._stack[0].start()

    def stop(self) -> None:
        """Stop listening to every tab."""
        self._stop_listening()
        for tab in self._stack:
            tab.stop()

    @property
    def current(self) -> Tab:
        """The tab the task works in: one with an open dialog, else the top one."""
        with_dialog = [tab for tab in self._stack if tab.dialog is not None]
        return (with_dialog or self._stack or [self._last])[-1]

    @property
    def adopted(self) -> tuple[str, ...]:
        """The ids of the tabs that commands opened, the newest last."""
        return tuple(tab.session.target_id for tab in self._stack[1:])

    @property
    def full(self) -> bool:
        """Whether commands opened as many tabs as may be open."""
        return len(self._stack) > self._limits.popups_max

    @property
    def beneath(self) -> tuple[Tab, ...]:
        """The tabs that stand open beneath the top one."""
        return tuple(self._stack[:-1])

    def origin(self, tab_id: str) -> str:
        """Return the origin of what the tab *tab_id* shows."""
        tab = next(tab for tab in self._stack if tab.session.target_id == tab_id)
        try:
            return str(ada_url.URL(tab.url).origin)
        except ValueError:
            return "null"

    def command_acted(self, popups: int) -> None:
        """Note that a command acted: what the tab in front opens after number *popups* is its own.

        A page may open it a little later.
        """
        self._opens_after = popups
        late_s = self._limits.wait_ms / 1000
        self._opens_until = time.monotonic() + late_s

    def candidate(self) -> Popup | None:
        """Return the first tab that a command opened and that is still to be gone on in."""
        for popup in self._gate.popups.since(self._opens_after):
            gone = popup.is_lost() or popup.adopted
            mine = popup.opener_id in ("", self.current.session.target_id)
            if mine and not gone and popup.opened_at <= self._opens_until:
                return popup
        return None

    def holds(self, tab: Tab) -> bool:
        """Tell whether *tab* is still open."""
        return tab in self._stack

    async def adopt(self, popup: Popup) -> bool:
        """Go on in *popup*; tell whether it was there to go on in."""
        if popup.is_lost():
            return False
        tab = Tab(popup.session, self._bundle, self._limits)
        tab.loading = popup.loading
        try:
            await tab.start()
        except HostError:
            tab.stop()  # it closed itself, or was closed for its dialog
            return False
        if popup.is_lost():
            tab.stop()
            return False
        self._gate.popups.adopted(popup)
        self._stack.append(tab)
        await self._bring_to_front()
        return True

    async def before_dialog(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what *work* in the tab in front gives, unless a tab's dialog opens first.

        Raises:
            DialogOpenedError: a dialog is open in some tab of the task.
            TabClosedError: the tab in front closed.
        """
        front = self.current
        for tab in self._stack:
            work = tab.before_dialog(work)
        working = asyncio.create_task(work)
        closed = asyncio.create_task(self._until_closed(front))
        try:
            await asyncio.wait({working, closed}, return_when=asyncio.FIRST_COMPLETED)
            if self.holds(front) or (working.done() and working.exception() is None):
                return await working
            raise TabClosedError(front.url[:_URL_CHARS_MAX], last=not self._stack)
        finally:
            for task in (working, closed):
                task.cancel()
            await asyncio.gather(working, closed, return_exceptions=True)

    async def close(self, tab_id: str) -> None:
        """Close the adopted tab *tab_id* as a person would: its page may ask first."""
        tab = next(tab for tab in self._stack[1:] if tab.session.target_id == tab_id)
        with contextlib.suppress(HostError):
            await tab.send("Page.close", {}, _CLOSE_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await self._until_closed(tab)
        if self.holds(tab):
            await self._gate.close_tab(tab.session)
            async with asyncio.timeout(_CLOSE_S):
                await self._until_closed(tab)

    @property
    def front_closed(self) -> TabClosedError | None:
        """What to say when the tab of the last answer is closed and nobody was told yet."""
        if not self._closed:
            return None
        return TabClosedError(self._closed[-1].url, last=not self._stack)

    async def closed(self) -> tuple[ClosedTab, ...]:
        """Return the tabs that closed in front and were not told yet; see that one is open."""
        closed, self._closed = tuple(self._closed), []
        # Without a browser there is no tab either: the next command tells that.
        with contextlib.suppress(HostError):
            if not self._stack:
                tab = Tab(await self._gate.open_tab(), self._bundle, self._limits)
                await tab.start()
                self._stack.append(tab)
            if closed:
                await self._bring_to_front()
        return closed

    async def _until_closed(self, tab: Tab) -> None:
        while self.holds(tab):
            await self._closing.wait()

    async def _bring_to_front(self) -> None:
        # A tab in the background draws nothing and takes no press.
        with contextlib.suppress(HostError):
            target = {"targetId": self._stack[-1].session.target_id}
            await self._gate.transport.send("Target.activateTarget", target)

    def _heard(self, event: CdpEvent) -> None:
        if event.method != "Target.detachedFromTarget":
            return
        session_id, front = event.params.get("sessionId"), self.current
        for tab in self._stack:
            if tab.session.session_id == session_id:
                tab.stop()
                self._stack.remove(tab)
                self._last = tab
                if tab is front:
                    closed = ClosedTab(tab.session.target_id, tab.url[:_URL_CHARS_MAX])
                    self._closed.append(closed)
                closing, self._closing = self._closing, asyncio.Event()
                closing.set()
                return
