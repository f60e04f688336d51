"""Typing, setting and choosing reach the field the page expects, and never a password."""

import json

import pytest

from tests.browser.page.conftest import Open

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

HEARD = (
    "<script>window.heard = [];"
    "for (const kind of ['input', 'change']) addEventListener(kind, e => heard.push(kind))</script>"
)


@pytest.mark.parametrize(
    "markup",
    [
        "<input id=x value=old>",
        "<input id=x type=search value=old>",
        "<input id=x type=email value=old>",
        "<textarea id=x>old</textarea>",
        "<div id=x contenteditable>old</div>",
        "<div id=x contenteditable=plaintext-only>old</div>",
    ],
)
async def test_typing_replaces_or_continues_what_is_there(open_page: Open, markup: str) -> None:
    lab = await open_page(markup + HEARD)
    answer = await lab.ask("focus", selector="#x", expected_origin="null", clear=True)
    assert answer["insert"] == "text"
    await lab.insert("新")
    assert (await lab.ask("value_after", selector="#x"))["value"] == "新"
    await lab.ask("focus", selector="#x", clear=False)
    await lab.insert("的")
    assert (await lab.ask("value_after", selector="#x"))["value"] == "新的"
    assert "input" in await lab.run("heard")


async def test_a_number_field_is_typed_into(open_page: Open) -> None:
    lab = await open_page("<input id=x type=number value=7>")
    await lab.ask("focus", selector="#x", clear=True)
    await lab.insert("12")
    await lab.ask("focus", selector="#x", clear=False)
    await lab.insert("3")
    assert (await lab.ask("value_after", selector="#x"))["value"] == "123"


async def test_a_framework_that_tracks_values_hears_the_typing(open_page: Open) -> None:
    lab = await open_page(
        "<input id=x><script>const x = document.querySelector('#x');"
        "Object.defineProperty(x, 'value', {set() { throw 1 }, get() { return 'lie' }});"
        "window.seen = []; x.oninput = e => seen.push(e.inputType)</script>"
    )
    await lab.ask("focus", selector="#x", clear=True)
    await lab.insert("三月")
    assert (await lab.ask("value_after", selector="#x"))["value"] == "三月"
    assert await lab.run("seen") == ["insertText"]


@pytest.mark.parametrize(
    ("markup", "code"),
    [
        ("<input id=x type=password>", "password_field"),
        ("<input id=x autocomplete='section-a current-password'>", "password_field"),
        ("<input id=x style='-webkit-text-security:disc'>", "password_field"),
        ("<input id=x type=checkbox>", "not_editable"),
        ("<input id=x type=file>", "not_editable"),
        ("<input id=x readonly>", "not_editable"),
        ("<input id=x disabled>", "not_editable"),
        ("<p id=x>a</p>", "not_editable"),
        ("<p>a</p>", "not_found"),
    ],
)
async def test_what_takes_no_typing_is_refused(open_page: Open, markup: str, code: str) -> None:
    lab = await open_page(markup)
    assert (await lab.ask("focus", selector="#x", clear=True))["error"]["code"] == code
    assert await lab.run("document.activeElement === document.body") is True


async def test_a_password_shown_as_text_stays_a_password(open_page: Open) -> None:
    lab = await open_page("<input id=x type=password value=hunter2><input id=y>")
    await lab.run("document.querySelector('#x').type = 'text'")
    answer = await lab.ask("focus", selector="#x", clear=True)
    assert answer["error"]["code"] == "password_field"
    assert (await lab.ask("value_after", selector="#x"))["value"] == "••••••"
    assert "error" not in await lab.ask("focus", selector="#y", clear=True)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("date", "2026-03-01", "2026-13-01"),
        ("month", "2026-03", "March"),
        ("time", "08:30", "25:00"),
        ("color", "#00ff00", "green-ish"),
        ("range", "30", "300"),
    ],
)
async def test_a_field_of_parts_is_set(open_page: Open, kind: str, good: str, bad: str) -> None:
    lab = await open_page(f"<input id=x type={kind}>{HEARD}")
    assert (await lab.ask("focus", selector="#x", clear=True))["insert"] == "value"
    assert (await lab.ask("set_value", selector="#x", value=good))["value"] == good
    assert await lab.run("heard") == ["input", "change"]
    refused = await lab.ask("set_value", selector="#x", value=bad)
    assert refused["error"]["code"] == "bad_value"
    assert (await lab.ask("value_after", selector="#x"))["value"] == good


