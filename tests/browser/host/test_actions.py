"""Each action does what it says in a real page, and what it cannot do it says."""

import base64
import struct
from typing import Any

import pytest

from states.settings import BrowserLimits
from tests.support.host_lab import HostLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

FORM = """<h1>报表</h1><p id=said>nothing</p>
<button id=go onclick="said.textContent = 'clicked ' + event.isTrusted">go</button>
<input id=name aria-label=Name oninput="said.textContent = 'input ' + this.value"
  onchange="said.textContent = 'change ' + this.value" value=old>
<input id=day type=date aria-label=Day onchange="said.textContent = this.value">
<input id=pin type=password aria-label=PIN value=hunter22>
<div id=rich contenteditable role=textbox aria-label=Rich>old</div>
<select id=month aria-label=Month onchange="said.textContent = this.value">
  <option value=1>一月<option value=2>二月</select>
<div id=host></div><div style="height: 3000px"></div><p id=end>end</p>
<script>host.attachShadow({mode: 'open'}).innerHTML = '<button>inner</button>';
host.shadowRoot.querySelector('button').onclick = () => said.textContent = 'inner';</script>"""


async def test_a_click_is_a_real_one(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    outcome = await tab.do("click", selector="#go")
    assert outcome.data == {"clicked": "go"}
    assert await tab.text("#said") == "clicked true"


async def test_a_click_enters_a_shadow_root(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    assert (await tab.do("click", selector="#host >>> button")).success
    assert await tab.text("#said") == "inner"


async def test_a_click_takes_a_ref_of_the_snapshot(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    snapshot = (await tab.do("getText", selector="h1")).snapshot
    ref = next(node.ref for node in snapshot if node.name == "go")
    assert (await tab.do("click", selector=ref)).success
    assert await tab.text("#said") == "clicked true"


async def test_typing_replaces_or_continues_and_the_page_hears_it(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    assert (await tab.do("type", selector="#name", text="中文")).data == {"typed": "中文"}
    assert await tab.text("#said") == "input 中文"
    assert (await tab.do("type", selector="#name", text="!", clear=False)).success
    assert await tab.text("#name") == "中文!"
    assert (await tab.do("type", selector="#name", text="")).success
    assert await tab.text("#name") == ""


@pytest.mark.parametrize(("selector", "text"), [("#day", "2026-03-31"), ("#rich", "two\nlines")])
async def test_typing_fits_the_field(lab: HostLab, selector: str, text: str) -> None:
    tab = await lab.open(FORM)
    assert (await tab.do("type", selector=selector, text=text)).success
    assert (await tab.text(selector)).split() == text.split()


async def test_a_password_is_never_typed_nor_read(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    outcome = await tab.do("type", selector="#pin", text="x")
    assert outcome.error is not None
    assert outcome.error.code == "password_field"
    assert "hunter22" not in await tab.text("#pin")
    assert "hunter22" not in str((await tab.do("getHtml")).data)
    assert "hunter22" not in str(outcome.snapshot)
    assert await tab.script("pin.value") == "hunter22"


@pytest.mark.parametrize("value", ["2", "二月"])
async def test_select_takes_a_value_or_a_label(lab: HostLab, value: str) -> None:
    tab = await lab.open(FORM)
    assert (await tab.do("select", selector="#month", value=value)).data == {"selected": "二月"}
    assert await tab.text("#said") == "2"


async def test_an_option_that_is_not_there_is_answered_with_those_that_are(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    error = (await tab.do("select", selector="#month", value="三月")).error
    assert error is not None
    assert error.code == "option_not_found"
    assert "一月 | 二月" in error.message
    assert await tab.script("month.value") == "1"


async def test_reading_is_bounded_and_says_so(lab: HostLab) -> None:
    tab = await lab.open("<p>" + "长" * 500 + "</p>")
    outcome = await tab.do("getText", selector="p", max_chars=100)
    assert outcome.data["truncated"] is True
    assert 50 < len(outcome.data["text"]) <= 120
    assert (await tab.do("getHtml", selector="p")).data["html"].startswith("<p>长长")


async def test_scrolling_to_an_element_and_to_a_place(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    assert (await tab.do("scrollTo", selector="#end")).data["y"] > 1000
    assert (await tab.do("scrollTo", x=0, y=40)).data == {"x": 0, "y": 40}


async def test_nodes_can_be_filtered(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    data = (await tab.do("getAomSnapshot", filter="role=button")).data
    assert "go" in str(data["nodes"])
    assert "报表" not in str(data["nodes"])
    assert data["truncated"] is False


async def test_the_snapshot_is_bounded_and_continues(lab: HostLab) -> None:
    limits = BrowserLimits(snapshot_nodes_max=20)
    tab = await lab.open("".join(f"<button>b{n}</button>" for n in range(50)), limits=limits)
    first = await tab.do("getAomSnapshot")
    assert len(first.snapshot) == 20
    assert (first.page.total, first.page.truncated) == (50, True)
    second = (await tab.do("getAomSnapshot", cursor=first.data["cursor"])).data
    assert second["nodes"][0]["name"] == "b20"


def png_size(image_base64: str) -> tuple[int, int]:
    width, height = struct.unpack(">II", base64.b64decode(image_base64)[16:24])
    return width, height


async def test_a_picture_shows_the_view_or_the_whole_page(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    view = (await tab.do("pageScreenshot")).data
    full = (await tab.do("pageScreenshot", full_page=True)).data
    assert png_size(view["image_base64"]) == (view["width"], view["height"])
    assert full["height"] > 3000 > view["height"]
    assert png_size(full["image_base64"])[1] == full["height"]


async def test_a_picture_is_bounded_in_pixels_and_bytes(lab: HostLab) -> None:
    tab = await lab.open(FORM, limits=BrowserLimits(screenshot_pixels_max=1_000_000))
    full = (await tab.do("pageScreenshot", full_page=True)).data
    assert full["truncated"] is True
    assert full["width"] * full["height"] <= 1_000_000
    tab = await lab.open(FORM, limits=BrowserLimits(screenshot_bytes_max=1_000))
    error = (await tab.do("pageScreenshot")).error
    assert error is not None
    assert error.code == "picture_too_large"


async def test_the_last_picture_is_a_png(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    picture = await tab.executor.last_picture()
    assert picture is not None
    assert picture.startswith(b"\x89PNG")


async def test_every_outcome_says_which_page_it_is_about(lab: HostLab) -> None:
    tab = await lab.open(FORM)
    good = await tab.do("getText", selector="h1")
    bad = await tab.do("getText", selector="#missing")
    for outcome in (good, bad):
        assert outcome.page.url == lab.good.url()
        assert outcome.page.origin == lab.good.origin
        assert outcome.page.document_id == good.page.document_id
        assert "报表" in str(outcome.snapshot)
    assert bad.page.generation > good.page.generation
    assert (await tab.executor.page_state()).url == lab.good.url()


@pytest.mark.parametrize(
    ("action", "params", "code"),
    [
        ("getText", {"selector": "#missing"}, "element_not_found"),
        ("getText", {"selector": "option"}, "element_ambiguous"),
        ("getText", {"selector": "a[["}, "selector_invalid"),
        ("getText", {"selector": "@99"}, "stale_ref"),
        ("getAomSnapshot", {"cursor": "c77"}, "stale_cursor"),
        ("type", {"selector": "h1", "text": "x"}, "element_not_editable"),
        ("type", {"selector": "#day", "text": "soon"}, "value_refused"),
        ("select", {"selector": "#name", "value": "x"}, "element_no_select"),
        ("click", {"selector": 5}, "action_params"),
        ("click", {"selector": "#go", "force": True}, "action_params"),
        ("click", {"selector": "#go", "timeout_ms": 10**9}, "action_params"),
        ("scrollTo", {}, "action_params"),
        ("eval", {"code": "1"}, "action_unknown"),
    ],
)
async def test_what_cannot_be_done_is_said_in_both_languages(
    lab: HostLab, action: str, params: dict[str, Any], code: str
) -> None:
    tab = await lab.open(FORM)
    outcome = await tab.do(action, **params)
    assert outcome.error is not None
    assert (outcome.success, outcome.error.code) == (False, code)
    assert "?" not in outcome.error.message.replace("?)", "")
    assert await tab.text("#said") == "nothing"
