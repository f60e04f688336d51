"""Each selector of a snapshot resolves to exactly the element it stands on."""

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    ("markup", "selector"),
    [
        ('<button data-testid="go" id="x">a</button>', 'button[data-testid="go"]'),
        ('<button data-test="go" id="x">a</button>', 'button[data-test="go"]'),
        ('<button data-cy="go" name="n">a</button>', 'button[data-cy="go"]'),
        ('<button id="123">a</button>', r"#\31 23"),
        ('<button id="发票" class="css-1x2y">a</button>', "#发票"),
        ('<button name="发票号">a</button>', 'button[name="发票号"]'),
        ('<button aria-label="关 闭">a</button>', 'button[aria-label="关 闭"]'),
        ("<button aria-label='say \"x\"\\'>a</button>", r'button[aria-label="say \"x\"\\"]'),
        ('<p id="x"></p><button id="x">a</button>', "body > button"),
        (
            '<div id="box"><p></p><div><b></b><button>a</button></div></div>',
            "#box > div > button",
        ),
        ('<button data-testid="a >>> b">a</button>', "body > button"),
    ],
)
async def test_the_steadiest_unique_selector_is_chosen(
    open_page: Open, markup: str, selector: str
) -> None:
    lab = await open_page(markup)
    snapshot = await lab.ask("snapshot", filter="interactive")
    assert [node["selector"] for node in snapshot["nodes"]] == [selector]
    assert (await lab.ask("resolve", selector=selector))["ref"] == snapshot["nodes"][0]["ref"]


async def test_279_alike_buttons_have_279_selectors(open_page: Open) -> None:
    rows = "".join("<tr><td>x<td><button class=sc-bdVaJa>查看</button></tr>" for _ in range(279))
    lab = await open_page(f"<table>{rows}</table>")
    nodes = (await lab.ask("snapshot", filter="interactive", limit=2000))["nodes"]
    nodes = [node for node in flat(nodes) if "ref" in node]
    assert len({node["selector"] for node in nodes}) == 279
    for node in nodes[::40]:
        assert (await lab.ask("resolve", selector=node["selector"]))["ref"] == node["ref"]


async def test_a_repeated_name_falls_back_to_the_place(open_page: Open) -> None:
    lab = await open_page("<input name=q><input name=q>")
    nodes = (await lab.ask("snapshot"))["nodes"]
    expected = ["body > input:nth-of-type(1)", "body > input:nth-of-type(2)"]
    assert [node["selector"] for node in nodes] == expected
