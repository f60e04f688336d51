"""A selector means exactly one element of the document the host expects, or is refused."""

from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]


async def code(answer: dict[str, Any]) -> str:
    return str(answer["error"]["code"])


async def test_a_button_is_described_as_a_click_would_meet_it(open_page: Open) -> None:
    lab = await open_page('<form><button id="go"><span id="in">作废</span></button></form>')
    answer = await lab.ask("resolve", selector="#in", expected_origin="null")
    assert answer["count"] == 1
    assert answer["is_password"] is False
    assert answer["target"] == {
        "role": "button", "name": "作废", "tag": "button", "input_type": "",
        "submits": True, "in_password_form": False, "href": "", "serial": 1, "form_state": "",
        "said": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("markup", "submits"),
    [
        ("<form><button id=x>a</button></form>", True),
        ("<form><button id=x type=submit>a</button></form>", True),
        ("<form><input id=x type=submit></form>", True),
        ("<form><input id=x type=image alt=a></form>", True),
        ("<form id=f></form><button id=x form=f>a</button>", True),
        ("<form><label id=x for=b>a</label><button id=b>b</button></form>", True),
        ("<form><button id=x type=button>a</button></form>", False),
        ("<form><a id=x href='/y'>a</a></form>", False),
        ("<button id=x>a</button>", False),
        ("<form><input id=x></form>", False),
    ],
)
async def test_what_submits_a_form_is_said(open_page: Open, markup: str, submits: bool) -> None:
    lab = await open_page(markup)
    assert (await lab.ask("resolve", selector="#x"))["target"]["submits"] is submits


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<form><input type=password><button id=x>登录</button></form>", True),
        ("<form id=f><input type=password></form><button id=x form=f>登录</button>", True),
        ("<div><input type=password><button id=x>登录</button></div>", True),
        ("<form><input type=password></form><form><button id=x>查询</button></form>", False),
        ("<form><input><button id=x>查询</button></form>", False),
    ],
)
async def test_a_form_with_a_password_field_is_said(
    open_page: Open, markup: str, expected: bool
) -> None:
    lab = await open_page(markup)
    assert (await lab.ask("resolve", selector="#x"))["target"]["in_password_form"] is expected


async def test_a_link_tells_where_it_leads(open_page: Open) -> None:
    lab = await open_page('<base href="https://erp.example.com/a/"><a href="b?c=1"><b>x</b></a>')
    target = (await lab.ask("resolve", selector="b"))["target"]
    assert target["href"] == "https://erp.example.com/a/b?c=1"
    assert target["role"] == "link"


async def test_text_without_a_role_still_has_a_name(open_page: Open) -> None:
    lab = await open_page("<div onclick='x()'><span id=s>删\u200b除 全部</span></div>")
    assert (await lab.ask("resolve", selector="#s"))["target"]["name"] == "删除 全部"


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("#none", "not_found"),
        ("p", "ambiguous"),
        ("p[", "bad_selector"),
        ("", "bad_selector"),
        ("p >>> ", "bad_selector"),
        ("@7", "stale_ref"),
        ("#one", None),
    ],
)
async def test_a_selector_is_one_element_or_refused(
    open_page: Open, selector: str, expected: str | None
) -> None:
    lab = await open_page("<p id=one>1</p><p>2</p>")
    answer = await lab.ask("resolve", selector=selector)
    assert answer.get("error", {}).get("code") == expected


@pytest.mark.parametrize(
    "selector",
    [
        '#pw[value^="h"]',
        "input[ value ]",
        "[VALUE*=u]",
        "[value",
        r"[v\61lue^=h]",
        r"[\76 alue]",
        "[*|value=x]",
        "[|value]",
        "form:has(#pw[value^=h])",
        ":is(p, :not([value]))",
        "[id='[' i][value]",
        '[id="]"][value]',
        "x-a >>> [value]",
    ],
)
async def test_a_selector_may_not_ask_for_a_value(open_page: Open, selector: str) -> None:
    lab = await open_page("<form><input id=pw type=password value=hunter2></form>")
    answer = await lab.ask("ready", selector=selector, need="attached", timeout_ms=0)
    assert answer["error"]["code"] == "bad_selector"
    assert "value" in answer["error"]["detail"]


@pytest.mark.parametrize(
    "selector",
    [
        '#pw[id^="p"]',
        "[data-value]",
        "[value-id]",
        '[title="[value]"]',
        "[title='a\\'[value]']",
        "#value",
        ".value",
    ],
)
async def test_other_conditions_stay_allowed(open_page: Open, selector: str) -> None:
    lab = await open_page("<p id=pw>1</p>")
    answer = await lab.ask("resolve", selector=selector)
    assert answer.get("error", {}).get("code") in (None, "not_found")


async def test_another_origin_or_document_is_refused_in_the_same_turn(open_page: Open) -> None:
    lab = await open_page("<p>1</p>")
    known = (await lab.ask("identity"))["document_id"]
    asked = {"selector": "p", "expected_origin": "null", "document_id": known}
    assert (await lab.ask("resolve", **asked))["document_id"] == known
    other = {**asked, "expected_origin": "https://erp.example.com"}
    assert await code(await lab.ask("resolve", **other)) == "origin_changed"
    old = {**asked, "document_id": "0" * 32}
    assert await code(await lab.ask("resolve", **old)) == "stale_document"


async def test_a_ref_follows_its_element_and_never_another(open_page: Open) -> None:
    lab = await open_page("<ul><li><button>甲</button></li><li><button>乙</button></li></ul>")
    nodes = (await lab.ask("snapshot", filter="interactive"))["nodes"]
    refs = {node["name"]: node["ref"] for node in flat(nodes) if "ref" in node}
    await lab.run("document.querySelector('ul').append(document.querySelector('li'))")
    assert (await lab.ask("resolve", selector=refs["甲"]))["target"]["name"] == "甲"
    await lab.run("[...document.querySelectorAll('button')].at(-1).textContent = '删除'")
    assert await code(await lab.ask("resolve", selector=refs["甲"])) == "stale_ref"
    await lab.run("document.querySelector('li').remove()")
    assert await code(await lab.ask("resolve", selector=refs["乙"])) == "stale_ref"
    nodes = (await lab.ask("snapshot", filter="interactive"))["nodes"]
    again = [node for node in flat(nodes) if "ref" in node]
    assert [node["name"] for node in again] == ["删除"]
    assert (await lab.ask("resolve", selector=again[0]["ref"]))["count"] == 1


async def test_shadow_roots_are_entered(open_page: Open) -> None:
    lab = await open_page("<x-a></x-a>")
    await lab.run(
        "document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML="
        "'<x-b></x-b>';document.querySelector('x-a').shadowRoot.querySelector('x-b')"
        ".attachShadow({mode:'open'}).innerHTML='<button>深</button>'"
    )
    answer = await lab.ask("resolve", selector="x-a >>> x-b >>> button")
    assert answer["target"]["name"] == "深"
    [node] = (await lab.ask("snapshot"))["nodes"]
    assert node["selector"] == "body > x-a >>> x-b >>> button"
    assert (await lab.ask("resolve", selector=node["selector"]))["ref"] == node["ref"]


async def test_a_broken_argument_is_an_answer_not_a_crash(open_page: Open) -> None:
    lab = await open_page("<p>1</p>")
    assert await code(await lab.ask("resolve", selector=None)) == "bad_selector"
    assert await code(await lab.ask("value_after", selector={"a": 1})) == "bad_selector"
    assert (await lab.ask("text", selector="p"))["text"] == "1"
