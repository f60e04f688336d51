"""What a password or card field holds is in no answer, whatever is done and however it fails."""

from typing import Any

import pytest

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approve
from tests.support.host_lab import HostLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PASSWORD, CARD = "hunter2secret", "4111111111111111"
PAGE = (
    f"<title>{PASSWORD}</title><form><label>密码<input id=p type=password value={PASSWORD}></label>"
    f"<label>卡号<input id=c autocomplete=cc-number value={CARD}></label>"
    f"<button id=b title='{PASSWORD}'>{CARD}</button></form><p id=t>{PASSWORD} {CARD}</p>"
    f"<a id=a href='#{CARD}'>{PASSWORD}</a><select id=s><option>{PASSWORD}<option>x</select>"
    f"<div id=d draggable=true>{CARD}</div><input id=cut maxlength=3><input id=f type=file>"
    f"<script>localStorage.k = '{PASSWORD}'; p.type = 'text'</script>"
)
DONE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("getText", {"selector": "body"}),
    ("getHtml", {"selector": "body"}),
    ("getAomSnapshot", {}),
    ("getAomSnapshot", {"filter": "interactive"}),
    ("storageGet", {"area": "local", "key": "k"}),
    ("click", {"selector": "#b", "timeout_ms": 500}),
    ("click", {"selector": "#a", "timeout_ms": 500}),
    ("click", {"selector": "#d", "to": "#t"}),
    ("click", {"selector": "input", "timeout_ms": 500}),
    ("click", {"selector": "#none", "timeout_ms": 100}),
    ("type", {"selector": "#p", "text": "x"}),
    ("type", {"selector": "#c", "text": "", "clear": False, "keys": ["Enter"]}),
    ("type", {"selector": "#cut", "text": "abcdef"}),
    ("type", {"selector": "#f", "text": "x.txt"}),
    ("select", {"selector": "#s", "value": "none"}),
    ("select", {"selector": "#t", "value": "none"}),
    ("scrollTo", {"selector": "#t"}),
    ("waitForSelector", {"selector": "#c", "state": "hidden", "timeout_ms": 100}),
)


@pytest.mark.parametrize("asks", [True, False])
async def test_no_answer_holds_a_secret_of_the_page(lab: HostLab, asks: bool) -> None:
    tab = await lab.open(PAGE.replace("<form>", "<form onsubmit='return false'>"))
    leaks: list[str] = []
    told = ""
    for action, params in DONE:
        approve: Approve = (lambda _: NEEDS_CONFIRMATION) if asks else (lambda _: ALLOW)
        outcome = await tab.do(action, approve=approve, **params)
        said = repr(outcome)
        told += said
        leaks += [f"{action} {params} {said}" for secret in (PASSWORD, CARD) if secret in said]
    assert leaks == []
    # The control: the words beside the secrets are told.
    assert "卡号" in told


async def test_the_address_of_a_page_holds_no_card_number(lab: HostLab) -> None:
    lab.good.pages["/"] = "<p>paid</p>"
    tab = await lab.open("<p>paid</p>")
    await tab.script(f"history.replaceState(null, '', '/?card={CARD}&page=1')")
    outcome = await tab.do("getText", selector="body")
    assert CARD not in repr(outcome)
    assert "page=1" in outcome.page.url
