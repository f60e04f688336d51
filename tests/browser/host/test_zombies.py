"""A hidden page: of nobody's cookies, behind the same gate, few, short, and told when it ends."""

import contextlib
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from browser.host.errors import PageCrashedError
from browser.host.outcome import NEEDS_CONFIRMATION, Approval, ResolvedCall
from browser.host.tab import Tab
from states.policy import Effect
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab
from tests.support.raw_listener import RawListener, listening
from tests.support.site import Asked, Reply
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]


class Crypt:
    """A tab, and what its hidden pages show and run."""

    def __init__(self, lab: HostLab, tab: TabLab) -> None:
        self.lab = lab
        self.tab = tab

    async def spawn(self, page: str, path: str = "/z") -> str:
        """Return the id of a new hidden page that shows *page*."""
        self.lab.good.pages[path] = page
        outcome = await self.tab.do("zombieSpawn", url=self.lab.good.url(path))
        assert outcome.error is None, outcome.error
        assert outcome.page.title == "front"
        return str(outcome.data["zombie_id"])

    def page(self, zombie_id: str) -> Tab:
        """Return the hidden page's own tab."""
        return self.tab.executor.zombies.open_tab(zombie_id)

    async def script(self, zombie_id: str, source: str) -> Any:
        """Return what *source* gives in the hidden page."""
        arg = {"expression": source, "returnByValue": True, "awaitPromise": True}
        answer = await self.page(zombie_id).session.send("Runtime.evaluate", arg)
        return answer["result"].get("value")

    async def ended(self) -> dict[str, str]:
        """Return what the next answer that tells of an end says."""
        told: list[dict[str, str]] = []

        async def heard() -> bool:
            told.extend((await self.tab.do("getText")).data.get("zombies_ended", []))
            return bool(told)

        await until(heard)
        return told[0]

    async def contexts(self) -> int:
        """Return how many contexts the browser holds beside its own."""
        answer = await self.lab.gate.transport.send("Target.getBrowserContexts")
        return len(answer["browserContextIds"])


@pytest_asyncio.fixture(loop_scope="module")
async def crypt(lab: HostLab) -> AsyncIterator[Crypt]:
    tab = await lab.open("<title>front</title><h1>front</h1>")
    yield Crypt(lab, tab)
    await tab.executor.close()


async def test_a_hidden_page_is_opened_beside_the_task_and_closed_by_its_id(crypt: Crypt) -> None:
    before = await crypt.contexts()
    zombie_id = await crypt.spawn("<title>hidden</title>")
    assert await crypt.script(zombie_id, "document.title") == "hidden"
    assert (await crypt.contexts(), await crypt.tab.text("h1")) == (before + 1, "front")
    outcome = await crypt.tab.do("zombieKill", zombie_id=zombie_id)
    assert (outcome.success, outcome.data) == (True, {})
    assert await crypt.contexts() == before


async def test_it_shares_nothing_with_the_task(lab: HostLab, crypt: Crypt) -> None:
    await crypt.tab.script("document.cookie = 'who=task'; localStorage.who = 'task'; 1")
    zombie_id = await crypt.spawn("x")
    seen = "document.cookie + '|' + localStorage.who"
    assert await crypt.script(zombie_id, seen) == "|undefined"
    assert await crypt.tab.script(seen) == "who=task|task"
    [hit] = [hit for hit in lab.good.hits if hit.path == "/z"]
    assert "Cookie" not in hit.headers


WAYS_OUT = {
    "picture": "new Promise(end => {{ const i = new Image(); i.onload = i.onerror = () => end(1); "
    "i.src = '{url}'; }})",
    "fetch": "fetch('{url}', {{mode: 'no-cors'}}).catch(() => 1).then(() => 1)",
    "beacon": "navigator.sendBeacon('{url}', 'x')",
    "frame": "document.body.append(Object.assign(document.createElement('iframe'), "
    "{{src: '{url}'}})); 1",
    "worker": "new Worker(URL.createObjectURL(new Blob(['fetch(\"{url}\")']))); 1",
    "location": "location.href = '{url}'; 1",
}


async def stopped(lab: HostLab, url: str) -> None:
    await until(lambda: any(request.url == url for request in lab.blocked))


async def heard(lab: HostLab, path: str) -> None:
    await until(lambda: path in lab.good.hit_paths())


