"""What a command leaves behind: a page at rest, popups, blocked requests, a fresh snapshot."""

import asyncio
import contextlib
from typing import Any

from pydantic import TypeAdapter, ValidationError

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
from browser.host.gate import BlockedRequest, Gate
from browser.host.tab import Tab
from states.catalogue import Lang
from states.page import AomNode, PageState

_NODES = TypeAdapter(tuple[AomNode, ...])
_SNAPSHOT_TRIES = 3
# A document whose script is led outside while it loads never finishes loading.
_LOAD_ERRORS = frozenset({"navigation_failed", "navigation_slow"})
_URL_CHARS_MAX = 500


class Aftermath:
    """What happened around one command, counted from its start."""

    def __init__(self, gate: Gate, tab: Tab) -> None:
        self._gate = gate
        self._tab = tab
        self._popups = gate.popups.count
        self._blocked = gate.blocked_count

    async def data(self) -> dict[str, Any]:
        """Return `{popup: {url, blocked}}` when the command opened one."""
        popups = self._gate.popups.since(self._popups)
        if not popups:
            return {}
        seconds = self._tab.limits.settle_ms_max / 1000
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                for popup in popups:
                    await popup.decided.wait()
        first = popups[0]
        told: dict[str, Any] = {
            "url": (first.url or "about:blank")[:_URL_CHARS_MAX],
            "blocked": first.blocked,
        }
        opened = self._gate.popups.count - self._popups
        return {"popup": told, "popups": opened} if opened > 1 else {"popup": told}

    def blocked_error(self, lang: Lang) -> CommandError | None:
        """Return the error when the command led the tab out, or sent a form nobody approved."""
        blocked = self._blocked_document()
        if blocked is None:
            return None
        url = blocked.url[:_URL_CHARS_MAX]
        if blocked.verdict.reason == UNAPPROVED:
            return CommandError(UNAPPROVED, url=url)
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


async def settle(tab: Tab, seconds: float) -> None:
    """Wait until the page is at rest: nothing loads, nothing changes for a moment."""
    await _quiet(tab)
    if tab.loading or not tab.has_document:
        await tab.until_loaded(seconds)
        await _quiet(tab)


async def seen_page(tab: Tab, before: PageState) -> tuple[PageState, tuple[AomNode, ...]]:
    """Return the page and its nodes; without nodes while none can be asked for."""
    for _ in range(_SNAPSHOT_TRIES):
        if tab.dialog is not None:
            return before, ()
        try:
            return await _snapshot(tab)
        except ContextGoneError:
            continue
        except (PageCrashedError, BrowserLostError, CdpTimeoutError, CdpError, CommandError):
            break
    return PageState(url=tab.url[:_URL_CHARS_MAX]), ()


async def _snapshot(tab: Tab) -> tuple[PageState, tuple[AomNode, ...]]:
    limits = tab.limits
    arg = {"limit": limits.snapshot_nodes_max, "name_chars": limits.name_chars_max}
    if tab.crashed:
        raise PageCrashedError
    answer = await tab.before_dialog(tab.ask("snapshot", arg))
    try:
        nodes = _NODES.validate_python(answer["nodes"])
        state = {**answer["page"], "total": answer["total"], "truncated": answer["truncated"]}
        return PageState.model_validate(state), nodes
    except (ValidationError, KeyError) as error:
        raise CommandError("page_failed", detail=str(error)[:200]) from error


async def _quiet(tab: Tab) -> None:
    try:
        await tab.ask("settled", {"ms_max": tab.limits.settle_ms_max})
    except (CdpError, CdpTimeoutError):
        return  # it navigates, or hangs: what comes next will tell
