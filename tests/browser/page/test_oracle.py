"""Roles and names agree with Chromium's own accessibility tree, node for node, in its order.

What differs stands in three tables, each line with its reason; a line that nothing needs fails too.
"""

import json
import re
import shlex
import stat
from collections.abc import AsyncIterator, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from browser.host.chromium import Chromium, find_browser
from browser.host.launch_flags import LaunchOptions
from states.policy import Policy
from tests.browser.page.conftest import Open
from tests.browser.page.oracle_pages import LARGE
from tests.support.page_lab import PageLab, flat

on_loop = pytest.mark.asyncio(loop_scope="session")
pytestmark = pytest.mark.chromium

PAGES = {path.stem: path for path in sorted((Path(__file__).parent / "oracle").glob("*.html"))}
Told = tuple[str, str]

# --- the same thing under another word
SAME = {
    "image": "img",
    "DisclosureTriangle": "button",
    "ColorWell": "button",
    "Iframe": "iframe",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "Canvas": "img",
    # Chromium guesses from borders and sizes which table is data, we tell by what stands in it.
    "LayoutTable": "table",
    "LayoutTableRow": "row",
    "LayoutTableCell": "cell",
}

# --- what we show through its text or its owner's name, so it is no node
GROUPING = frozenset(
    {
        "StaticText", "InlineTextBox", "RootWebArea", "none", "paragraph", "LabelText", "Legend",
        "Figcaption", "caption", "rowgroup", "ListMarker", "MenuListPopup", "term", "definition",
        "DescriptionList", "blockquote", "strong", "emphasis", "code", "mark", "time", "subscript",
        "superscript", "deletion", "insertion", "Abbr", "LineBreak", "MathMLMath",
        "MathMLIdentifier", "sectionheader", "sectionfooter", "document",
    }
)  # fmt: skip
# Without a role it is a node for us when it can be pressed, for Chromium when it has any box.
UNCOUNTED = "generic"
# A picture inside such a name is said by the name.
NAMED_BY_CONTENT = frozenset(
    {
        "button", "link", "heading", "cell", "gridcell", "columnheader", "rowheader", "option",
        "tab", "menuitem", "checkbox", "radio", "switch", "treeitem",
    }
)  # fmt: skip
# Their parts stand in a shadow root of the browser: the date is set whole, the player left alone.
WHOLE = frozenset({"Date", "DateTime", "InputTime", "Video", "Audio"})
DROPPED = frozenset({"Video", "Audio", "PluginObject", "EmbeddedObject"})
# Only a box unless they have a name.
NAMELESS = frozenset({"img", "SvgRoot", "form", "group"})

# --- page by page: (page, whose, role, name) -> why
_ORPHAN = "an option outside a list can be chosen all the same"
_EDITED = "what is typed into is one textbox, whatever it holds; Chromium shows the parts"
_INERT = "a person sees it; it is told as disabled"
_LAYOUT = "a table around a form and without headers is layout, however it is drawn"
DIFFERENCES: dict[tuple[str, str, str, str], str] = {
    ("deep_names", "sgclaw", "option", "孤选"): _ORPHAN,
    ("descriptions", "sgclaw", "textbox", "富占"): _EDITED,
    ("editable", "sgclaw", "textbox", ""): _EDITED,
    ("editable", "sgclaw", "textbox", "纯"): _EDITED,
    ("editable", "sgclaw", "textbox", "段"): _EDITED,
    ("editable", "sgclaw", "heading", "可改题"): _EDITED,
    ("editable", "chromium", "heading", ""): _EDITED,
    ("editable", "chromium", "list", ""): _EDITED,
    ("editable", "chromium", "listitem", ""): _EDITED,
    ("hidden", "sgclaw", "button", "5"): _INERT,
    ("inputs", "sgclaw", "textbox", "富"): _EDITED,
    ("inputs", "chromium", "group", "组"): "the options of a list stand in it without groups",
    ("mixed_roles", "chromium", "list", ""): "role=directory is no longer used; its text is shown",
    ("mixed_roles", "sgclaw", "listitem", ""): "Chromium loses the item behind the table's tbody",
    ("table_layout", "chromium", "table", ""): _LAYOUT,
    ("table_layout", "chromium", "row", ""): _LAYOUT,
    ("table_layout", "chromium", "cell", ""): _LAYOUT,
}


def clean(name: str) -> str:
    """Return *name* as every text of a snapshot is: one line, plain blanks, nothing invisible."""
    return " ".join(re.sub("[\u200b-\u200f\ufe0f]", "", name).split())


def theirs(tree: list[dict[str, Any]]) -> Iterator[Told]:
    """Yield role and name of what Chromium shows, in its order."""
    nodes = {node["nodeId"]: node for node in tree}

    def shown(node: dict[str, Any], *, is_named: bool) -> Iterator[Told]:
        role = node.get("role", {}).get("value", "")
        if not node["ignored"] and role not in GROUPING | DROPPED | {UNCOUNTED}:
            name = clean(node.get("name", {}).get("value", ""))
            ours = SAME.get(role, role)
            is_said = ours == "img" and is_named
            if not is_said and (name or ours not in NAMELESS):
                # Chromium names a row by its cells.
                yield ours, "" if ours == "row" else name
        if role not in WHOLE:
            for child in node.get("childIds", ()):
                if child in nodes:
                    inside = is_named or role in NAMED_BY_CONTENT
                    yield from shown(nodes[child], is_named=inside)

    yield from shown(tree[0], is_named=False)