LIST = (
    "<select id=x><option value=''>请选择</option><option value=1>财务部</option>"
    "<option value=2> 人事  部 </option><option value=3 disabled>停用</option></select>"
)


@pytest.mark.parametrize(("wanted", "value"), [("2", "2"), ("财务部", "1"), ("人事 部", "2")])
async def test_an_option_is_chosen_by_value_or_label(
    open_page: Open, wanted: str, value: str
) -> None:
    lab = await open_page(LIST + HEARD)
    answer = await lab.ask("select_option", selector="#x", expected_origin="null", value=wanted)
    assert answer["value"] == value
    assert await lab.run("document.querySelector('#x').value") == value
    assert await lab.run("heard") == ["input", "change"]


async def test_an_option_that_is_not_there_is_told_with_those_that_are(open_page: Open) -> None:
    lab = await open_page(LIST + HEARD)
    for wanted in ("市场部", "停用"):
        error = (await lab.ask("select_option", selector="#x", value=wanted))["error"]
        assert error["code"] == "no_such_option"
        assert error["detail"].startswith(f"{wanted}; there are: 请选择 | 财务部 | 人事 部")
    assert await lab.run("heard") == []


async def test_only_a_list_is_chosen_from(open_page: Open) -> None:
    lab = await open_page("<input id=x><select id=y disabled><option>a</select>")
    asked = await lab.ask("select_option", selector="#x", value="a")
    assert asked["error"]["code"] == "not_a_select"
    asked = await lab.ask("select_option", selector="#y", value="a")
    assert asked["error"]["code"] == "not_editable"


async def test_a_list_of_many_gets_the_one(open_page: Open) -> None:
    lab = await open_page(
        "<select id=x multiple><option selected>a<option selected>b<option>c</select>"
    )
    await lab.ask("select_option", selector="#x", value="c")
    assert (await lab.ask("value_after", selector="#x"))["value"] == "c"


@pytest.mark.parametrize(
    ("typed", "shown", "how"),
    [
        ("abc", "abc", "held"),
        ("13800138000", "138 0013 8000", "formatted"),
        ("1234.5", "1,234.50", "formatted"),
        ("2026-03-01", "2026/03/01", "formatted"),
        ("１２３", "123", "formatted"),
        ("abc", "ABC", "formatted"),
        ("1.5", "15", "lost"),
        ("15", "1.5", "lost"),
        ("-5", "5", "lost"),
        ("5", "-5", "lost"),
        ("00123", "123", "lost"),
        ("abc", "abcabc", "lost"),
        ("abc", "ab", "lost"),
        ("abc", "", "lost"),
        ("!!", "", "lost"),
    ],
)
async def test_a_page_may_format_what_was_typed_and_not_change_it(
    open_page: Open, typed: str, shown: str, how: str
) -> None:
    lab = await open_page(f"<input id=x oninput='this.value = {json.dumps(shown)}'>")
    await lab.ask("focus", selector="#x", clear=True)
    await lab.insert(typed)
    assert await lab.ask("held", selector="#x", text=typed) == {"how": how, "value": shown}


async def test_a_password_that_a_page_puts_into_a_field_is_not_told(open_page: Open) -> None:
    lab = await open_page(
        "<input type=password value=hunter22><input id=x oninput='this.value = `hunter22`'>"
    )
    await lab.ask("focus", selector="#x", clear=True)
    await lab.insert("abc")
    assert await lab.ask("held", selector="#x", text="abc") == {"how": "lost", "value": "••••••"}
