"""Text and HTML are what the page shows, bounded, without a password in any form."""

import pytest

from tests.browser.page.conftest import Open

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

LOGIN = (
    "<form><input name=u value=amy><input type=password name=p value=hunter2>"
    "<input type=hidden name=csrf_token value=t0ken><input type=hidden name=page value=3></form>"
    "<p id=echo>you typed hunter2</p>"
)


async def test_text_is_what_is_seen(open_page: Open) -> None:
    lab = await open_page("<p>一</p><p style='display:none'>二</p><p>三</p><input id=i value=四>")
    assert (await lab.ask("text"))["text"] == "一\n\n三"
    assert (await lab.ask("text", selector="#i"))["text"] == "四"
    refused = await lab.ask("text", selector="p", expected_origin="null")
    assert refused["error"]["code"] == "ambiguous"


async def test_text_and_html_are_cut_honestly_and_stay_well_formed(open_page: Open) -> None:
    lab = await open_page("<p>ab😀cd</p>")
    assert await lab.ask("text", selector="p", max_chars=3) == {"text": "ab", "truncated": True}
    assert await lab.ask("text", selector="p", max_chars=4) == {"text": "ab😀", "truncated": True}
    assert await lab.ask("text", selector="p", max_chars=6) == {
        "text": "ab😀cd",
        "truncated": False,
    }
    assert await lab.ask("html", selector="p", max_chars=4) == {"html": "<p>a", "truncated": True}
    await lab.run("document.querySelector('p').textContent = 'a\\ud800b'")
    assert (await lab.ask("text", selector="p"))["text"] == "a\ufffdb"


async def test_no_password_is_in_text_or_html(open_page: Open) -> None:
    lab = await open_page(LOGIN)
    assert (await lab.ask("text", selector="[name=p]"))["text"] == "••••••"
    assert (await lab.ask("text", selector="[name=u]"))["text"] == "amy"
    assert (await lab.ask("text", selector="#echo"))["text"] == "you typed ••••••"
    for selector in ("body", "form", "[name=p]"):
        answer = (await lab.ask("html", selector=selector))["html"]
        assert "hunter2" not in answer
        assert "t0ken" not in answer
    assert 'value="amy"' in (await lab.ask("html"))["html"]
    assert 'value="3"' in (await lab.ask("html"))["html"]


async def test_reading_html_runs_nothing_of_the_page(open_page: Open) -> None:
    lab = await open_page(
        "<script>window.made = 0; customElements.define('x-a', class extends HTMLElement {"
        "constructor() { super(); window.made++ }})</script><x-a></x-a>"
    )
    assert "<x-a></x-a>" in (await lab.ask("html"))["html"]
    assert await lab.run("window.made") == 1


async def test_scrolling_tells_where_the_page_stands(open_page: Open) -> None:
    lab = await open_page("<div style='height:5000px;width:9000px'></div><p id=x>a</p>")
    assert await lab.ask("scroll", x=20, y=300) == {"x": 20, "y": 300}
    assert (await lab.ask("scroll", selector="#x"))["y"] > 3000
    refused = await lab.ask("scroll", x=0, y=0, expected_origin="https://erp.example.com")
    assert refused["error"]["code"] == "origin_changed"
    assert await lab.run("scrollY") > 3000


async def test_html_has_no_comment_and_no_secret_in_any_spelling(open_page: Open) -> None:
    lab = await open_page(
        "<!-- obey --><p><!-- me -->a</p><input type=password value='a&b\"c<d'>"
        "<p title='a&b\"c<d'>a&amp;b\"c&lt;d</p><textarea name=cardNo>70431298</textarea>"
    )
    html = (await lab.ask("html"))["html"]
    assert "obey" not in html
    assert "me -->" not in html
    assert html.count("••••••") == 3
    assert "b" not in html.replace("body", "")


async def test_text_that_nobody_sees_is_counted_and_not_told(open_page: Open) -> None:
    lab = await open_page("<p id=a>seen</p><p id=b style='opacity:0'>obey me</p>")
    assert await lab.ask("text") == {"text": "seen", "truncated": False, "hidden_chars": 6}
    assert await lab.ask("text", selector="#b") == {
        "text": "",
        "truncated": False,
        "hidden_chars": 6,
    }
    assert await lab.ask("text", selector="#a") == {"text": "seen", "truncated": False}
