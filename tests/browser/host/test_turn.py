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


def _no_person(call: ResolvedCall) -> Approval:
    return ALLOW if call.effect is not Effect.CONFIRM else NEEDS_CONFIRMATION


@pytest.mark.parametrize(
    ("turns", "code"),
    [
        ("e.type = 'submit'", "stale_element"),
        (
            "e.setAttribute('aria-description', 'x'); e.append(' '); e.title = 'Delete'",
            "stale_element",
        ),
        ("e.outerHTML = '<a href=/account/delete id=e>Next</a>'", "stale_element"),
        ("e.name = 'other'", None),
        ("e.outerHTML = e.outerHTML", None),
    ],
)
async def test_a_hover_that_makes_an_element_risky_ends_the_click(
    lab: HostLab, turns: str, code: str | None
) -> None:
    tab = await lab.open(
        "<form action=/paid><button id=e type=button>Next</button></form>"
        f"<script>e.onmousemove = () => {{ {turns} }}</script>"
    )
    outcome = await tab.do("click", selector="#e", approve=_no_person)
    assert (outcome.error and outcome.error.code) == code
    assert lab.good.hit_paths() == []


@pytest.mark.parametrize(
    ("turns", "code"),
    [("q.value = '1000000'", "stale_element"), ("out.value = '1000000'", None)],
)
async def test_what_a_person_approved_is_sent_and_nothing_else(
    lab: HostLab, turns: str, code: str | None
) -> None:
    lab.good.pages["/paid"] = "paid"
    tab = await lab.open(
        "<form action=/paid><input name=q id=q value=10><button id=e>Pay</button></form>"
        f"<input id=out><script>e.onmousemove = () => {{ {turns} }}</script>"
    )
    outcome = await tab.do("click", selector="#e")
    assert (outcome.error and outcome.error.code) == code
    assert [hit.query for hit in lab.good.hits if hit.path == "/paid"] == ([] if code else ["q=10"])


async def test_an_option_that_became_another_is_not_chosen(lab: HostLab) -> None:
    tab = await lab.open(
        "<select id=b aria-label=Do><option value=0>x<option value=1>查看</select><p id=said>no</p>"
        "<script>b.onchange = () => said.textContent = b.value</script>"
    )
    session = tab.executor.tab.session
    done: list[asyncio.Future[object]] = []

    def approve(call: ResolvedCall) -> Approval:
        script = {"expression": "b.options[1].label = '删除'"}
        done.append(asyncio.ensure_future(session.send("Runtime.evaluate", script)))
        return _no_person(call)

    outcome = await tab.do("select", selector="#b", value="1", approve=approve)
    await asyncio.gather(*done)
    assert outcome.error is not None
    assert outcome.error.code == "stale_element"
    assert await tab.text("#said") == "no"
    asked = await tab.do("select", selector="#b", value="1", approve=_no_person)
    assert asked.confirmation is not None
    assert (await tab.do("select", selector="#b", value="0", approve=_no_person)).success


async def test_a_field_that_changes_on_its_focus_gets_no_text(lab: HostLab) -> None:
    tab = await lab.open(
        "<input id=i aria-label=Note onfocus=\"this.setAttribute('aria-label', 'Amount')\">"
    )
    outcome = await tab.do("type", selector="#i", text="5")
    assert outcome.error is not None
    assert outcome.error.code == "stale_element"
    assert await tab.script("i.value") == ""
    assert (await tab.do("type", selector="#i", text="5")).success
