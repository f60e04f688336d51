"""Back and forward are addresses like any other: judged, approved, waited for, never sent twice."""

from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from typing import Any

import pytest
import pytest_asyncio

from browser.host.answers import Answers, HostPorts
from browser.host.approver import ApprovalCard, Decision
from browser.host.host_log import MemoryHostLog
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, Outcome, ResolvedCall
from browser.host.task_memory import TaskMemory
from engine.pipe.envelope import UNSEALED
from states.policy import Effect
from states.settings import Settings, TaskLimits
from states.wire import Command, CommandSecurity, Response
from tests.browser.host.host_stage import Stage
from tests.support.host_lab import HostLab, TabLab
from tests.support.two_hosts import HERE, THERE, TwoHosts, two_hosts

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PAGE = "<title>{0}</title><h1>{0}</h1><a href=/{1}>next</a><button id=b>b{0}</button>"
COUNT = "<script>b.onclick = () => document.querySelector('h1').textContent += '!'</script>"


async def go(tab: TabLab, direction: str) -> Outcome:
    return await tab.do("navigate", url=direction)


def code(outcome: Outcome) -> str:
    assert outcome.error is not None
    return outcome.error.code


async def walked(lab: HostLab) -> TabLab:
    """Return a tab that went from page 0 to page 1."""
    tab = await lab.open(PAGE.format(0, 1) + COUNT, PAGE.format(1, 2) + COUNT)
    outcome = await tab.do("click", selector="a")
    assert outcome.page.title == "1"
    return tab


async def test_back_and_forward_show_the_pages_and_answer_like_a_navigation(lab: HostLab) -> None:
    tab = await walked(lab)
    outcome = await go(tab, "back")
    assert outcome.data == {"url": lab.good.url(), "title": "0"}
    assert outcome.page.title == "0"
    outcome = await go(tab, "forward")
    assert outcome.data == {"url": lab.good.url("/1"), "title": "1"}
    assert await tab.text("h1") == "1"


async def test_after_going_back_old_refs_are_stale_and_a_fresh_click_works(lab: HostLab) -> None:
    tab = await lab.open(PAGE.format(0, 1) + COUNT, PAGE.format(1, 2))
    outcome = await tab.do("getAomSnapshot")
    [old] = [n["ref"] for n in outcome.data["nodes"] if n["name"] == "b0"]
    await tab.do("click", selector="a")
    outcome = await go(tab, "back")
    assert code(await tab.do("click", selector=old)) == "stale_ref"
    [fresh] = [node.ref for node in outcome.snapshot if node.name == "b0"]
    assert fresh is not None
    assert (await tab.do("click", selector=fresh)).success
    assert await tab.text("h1") == "0!"


async def test_where_there_is_nothing_to_go_to_a_sentence_says_so(lab: HostLab) -> None:
    tab = await lab.open("<h1>only</h1>")
    for direction in ("back", "forward"):
        outcome = await go(tab, direction)
        assert code(outcome) == "history_none"
        assert outcome.error is not None
        assert direction in outcome.error.message
    assert await tab.text("h1") == "only"


async def test_an_entry_of_the_same_document_loads_nothing(lab: HostLab) -> None:
    tab = await lab.open("<h1 id=a>x</h1>")
    await tab.do("navigate", url=lab.good.url("/#a"))
    outcome = await go(tab, "back")
    assert outcome.data["url"] == lab.good.url()
    await tab.script("history.pushState(1, '', '/#a'); history.pushState(2, '', '/#a'); 1")
    outcome = await go(tab, "back")
    assert outcome.success
    assert lab.good.hit_paths() == []


async def test_the_answer_to_a_form_is_not_sent_for_again(lab: HostLab) -> None:
    form = "<form method=post action=/p><button>go</button></form>"
    lab.good.pages["/p"] = "<h1>saved</h1>"
    tab = await lab.open(form, "<h1>next</h1>")
    await tab.do("click", selector="button")
    assert await tab.text("h1") == "saved"
    await tab.do("navigate", url=lab.good.url("/1"))
    for _ in range(2):
        outcome = await go(tab, "back")
        assert code(outcome) == "history_post"
        assert outcome.error is not None
        assert lab.good.url("/p") in outcome.error.message
        assert await tab.text("h1") == "next"
    assert [hit.method for hit in lab.good.hits if hit.path == "/p"] == ["POST"]


async def test_a_risky_entry_is_approved_as_itself(lab: HostLab) -> None:
    lab.good.pages["/logout"] = "<h1>out</h1>"
    tab = await lab.open("<h1>0</h1>")
    await tab.do("navigate", url=lab.good.url("/logout"))
    await tab.do("navigate", url=lab.good.url())
    asked: list[ResolvedCall] = []

    def person(call: ResolvedCall) -> Approval:
        asked.append(call)
        return NEEDS_CONFIRMATION if call.effect is Effect.CONFIRM else ALLOW

    outcome = await tab.do("navigate", url="back", approve=person)
    [call] = asked
    assert outcome.confirmation == call
    assert call.origin == lab.good.origin
    assert call.target is not None
    assert call.target.name == lab.good.url("/logout")
    assert await tab.text("h1") == "0"


