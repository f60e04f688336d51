"""The masks of the policy stand in every document before anything is asked of it.

Each test has its control: a tab without masks tells the same secret.
"""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from browser.host.executor import Executor
from browser.host.page_source import page_source
from browser.host.tab import Tab
from browser.page import bundle_source
from states.policy import HostRule, Policy
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab, policy_for

on_chromium = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PAGE = (
    "<h1>工资单</h1><label>薪资 <input id=salary value=18500></label><p>您的薪资是 18500 元</p>"
    "<div id=bank>开户行 <b>招商银行 9987</b></div><p id=open>公开 4242</p>"
)
SECRETS = ("18500", "招商银行 9987")
MASK = ("#salary", "#bank")
SHOWN_PASSWORD = (
    "<form><input id=p type=password value=hunter2secret><input value=plain77></form><p id=e></p>"
    "<script>p.type = 'text'; e.textContent = p.value</script>"
)
_WRITTEN = SHOWN_PASSWORD.replace("</script>", "<\\/script>")
FRAMES = (
    "<iframe src=/1></iframe>",
    f'<iframe srcdoc="{SHOWN_PASSWORD}"></iframe>',
    f'<iframe></iframe><script>frames[0].document.write("{_WRITTEN}");'
    "frames[0].document.close()</script>",
    "<iframe id=f src=/1></iframe><script>f.onload = () => { f.onload = null;"
    f' const inner = frames[0].document; inner.open(); inner.write("{_WRITTEN}"); inner.close()'
    " }</script>",
)


async def masked_tab(lab: HostLab, policy: Policy, page: str = PAGE) -> TabLab:
    """Return a tab of *lab* that shows *page* under the masks of *policy*."""
    lab.good.pages["/"] = page
    session = await lab.gate.open_tab()
    executor = Executor(
        lab.gate, Tab(session, page_source(bundle_source(), policy), BrowserLimits())
    )
    await executor.start()
    tab = TabLab(lab, executor)
    opened = await tab.do("navigate", url=lab.good.url())
    assert opened.error is None
    return tab


async def told(tab: TabLab) -> str:
    """Return all that the reading actions tell."""
    outcomes = [await tab.do("getAomSnapshot")]
    outcomes += [await tab.do(action, selector="body") for action in ("getText", "getHtml")]
    outcomes += [await tab.do("getText", selector="#salary")]
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    return json.dumps([outcome.data for outcome in outcomes], ensure_ascii=False)


class TestInABrowser:
    pytestmark = on_chromium

    @pytest.mark.parametrize("outer", FRAMES)
    async def test_what_was_a_password_in_a_frame_before_anybody_looked_is_in_no_answer(
        self, lab: HostLab, outer: str
    ) -> None:
        tab = await lab.open(outer, SHOWN_PASSWORD)
        answers = [await tab.do("getAomSnapshot"), await tab.do("getAomSnapshot", selector="body")]
        answers += [await tab.do(read, selector="body") for read in ("getText", "getHtml")]
        said = json.dumps([answer.data for answer in answers])
        assert "hunter2secret" not in said
        # Another field of the same frame is told: the mask is not the whole frame's.
        assert "plain77" in said

    async def test_a_field_whose_document_has_no_witness_is_told_to_nobody(
        self, lab: HostLab
    ) -> None:
        tab = await lab.open("<iframe src=/1></iframe>", "<input value=plain77>")
        assert "plain77" in json.dumps((await tab.do("getAomSnapshot")).data)
        # The listeners of the frame's bundle go with document.open(), as long as it stays open.
        script = "frames[0].document.open(); frames[0].document.write('<input value=plain78>')"
        await tab.script(f"{script}; frames[0].document.close()")
        assert "plain78" in json.dumps((await tab.do("getAomSnapshot")).data)

    async def test_masked_fields_are_in_no_answer(self, lab: HostLab) -> None:
        plain = await told(await lab.open(PAGE))
        assert [secret for secret in SECRETS if secret not in plain] == []
        policy = policy_for(lab.good.port, mask=MASK)
        tab = await masked_tab(lab, policy)
        masked = await told(tab)
        assert [secret for secret in SECRETS if secret in masked] == []
        assert "公开 4242" in masked
        await lab.gate.close_tab(tab.executor.tab.session)

    async def test_the_masks_of_another_origin_change_nothing(self, lab: HostLab) -> None:
        tab = await masked_tab(lab, policy_for(lab.bad.port, mask=MASK))
        assert "18500" in await told(tab)
        await lab.gate.close_tab(tab.executor.tab.session)

    async def test_masked_words_are_in_no_picture(self, lab: HostLab) -> None:
        pictures: dict[bool, list[str]] = {}
        for mask in (MASK, tuple[str, ...]()):
            policy = policy_for(lab.good.port, mask=mask)
            for salary in ("18500", "99999"):
                tab = await masked_tab(lab, policy, PAGE.replace("18500", salary))
                outcome = await tab.do("pageScreenshot")
                assert outcome.error is None
                pictures.setdefault(bool(mask), []).append(outcome.data["image_base64"])
                await lab.gate.close_tab(tab.executor.tab.session)
        assert pictures[True][0] == pictures[True][1]
        assert pictures[False][0] != pictures[False][1]

    async def test_a_mask_that_is_no_css_lets_nothing_be_read(self, lab: HostLab) -> None:
        lab.good.pages["/"] = PAGE
        session = await lab.gate.open_tab()
        source = page_source(bundle_source(), policy_for(lab.good.port, mask=["#salary["]))
        executor = Executor(lab.gate, Tab(session, source, BrowserLimits()))
        await executor.start()
        tab = TabLab(lab, executor)
        await tab.do("navigate", url=lab.good.url())
        for action in ("getText", "getHtml", "getAomSnapshot", "pageScreenshot"):
            asked: dict[str, Any] = {"selector": "body"} if action != "pageScreenshot" else {}
            outcome = await tab.do(action, **asked)
            assert outcome.error is not None
            assert outcome.error.code == "mask_unreadable"
            assert "18500" not in json.dumps(outcome.data)
        await lab.gate.close_tab(session)


def test_the_masks_stand_under_the_origins_that_documents_have() -> None:
    rules = [
        {"host": "erp.example.com", "mask": ["#a"]},
        {"host": "erp.example.com", "port": 8443, "mask": ["#b"]},
        {"host": "127.0.0.1", "scheme": "http", "port": 80, "mask": ["#c"]},
        {"host": "open.example.com"},
    ]
    policy = Policy.model_validate({"version": 1, "hosts": rules})
    source = page_source("bundle()", policy)
    given = source.removeprefix("bundle()\n;__sg.configure(").removesuffix(");\n")
    assert json.loads(given)["masks"] == {
        "https://erp.example.com": ["#a"],
        "https://erp.example.com:8443": ["#b"],
        "http://127.0.0.1": ["#c"],
    }


@pytest.mark.parametrize("bad", ["", "  ", "#a\n", "#a\u202e", "a<b", "x >>> #a", "x" * 301])
def test_what_is_no_selector_is_refused_with_the_policy(bad: str) -> None:
    with pytest.raises(ValidationError):
        HostRule.model_validate({"host": "erp.example.com", "mask": ["#salary", bad]})
    assert HostRule.model_validate({"host": "erp.example.com", "mask": ["#薪资 > [name='x']"]}).mask
