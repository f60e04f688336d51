"""What a command leaves behind: a page at rest, tabs, files, blocked requests, a fresh snapshot.

The rule: what a command opened is gone on in before it is answered, and an answer tells of
everything that began or ended since the last one, what is not yet known as not yet known.
"""

import asyncio
import contextlib
from typing import Any, NamedTuple

from browser.host.downloads import Downloads
from browser.host.errors import (
    BrowserLostError,
    CdpError,
    CdpTimeoutError,
    CommandError,
    ContextGoneError,
    HostError,
    PageCrashedError,
)
from browser.host.form_posts import UNAPPROVED
from browser.host.gate import SENT_BEFORE, BlockedRequest, Gate
from browser.host.perceive import perceive
from browser.host.popups import Popup
from browser.host.tab import DialogOpenedError, Tab
from browser.host.tabs import Tabs
from browser.host.zombies import Zombies
from states.catalogue import Lang, words
from states.page import AomNode, PageState
from states.policy import Policy
from states.verdict import refused

_SNAPSHOT_TRIES = 3
# How long a download that a navigation turned into may take to be heard of.
_BEGINS_S = 2.0
# A document whose script is led outside while it loads never finishes loading.
_LOAD_ERRORS = frozenset({"navigation_failed", "navigation_slow"})
_URL_CHARS_MAX = 500


class Surroundings(NamedTuple):
    """What a command may leave its traces in."""

    gate: Gate
    tabs: Tabs
    downloads: Downloads
    zombies: Zombies
    lang: Lang


class Aftermath:
    """What happened around one command, counted from its start."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._gate = around.gate
        self._tab = around.tabs.current
        self._popups = around.gate.popups.count
        self._blocked = around.gate.blocked_count
        self._begun = around.downloads.count

    def ended(self, *, acted: bool) -> None:
        """Note that the command ended; what it opens from now on comes late, but is its own."""
        if acted:
            self._around.tabs.command_acted(self._popups)

    async def data(self, given: dict[str, Any], *, acted: bool) -> dict[str, Any]:
        """Return *given* with what the command opened, began and ended."""
        self.ended(acted=acted)
        told = {**given, **await self._opened()}
        told |= await self._downloaded(given, acted=acted)
        closed = await self._around.tabs.closed()
        if closed:
            told["closed_tab"] = closed[-1]._asdict()
        ended = self._around.zombies.news()
        if ended:
            told["zombies_ended"] = ended
        if closed or told.get("popup", {}).get("adopted"):
            told |= await self._settled()
        return told

    async def _opened(self) -> dict[str, Any]:
        tabs, popups = self._around.tabs, self._gate.popups.since(self._popups)
        await self._within(self._tab.limits.settle_ms_max, *(p.decided for p in popups))
        chosen = tabs.candidate()
        if chosen is not None and tabs.full:
            count = self._tab.limits.popups_max
            why = refused("popup_one_too_many", count=count)
            chosen.decide(chosen.url, blocked=True, why=why)
            await self._gate.close_tab(chosen.session)
        if chosen is not None and chosen.decided.is_set():
            await self._within(self._tab.limits.wait_ms, chosen.landed)
        adopted = chosen is not None and chosen.shows and await tabs.adopt(chosen)
        first = chosen if adopted else next(iter(popups), None)
        if first is None:
            return {}
        told: dict[str, Any] = {"popup": self._told(first, waits=first is chosen)}
        opened = self._gate.popups.count - self._popups
        return {**told, "popups": opened} if opened > 1 else told

    def _told(self, popup: Popup, *, waits: bool) -> dict[str, Any]:
        told = {
            "url": (popup.url or "about:blank")[:_URL_CHARS_MAX],
            "blocked": popup.blocked,
            "adopted": popup.adopted,
        }
        if popup.adopted:
            return {**told, "tab_id": popup.session.target_id}
        why = popup.why.text(self._around.lang)
        if not popup.blocked and waits and not popup.closed:
            why = words("popup_waits", self._around.lang)
        return {**told, "why": why} if why else told

    async def _downloaded(self, given: dict[str, Any], *, acted: bool) -> dict[str, Any]:
        downloads, lang = self._around.downloads, self._around.lang
        if given.get("download") is True:
            await downloads.begins(self._begun, _BEGINS_S)
        wait_s = self._tab.limits.download_wait_ms / 1000 if acted else 0.0
        news = [record.as_data(lang) for record in await downloads.news(self._begun, wait_s)]
        if not news:
            return {}
        return {"download": news[0], "downloads": news} if len(news) > 1 else {"download": news[0]}

    async def _settled(self) -> dict[str, Any]:
        tabs = self._around.tabs
        try:
            await tabs.before_dialog(settle(tabs.current, self._tab.limits.wait_ms / 1000))
        except DialogOpenedError as opened:
            return opened.data()
        except HostError:
            return {}  # it closed or crashed by now: the next command tells
        return {}

    @staticmethod
    async def _within(wait_ms: int, *events: asyncio.Event) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_ms / 1000):
                for event in events:
                    await event.wait()

    def blocked_error(self, lang: Lang) -> CommandError | None:
        """Return the error when the command led the tab out, or sent a form nobody approved."""
        blocked = self._blocked_document()
        if blocked is None:
            return None
        url = blocked.url[:_URL_CHARS_MAX]
        if blocked.verdict.reason in {UNAPPROVED, SENT_BEFORE}:
            return CommandError(blocked.verdict.reason, url=url)
        return CommandError("navigation_blocked", url=url, why=blocked.verdict.text(lang))

    def explained(self, error: HostError, lang: Lang) -> HostError:
        """Return *error*, or the policy's reason when that is what the browser ran into."""
        return (self.blocked_error(lang) or error) if error.code in _LOAD_ERRORS else error

    def _blocked_document(self) -> BlockedRequest | None:
        mine = self._tab.session.session_id
        for blocked in self._gate.blocked_since(self._blocked):
            here = blocked.top_frame and blocked.session_id == mine
            # A form may be sent to a tab of its own.
            if here or blocked.verdict.reason == UNAPPROVED:
                return blocked
        return None


async def settle(tab: Tab, seconds: float, *, brief: bool = False) -> None:
    """Wait until the page is at rest: nothing loads, nothing changes for a moment.

    With *brief* a page that does not move at all is at rest at once.
    """
    await _quiet(tab, brief=brief)
    if tab.loading or not tab.has_document:
        await tab.until_loaded(seconds)
        await _quiet(tab)


async def seen_page(
    tab: Tab, policy: Policy, before: PageState
) -> tuple[PageState, tuple[AomNode, ...]]:
    """Return the page and its nodes; without nodes while none can be asked for."""
    for _ in range(_SNAPSHOT_TRIES):
        if tab.dialog is not None:
            return before, ()
        try:
            return await _snapshot(tab, policy)
        except ContextGoneError:
            continue
        except (PageCrashedError, BrowserLostError, CdpTimeoutError, CdpError, CommandError):
            break
    return PageState(url=tab.url[:_URL_CHARS_MAX]), ()


async def _snapshot(tab: Tab, policy: Policy) -> tuple[PageState, tuple[AomNode, ...]]:
    if tab.crashed:
        raise PageCrashedError
    seen = await tab.before_dialog(perceive(tab, policy))
    return seen.page, seen.nodes


async def _quiet(tab: Tab, *, brief: bool = False) -> None:
    try:
        await tab.ask("settled", {"ms_max": tab.limits.settle_ms_max, "brief": brief})
    except (CdpError, CdpTimeoutError):
        return  # it navigates, or hangs: what comes next will tell
