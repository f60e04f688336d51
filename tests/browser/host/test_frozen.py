"""A page that runs for ever, crashes, or leaves in the middle: each command ends and names it."""

import asyncio
import time
from typing import Any

import pytest

from browser.host.outcome import ALLOW, Approval, Outcome, ResolvedCall
from states.policy import Effect
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

LIMITS = BrowserLimits(cdp_seconds=1.5, wait_ms=1_500)
PAGE = "<h1>here</h1><button id=b>go</button><input aria-label=n>"
ONCE = "<script>b.onclick = () => { for (;;) ; }</script>"
TYPED = "<script>document.querySelector('input').oninput = () => { for (;;) ; }</script>"
# Ended once, it starts again at once.
AGAIN = "<script>setTimeout(() => setInterval(() => { for (;;) ; }, 0), 300)</script>"


def message(outcome: Outcome) -> str:
    assert outcome.error is not None
    return outcome.error.message


async def timed(tab: TabLab, action: str, **params: Any) -> Outcome:
    """Return the outcome, which may not take much longer than its time."""
    started = time.monotonic()
    outcome = await tab.do(action, **params)
    assert time.monotonic() - started < 25
    return outcome


@pytest.mark.parametrize(
    ("script", "action", "params"),
    [
        (ONCE, "click", {"selector": "#b", "timeout_ms": 1_500}),
        (TYPED, "type", {"selector": "input", "text": "x"}),
    ],
)
async def test_a_page_that_freezes_under_a_command_is_named_stopped_and_usable(
    lab: HostLab, script: str, action: str, params: dict[str, Any]
) -> None:
    tab = await lab.open(PAGE + script, limits=LIMITS)
    outcome = await timed(tab, action, **params)
    assert outcome.error is not None
    assert outcome.error.code == "unknown_outcome"
    assert lab.good.url() in message(outcome)
    assert await tab.text("h1") == "here"
    outcome = await tab.do("click", selector="input")
    assert outcome.success


async def test_a_page_that_freezes_again_and_again_can_be_left(lab: HostLab) -> None:
    tab = await lab.open(PAGE, PAGE + AGAIN, "<h1>next</h1>", limits=LIMITS)
    await tab.do("navigate", url=lab.good.url("/1"))
    await asyncio.sleep(0.5)
    for action, params in (("getText", {}), ("click", {"selector": "#b", "timeout_ms": 500})):
        outcome = await timed(tab, action, **params)
        assert outcome.error is not None
        assert outcome.error.code == "page_frozen"
        assert lab.good.url("/1") in message(outcome)
        assert action in message(outcome)
    outcome = await timed(tab, "navigate", url=lab.good.url("/2"))
    assert outcome.success, outcome.error
    assert await tab.text("h1") == "next"


async def test_a_crashed_page_is_named_and_the_next_navigation_works(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    page = tab.executor.tab
    crash = asyncio.create_task(page.session.send("Page.crash"))
    await asyncio.gather(crash, return_exceptions=True)
    await until(lambda: page.crashed)
    outcome = await tab.do("click", selector="#b")
    assert outcome.error is not None
    assert outcome.error.code == "page_crashed"
    assert lab.good.url() in message(outcome)
    assert await tab.executor.last_picture() is None
    assert (await tab.do("navigate", url=lab.good.url())).success
    assert await tab.text("h1") == "here"


LATER = """<script>setTimeout(() => {{ location.href = '/1' }}, {ms})</script>"""


@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("click", {"selector": "#late"}),
        ("waitForSelector", {"selector": "#late"}),
        ("type", {"selector": "#field", "text": "x"}),
    ],
)
async def test_a_wait_goes_on_in_the_page_that_comes_meanwhile(
    lab: HostLab, action: str, params: dict[str, Any]
) -> None:
    first = "<h1>first</h1>" + LATER.format(ms=400)
    second = "<h1>second</h1><button id=late>late</button><input id=field>"
    tab = await lab.open(first, second)
    asked: list[ResolvedCall] = []

    def note(call: ResolvedCall) -> Approval:
        asked.append(call)
        return ALLOW

    outcome = await tab.do(action, approve=note, **params)
    assert outcome.success, outcome.error
    assert outcome.page.url == lab.good.url("/1")
    acts = [call.document_id for call in asked if call.effect is Effect.ACT]
    assert acts in ([], [outcome.page.document_id])
    assert asked[-1].document_id == outcome.page.document_id


async def test_after_the_approval_nothing_is_done_in_another_page(lab: HostLab) -> None:
    button = "<button id=b disabled>{0}</button><script>count = 0; b.onclick = () => count++;"
    first = button.format(0) + "</script>" + LATER.format(ms=700)
    second = button.format(0) + "b.disabled = false</script>"
    tab = await lab.open(first, second)
    outcome = await tab.do("click", selector="#b", timeout_ms=8_000)
    assert outcome.error is not None
    assert outcome.error.code in {"page_changed", "document_changed"}
    await until(lambda: tab.executor.tab.url == lab.good.url("/1"))
    assert await tab.script("count") == 0
    # The same element can be clicked once it is met there.
    assert (await tab.do("click", selector="#b")).success
    assert await tab.script("count") == 1
