"""Opening a page: refused before it is asked for, waited for until it is there."""

from typing import Any

import ada_url

from browser.host.errors import CdpTimeoutError, CommandError, PolicyRefusedError
from browser.host.tab import Tab
from browser.host.turn import Turn
from guards.policy import url_verdict

_NET_ERRORS = {
    "net::ERR_NAME_NOT_RESOLVED": "the host has no address",
    "net::ERR_CONNECTION_REFUSED": "nothing listens at that address",
    "net::ERR_CONNECTION_TIMED_OUT": "the host did not answer",
    "net::ERR_CERT_AUTHORITY_INVALID": "its certificate has no known issuer",
    "net::ERR_ABORTED": "the server sent nothing to show",
}


async def navigate(turn: Turn) -> dict[str, Any]:
    """Open the URL in the task's tab and wait until it is loaded."""
    url, tab = turn.params.url, turn.tab
    verdict = url_verdict(turn.policy, url)
    if not verdict:
        raise PolicyRefusedError(verdict)
    turn.approve_navigation(ada_url.URL(url).origin)
    seconds = min(turn.params.timeout_ms, tab.limits.action_timeout_ms_max) / 1000
    turn.acted = True
    was_crashed, tab.crashed = tab.crashed, False
    try:
        answer = await tab.send("Page.navigate", {"url": url}, max(seconds, 0.1))
    except CdpTimeoutError as error:
        await _stop_loading(tab)
        raise _slow(turn, seconds) from error
    if answer.get("isDownload"):
        return {**_place(tab), "download": True}
    if "errorText" in answer:
        tab.crashed = was_crashed and not tab.has_document
        told = str(answer["errorText"])
        why = f"{_NET_ERRORS[told]} ({told})" if told in _NET_ERRORS else told
        raise CommandError("navigation_failed", url=url[:200], why=why)
    loader_id = answer.get("loaderId")
    if loader_id is not None and not await _loaded(tab, loader_id, seconds):
        raise _slow(turn, seconds)
    title = (await tab.ask("identity", {}))["title"]
    return {**_place(tab), "title": title}


async def _loaded(tab: Tab, loader_id: str, seconds: float) -> bool:
    """Wait for the load of *loader_id*, or of a document that replaced it meanwhile."""

    def done() -> bool:
        return loader_id in tab.loader_ids and tab.loaded and not tab.loading

    return await tab.until(done, seconds)


def _slow(turn: Turn, seconds: float) -> CommandError:
    return CommandError("navigation_slow", url=turn.params.url[:200], seconds=round(seconds, 1))


async def _stop_loading(tab: Tab) -> None:
    try:
        await tab.send("Page.stopLoading", {}, 2.0)
    except CdpTimeoutError:
        return


def _place(tab: Tab) -> dict[str, Any]:
    return {"url": tab.url, "title": ""}
