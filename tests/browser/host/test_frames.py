"""Commands and snapshots reach every frame: of the same site, of another site, nested."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approve, Outcome
from browser.page import bundle_source
from states.page import AomNode
from states.policy import Policy
from tests.support.site import Site, serve

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

TOP, SAME_SITE, OTHER, DEEP, UNREAD = (
    "a.erp.test", "b.erp.test", "pay.test", "deep.test", "unread.test",
)  # fmt: skip
FORM = (
    "<body style='margin:0'><p>支付 <b id=said>-</b></p>"
    "<input aria-label=金额 oninput='said.textContent = value'>"
    "<select aria-label=币种><option>人民币<option>美元</select>"
    "<button onclick=\"fetch('/pressed')\">查询余额</button>"
)


class Desk:
    """A browser over several hosts that are one site of this machine."""

    def __init__(self, opened: OpenBrowser, site: Site) -> None:
        self.tab = opened.executor.tab
        self.opened = opened
        self.site = site

    async def do(
        self, action: str, host: str = TOP, approve: Approve = lambda _: ALLOW, **params: Any
    ) -> Outcome:
        return await self.opened.executor.execute(action, params, host, approve)

    async def show(self, page: str, **inner: str) -> None:
        """Show *page*, with *inner* at `/name`."""
        self.site.pages.clear()
        self.site.pages |= {f"/{name}": text for name, text in inner.items()}
        self.site.pages |= {"/": page, "/pressed": ""}
        assert (await self.do("navigate", url=f"http://{TOP}/")).error is None
        self.site.hits.clear()

    async def nodes(self) -> dict[str, AomNode]:
        """Return the page's nodes by name."""
        outcome = await self.do("getText")
        found: dict[str, AomNode] = {}
        stack = list(outcome.snapshot)
        while stack:
            node = stack.pop()
            found[node.name or node.role] = node
            stack.extend(node.children)
        return found

    async def pressed(self) -> bool:
        """Tell whether the button's request came."""
        return await self.tab.until(lambda: "/pressed" in self.site.hit_paths(), 5)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    hosts = [TOP, SAME_SITE, OTHER, DEEP]
    rules: list[dict[str, Any]] = [
        {"host": host, "scheme": "http", "allow": ["*"]} for host in hosts
    ]
    rules.append({"host": UNREAD, "scheme": "http", "allow": ["navigate"]})
    with serve({}) as site:
        options = LaunchOptions(
            policy=Policy.model_validate({"version": 1, "hosts": rules}),
            profiles_root=tmp_path_factory.mktemp("profiles"),
            host_map=dict.fromkeys([*hosts, UNREAD], f"127.0.0.1:{site.port}"),
        )
        async with await open_browser(options, bundle_source()) as opened:
            yield Desk(opened, site)


def frame_of(host: str, style: str = "") -> str:
    return f"<iframe id=pay title=收银台 src='http://{host}/form' style='{style}'></iframe>"


@pytest.mark.parametrize("host", [SAME_SITE, OTHER])
async def test_a_frame_of_another_origin_is_told_with_its_host_and_its_place(
    desk: Desk, host: str
) -> None:
    place = "position:absolute;left:100px;top:200px;border:2px solid;width:400px;height:200px"
    await desk.show(f"<h1>订单</h1>{frame_of(host, place)}", form=FORM)
    nodes = await desk.nodes()
    frame = nodes["收银台"]
    assert (frame.role, frame.host) == ("iframe", host)
    assert frame.frame is not None
    button = nodes["查询余额"]
    assert button in frame.children
    assert button.ref is not None
    assert button.ref.startswith(f"@{frame.frame}.")
    assert button.selector == "#pay >>> body > button"
    x, y, _, _ = button.bounds
    assert x > 102
    assert 202 < y < 400


@pytest.mark.parametrize("host", [SAME_SITE, OTHER])
@pytest.mark.parametrize("way", ["ref", "selector", "locator"])
async def test_commands_act_in_a_frame_of_another_origin(desk: Desk, host: str, way: str) -> None:
    await desk.show(f"<button>查询余额前</button>{frame_of(host)}", form=FORM)
    nodes = await desk.nodes()

    def called(name: str) -> str:
        node = nodes[name]
        given = {"ref": node.ref, "selector": node.selector, "locator": f'{node.role} "{name}"'}
        return str(given[way])

    typed = await desk.do("type", host, selector=called("金额"), text="3000")
    assert typed.error is None
    chosen = await desk.do("select", host, selector=called("币种"), value="美元")
    assert (chosen.error, chosen.data["selected"]) == (None, "美元")
    clicked = await desk.do("click", host, selector=called("查询余额"))
    assert clicked.error is None
    assert await desk.pressed()
    said = await desk.do("getText", host, selector="#pay >>> #said")
    assert said.data["text"] == "3000"


