"""Opening a page: refused before it is asked for, waited for until it is there.

The rule: an entry of the tab's history is an address like any other, judged and approved as itself;
what was sent to reach it is not sent again.
"""

import asyncio
from typing import Any

import ada_url

from browser.host.errors import CdpTimeoutError, CommandError, HostError, PolicyRefusedError
from browser.host.gate import Gate
from browser.host.tab import Tab
from browser.host.turn import Turn
from guards.policy import HISTORY, domain_of, origin_is_domain, url_verdict
from states.policy import Target
from states.verdict import refused

_NET_ERRORS = {
    "net::ERR_NAME_NOT_RESOLVED": "the host has no address",
    "net::ERR_CONNECTION_REFUSED": "nothing listens at that address",
    "net::ERR_CONNECTION_TIMED_OUT": "the host did not answer",
    "net::ERR_CERT_AUTHORITY_INVALID": "its certificate has no known issuer",
    "net::ERR_ABORTED": "the server sent nothing to show",
}
_DIRECTIONS = {"back": "history_back", "forward": "history_forward"}
_URL_CHARS_MAX = 200
_LOOK_S = 0.5
# A page that takes longer to count to nothing is not busy but frozen.
_ALIVE_S = 2.0


class Navigation:
    """Opens pages in the task's tab, behind *gate*."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def navigate(self, turn: Turn) -> dict[str, Any]:
        """Open the URL, or the entry of the tab's history, and wait until it is loaded."""
        if turn.params.url in HISTORY:
            return await self._step(turn)
        url, tab = turn.params.url, turn.tab
        verdict = url_verdict(turn.policy, url)
        if not verdict:
            raise PolicyRefusedError(verdict)
        turn.approve_navigation(ada_url.URL(url).origin)
        turn.acted = True
        return await opened(tab, url, _seconds(turn))

    async def _step(self, turn: Turn) -> dict[str, Any]:
        tab, direction = turn.tab, turn.params.url
        told = await tab.send("Page.getNavigationHistory", {})
        index = int(told["currentIndex"]) + (-1 if direction == "back" else 1)
        entries = told["entries"]
        url = str(entries[index]["url"]) if 0 <= index < len(entries) else ""
        if not url or url == "about:blank":
            raise CommandError("history_none", direction=HostError(_DIRECTIONS[direction]))
        verdict = url_verdict(turn.policy, url)
        expected = turn.request.expected_domain
        if verdict and not origin_is_domain(url, expected):
            verdict = refused("domain_mismatch", expected=expected, actual=domain_of(url))
        if not verdict:
            raise PolicyRefusedError(verdict)
        entry = Target(role="link", name=url[:_URL_CHARS_MAX], href=url)
        turn.approve_navigation(ada_url.URL(url).origin, entry)
        turn.acted = True
        seconds = _seconds(turn)
        await revive(tab)
        tab.crashed = False
        before = (tab.loader_ids[-1], self._gate.blocked_count)
        with self._gate.without_posts():
            arg = {"entryId": entries[index]["id"]}
            await tab.send("Page.navigateToHistoryEntry", arg, max(seconds, 0.1))
            if not await self._arrived(tab, index, before, seconds):
                raise _slow(url, seconds)
        return await _shown(tab, url)

    async def _arrived(self, tab: Tab, index: int, before: tuple[str, int], seconds: float) -> bool:
        """Wait until the tab shows the entry number *index*."""
        loader_id, blocked = before

        def done() -> bool:
            new = tab.loader_ids[-1] != loader_id and tab.loaded and not tab.loading
            return new or self._stopped(tab, blocked)

        deadline = asyncio.get_running_loop().time() + seconds
        while not await tab.until(done, _LOOK_S):
            # An entry of the same document loads nothing.
            told = await tab.send("Page.getNavigationHistory", {})
            if told["currentIndex"] == index and not tab.loading:
                return True
            if asyncio.get_running_loop().time() >= deadline:
                return False
        if self._stopped(tab, blocked):
            raise CommandError("navigation_failed", url=tab.url[:_URL_CHARS_MAX], why="blocked")
        return True

    def _stopped(self, tab: Tab, blocked: int) -> bool:
        mine = tab.session.session_id
        since = self._gate.blocked_since(blocked)
        return any(each.top_frame and each.session_id == mine for each in since)


async def opened(tab: Tab, url: str, seconds: float) -> dict[str, Any]:
    """Open the allowed *url* in *tab* and wait until it is loaded.

    Raises:
        CommandError: it could not be loaded, or not in time.
    """
    await revive(tab)
    was_crashed, tab.crashed = tab.crashed, False
    try:
        answer = await tab.send("Page.navigate", {"url": url}, max(seconds, 0.1))
    except CdpTimeoutError as error:
        await _stop_loading(tab)
        raise _slow(url, seconds) from error
    if answer.get("isDownload"):
        return {"url": tab.url, "title": "", "download": True}
    if "errorText" in answer:
        tab.crashed = was_crashed and not tab.has_document
        told = str(answer["errorText"])
        why = f"{_NET_ERRORS[told]} ({told})" if told in _NET_ERRORS else told
        raise CommandError("navigation_failed", url=url[:_URL_CHARS_MAX], why=why)
    loader_id = answer.get("loaderId")
    if loader_id is not None and not await _loaded(tab, loader_id, seconds):
        raise _slow(url, seconds)
    return await _shown(tab, url)


async def revive(tab: Tab) -> None:
    """End what holds *tab*'s page up without end, so that another can be shown in it."""
    if tab.crashed or await _answers(tab):
        return
    await tab.stop_script()
    if await _answers(tab):
        return
    # A script that starts again at once: only without its process the next page can come.
    await _sent(tab, "Page.crash")
    await tab.until(lambda: tab.crashed, _ALIVE_S)


async def _answers(tab: Tab) -> bool:
    try:
        await tab.send("Runtime.evaluate", {"expression": "0"}, _ALIVE_S)
    except CdpTimeoutError:
        return False
    except HostError:
        return True  # gone or crashed: what comes next will tell
    return True


async def _shown(tab: Tab, url: str) -> dict[str, Any]:
    if tab.url.startswith("chrome-error:"):
        why = "the browser shows an error page"
        raise CommandError("navigation_failed", url=url[:_URL_CHARS_MAX], why=why)
    title = (await tab.ask("identity", {}))["title"]
    return {"url": tab.url, "title": title}


async def _loaded(tab: Tab, loader_id: str, seconds: float) -> bool:
    """Wait for the load of *loader_id*, or of a document that replaced it meanwhile."""

    def done() -> bool:
        return loader_id in tab.loader_ids and tab.loaded and not tab.loading

    return await tab.until(done, seconds)


def _seconds(turn: Turn) -> float:
    wait_ms: int = turn.params.timeout_ms
    return min(wait_ms, turn.tab.limits.action_timeout_ms_max) / 1000


def _slow(url: str, seconds: float) -> CommandError:
    return CommandError("navigation_slow", url=url[:_URL_CHARS_MAX], seconds=round(seconds, 1))


async def _stop_loading(tab: Tab) -> None:
    await _sent(tab, "Page.stopLoading")


async def _sent(tab: Tab, method: str) -> None:
    try:
        await tab.send(method, {}, _ALIVE_S)
    except HostError:
        return