async def test_unsaved_work_is_asked_about_and_kept_on_a_no(lab: HostLab) -> None:
    keep = "<script>onbeforeunload = e => { e.preventDefault(); e.returnValue = 'x' }</script>"
    tab = await lab.open("<a href=/1>go</a>", "<h1>1</h1><input aria-label=n>" + keep)
    await tab.do("click", selector="a")
    await tab.do("type", selector="input", text="work")
    outcome = await go(tab, "back")
    assert outcome.data["dialog"]["type"] == "beforeunload"
    answer = tab.executor.answer_dialog
    assert (await answer(accept=False, text="", expected_domain=THERE, approve=_yes)).success
    assert await tab.script("document.querySelector('input').value") == "work"


def _yes(_: ResolvedCall) -> Approval:
    return ALLOW


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TwoHosts]:
    async with two_hosts(tmp_path_factory.mktemp("two")) as hosts:
        yield hosts


async def test_an_entry_of_another_host_needs_that_hosts_name(pair: TwoHosts) -> None:
    pair.there.pages["/"] = "<h1>there</h1>"
    await pair.go(pair.there.url())
    await pair.show("<h1>here</h1>")
    executor = pair.executor
    refused = await executor.execute("navigate", {"url": "back"}, HERE, _yes)
    assert code(refused) == "domain_mismatch"
    assert refused.error is not None
    assert f"{THERE}:{pair.there.port}" in refused.error.message
    assert pair.there.hits == []
    asked: list[ResolvedCall] = []

    def note(call: ResolvedCall) -> Approval:
        asked.append(call)
        return ALLOW

    outcome = await executor.execute("navigate", {"url": "back"}, THERE, note)
    assert outcome.data["url"] == pair.there.url()
    # A plain GET tells the other host something: it is an act, journaled before it goes out.
    assert [(call.effect, call.origin) for call in asked] == [(Effect.ACT, pair.there.origin)]


READS: dict[str, dict[str, Any]] = {
    "getText": {},
    "getHtml": {},
    "waitForSelector": {"selector": "a"},
    "pageScreenshot": {"full_page": True},
    "scrollTo": {"selector": "#far"},
    "getAomSnapshot": {},
    "storageGet": {"key": "k"},
}


async def test_opening_a_page_of_another_host_is_an_act_and_reading_reaches_none(
    pair: TwoHosts,
) -> None:
    effects: list[tuple[str, Effect]] = []

    def note(call: ResolvedCall) -> Approval:
        effects.append((call.action, call.effect))
        return NEEDS_CONFIRMATION if call.effect is not Effect.READ else ALLOW

    there = pair.there.url("/new")
    await pair.show(
        f"<a href='{there}'>go</a><div style='height:3000px'></div><p id=far>far</p>"
        f"<img loading=lazy src='{pair.there.url('/lazy.png')}'>"
    )
    execute = pair.executor.execute
    for action, params in READS.items():
        assert (await execute(action, params, HERE, note)).success
    assert {effect for _, effect in effects} == {Effect.READ}
    assert pair.there.hits == []
    effects.clear()
    await execute("navigate", {"url": there}, THERE, note)
    await execute("zombieSpawn", {"url": there}, THERE, note)
    await execute("click", {"selector": "a"}, HERE, note)
    acts = [("navigate", Effect.ACT), ("zombieSpawn", Effect.ACT), ("click", Effect.ACT)]
    assert effects == acts
    assert pair.there.hits == []
    pair.there.pages["/new"] = "<h1>new</h1>"
    assert (await execute("click", {"selector": "a"}, HERE, _yes)).page.url == there
    assert [hit.path for hit in pair.there.hits] == ["/new"]


def paths(pair: TwoHosts) -> list[str]:
    return pair.there.hit_paths()


class Journal:
    """Notes each row, and how often the other host had been asked by then."""

    def __init__(self, pair: TwoHosts) -> None:
        self.pair = pair
        self.rows: list[tuple[str, str, int]] = []

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        if durable:
            self.rows.append((row["kind"], row["command"]["action"], len(paths(self.pair))))


class Nobody:
    async def ask(self, card: ApprovalCard) -> Decision:
        raise AssertionError(card)


async def test_a_get_of_another_host_is_written_down_before_it_goes_out(pair: TwoHosts) -> None:
    pair.there.pages |= {"/new": "new", "/z": "z"}
    await pair.show(f"<a href='{pair.there.url('/new')}'>go</a><p>x</p>")
    journal = Journal(pair)
    memory = TaskMemory(TaskLimits(), lambda: 0.0, journal)
    ports = HostPorts(pair.executor, Nobody(), MemoryHostLog(), lambda: 0.0)
    answers = Answers(ports, Settings(), Stage().init, nullcontext, memory)

    async def do(action: str, host: str, **params: Any) -> None:
        security = CommandSecurity(hmac=UNSEALED, expected_domain=host)
        answer = await answers.to(Command(seq=1, action=action, params=params, security=security))
        assert isinstance(answer, Response)
        assert answer.success, answer.error

    await do("getText", HERE, selector="p")
    assert journal.rows == []
    await do("click", HERE, selector="a")
    await do("navigate", HERE, url=pair.url())
    await do("zombieSpawn", THERE, url=pair.there.url("/z"))
    await do("navigate", THERE, url=pair.there.url("/new"))
    # Before each that asks the other host, it had been asked that often.
    assert [row for row in journal.rows if row[0] == "intent"] == [
        ("intent", "click", 0),
        ("intent", "navigate", 1),
        ("intent", "zombieSpawn", 1),
        ("intent", "navigate", 2),
    ]
    assert paths(pair) == ["/new", "/z", "/new"]
    await pair.executor.zombies.close()
    pair.executor.zombies.start()