async def test_an_element_in_a_frame_is_acted_upon_as_its_own_host_only(desk: Desk) -> None:
    await desk.show(frame_of(OTHER), form=FORM)
    button = (await desk.nodes())["查询余额"]
    refused = await desk.do("click", TOP, selector=button.ref)
    assert refused.error is not None
    assert refused.error.code == "domain_mismatch"
    assert "/pressed" not in desk.site.hit_paths()
    assert (await desk.do("click", OTHER, selector=button.ref)).error is None
    assert await desk.pressed()


async def test_an_approval_names_the_frame_and_its_origin(desk: Desk) -> None:
    await desk.show(frame_of(OTHER), form=FORM)
    node = (await desk.nodes())["查询余额"]
    asked = await desk.do("click", OTHER, lambda _: NEEDS_CONFIRMATION, selector=node.ref)
    assert asked.confirmation is not None
    assert asked.confirmation.origin == f"http://{OTHER}"
    assert asked.confirmation.target is not None
    assert node.ref is not None
    assert node.ref.startswith(f"@{asked.confirmation.target.frame}.")
    assert "/pressed" not in desk.site.hit_paths()


async def test_a_frame_in_a_frame_in_a_shadow_root_is_reached(desk: Desk) -> None:
    host = "<my-box></my-box><script>customElements.define('my-box', class extends HTMLElement {"
    shadow = f'this.attachShadow({{mode: "open"}}).innerHTML = `{frame_of(OTHER)}`'
    page = f"{host} connectedCallback() {{ {shadow} }} }})</script>"
    outer = f"<p>外层</p><iframe id=in src='http://{DEEP}/inner' style='height:120px'></iframe>"
    await desk.show(page, form=outer, inner=FORM)
    nodes = await desk.nodes()
    button = nodes["查询余额"]
    assert button.selector == "body > my-box >>> #pay >>> #in >>> body > button"
    for selector in (button.selector, button.ref, 'button "查询余额"'):
        desk.site.hits.clear()
        assert (await desk.do("click", DEEP, selector=selector)).error is None
        assert await desk.pressed()


async def test_an_element_far_down_in_a_frame_far_down_is_scrolled_to(desk: Desk) -> None:
    tall = "<div style='height:3000px'></div>"
    await desk.show(f"{tall}{frame_of(OTHER, 'height:150px')}{tall}", form=f"{tall}{FORM}{tall}")
    clicked = await desk.do("click", OTHER, selector='button "查询余额"')
    assert clicked.error is None
    assert await desk.pressed()


async def test_what_lies_over_a_frame_is_never_pressed_instead(desk: Desk) -> None:
    over = (
        "<button onclick=\"fetch('/over')\" style='position:fixed;inset:0;opacity:.1'>盖</button>"
    )
    await desk.show(frame_of(OTHER), form=FORM)
    button = (await desk.nodes())["查询余额"]
    await desk.tab.send(
        "Runtime.evaluate",
        {"expression": f"document.body.insertAdjacentHTML('beforeend', `{over}`)"},
    )
    refused = await desk.do("click", OTHER, selector=button.ref, timeout_ms=500)
    assert refused.error is not None
    assert not {"/pressed", "/over"} & set(desk.site.hit_paths())
    await desk.tab.send("Runtime.evaluate", {"expression": "document.body.lastChild.remove()"})
    assert (await desk.do("click", OTHER, selector=button.ref)).error is None
    assert await desk.pressed()


async def test_a_ref_of_a_frame_that_loaded_anew_is_stale(desk: Desk) -> None:
    await desk.show(frame_of(OTHER), form=FORM)
    button = (await desk.nodes())["查询余额"]
    assert (await desk.do("click", OTHER, selector=button.ref)).error is None
    again = "document.getElementById('pay').src += '?again'"
    await desk.tab.send("Runtime.evaluate", {"expression": again})
    assert await desk.tab.until(lambda: any(hit.query == "again" for hit in desk.site.hits), 10)
    await desk.do("waitForSelector", OTHER, selector="#pay >>> #said")
    refused = await desk.do("click", OTHER, selector=button.ref)
    assert refused.error is not None
    assert refused.error.code == "stale_ref"


async def test_a_frame_that_was_removed_is_told(desk: Desk) -> None:
    await desk.show(frame_of(OTHER), form=FORM)
    button = (await desk.nodes())["查询余额"]
    await desk.tab.send("Runtime.evaluate", {"expression": "pay.remove()"})
    refused = await desk.do("click", OTHER, selector=button.ref)
    assert refused.error is not None
    assert refused.error.code == "frame_gone"


async def test_a_locator_that_two_frames_hold_is_ambiguous(desk: Desk) -> None:
    second = f"<iframe src='http://{SAME_SITE}/form'></iframe>"
    await desk.show(frame_of(OTHER) + second, form=FORM)
    refused = await desk.do("click", OTHER, selector='button "查询余额"', timeout_ms=500)
    assert refused.error is not None
    assert refused.error.code == "element_ambiguous"
    assert "/pressed" not in desk.site.hit_paths()
    assert (await desk.do("click", OTHER, selector="#pay >>> button")).error is None