async def test_the_gate_stands_around_a_hidden_page_too(lab: HostLab, crypt: Crypt) -> None:
    zombie_id = await crypt.spawn("<body>x")
    for way, source in WAYS_OUT.items():
        url = lab.bad.url(f"/{way}")
        await crypt.script(zombie_id, source.format(url=url))
        await stopped(lab, url)
        lab.good.pages[f"/{way}"] = "in"
        await crypt.script(zombie_id, source.format(url=lab.good.url(f"/{way}")))
        await heard(lab, f"/{way}")
    assert lab.bad.hits == []


async def test_a_socket_of_a_hidden_page_goes_nowhere(crypt: Crypt) -> None:
    zombie_id = await crypt.spawn("x")
    listener: RawListener
    with listening() as listener:
        socket = f"new WebSocket('ws://127.0.0.1:{listener.port}/x')"
        shut = f"new Promise(end => {{ ({socket}).onclose = () => end('shut') }})"
        assert await crypt.script(zombie_id, shut) == "shut"
        assert await crypt.script(zombie_id, "typeof RTCPeerConnection") == "undefined"
        assert listener.arrived == []


async def test_what_leads_out_while_it_loads_is_named_and_nothing_stays(
    lab: HostLab, crypt: Crypt
) -> None:
    before = await crypt.contexts()
    headers = {"Location": lab.bad.url("/secret")}
    lab.good.pages["/z"] = lambda _: Reply(status=302, headers=headers)
    outcome = await crypt.tab.do("zombieSpawn", url=lab.good.url("/z"))
    assert outcome.error is not None
    assert outcome.error.code == "navigation_blocked"
    assert lab.bad.url("/secret") in outcome.error.message
    assert (lab.bad.hits, await crypt.contexts()) == ([], before)


@pytest.mark.parametrize("url", ["{bad}", "data:text/html,x", "about:blank", "back", "file:///etc"])
async def test_an_address_outside_the_policy_opens_nothing(
    lab: HostLab, crypt: Crypt, url: str
) -> None:
    before = await crypt.contexts()
    outcome = await crypt.tab.do("zombieSpawn", url=url.format(bad=lab.bad.url("/x")))
    assert outcome.error is not None
    assert (lab.bad.hits, await crypt.contexts()) == ([], before)


ENDS = {
    "dialog": ("alert('hello')", "dialog"),
    "tab": ("window.open('/front2')", "opened a tab"),
}


@pytest.mark.parametrize("way", ENDS)
async def test_what_nobody_could_answer_for_ends_it_and_is_told(
    lab: HostLab, crypt: Crypt, way: str
) -> None:
    before = await crypt.contexts()
    script, why = ENDS[way]
    lab.good.pages["/front2"] = "second"
    later = f"<script>setTimeout(() => {{ {script} }}, 300)</script>"
    zombie_id = await crypt.spawn(later)
    told = await crypt.ended()
    assert (told["zombie_id"], why in told["why"]) == (zombie_id, True)
    await until(lambda: _is(crypt, before))
    assert "/front2" not in lab.good.hit_paths()


async def _is(crypt: Crypt, contexts: int) -> bool:
    return await crypt.contexts() == contexts


async def test_a_dialog_while_it_loads_ends_the_spawn_at_once(lab: HostLab, crypt: Crypt) -> None:
    lab.good.pages["/z"] = "<script>alert('hello')</script>"
    outcome = await crypt.tab.do("zombieSpawn", url=lab.good.url("/z"))
    assert outcome.error is not None
    assert (outcome.error.code, "dialog" in outcome.error.message) == ("zombie_lost", True)


async def test_a_crash_ends_it_and_is_told(crypt: Crypt) -> None:
    zombie_id = await crypt.spawn("x")
    page = crypt.page(zombie_id)
    page.worlds.soon(_crash(page))
    told = await crypt.ended()
    assert (told["zombie_id"], "crashed" in told["why"]) == (zombie_id, True)
    assert await crypt.tab.text("h1") == "front"


async def _crash(page: Tab) -> None:
    with contextlib.suppress(PageCrashedError):
        await page.session.send("Page.crash")


async def test_a_closed_window_ends_it_and_is_told(lab: HostLab, crypt: Crypt) -> None:
    zombie_id = await crypt.spawn("x")
    await lab.gate.close_tab(crypt.page(zombie_id).session)
    told = await crypt.ended()
    assert (told["zombie_id"], "closed itself" in told["why"]) == (zombie_id, True)


