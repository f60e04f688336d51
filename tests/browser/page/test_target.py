"""A click is judged by all it sets off: what stands around it, every word on it, its form."""

from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import PageLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]


async def target(lab: PageLab, selector: str = "#x", **arg: Any) -> dict[str, Any]:
    answer: dict[str, Any] = await lab.ask("resolve", selector=selector, action="click", **arg)
    found: dict[str, Any] = answer["target"]
    return found


@pytest.mark.parametrize(
    ("markup", "word"),
    [
        ("<div style='cursor:pointer'><i id=x></i>删除</div>", "删除"),
        ("<a onclick=go()><i id=x></i>删除</a>", "删除"),
        ("<div><i id=x></i>删除</div>", "删除"),
        ("<button id=x aria-label=Next>Delete everything</button>", "Delete everything"),
        ("<button id=x title=Delete>Next</button>", "Delete"),
        ("<button id=x value=delete>Next</button>", "delete"),
        ("<div id=x style='cursor:pointer'><img alt=删除></div>", "删除"),
        ("<button id=x>" + "term " * 70 + "Delete</button>", "Delete"),
        ("<style>#x::after{content:'Delete'}</style><div id=x>Next</div>", "Delete"),
        ("<button>Delete<span role=button id=x>Next</span></button>", "Delete"),
        ("<i id=x class='icon icon-delete'></i>", "icon-delete"),
    ],
)
async def test_every_word_on_and_around_a_target_is_said(
    open_page: Open, markup: str, word: str
) -> None:
    lab = await open_page(markup)
    assert word in (await target(lab))["said"]


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr style='cursor:pointer'><td id=x>INV-1<td><button>删除</button></table>",
        "<ul><li id=x style='cursor:pointer'>菜单<ul><li>删除</ul></ul>",
        "<div id=x style='cursor:pointer'>查询<p style='display:none'>删除</p></div>",
        "<div><button id=x>查询</button>删除</div>",
        "<div onclick=go()><section><button id=x>查询</button></section>删除</div>",
        "<select id=x><option>查询<option>删除</select>",
        "<input id=x value=删除>",
        "<div><i id=x></i>" + "长文 " * 60 + "删除</div>",
    ],
)
async def test_what_the_click_does_not_set_off_is_not_said(open_page: Open, markup: str) -> None:
    lab = await open_page(markup)
    assert "删" not in (await target(lab))["said"]


async def test_a_word_never_spans_two_blocks(open_page: Open) -> None:
    lab = await open_page(
        "<div id=x style='cursor:pointer'><p>验收</p><p>款项</p>尾 <b>页</b></div>"
    )
    lines = (await target(lab))["said"].split("\n")
    assert lines[-3:] == ["验收", "款项", "尾 页"]


async def test_of_a_list_the_chosen_option_is_said(open_page: Open) -> None:
    lab = await open_page(
        "<label>审批状态<select id=x><option value=0>全部<option value=3>删除</select></label>"
    )
    asked = {"selector": "#x", "action": "select"}
    assert "删除" in (await lab.ask("resolve", **asked, choice="3"))["target"]["said"]
    assert "删除" in (await lab.ask("resolve", **asked, choice="删除"))["target"]["said"]
    assert (await lab.ask("resolve", **asked, choice="0"))["target"]["said"] == "全部\n0\n全部"


async def test_reading_an_element_costs_no_words(open_page: Open) -> None:
    lab = await open_page("<form><button id=x>删除</button></form>")
    read = (await lab.ask("resolve", selector="#x", action="getText"))["target"]
    assert (read["said"], read["form_state"]) == ("", "")


