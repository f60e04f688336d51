"""Hidden background pages: each in a browser context of its own, behind the same gate, for a while.

The rule: nobody sees a hidden page, so nobody can be asked about it: it keeps no downloads, sends
no form, and ends with its first dialog, tab or crash. It shares no cookie with the task.
"""

import asyncio
import contextlib
from typing import Any, NamedTuple

import ada_url

from browser.host.actions_navigate import opened
from browser.host.errors import (
    CdpTimeoutError,
    CommandError,
    HostError,
    PageCrashedError,
    PolicyRefusedError,
    SessionGoneError,
)
from browser.host.gate import Gate
from browser.host.tab import Tab
from browser.host.tasks import TaskSet
from browser.host.transport import CdpEvent, Unsubscribe
from browser.host.turn import Turn
from guards.policy import url_verdict
from states.catalogue import Lang
from states.settings import BrowserLimits

_URL_CHARS_MAX = 200
_END_S = 2.0
# What ended a hidden page -> the catalogue's key.
_WHY = {
    "popup": "zombie_popup",
    "dialog": "zombie_dialog",
    "crash": "zombie_crash",
    "gone": "zombie_gone",
}


class _Zombie(NamedTuple):
    zombie_id: str
    context_id: str
    tab: Tab
    url: str
    ended: asyncio.Event


