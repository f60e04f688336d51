"""Nothing acts before its check and its approval, and only on what was approved."""

import asyncio

import pytest

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall, deny
from states.policy import Effect
from tests.support.host_lab import HostLab, TabLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PAGE = """<p id=said>no</p><button id=b onclick="said.textContent = 'clicked'">查询</button>
<button id=void onclick="said.textContent = 'void'">作废</button><input id=i aria-label=Name>"""


async def test_the_approval_is_about_exactly_the_element(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    calls: list[ResolvedCall] = []

    def approve(call: ResolvedCall) -> Approval:
        calls.append(call)
        return ALLOW

    outcome = await tab.do("click", selector="#b", approve=approve)
    [call] = calls
    assert call.target is not None
    assert (call.action, call.target.role, call.target.name) == ("click", "button", "查询")
    assert call.params == {"selector": "#b", "timeout_ms": 10_000}
    assert call.origin == lab.good.origin
    assert call.document_id == outcome.page.document_id
    assert call.effect is Effect.ACT


async def test_a_risky_click_is_resolved_but_not_done_until_confirmed(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    outcome = await tab.do("click", selector="#void", approve=lambda _: NEEDS_CONFIRMATION)
    assert outcome.confirmation is not None
    assert outcome.confirmation.effect is Effect.CONFIRM
    assert "作废" in outcome.confirmation.reason
    assert (outcome.success, outcome.error) == (False, None)
    assert await tab.text("#said") == "no"
    assert (await tab.do("click", selector="#void")).success
    assert await tab.text("#said") == "void"


async def test_a_refused_approval_does_nothing_and_gives_its_reason(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    outcome = await tab.do("click", selector="#b", approve=lambda _: deny("refused", "not today"))
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == ("refused", "not today")
    assert await tab.text("#said") == "no"


async def test_a_command_for_another_domain_is_refused(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    for action in ("click", "getText"):
        outcome = await tab.do(action, domain="erp.example.com", selector="#b")
        assert outcome.error is not None
        assert outcome.error.code == "domain_mismatch"
    assert await tab.text("#said") == "no"
    assert (await tab.do("click", domain=f"127.0.0.1:{lab.good.port}", selector="#b")).success


async def test_a_blank_tab_answers_that_no_page_is_open(lab: HostLab) -> None:
    tab = await lab.blank()
    outcome = await tab.do("getText")
    assert outcome.error is not None
    assert outcome.error.code == "page_not_open"


async def _while_deciding(tab: TabLab, script: str, action: str = "click") -> str:
    """Return the error's code when the page runs *script* while the approval is decided."""
    session, done = tab.executor.tab.session, []

    def approve(_: ResolvedCall) -> Approval:
        # Sent before the executor's next question, so the page runs it first.
        asked = {"expression": script, "returnByValue": True}
        done.append(asyncio.ensure_future(session.send("Runtime.evaluate", asked)))
        return ALLOW

    text = {"text": "x"} if action == "type" else {}
    selector = "#i" if action == "type" else "#b"
    outcome = await tab.do(action, selector=selector, approve=approve, **text)
    await asyncio.gather(*done, return_exceptions=True)
    assert outcome.error is not None
    return outcome.error.code


async def test_an_element_that_changed_after_its_approval_is_not_clicked(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    assert await _while_deciding(tab, "b.textContent = '作废'") == "stale_element"
    assert await tab.text("#said") == "no"


async def test_another_element_under_the_same_selector_is_not_typed_into(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    swap = "i.outerHTML = '<input id=i aria-label=Other>'"
    assert await _while_deciding(tab, swap, "type") == "stale_element"
    assert await tab.script("i.value") == ""


async def test_a_page_replaced_after_the_approval_is_not_acted_upon(lab: HostLab) -> None:
    lab.good.pages["/again"] = PAGE
    tab = await lab.open(PAGE)
    # Disabled in the old page, so only the new page's button could be clicked.
    code = await _while_deciding(tab, "b.disabled = true; location.href = '/again'")
    assert code in {"document_changed", "page_changed"}
    assert (await tab.do("waitForSelector", selector="#said")).success
    assert await tab.text("#said") == "no"
