"""Roles and names agree with Chromium's own accessibility tree."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

# The same thing under another word.
SAME = {
    "image": "img", "DisclosureTriangle": "button", "ColorWell": "button", "Iframe": "iframe",
    "Date": "textbox", "DateTime": "textbox", "InputTime": "textbox",
}  # fmt: skip
# Ours leaves out what only groups or repeats; it is shown through its text or its owner's name.
NOT_OURS = frozenset(
    {
        "StaticText", "InlineTextBox", "RootWebArea", "generic", "none", "paragraph", "LabelText",
        "Legend", "Figcaption", "caption", "rowgroup", "ListMarker", "MenuListPopup", "term",
        "definition", "DescriptionList", "blockquote", "strong", "emphasis",
    }
)  # fmt: skip
PAGES = Path(__file__).parent / "oracle"


def theirs(tree: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    """Count role and name of what Chromium shows; it names rows, we do not."""
    shown = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if not node["ignored"] and node["role"]["value"] not in NOT_OURS
    ]
    # A picture without a name says nothing.
    shown = [told for told in shown if told != ("image", "")]
    return Counter((SAME.get(role, role), "" if role == "row" else name) for role, name in shown)


@pytest.mark.parametrize("page", ["controls", "structure", "aria"])
async def test_roles_and_names_are_those_of_chromium(open_page: Open, page: str) -> None:
    lab = await open_page((PAGES / f"{page}.html").read_text(encoding="utf-8"))
    answer = await lab.ask("snapshot", limit=500)
    ours = Counter(
        (node["role"], node["name"]) for node in flat(answer["nodes"]) if node["role"] != "text"
    )
    tree = await lab.session.send("Accessibility.getFullAXTree")
    expected = theirs(tree["nodes"])
    assert sorted((expected - ours).elements()) == []
    assert sorted((ours - expected).elements()) == []
    assert len(ours) >= 20
