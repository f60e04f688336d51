"""The tab that a command opened is gone on in, said so, and left again when it closes."""

import asyncio
import threading

import pytest

from browser.host.outcome import ALLOW, Outcome
from states.settings import BrowserLimits
from tests.support.host_lab import DOMAIN, HostLab, TabLab
from tests.support.site import Asked, Reply
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

LINK = "<title>old</title><a href=/1 target=_blank>open</a><h1>old page</h1>"
NEW = "<title>new</title><h1>new page</h1><button onclick='window.close()'>close</button>"
WAYS = {
    "link": "<a id=go href=/1 target=_blank>open</a>",
    "link with opener": "<a id=go href=/1 target=_blank rel=opener>open</a>",
    "script": "<button id=go onclick=\"window.open('/1')\">open</button>",
    "small window": "<button id=go onclick=\"window.open('/1', 'w', 'width=300,height=200')\">o",
    "blank first": """<button id=go onclick="w = window.open(''); setTimeout(() => {
        w.location = '/1' }, 200)">open</button>""",
    "form": "<form action=/1 target=_blank><button id=go type=button onclick='form.submit()'>o",
}


async def open_new(lab: HostLab, old: str = LINK, new: str = NEW) -> tuple[TabLab, str]:
    """Return the tab after its link was clicked, and the id of the tab that opened."""
    tab = await lab.open(old, new)
    outcome = await tab.do("click", selector="a")
    assert outcome.data["popup"]["adopted"], outcome
    return tab, str(outcome.data["popup"]["tab_id"])


async def answer(tab: TabLab, *, accept: bool) -> Outcome:
    return await tab.executor.answer_dialog(accept, "", DOMAIN, lambda _: ALLOW)


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_click_opened_is_the_tasks_tab_at_once(lab: HostLab, way: str) -> None:
    tab = await lab.open("<title>old</title>" + WAYS[way], NEW)
    outcome = await tab.do("click", selector="#go")
    assert outcome.success
    popup = outcome.data["popup"]
    assert (popup["adopted"], popup["blocked"]) == (True, False)
    assert popup["tab_id"] == tab.executor.tab.session.target_id
    assert (outcome.page.title, outcome.page.url.rstrip("?")) == ("new", lab.good.url("/1"))
    assert "new page" in str(outcome.snapshot)
    assert await tab.text("h1") == "new page"


async def test_a_tab_that_loads_slowly_is_waited_for(lab: HostLab) -> None:
    def slow(_: Asked) -> Reply:
        threading.Event().wait(0.8)
        return Reply(NEW)

    tab = await lab.open(LINK, slow)
    outcome = await tab.do("click", selector="a")
    assert outcome.data["popup"]["adopted"]
    assert outcome.page.title == "new"


async def test_a_tab_that_comes_late_is_said_to_be_coming_and_then_gone_on_in(
    lab: HostLab,
) -> None:
    def slow(_: Asked) -> Reply:
        threading.Event().wait(1.5)
        return Reply(NEW)

    tab = await lab.open(LINK, slow, limits=BrowserLimits(wait_ms=900))
    outcome = await tab.do("click", selector="a")
    popup = outcome.data["popup"]
    assert (popup["adopted"], outcome.page.title) == (False, "old")
    assert "no page yet" in popup["why"]

    async def arrived() -> bool:
        outcome = await tab.do("getText", selector="h1")
        return outcome.page.title == "new"

    await until(arrived)
    assert await tab.text("h1") == "new page"


async def test_a_refused_tab_is_closed_before_any_request_and_the_old_page_stays(
    lab: HostLab,
) -> None:
    tab = await lab.open(f"<title>old</title><a href='{lab.bad.url('/x')}' target=_blank>go</a>")
    outcome = await tab.do("click", selector="a")
    popup = outcome.data["popup"]
    assert (popup["blocked"], popup["adopted"]) == (True, False)
    assert "policy" in popup["why"]
    assert (outcome.page.title, lab.bad.hits) == ("old", [])


async def test_a_tab_that_a_redirect_leads_out_is_never_gone_on_in(lab: HostLab) -> None:
    headers = {"Location": lab.bad.url("/x")}
    tab = await lab.open(LINK, lambda _: Reply(status=302, headers=headers))
    outcome = await tab.do("click", selector="a")
    popup = outcome.data["popup"]
    assert (popup["blocked"], popup["adopted"], outcome.page.title) == (True, False, "old")
    assert lab.bad.hits == []


async def test_only_the_first_of_several_is_gone_on_in(lab: HostLab) -> None:
    page = "<button onclick=\"for (const n of [1, 2, 3]) window.open('/' + n)\">three</button>"
    tab = await lab.open(page, "<h1>one</h1>", "<h1>two</h1>", "<h1>three</h1>")
    outcome = await tab.do("click", selector="button")
    assert (outcome.data["popup"]["url"], outcome.data["popups"]) == (lab.good.url("/1"), 3)
    assert await tab.text("h1") == "one"


async def test_what_opens_by_itself_is_not_gone_on_in(lab: HostLab) -> None:
    tab = await lab.open("<title>old</title><h1>old</h1>", NEW)
    await tab.script("window.open('/1'); 1")
    await until(lambda: "/1" in lab.good.hit_paths())
    assert await tab.text("h1") == "old"