@pytest.mark.parametrize(
    "markup",
    [
        "<form><button><span role=button id=x>a</span></button></form>",
        "<form><button><label for=c id=x>a</label></button></form><input type=checkbox id=c>",
        "<form><label id=x>a<input type=submit></label></form>",
        "<form><button><span role=checkbox id=x>a</span></button></form>",
    ],
)
async def test_a_submit_button_anywhere_above_submits(open_page: Open, markup: str) -> None:
    lab = await open_page(markup)
    assert (await target(lab))["submits"] is True


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=/go><span role=menuitem id=x>a</span></a>",
        "<a href=/go><label for=c id=x>a</label></a><input type=checkbox id=c>",
        "<svg><a href=/go><text id=x y=9>a</text></a></svg>",
        "<svg><a xlink:href=/go id=x><text y=9>a</text></a></svg>",
        "<x-a><template shadowrootmode=open><a href=/go><slot></slot></a></template>"
        "<b id=x>a</b></x-a>",
    ],
)
async def test_a_link_anywhere_above_leads_away(open_page: Open, markup: str) -> None:
    lab = await open_page("<base href='https://erp.example.com/'>")
    # Unlike set content, a parser's own call builds declarative shadow roots.
    await lab.run(f"document.body.setHTMLUnsafe({markup!r})")
    assert (await target(lab))["href"] == "https://erp.example.com/go"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<form><input type=password><i id=x>a</i></form>", True),
        ("<input type=password><div id=x>登 录</div>", True),
        ("<div><input type=password></div><section><p><a id=x href=#>a</a></p></section>", True),
        ("<form><input type=password></form><div id=x>a</div>", False),
        ("<input type=password><form><div id=x>a</div></form>", False),
        ("<input type=password style='display:none'><div id=x>a</div>", False),
        ("<input><div id=x>a</div>", False),
    ],
)
async def test_a_password_that_no_form_sets_apart_counts(
    open_page: Open, markup: str, expected: bool
) -> None:
    lab = await open_page(markup)
    assert (await target(lab))["in_password_form"] is expected


FORM = (
    "<form action=/pay><input id=a value=10><input id=c type=checkbox><textarea id=t>x</textarea>"
    "<select id=s><option>1<option>2</select><input type=hidden id=h value=1>"
    "<input type=password id=p><button id=x>付款</button></form><input id=out>"
)


@pytest.mark.parametrize(
    "change",
    [
        "a.value = '1000000'",
        "a.disabled = true",
        "c.checked = true",
        "t.value = 'y'",
        "s.selectedIndex = 1",
        "h.value = '2'",
        "x.form.action = '/other'",
        "x.formAction = '/other'",
        "x.form.append(document.createElement('input'))",
    ],
)
async def test_the_form_state_changes_with_what_would_be_sent(open_page: Open, change: str) -> None:
    lab = await open_page(FORM)
    before = await target(lab)
    assert len(before["form_state"]) == 64
    await lab.run(change)
    assert (await target(lab))["form_state"] != before["form_state"]


@pytest.mark.parametrize("change", ["1", "out.value = 'z'", "p.value = 'hunter2'", "c.focus()"])
async def test_the_form_state_stays_while_nothing_else_changes(
    open_page: Open, change: str
) -> None:
    lab = await open_page(FORM)
    before = await target(lab)
    await lab.run(change)
    assert await target(lab) == before


async def test_a_form_state_says_nothing_about_a_hidden_value(open_page: Open) -> None:
    first, second = await open_page(FORM), await open_page(FORM)
    assert (await target(first))["form_state"] != (await target(second))["form_state"]


async def test_a_serial_stays_with_its_element(open_page: Open) -> None:
    lab = await open_page("<button id=x>a</button>")
    before = (await target(lab))["serial"]
    assert (await target(lab))["serial"] == before
    await lab.run("x.outerHTML = x.outerHTML")
    assert (await target(lab))["serial"] > before


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ("x.type = 'submit'", "its submits was"),
        ("x.outerHTML = x.outerHTML", "another element"),
        ("document.querySelector('form').q.value = 2", "what its form holds"),
        ("x.textContent = 'b'", "its name was “a” and is now “b”"),
        ("1", None),
    ],
)
async def test_a_changed_element_is_refused_in_the_turn_that_would_act(
    open_page: Open, change: str, detail: str | None
) -> None:
    lab = await open_page("<form><input name=q><button id=x type=button>a</button></form>")
    asked = {"expected_target": await target(lab), "key": "k"}
    await lab.run(change)
    error = (await lab.ask("aim", selector="#x", action="click", **asked)).get("error")
    assert (error and error["code"]) == (detail and "stale_element")
    assert error is None or error["detail"].startswith(detail)