async def test_a_form_of_a_hidden_page_is_not_sent(lab: HostLab, crypt: Crypt) -> None:
    zombie_id = await crypt.spawn("<form method=post action=/p></form>")
    await crypt.script(zombie_id, "document.forms[0].submit()")
    await until(lambda: any(request.url.endswith("/p") for request in lab.blocked))
    await crypt.script(zombie_id, "document.forms[0].method = 'get'; document.forms[0].submit()")
    await until(lambda: "/p" in lab.good.hit_paths())
    assert {hit.method for hit in lab.good.hits if hit.path == "/p"} == {"GET"}


async def test_a_hidden_page_keeps_no_downloads(lab: HostLab, crypt: Crypt) -> None:
    before = await crypt.contexts()
    headers = {"Content-Disposition": "attachment; filename=a.csv"}
    lab.good.pages["/z"] = lambda _: Reply("a,b", headers=headers)
    outcome = await crypt.tab.do("zombieSpawn", url=lab.good.url("/z"))
    assert outcome.error is not None
    assert outcome.error.code == "navigation_failed"
    assert (crypt.tab.executor.downloads, await crypt.contexts()) == ((), before)


async def test_only_so_many_are_open_at_a_time(crypt: Crypt) -> None:
    ids = [await crypt.spawn("x") for _ in range(BrowserLimits().zombies_max)]
    outcome = await crypt.tab.do("zombieSpawn", url=crypt.lab.good.url("/z"))
    assert outcome.error is not None
    assert (outcome.error.code, ids[0] in outcome.error.message) == ("zombie_too_many", True)
    await crypt.tab.do("zombieKill", zombie_id=ids[0])
    await crypt.spawn("x")


async def test_an_unknown_id_is_a_sentence_that_names_the_open_ones(crypt: Crypt) -> None:
    zombie_id = await crypt.spawn("x")
    outcome = await crypt.tab.do("zombieKill", zombie_id="nobody")
    assert outcome.error is not None
    assert outcome.error.code == "zombie_unknown"
    assert "nobody" in outcome.error.message
    assert zombie_id in outcome.error.message


async def test_its_time_runs_out(lab: HostLab) -> None:
    tab = await lab.open(
        "<title>front</title><h1>front</h1>", limits=BrowserLimits(zombie_seconds_max=1)
    )
    crypt = Crypt(lab, tab)
    zombie_id = await crypt.spawn("x")
    told = await crypt.ended()
    assert (told["zombie_id"], "1 s" in told["why"]) == (zombie_id, True)


async def test_one_that_does_not_load_in_time_is_given_up(lab: HostLab) -> None:
    release = threading.Event()

    def slow(_: Asked) -> Reply:
        release.wait(30)
        return Reply("late")

    limits = BrowserLimits(zombie_load_ms=700)
    tab = await lab.open("<title>front</title><h1>front</h1>", limits=limits)
    crypt = Crypt(lab, tab)
    before = await crypt.contexts()
    lab.good.pages["/z"] = slow
    try:
        outcome = await tab.do("zombieSpawn", url=lab.good.url("/z"))
    finally:
        release.set()
    assert outcome.error is not None
    assert outcome.error.code == "navigation_slow"
    assert await crypt.contexts() == before


async def test_the_end_of_the_executor_ends_them(crypt: Crypt) -> None:
    before = await crypt.contexts()
    await crypt.spawn("x")
    await crypt.spawn("x")
    await crypt.tab.executor.close()
    assert await crypt.contexts() == before


async def test_opening_and_closing_are_acts_that_the_host_hears_of_before(
    lab: HostLab, crypt: Crypt
) -> None:
    asked: list[ResolvedCall] = []

    def note(call: ResolvedCall) -> Approval:
        asked.append(call)
        return NEEDS_CONFIRMATION

    lab.good.hits.clear()
    await crypt.tab.do("zombieSpawn", url=lab.good.url("/z"), approve=note)
    assert [(call.effect, call.origin) for call in asked] == [(Effect.ACT, lab.good.origin)]
    assert lab.good.hit_paths() == []
    await crypt.tab.do("zombieSpawn", url=lab.good.url("/logout"), approve=note)
    zombie_id = await crypt.spawn("x")
    await crypt.tab.do("zombieKill", zombie_id=zombie_id, approve=note)
    assert [call.effect for call in asked] == [Effect.ACT, Effect.CONFIRM, Effect.ACT]
    assert await crypt.script(zombie_id, "1") == 1