def ours(nodes: list[dict[str, Any]]) -> Iterator[Told]:
    for node in flat(nodes):
        told = (node["role"], clean(node["name"]))
        if told[0] not in {"text", UNCOUNTED} and (told[1] or told[0] not in NAMELESS):
            yield told


def apart(page: str, want: list[Told], have: list[Told]) -> set[tuple[str, str, str, str]]:
    """Return what only one side has, or has at another place."""
    found = set()
    for kind, i, j, k, m in SequenceMatcher(None, want, have, autojunk=False).get_opcodes():
        if kind != "equal":
            found |= {(page, "chromium", *told) for told in want[i:j]}
            found |= {(page, "sgclaw", *told) for told in have[k:m]}
    return found


async def compared(lab: PageLab, page: str) -> set[tuple[str, str, str, str]]:
    answer = await lab.ask("snapshot", limit=5000, name_chars=300)
    assert answer["truncated"] is False
    tree = (await lab.session.send("Accessibility.getFullAXTree"))["nodes"]
    return apart(page, list(theirs(tree)), list(ours(answer["nodes"])))


@on_loop
@pytest.mark.parametrize("page", PAGES)
async def test_roles_and_names_are_those_of_chromium(open_page: Open, page: str) -> None:
    lab = await open_page(PAGES[page].read_text(encoding="utf-8"))
    known = {line for line in DIFFERENCES if line[0] == page}
    assert await compared(lab, page) == known


@on_loop
@pytest.mark.parametrize("page", LARGE)
async def test_large_pages_too(open_page: Open, page: str) -> None:
    lab = await open_page(LARGE[page]())
    assert await compared(lab, page) == set()
    answer = await lab.ask("snapshot", limit=5000)
    assert answer["total"] >= 1000


def test_there_are_enough_pages_and_reasons() -> None:
    assert len(PAGES) >= 30
    assert {page for page, *_ in DIFFERENCES} <= PAGES.keys()
    assert all(DIFFERENCES.values())


def test_a_difference_would_be_found() -> None:
    want = [("button", "a"), ("link", "b")]
    assert apart("p", want, want) == set()
    assert apart("p", want, [("button", "a"), ("link", "c")]) == {
        ("p", "chromium", "link", "b"), ("p", "sgclaw", "link", "c"),
    }  # fmt: skip
    assert apart("p", want, want[::-1]) != set()


# --- element by element


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def telling(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    """A Chromium whose elements tell their computed role and name to the page."""
    folder = tmp_path_factory.mktemp("telling")
    starter = folder / "chromium"
    flag = "--enable-blink-features=ComputedAccessibilityInfo"
    starter.write_text(f'#!/bin/sh\nexec {shlex.quote(str(find_browser()))} {flag} "$@"\n')
    starter.chmod(starter.stat().st_mode | stat.S_IXUSR)
    options = LaunchOptions(
        policy=Policy(version=1, hosts=()), profiles_root=folder / "profiles", browser=starter
    )
    async with await Chromium.launch(options) as browser:
        yield browser


# --- elements whose own words differ: CSS -> why
_WORD = "ARIA has no word for it; ours says what is done with it"
ELEMENTS = {
    "input:is([type=date],[type=time],[type=month],[type=week],[type=datetime-local])": _WORD,
    "input[type=color],summary": _WORD,
    "input[type=file]": "Chromium adds the chosen file, which is a value",
    "[contenteditable]": _EDITED,
    "body > [role=option]": _ORPHAN,
    "[inert] button": _INERT,
    "[tabindex='0']:not([role])": "what can be pressed without a role is named by its text",
}
TELL = """(selectors, known) => selectors.map(each => {
  const element = document.querySelector(each);
  return [element.computedRole, element.computedName, known.filter(css => element.matches(css))];
})"""


def is_plain(selector: str | None) -> bool:
    return selector is not None and " >>> " not in selector


@on_loop
async def test_each_element_tells_the_role_and_name_that_we_show(telling: Chromium) -> None:
    compared_count, unknown, used = 0, [], set[str]()
    lab = await PageLab.open(telling, "")
    for page, path in PAGES.items():
        await lab.show(path.read_text(encoding="utf-8"))
        answer = await lab.ask("snapshot", limit=2000, name_chars=300)
        nodes = [node for node in flat(answer["nodes"]) if is_plain(node.get("selector"))]
        asked = [[node["selector"] for node in nodes], list(ELEMENTS)]
        told = await lab.run(f"({TELL})(...{json.dumps(asked)})")
        for node, (role, name, known) in zip(nodes, told, strict=True):
            compared_count += 1
            want = ("img" if role == "image" else role, clean(name))
            if want != (node["role"], clean(node["name"])):
                used |= set(known)
                unknown += [] if known else [(page, node["selector"], want, node)]
    await lab.close()
    assert unknown == []
    assert used == ELEMENTS.keys()
    assert compared_count >= 250