class Zombies:
    """The hidden pages of one task."""

    def __init__(self, gate: Gate, bundle: str, limits: BrowserLimits, lang: Lang) -> None:
        self._gate = gate
        self._bundle = bundle
        self._limits = limits
        self._lang = lang
        self._open: dict[str, _Zombie] = {}
        self._ended: dict[str, HostError] = {}
        self._tasks = TaskSet()
        self._stop_listening: Unsubscribe = lambda: None

    def start(self) -> None:
        """Begin to hear what becomes of hidden pages."""
        self._stop_listening = self._gate.transport.subscribe(self._heard)

    def stop(self) -> None:
        """Stop listening; what is open ends with the browser, or with `close`."""
        self._stop_listening()
        self._tasks.cancel()

    async def close(self) -> None:
        """End every hidden page."""
        self.stop()
        await asyncio.gather(*(self._end(zombie_id) for zombie_id in self.ids))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the open hidden pages, oldest first."""
        return tuple(self._open)

    def open_tab(self, zombie_id: str) -> Tab:
        """Return the tab of the open hidden page *zombie_id*."""
        return self._open[zombie_id].tab

    def news(self) -> list[dict[str, str]]:
        """Return which ended by themselves since it was told last, and why."""
        ended, self._ended = self._ended, {}
        return [{"zombie_id": key, "why": why.text(self._lang)} for key, why in ended.items()]

    async def spawn(self, turn: Turn) -> dict[str, Any]:
        """Open the URL in a hidden page and wait until it is loaded."""
        url = turn.params.url
        verdict = url_verdict(turn.policy, url)
        if not verdict:
            raise PolicyRefusedError(verdict)
        if len(self._open) >= self._limits.zombies_max:
            raise CommandError("zombie_too_many", count=len(self._open), open=", ".join(self.ids))
        turn.approve_navigation(ada_url.URL(url).origin)
        turn.acted = True
        zombie = await self._born(url)
        blocked = self._gate.blocked_count
        try:
            await self._loaded(zombie)
        except (CommandError, SessionGoneError, PageCrashedError, CdpTimeoutError) as error:
            ended = self._ended.pop(zombie.zombie_id, None)
            failed = self._explained(zombie, ended or error, blocked)
            await self._end(zombie.zombie_id)
            raise failed from error
        except BaseException:  # given up: nobody knows its id
            await self._end(zombie.zombie_id)
            raise
        if zombie.zombie_id not in self._open:
            why = self._ended.pop(zombie.zombie_id, HostError("zombie_gone"))
            raise CommandError("zombie_lost", url=url[:_URL_CHARS_MAX], why=why)
        self._tasks.run(self._timed(zombie.zombie_id))
        return {"zombie_id": zombie.zombie_id}

    async def kill(self, turn: Turn) -> dict[str, Any]:
        """Close the hidden page and its context."""
        zombie = self._open[turn.params.zombie_id]
        turn.approve_navigation(ada_url.URL(zombie.url).origin)
        turn.acted = True
        await self._end(zombie.zombie_id)
        return {}

    # --- one hidden page

    async def _loaded(self, zombie: _Zombie) -> None:
        seconds = self._limits.zombie_load_ms / 1000
        opening = asyncio.create_task(opened(zombie.tab, zombie.url, seconds))
        ended = asyncio.create_task(zombie.ended.wait())
        try:
            await asyncio.wait({opening, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not zombie.ended.is_set() and (await opening).get("download"):
                why = "it is a file to download"
                raise CommandError("navigation_failed", url=zombie.url[:_URL_CHARS_MAX], why=why)
        finally:
            for task in (opening, ended):
                task.cancel()
            await asyncio.gather(opening, ended, return_exceptions=True)

    async def _born(self, url: str) -> _Zombie:
        send = self._gate.transport.send
        made = await send("Target.createBrowserContext", {"disposeOnDetach": True})
        context_id = str(made["browserContextId"])
        try:
            # Chromium tells of downloads or not for all contexts at once, by the last word on it.
            deny = {"behavior": "deny", "browserContextId": context_id, "eventsEnabled": True}
            await send("Browser.setDownloadBehavior", deny)
            self._gate.hide(context_id, lambda what: self._fault(context_id, what))
            session = await self._gate.open_tab(context_id)
            tab = Tab(session, self._bundle, self._limits)
            zombie = _Zombie(session.target_id, context_id, tab, url, asyncio.Event())
            self._open[zombie.zombie_id] = zombie
            await tab.start()
        except BaseException:
            self._open = {k: z for k, z in self._open.items() if z.context_id != context_id}
            await self._dispose(context_id)
            raise
        return zombie

    def _explained(self, zombie: _Zombie, error: HostError, blocked: int) -> CommandError:
        url = zombie.url[:_URL_CHARS_MAX]
        for request in self._gate.blocked_since(blocked):
            if request.session_id == zombie.tab.session.session_id and request.top_frame:
                where = request.url[:_URL_CHARS_MAX]
                return CommandError("navigation_blocked", url=where, why=request.verdict)
        if isinstance(error, CommandError):
            return error
        return CommandError("zombie_lost", url=url, why=error)

    async def _timed(self, zombie_id: str) -> None:
        seconds = self._limits.zombie_seconds_max
        await asyncio.sleep(seconds)
        self._lose(zombie_id, HostError("zombie_time", seconds=seconds))

    def _fault(self, context_id: str, what: str) -> None:
        for zombie in tuple(self._open.values()):
            if zombie.context_id == context_id:
                self._lose(zombie.zombie_id, HostError(_WHY[what]))

    def _heard(self, event: CdpEvent) -> None:
        if event.method == "Target.detachedFromTarget":
            self._lost_session(event.params.get("sessionId"), "gone")
        elif event.method == "Inspector.targetCrashed":
            self._lost_session(event.session_id, "crash")

    def _lost_session(self, session_id: str | None, what: str) -> None:
        for zombie in tuple(self._open.values()):
            if zombie.tab.session.session_id == session_id:
                self._lose(zombie.zombie_id, HostError(_WHY[what]))

    def _lose(self, zombie_id: str, why: HostError) -> None:
        """Note that *zombie_id* ended by itself, and take what is left of it away."""
        zombie = self._open.pop(zombie_id, None)
        if zombie is not None:
            self._ended[zombie_id] = why
            zombie.tab.stop()
            zombie.ended.set()
            self._tasks.run(self._dispose(zombie.context_id))

    async def _end(self, zombie_id: str) -> None:
        zombie = self._open.pop(zombie_id, None)
        if zombie is not None:
            zombie.tab.stop()
            await self._dispose(zombie.context_id)

    async def _dispose(self, context_id: str) -> None:
        # The browser may be gone: then its contexts are too.
        with contextlib.suppress(HostError):
            arg = {"browserContextId": context_id}
            send = self._gate.transport.send
            await send("Target.disposeBrowserContext", arg, timeout_s=_END_S)
        self._gate.unhide(context_id)