async def test_a_locator_that_the_page_and_its_frame_hold_is_ambiguous(desk: Desk) -> None:
    own = "<button onclick=\"fetch('/own')\">查询余额</button>"
    await desk.show(own + frame_of(OTHER), form=FORM)
    for host in (TOP, OTHER):
        refused = await desk.do("click", host, selector='button "查询余额"', timeout_ms=500)
        assert refused.error is not None
        assert refused.error.code == "element_ambiguous"
    assert not {"/own", "/pressed"} & set(desk.site.hit_paths())
    await desk.show(own)
    assert (await desk.do("click", selector='button "查询余额"')).error is None


async def test_numbered_locators_tell_equal_names_apart(desk: Desk) -> None:
    row = "<tr><td>{n}<td><button onclick=\"fetch('/pressed?{n}')\">查看</button></tr>"
    await desk.show(f"<table><th>号<th>操作{''.join(row.format(n=n) for n in range(3))}</table>")
    refused = await desk.do("click", selector='button "查看"', timeout_ms=500)
    assert refused.error is not None
    assert refused.error.code == "element_ambiguous"
    assert (await desk.do("click", selector='button "查看" #2')).error is None
    assert await desk.pressed()
    assert [hit.query for hit in desk.site.hits if hit.path == "/pressed"] == ["1"]


async def test_reading_a_frames_element_reads_what_is_in_it(desk: Desk) -> None:
    await desk.show(f"<p>外</p>{frame_of(OTHER)}", form=FORM)
    frame = (await desk.nodes())["收银台"]
    for selector in (frame.ref, "#pay"):
        text = await desk.do("getText", OTHER, selector=selector)
        assert text.error is None
        assert "支付" in text.data["text"]
    html = await desk.do("getHtml", OTHER, selector="#pay")
    assert "查询余额" in html.data["html"]
    listed = await desk.do("getAomSnapshot", OTHER, selector="#pay", filter="interactive")
    assert [node["name"] for node in listed.data["nodes"]] == ["金额", "币种", "查询余额"]
    assert listed.data["nodes"][0]["ref"].startswith(f"@{frame.frame}.")


async def test_a_frame_whose_host_may_not_be_read_is_named_and_not_read(desk: Desk) -> None:
    await desk.show(frame_of(UNREAD), form=FORM)
    nodes = await desk.nodes()
    assert nodes["收银台"].host == UNREAD
    assert "查询余额" not in nodes
    await desk.show(frame_of(OTHER), form=FORM)
    assert "查询余额" in await desk.nodes()


async def test_a_sandboxed_frame_is_read_and_never_acted_upon(desk: Desk) -> None:
    sandboxed = (
        '<iframe title=收银台 sandbox=allow-scripts srcdoc="<button>内层</button>"></iframe>'
    )
    await desk.show(sandboxed)
    node = (await desk.nodes())["内层"]
    refused = await desk.do("click", TOP, selector=node.ref)
    assert refused.error is not None
    assert refused.error.code == "domain_mismatch"


async def test_the_bound_on_nodes_holds_over_all_frames(desk: Desk) -> None:
    many = "".join(f"<button>按钮 {n}</button>" for n in range(250))
    await desk.show(f"{many}{frame_of(OTHER)}", form=many)
    outcome = await desk.do("getText", selector="body")
    count, stack = 0, list(outcome.snapshot)
    while stack:
        count += 1
        stack.extend(stack.pop().children)
    assert count <= 300
    assert outcome.page.truncated
    assert outcome.page.total >= 500


TWO = (
    "<style>body{margin:0}button{position:absolute;width:60px;height:20px}</style>"
    "<button id=near style='left:20px;top:20px' onclick=\"fetch('/pressed')\">near</button>"
    "<button id=far style='left:100px;top:100px' onclick=\"fetch('/far')\">far</button>"
)


@pytest.mark.parametrize("host", [TOP, OTHER])
@pytest.mark.parametrize(
    ("style", "arrives"),
    [
        ("padding:20px;border:10px solid", True),
        ("transform:scale(.5)", False),
        ("transform:rotate(20deg)", False),
        ("transform:perspective(300px) rotateY(30deg)", False),
    ],
)
async def test_a_press_into_a_frame_that_is_turned_or_scaled_lands_on_nothing_else(
    desk: Desk, host: str, style: str, arrives: bool
) -> None:
    frame = f"<iframe src='http://{host}/in' style='width:300px;height:200px;{style}'></iframe>"
    await desk.show(f"<div style='margin:50px'>{frame}</div>", **{"in": TWO, "far": ""})
    outcome = await desk.do("click", host, selector="iframe >>> #near", timeout_ms=800)
    await desk.do("getText", host, selector="iframe >>> body")
    pressed = [path for path in desk.site.hit_paths() if path in {"/pressed", "/far"}]
    # Where it would land elsewhere it fails.
    assert pressed in ([["/pressed"]] if arrives else [[], ["/pressed"]])
    assert (outcome.error is None) is (pressed == ["/pressed"])
