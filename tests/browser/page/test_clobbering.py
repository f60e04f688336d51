"""A page that names its fields after DOM properties changes nothing (DOM clobbering)."""

import pytest

from tests.browser.page.conftest import Open

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

NAMES = [
    "attributes", "childNodes", "children", "firstChild", "nextSibling", "parentNode",
    "parentElement", "ownerDocument", "nodeType", "localName", "tagName", "getAttribute",
    "hasAttribute", "matches", "closest", "querySelectorAll", "getBoundingClientRect",
    "getClientRects", "checkVisibility", "getRootNode", "isConnected", "innerText", "textContent",
    "outerHTML", "elements", "shadowRoot", "assignedSlot", "id", "name", "form", "role",
    "scrollIntoView", "cloneNode", "getElementsByTagName", "labels",
]  # fmt: skip
DOCUMENT_NAMES = [
    "body", "documentElement", "defaultView", "querySelectorAll", "activeElement",
    "elementFromPoint", "title", "createRange", "readyState", "implementation", "getElementById",
]  # fmt: skip


def clobbered(inner: str) -> str:
    fields = "".join(f"<input type=hidden name={name}>" for name in NAMES)
    others = "".join(f"<form name={name}></form>" for name in DOCUMENT_NAMES)
    return f"<title>t</title><form id=f aria-label=登录>{fields}{inner}</form>{others}"


async def test_the_clobbering_works_at_all(open_page: Open) -> None:
    lab = await open_page(clobbered("<button>go</button>"))
    clob = "typeof document.getElementsByTagName('form')[0].getAttribute"
    assert await lab.in_world(clob) == "object"
    assert await lab.run("typeof document.querySelectorAll") == "object"


async def test_a_snapshot_of_a_clobbered_form_is_whole(open_page: Open) -> None:
    lab = await open_page(clobbered("<label>名<input></label><button>go</button>"))
    [form] = (await lab.ask("snapshot"))["nodes"]
    assert (form["role"], form["name"]) == ("form", "登录")
    assert [(node["role"], node["name"]) for node in form["children"]] == [
        ("textbox", "名"),
        ("button", "go"),
    ]


async def test_a_password_in_a_clobbered_form_is_still_seen(open_page: Open) -> None:
    lab = await open_page(clobbered("<input type=password value=hunter2><button>go</button>"))
    target = (await lab.ask("resolve", selector="button"))["target"]
    assert target["submits"] is True
    assert target["in_password_form"] is True
    assert "hunter2" not in (await lab.ask("html", selector="#f"))["html"]
    assert "error" not in await lab.ask("text", selector="#f")


async def test_waiting_and_typing_work_in_a_clobbered_form(open_page: Open) -> None:
    lab = await open_page(clobbered("<input id=q><button>go</button>"))
    assert "x" in await lab.ask("ready", selector="button", need="click", timeout_ms=20_000)
    await lab.ask("focus", selector="#q", clear=True)
    await lab.insert("好")
    assert (await lab.ask("value_after", selector="#q"))["value"] == "好"
    assert (await lab.ask("identity"))["title"] == "t"
    assert "x" in await lab.ask("ready", selector="#f", need="visible", timeout_ms=20_000)


async def test_the_pages_own_script_cannot_reach_the_bundle(open_page: Open) -> None:
    lab = await open_page(
        "<script>Element.prototype.getAttribute = () => 'lie'; window.__sg = 1;"
        "Object.defineProperty(HTMLInputElement.prototype, 'type', {get: () => 'text'})</script>"
        "<input type=password id=x>"
    )
    assert await lab.run("__sg") == 1
    assert (await lab.ask("resolve", selector="#x"))["is_password"] is True