async def test_a_tab_that_closes_itself_gives_the_task_back_to_its_opener(lab: HostLab) -> None:
    tab, tab_id = await open_new(lab)
    outcome = await tab.do("click", selector="button")
    assert outcome.success
    assert outcome.data["closed_tab"] == {"tab_id": tab_id, "url": lab.good.url("/1")}
    assert outcome.page.title == "old"
    assert await tab.text("h1") == "old page"


async def test_a_command_in_a_tab_that_closes_meanwhile_ends_with_a_sentence(
    lab: HostLab,
) -> None:
    new = "<h1>new</h1><script>setTimeout(() => window.close(), 700)</script>"
    tab, _ = await open_new(lab, new=new)
    outcome = await tab.do("waitForSelector", selector="#never", timeout_ms=30_000)
    assert outcome.error is not None
    assert outcome.error.code == "tab_closed"
    assert lab.good.url("/1") in outcome.error.message
    assert await tab.text("h1") == "old page"


async def test_a_command_meant_for_a_tab_that_closed_by_itself_is_not_done_in_its_opener(
    lab: HostLab,
) -> None:
    old = LINK + "<button id=b onclick=\"this.textContent = 'pressed'\">b</button>"
    tab, tab_id = await open_new(lab, old, NEW.replace("<button", "<button id=b"))
    await tab.script("window.close()")
    await until(lambda: tab.executor.tab.url == lab.good.url())
    outcome = await tab.do("click", selector="#b")
    assert outcome.error is not None
    assert outcome.error.code == "tab_closed"
    assert (outcome.data["closed_tab"]["tab_id"], outcome.page.title) == (tab_id, "old")
    assert await tab.text("#b") == "b"
    # Told once, it is done where the answer said it would be.
    assert (await tab.do("click", selector="#b")).success
    assert await tab.text("#b") == "pressed"


async def test_an_opened_tab_is_closed_by_its_id(lab: HostLab) -> None:
    tab, tab_id = await open_new(lab)
    outcome = await tab.do("zombieKill", zombie_id=tab_id)
    assert outcome.success
    assert outcome.data["closed_tab"]["tab_id"] == tab_id
    assert outcome.page.title == "old"
    again = await tab.do("zombieKill", zombie_id=tab_id)
    assert again.error is not None
    assert again.error.code == "zombie_unknown"


async def test_closing_a_tab_with_unsaved_work_asks_the_person(lab: HostLab) -> None:
    keep = "<script>onbeforeunload = e => { e.preventDefault(); e.returnValue = 'x' }</script>"
    tab, tab_id = await open_new(lab, new="<h1>new</h1><button>touch</button>" + keep)
    await tab.do("click", selector="button")
    outcome = await tab.do("zombieKill", zombie_id=tab_id)
    assert outcome.data["dialog"]["type"] == "beforeunload"
    kept = await answer(tab, accept=False)
    assert kept.success
    assert await tab.text("h1") == "new"
    await tab.do("zombieKill", zombie_id=tab_id)
    left = await answer(tab, accept=True)
    assert left.success
    assert await tab.text("h1") == "old page"


async def test_a_dialog_of_the_tab_beneath_is_told_and_answered_there(lab: HostLab) -> None:
    old = LINK + "<script>setTimeout(() => document.title = String(confirm('old?')), 1500)</script>"
    tab, _ = await open_new(lab, old)
    outcome = await tab.do("waitForSelector", selector="#never", timeout_ms=20_000)
    assert outcome.error is not None
    assert outcome.error.code == "dialog_open"
    assert "old?" in outcome.error.message
    assert outcome.page.url == lab.good.url()
    answered = await answer(tab, accept=False)
    assert answered.success
    assert answered.page.title == "new"
    assert await tab.text("h1") == "new page"


async def test_a_crash_of_the_tab_beneath_hangs_nothing(lab: HostLab) -> None:
    # Both may share a process: then the new one crashed too, and the task says so.
    tab, tab_id = await open_new(lab)
    beneath = tab.executor.tabs.beneath[-1]
    crash = asyncio.create_task(beneath.session.send("Page.crash"))
    await asyncio.gather(crash, return_exceptions=True)
    await until(lambda: beneath.crashed)
    if not tab.executor.tab.crashed:
        assert await tab.text("h1") == "new page"
    outcome = await tab.do("zombieKill", zombie_id=tab_id)
    assert outcome.success, outcome
    outcome = await tab.do("getText")
    assert outcome.error is not None
    assert outcome.error.code == "page_crashed"
    assert (await tab.do("navigate", url=lab.good.url())).success


async def test_the_last_tab_may_close_and_the_task_goes_on_in_a_new_one(lab: HostLab) -> None:
    tab = await lab.open("<button>x</button>")
    await lab.gate.close_tab(tab.executor.tab.session)
    await until(lambda: tab.executor.tabs.front_closed is not None)
    outcome = await tab.do("getText")
    assert outcome.error is not None
    assert outcome.error.code == "tab_closed_last"
    assert (await tab.do("navigate", url=lab.good.url())).success
    assert await tab.text("button") == "x"


async def test_the_number_of_tabs_gone_on_in_is_bounded(lab: HostLab) -> None:
    tab = await lab.open(LINK, LINK, limits=BrowserLimits(popups_max=2))
    told = [(await tab.do("click", selector="a")).data["popup"] for _ in range(3)]
    assert [popup["adopted"] for popup in told] == [True, True, False]
    assert "More than 2" in told[-1]["why"]
