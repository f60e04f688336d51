"""A click reaches the approved element or nothing: no frame of another host, no next document."""

import asyncio
import json
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from browser.host.click_guard import ClickGuard
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW, Outcome
from browser.host.tab import Tab
from browser.page import bundle_source
from states.policy import Policy
from tests.support.site import Reply, Site, serve

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PRESS_S = 20.0
# The first is of the same site, so it shares the page's process; the second has one of its own.
OTHER_HOSTS = ["b.erp.test", "other.test"]
RISKY = (
    "<style>body{margin:0}</style><button style='width:100%;height:100vh' "
    "onclick=\"fetch('/paid')\">审批付款</button>"
)
COVERED = (
    "<button id=next style='position:fixed;left:100px;top:100px;width:200px;height:60px'"
    " onclick=\"fetch('/next')\">Next</button>"
    "<iframe id=o src='http://{host}/risky' style='position:fixed;left:100px;top:100px;"
    "width:200px;height:60px;border:0;opacity:.01{style}'></iframe>{script}"
)
# The frame lies over the button in each painted picture, and nowhere when scripts look.
PHASES = (
    "<div id=probe style='position:fixed;width:1px;height:1px'></div><script>"
    "new ResizeObserver(() => o.style.pointerEvents = 'auto').observe(probe); let n = 0;"
    "(function tick() { o.style.pointerEvents = 'none'; probe.style.width = 1 + (n ^= 1) + 'px';"
    "requestAnimationFrame(tick) })()</script>"
)


