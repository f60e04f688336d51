"""A native dialog ends the command that opened it and waits for a person; we never accept it."""

import pytest

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Outcome
from states.policy import Effect
from tests.support.host_lab import DOMAIN, HostLab, TabLab
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PAGE = """<p id=said>no</p>
<button id=alert onclick="alert('看'); said.textContent = 'seen'">a</button>
<button id=confirm onclick="said.textContent = String(confirm('sure?'))">b</button>
<button id=prompt onclick="said.textContent = String(prompt('who?', 'me'))">c</button>
<button id=twice onclick="said.textContent = confirm('one') + ' ' + confirm('two')">d</button>
<input id=i aria-label=Name oninput="alert('typed')">"""


async def answer(tab: TabLab, *, accept: bool, text: str = "") -> Outcome:
    return await tab.executor.answer_dialog(accept, text, DOMAIN, lambda _: ALLOW)


async def test_a_click_ends_with_the_dialog_it_opened(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    outcome = await tab.do("click", selector="#alert")
    assert outcome.success
    assert outcome.data == {"dialog": {"type": "alert", "message": "看"}}
    assert outcome.snapshot == ()
    assert tab.executor.dialog is not None


async def test_nothing_else_is_done_while_a_dialog_is_open(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    await tab.do("click", selector="#confirm")
    for outcome in (await tab.do("getText"), await tab.do("navigate", url=lab.good.url("/"))):
        assert outcome.error is not None
        assert outcome.error.code == "dialog_open"
        assert "sure?" in outcome.error.message
    assert await tab.executor.last_picture() is None
    assert (await answer(tab, accept=False)).success
    assert await tab.text("#said") == "false"


@pytest.mark.parametrize(
    ("button", "accept", "text", "said"),
    [
        ("alert", True, "", "seen"),
        ("confirm", True, "", "true"),
        ("confirm", False, "", "false"),
        ("prompt", True, "you", "you"),
        ("prompt", False, "you", "null"),
    ],
)
async def test_the_page_gets_the_persons_answer(
    lab: HostLab, button: str, accept: bool, text: str, said: str
) -> None:
    tab = await lab.open(PAGE)
    await tab.do("click", selector=f"#{button}")
    outcome = await answer(tab, accept=accept, text=text)
    assert outcome.data == {"answered": "accepted" if accept else "dismissed"}
    assert said in str(outcome.snapshot)
    assert await tab.text("#said") == said


async def test_a_dialog_behind_a_dialog_is_told_with_the_answer(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    await tab.do("click", selector="#twice")
    outcome = await answer(tab, accept=True)
    assert outcome.data["dialog"] == {"type": "confirm", "message": "two"}
    assert (await answer(tab, accept=False)).success
    assert await tab.text("#said") == "true false"


async def test_an_answer_needs_a_persons_approval(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    await tab.do("click", selector="#confirm")
    outcome = await tab.executor.answer_dialog(True, "", DOMAIN, lambda _: NEEDS_CONFIRMATION)  # noqa: FBT003
    call = outcome.confirmation
    assert call is not None
    assert call.target is not None
    assert (call.action, call.effect) == ("dialog_response", Effect.CONFIRM)
    assert (call.params, call.target.name) == ({"accept": True, "text": ""}, "sure?")
    assert tab.executor.dialog is not None
    await answer(tab, accept=False)


async def test_an_answer_for_another_domain_is_refused(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    await tab.do("click", selector="#confirm")
    outcome = await tab.executor.answer_dialog(True, "", "evil.test", lambda _: ALLOW)  # noqa: FBT003
    assert outcome.error is not None
    assert outcome.error.code == "domain_mismatch"
    assert tab.executor.dialog is not None
    await answer(tab, accept=False)


async def test_without_a_dialog_there_is_nothing_to_answer(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    outcome = await answer(tab, accept=True)
    assert outcome.error is not None
    assert outcome.error.code == "no_open_dialog"


async def test_typing_may_open_a_dialog_too(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    outcome = await tab.do("type", selector="#i", text="x")
    assert outcome.data == {"dialog": {"type": "alert", "message": "typed"}}
    await answer(tab, accept=True)
    assert await tab.text("#i") == "x"


async def test_a_dialog_that_opens_by_itself_ends_the_waiting_command_undone(lab: HostLab) -> None:
    tab = await lab.open("<p id=p>x</p><script>setTimeout(() => alert('tick'), 500)</script>")
    outcome = await tab.do("waitForSelector", selector="#never", timeout_ms=20_000)
    assert outcome.error is not None
    assert outcome.error.code == "dialog_open"
    await answer(tab, accept=True)
    assert await tab.text("#p") == "x"


async def test_a_dialog_during_a_load_ends_the_navigation(lab: HostLab) -> None:
    tab = await lab.open("x", "<script>alert('hello')</script><h1>loaded</h1>")
    outcome = await tab.do("navigate", url=lab.good.url("/1"))
    assert outcome.data["dialog"]["message"] == "hello"
    await answer(tab, accept=True)
    assert await tab.text("h1") == "loaded"


@pytest.mark.parametrize(("leave", "path"), [(True, "/1"), (False, "/")])
async def test_leaving_a_page_with_unsaved_work_asks_first(
    lab: HostLab, leave: bool, path: str
) -> None:
    guard = "<script>onbeforeunload = e => { e.preventDefault(); e.returnValue = 'x' }</script>"
    tab = await lab.open("<button>touch</button>" + guard, "next")
    await tab.do("click", selector="button")
    outcome = await tab.do("navigate", url=lab.good.url("/1"))
    assert outcome.data["dialog"]["type"] == "beforeunload"
    outcome = await answer(tab, accept=leave)
    assert outcome.success

    async def arrived() -> bool:
        return (await tab.executor.page_state()).url == lab.good.url(path)

    await until(arrived)
