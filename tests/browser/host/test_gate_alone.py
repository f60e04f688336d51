"""What the gate tells the browser, with a browser that only says what a real one would."""

import asyncio
from collections.abc import Mapping
from typing import Any

from browser.host.errors import ContextGoneError
from browser.host.executor import Executor
from browser.host.gate import BlockedRequest, Gate
from browser.host.outcome import ALLOW, Dialog
from browser.host.worlds import World
from states.policy import HostRule, Policy
from states.settings import BrowserLimits
from tests.browser.host.scripted_tab import DOMAIN, ScriptedTab
from tests.support.quiet_transport import QuietTransport
from tests.support.until import until

POLICY = Policy(version=1, hosts=(HostRule(host=DOMAIN, allow=("*",)),))
FRAME = {"id": "t1", "url": "about:blank", "loaderId": "l0"}


def answer(method: str, _: Mapping[str, Any]) -> dict[str, Any]:
    if method == "Target.getTargets":
        return {"targetInfos": [{"targetId": "t1", "type": "page"}]}
    return {"frameTree": {"frame": FRAME}} if method == "Page.getFrameTree" else {}


class Browser:
    """A gate around a browser with one tab of our own."""

    def __init__(self) -> None:
        self.transport = QuietTransport(answer)
        self.blocked: list[BlockedRequest] = []
        self.gate = Gate(self.transport, POLICY, self.blocked.append, BrowserLimits(popups_max=1))

    async def start(self) -> "Browser":
        starting = asyncio.create_task(self.gate.start())
        await asyncio.sleep(0)
        self.attach(1)
        await starting
        return self

    def attach(self, number: int) -> None:
        target = {"targetId": f"t{number}", "type": "page", "url": "about:blank"}
        self.transport.tell("Target.attachedToTarget", sessionId=f"s{number}", targetInfo=target)

    def ask(self, url: str, kind: str = "Document", frame: str = "t1") -> None:
        request = {"url": url, "method": "GET", "headers": {}}
        self.transport.tell(
            "Fetch.requestPaused", requestId=url, request=request, resourceType=kind,
            frameId=frame, networkId=url,
        )  # fmt: skip

    async def until_told(self, method: str, seconds: float = 10, **params: Any) -> None:
        async with asyncio.timeout(seconds):
            await until(lambda: any(
                m == method and params.items() <= p.items() for m, p in self.transport.sent
            ))  # fmt: skip


async def test_a_document_of_the_policy_goes_on_and_another_is_stopped() -> None:
    browser = await Browser().start()
    browser.ask(f"https://{DOMAIN}/")
    browser.ask("https://evil.test/")
    await browser.until_told("Fetch.continueRequest", requestId=f"https://{DOMAIN}/")
    await browser.until_told("Fetch.failRequest", requestId="https://evil.test/")
    assert [blocked.url for blocked in browser.blocked] == ["https://evil.test/"]
    assert browser.transport.methods().count("Fetch.continueRequest") == 1
    await browser.gate.stop()


async def test_a_popup_over_the_bound_is_closed_and_never_runs() -> None:
    browser = await Browser().start()
    browser.attach(2)
    browser.attach(3)
    await browser.until_told("Target.closeTarget", targetId="t3")
    runs = browser.transport.methods().count("Runtime.runIfWaitingForDebugger")
    assert runs == 2  # our own tab and the first popup
    await browser.gate.stop()


async def test_a_dialog_of_a_popup_closes_it() -> None:
    browser = await Browser().start()
    browser.attach(2)
    await until(lambda: browser.gate.popups.count == 1)
    browser.transport.tell("Page.javascriptDialogOpening", "s2")
    await browser.until_told("Target.closeTarget", targetId="t2")
    browser.transport.tell("Page.javascriptDialogOpening", "s1")
    assert ("Target.closeTarget", {"targetId": "t1"}) not in browser.transport.sent
    await browser.gate.stop()


async def test_a_request_of_nobody_known_is_held_and_stopped_in_the_end() -> None:
    browser = await Browser().start()
    browser.ask(f"https://{DOMAIN}/x.js", "Script", "unheard of")
    assert browser.blocked == []
    await browser.until_told("Fetch.failRequest", 15, requestId=f"https://{DOMAIN}/x.js")
    await browser.gate.stop()


async def refusal(executor: Executor, action: str, **params: Any) -> str:
    outcome = await executor.execute(action, params, DOMAIN, lambda _: ALLOW)
    assert outcome.error is not None
    return outcome.error.code


async def test_the_executor_knows_its_actions_and_does_none_under_a_dialog() -> None:
    tab = ScriptedTab()
    tab.show(Dialog("confirm", "Delete all?"))
    executor = Executor(Browser().gate, tab)
    assert await refusal(executor, "getText") == "dialog_open"
    assert await refusal(executor, "fly") == "action_unknown"
    assert tab.asked == []


class QuietTab(ScriptedTab):
    async def start(self) -> None:
        """Need no browser."""


async def test_without_a_folder_the_executor_has_downloads_denied() -> None:
    browser = Browser()
    await Executor(browser.gate, QuietTab()).start()
    assert "deny" in [params.get("behavior") for _, params in browser.transport.sent]


class LeavingTab(ScriptedTab):
    """A page that goes away whenever it is asked for anything."""

    async def ask(
        self,
        function: str,
        arg: Mapping[str, Any],
        wait_s: float = 0.0,
        world: World | None = None,
    ) -> dict[str, Any]:
        await super().ask(function, arg, wait_s, world)
        raise ContextGoneError("Runtime.evaluate", "navigated")


async def questions(tab: ScriptedTab, action: str) -> list[str]:
    await refusal(Executor(Browser().gate, tab), action, selector="#b")
    return [function for function, _ in tab.asked if function != "snapshot"]


async def test_an_element_whose_page_went_away_before_a_yes_is_looked_for_once_more() -> None:
    # A click meets its element in the next document; what reads is done again as a whole.
    assert await questions(LeavingTab(), "click") == ["ready", "ready"]
    assert await questions(LeavingTab(), "getHtml") == ["resolve", "resolve"]


class LeavingAfterTab(LeavingTab):
    """A page that answers what its element is, and goes away then."""

    async def ask(
        self,
        function: str,
        arg: Mapping[str, Any],
        wait_s: float = 0.0,
        world: World | None = None,
    ) -> dict[str, Any]:
        if function == "snapshot" or self.asked:
            return await super().ask(function, arg, wait_s, world)
        return await ScriptedTab.ask(self, function, arg, wait_s, world)


async def test_what_was_approved_is_not_done_in_another_document_but_a_read_is() -> None:
    # The first answer is what was approved; of the click nothing is asked again after it.
    assert len(await questions(LeavingAfterTab(), "click")) == 2
    assert len(await questions(LeavingAfterTab(), "getHtml")) == 3