class Desk:
    """A browser whose hosts are all one site of this machine, and what it asked for."""

    def __init__(self, opened: OpenBrowser, site: Site) -> None:
        self.opened = opened
        self.site = site

    @property
    def tab(self) -> Tab:
        """The tab the task works in now: a link may have led on into one of its own."""
        return self.opened.executor.tab

    async def do(self, action: str, **params: object) -> Outcome:
        return await self.opened.executor.execute(action, params, "a.erp.test", lambda _: ALLOW)

    async def show(self, page: str) -> None:
        self.site.pages |= {"/": page, "/risky": RISKY, "/paid": "", "/next": ""}
        assert (await self.do("navigate", url="http://a.erp.test/")).error is None
        self.site.hits.clear()

    async def press(self, x: int = 200, y: int = 130) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await self.tab.send("Input.dispatchMouseEvent", event)

    async def press_until(self, path: str) -> None:
        """Press until *path* was asked for: a guard that ends does so soon, not at once."""
        while path not in self.site.hit_paths():
            await self.press()

    async def hit(self, path: str) -> bool:
        """Tell whether *path* was asked for, some time after a press."""
        for _ in range(int(PRESS_S * 20)):
            if path in self.site.hit_paths():
                return True
            await asyncio.sleep(0.05)
        return False

    async def until_shown(self, selector: str) -> None:
        """Wait until every document shows *selector*; what was asked for till then is forgotten."""
        shown = json.dumps({"selector": selector, "need": "visible", "timeout_ms": 20_000})
        for world in self.tab.worlds.present():
            asked = {"expression": f"__sg.ready({shown})", "uniqueContextId": world.context_id}
            await world.session.send("Runtime.evaluate", {**asked, "awaitPromise": True})
        self.site.hits.clear()

    async def settled(self) -> list[str]:
        """Return what was asked for, once a later request of each document came through."""
        for world in self.tab.worlds.present():
            asked = {"expression": "fetch('/mark')", "uniqueContextId": world.context_id}
            await world.session.send("Runtime.evaluate", {**asked, "awaitPromise": True})
        return [path for path in self.site.hit_paths() if path != "/mark"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    with serve({}) as site:
        hosts = ["a.erp.test", *OTHER_HOSTS]
        rules = [{"host": host, "scheme": "http", "allow": ["*"]} for host in hosts]
        options = LaunchOptions(
            policy=Policy.model_validate({"version": 1, "hosts": rules}),
            profiles_root=tmp_path_factory.mktemp("profiles"),
            host_map=dict.fromkeys(hosts, f"127.0.0.1:{site.port}"),
        )
        async with await open_browser(options, bundle_source()) as opened:
            yield Desk(opened, site)


@pytest.fixture
def desk(browser: Desk) -> Desk:
    browser.site.pages.clear()
    return browser


async def framed(desk: Desk, host: str, style: str = "", script: str = "") -> None:
    await desk.show(COVERED.format(host=host, style=style, script=script))
    assert await desk.tab.until(lambda: len(desk.tab.worlds.present()) == 2, PRESS_S)


@pytest.mark.parametrize("host", OTHER_HOSTS)
async def test_a_press_of_ours_never_lands_in_a_frame_of_another_host(
    desk: Desk, host: str
) -> None:
    await framed(desk, host)
    guard = ClickGuard(desk.tab.worlds)
    await asyncio.gather(*guard.arming())
    await desk.press()
    await guard.outcome(PRESS_S)
    guard.release()
    assert (guard.delivered, guard.stopped) == (False, 'button "审批付款"')
    assert await desk.settled() == []
    # Without a guard the very same press lands there.
    await desk.press_until("/paid")


@pytest.mark.parametrize("host", OTHER_HOSTS)
async def test_a_frame_that_hides_from_every_look_gets_no_click(desk: Desk, host: str) -> None:
    await framed(desk, host, script=PHASES)
    outcome = await desk.do("click", selector="#next", timeout_ms=3000)
    assert outcome.error is not None
    assert outcome.error.code in {"click_intercepted", "wait_covered"}
    assert await desk.settled() == []
    await framed(desk, host, style=";pointer-events:none")
    assert (await desk.do("click", selector="#next")).success
    assert await desk.hit("/next")


@pytest.mark.parametrize("host", OTHER_HOSTS)
async def test_a_document_that_comes_meanwhile_gets_no_press(desk: Desk, host: str) -> None:
    await desk.show(f"<a id=go href='http://{host}/risky'>Next</a>")
    guard = ClickGuard(desk.tab.worlds)
    await asyncio.gather(*guard.arming())
    before = desk.tab.worlds.top
    await desk.tab.send("Page.navigate", {"url": f"http://{host}/risky"})
    assert await desk.tab.until(
        lambda: desk.tab.worlds.top not in (None, before) and desk.tab.loaded, PRESS_S
    )
    await desk.press()
    await guard.outcome(PRESS_S)
    guard.release()
    assert (guard.delivered, guard.stopped) == (False, 'button "审批付款"')
    assert await desk.settled() == ["/risky"]
    await desk.press_until("/paid")


async def test_a_frame_of_another_process_that_comes_meanwhile_gets_no_press(desk: Desk) -> None:
    await desk.show("<p>empty</p>")
    guard = ClickGuard(desk.tab.worlds)
    await asyncio.gather(*guard.arming())
    frame = COVERED.format(host="other.test", style="", script="")
    add = f"document.body.innerHTML = {frame!r}"
    await desk.tab.send("Runtime.evaluate", {"expression": add})
    assert await desk.tab.until(
        lambda: len(desk.tab.worlds.present()) == 2 and "/risky" in desk.site.hit_paths(), PRESS_S
    )
    while not guard.stopped:
        # Until the frame is painted the press meets the page below, which is guarded as well.
        await desk.press()
    guard.release()
    assert "/paid" not in await desk.settled()


INNER = "<body style=margin:0><button onclick=fetch(`/next`)>inner</button>"


@pytest.mark.parametrize(
    ("page", "selector"),
    [
        (f"<iframe srcdoc='{INNER}'></iframe>", ""),
        ("<iframe src=/inner></iframe>", ""),
        (f"<iframe></iframe><script>frames[0].document.body.innerHTML = '{INNER}'</script>", ""),
        (
            f"<iframe></iframe><script>frames[0].document.write('{INNER}');"
            "frames[0].document.close()</script>",
            "",
        ),
        (f"<script>document.write('{INNER}')</script>", "button"),
        (
            f"<script>onload = () => {{ document.write('{INNER}'); document.close() }}</script>",
            "button",
        ),
        (
            "<button onmousedown=\"this.outerHTML = '<b>x</b>'; fetch('/next')\">a</button>",
            "button",
        ),
        ("<button onpointerdown=\"location = '/risky'; fetch('/next')\">a</button>", "button"),
        ("<a href=/next>a</a>", "a"),
        ("<a href=/next target=_blank>a</a>", "a"),
        ("<label>a<input type=checkbox onclick=fetch(`/next`)></label>", "label"),
        ("<p onclick=fetch(`/next`)><i>a</i><b>b</b></p>", "p"),
        ("<svg width=90 height=40><a href=/next><text y=20>a</text></a></svg>", "text"),
        ("<details ontoggle=fetch(`/next`)><summary>a</summary>x</details>", "summary"),
    ],
)
async def test_ordinary_clicks_arrive(desk: Desk, page: str, selector: str) -> None:
    desk.site.pages["/inner"] = INNER
    await desk.show(page)
    ref = selector or _ref((await desk.do("getAomSnapshot", filter="interactive")).data["nodes"])
    outcome = await desk.do("click", selector=ref)
    assert outcome.error is None
    assert await desk.hit("/next")


def _ref(nodes: list[dict[str, object]]) -> str:
    """Return the ref of the first node that stands in a frame."""
    for node in nodes:
        inner = node.get("children")
        own = str(node.get("ref") or "") if " >>> " in str(node.get("selector")) else ""
        found = own or (_ref(inner) if isinstance(inner, list) else "")
        if found:
            return found
    return ""


DROP_FRAME = (
    "<style>body{margin:0}</style><div style='width:100%;height:100vh' "
    "ondragover='event.preventDefault()' ondrop=\"fetch('/paid')\">审批付款</div>"
)
DRAGGED = (
    "<div id=a draggable=true style='width:80px;height:40px'>甲</div>"
    "<div id=b style='position:fixed;left:100px;top:100px;width:200px;height:60px'>乙</div>"
    "<iframe id=o src='http://{host}/risky' style='position:fixed;left:100px;top:400px;"
    "width:200px;height:60px;border:0;opacity:.01'></iframe><script>"
    "a.ondragstart = (event) => {{ event.dataTransfer.setData('text/plain', 'x');"
    " if ({moves}) o.style.top = '100px' }};"
    "b.ondragover = (event) => event.preventDefault(); b.ondrop = () => fetch('/next')</script>"
)


@pytest.mark.parametrize("host", OTHER_HOSTS)
async def test_what_is_dragged_is_never_let_go_in_a_frame_of_another_host(
    desk: Desk, host: str
) -> None:
    for moves, taken in (("true", []), ("false", ["/next"])):
        await desk.show(DRAGGED.format(host=host, moves=moves))
        desk.site.pages["/risky"] = DROP_FRAME
        await desk.do("navigate", url="http://a.erp.test/")
        await desk.until_shown("div")
        await desk.do("click", selector="#a", to="#b")
        assert await desk.settled() == taken


KEYED = (
    "<button id=next onkeydown='{moves} && paid.focus()' onclick=\"fetch('/next')\">Next</button>"
    "<button id=paid onclick=\"fetch('/paid')\">审批付款</button>"
)


async def test_a_key_never_reaches_what_takes_the_focus_meanwhile(desk: Desk) -> None:
    for moves, taken in (("true", []), ("false", ["/next"])):
        await desk.show(KEYED.format(moves=moves))
        await desk.do("type", selector="#next", text="", clear=False, keys=["Enter"])
        assert await desk.settled() == taken


async def test_a_dialog_opened_by_the_press_leaves_no_guard_behind(desk: Desk) -> None:
    await desk.show(
        "<button id=a onclick=\"confirm('?')\">a</button>"
        "<button id=b style='position:fixed;left:100px;top:100px;width:200px;height:60px'"
        " onclick=\"fetch('/next')\">b</button>"
    )
    assert (await desk.do("click", selector="#a")).data["dialog"]["type"] == "confirm"
    answer = desk.opened.executor.answer_dialog
    await answer(accept=True, text="", expected_domain="a.erp.test", approve=lambda _: ALLOW)
    await desk.press_until("/next")
    assert (await desk.do("click", selector="#b")).success


async def test_a_host_reached_by_document_domain_stays_another(desk: Desk) -> None:
    opened = {"Origin-Agent-Cluster": "?0"}
    script = "<script>document.domain = 'erp.test'</script>"
    secret = f"{script}<button onclick=\"fetch('/paid')\">SECRET</button>"
    desk.site.pages["/b"] = lambda _: Reply(secret, headers=opened)
    desk.site.pages["/own"] = lambda _: Reply(f"{script}<p>OWN</p>", headers=opened)
    frames = "<iframe id=b src=http://b.erp.test/b></iframe><iframe src=/own></iframe>"
    page = f"{script}<p>top</p>{frames}"
    desk.site.pages["/page"] = lambda _: Reply(page, headers=opened)
    await desk.show("<p>start</p>")
    assert (await desk.do("navigate", url="http://a.erp.test/page")).success
    assert await desk.tab.until(lambda: len(desk.tab.worlds.present()) == 3, PRESS_S)
    # The page's own scripts do reach in.
    reach = {"expression": "b.contentDocument.body.innerText"}
    answer = await desk.tab.send("Runtime.evaluate", reach)
    assert answer["result"]["value"] == "SECRET"
    outcome = await desk.do("getAomSnapshot")
    [other, own] = [node for node in outcome.data["nodes"] if node["role"] == "iframe"]
    assert "OWN" in str(own)
    assert "frame" not in own
    # It is told as the other host that it is, and acted upon as that host only.
    # A frame's name is never given twice in a tab; other tests had frames too.
    assert re.fullmatch(r"f\d+", str(other["frame"]))
    assert other["host"] == "b.erp.test"
    refused = await desk.do("click", selector='button "SECRET"')
    assert refused.error is not None
    assert refused.error.code == "domain_mismatch"
    assert "/paid" not in await desk.settled()
