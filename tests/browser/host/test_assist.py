"""The bundle is told what only the browser sees: press listeners and closed shadow roots."""

from collections.abc import Mapping
from typing import Any

import pytest

from browser.host.assist import NODES_TOLD_MAX, assist
from browser.host.errors import ContextGoneError
from browser.host.target_session import TargetSession
from tests.support.host_lab import HostLab, TabLab
from tests.support.page_lab import flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

CLOSED = (
    "<script>class A extends HTMLElement { constructor() { super();"
    "this.attachShadow({mode: 'closed'}).innerHTML = `<button style='width:90px'>里</button>"
    "<button style='width:90px'>旁</button><input aria-label=栏><x-b></x-b><slot></slot>` } }"
    "class B extends HTMLElement { constructor() { super(); const root = this.attachShadow({"
    "mode: 'closed'}); root.innerHTML = '<b>深</b>' } }"
    "customElements.define('x-b', B); customElements.define('x-a', A)</script>"
    "<p id=said>-</p><x-a><i>槽</i></x-a>"
)


async def looked(tab: TabLab, **asked: Any) -> dict[str, Any]:
    """Return a snapshot of the top document, after the bundle was told."""
    world = await tab.executor.tab.top_world()
    await assist(world.session, world.context_id)
    return await tab.executor.tab.ask("snapshot", asked)


def said(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(node["role"], node["name"]) for node in flat(answer["nodes"])]


def refs(answer: dict[str, Any]) -> dict[str, str]:
    return {node["name"]: node["ref"] for node in flat(answer["nodes"]) if "ref" in node}


async def test_what_stands_in_a_closed_root_is_a_node(lab: HostLab) -> None:
    tab = await lab.open(CLOSED)
    assert await tab.script("document.querySelector('x-a').shadowRoot") is None
    answer = await looked(tab)
    assert said(answer)[1:] == [
        ("button", "里"), ("button", "旁"), ("textbox", "栏"), ("text", "深"), ("text", "槽"),
    ]  # fmt: skip
    inner = next(node for node in flat(answer["nodes"]) if node["name"] == "里")
    assert " >>> " in inner["selector"]


async def test_a_closed_root_is_clicked_and_typed_into(lab: HostLab) -> None:
    tab = await lab.open(CLOSED)
    await tab.script(
        "customElements.get('x-a').prototype.constructor;"
        "document.querySelector('x-a').addEventListener('click',"
        " event => said.textContent = 'host ' + event.isTrusted)"
    )
    found = refs(await looked(tab))
    for name, place in (("里", 0), ("旁", 1)):
        clicked = await tab.do("click", selector=found[name])
        assert clicked.error is None, place
    assert await tab.script("said.textContent") == "host true"
    typed = await tab.do("type", selector=found["栏"], text="你好")
    assert typed.error is None
    field = next(node for node in flat((await looked(tab))["nodes"]) if node["name"] == "栏")
    assert (field["value"], field["focused"]) == ("你好", True)


async def test_a_press_inside_a_closed_root_reaches_the_approved_element_only(lab: HostLab) -> None:
    tab = await lab.open(
        "<p id=said>-</p><div id=host></div><script>"
        "const root = host.attachShadow({mode: 'closed'});"
        "root.innerHTML = '<button id=a>甲</button><button id=b>乙</button>';"
        "for (const each of root.querySelectorAll('button'))"
        " each.addEventListener('click', () => said.textContent += each.id);"
        "window.swap = () => root.getElementById('b').style ="
        " 'position:fixed;inset:0;width:100%;height:100%'</script>"
    )
    found = refs(await looked(tab))
    assert (await tab.do("click", selector=found["甲"])).error is None
    assert await tab.script("said.textContent") == "-a"
    await tab.script(
        "for (const type of ['pointerover', 'pointermove'])"
        " root.getElementById('a').addEventListener(type, swap)"
    )
    covered = await tab.do("click", selector=found["甲"], timeout_ms=600)
    assert covered.error is not None
    assert await tab.script("said.textContent") == "-a"
    assert (await tab.do("click", selector=found["乙"])).error is None
    assert await tab.script("said.textContent") == "-ab"


async def test_an_element_that_listens_for_presses_is_offered(lab: HostLab) -> None:
    tab = await lab.open(
        "<div id=a>打开</div><ul><li id=b>第一<li>第二</ul><div id=c><h2>卡</h2><p>片</p></div>"
        "<div id=d><button>内</button>外</div><div id=e>移动</div><p id=said>-</p><script>"
        "for (const [id, type] of [['a', 'click'], ['b', 'mousedown'], ['c', 'touchstart'],"
        " ['d', 'click'], ['e', 'mousemove']])"
        " document.getElementById(id).addEventListener(type, () => said.textContent = id)</script>"
    )
    answer = await looked(tab, filter="interactive")
    offered = [(node["role"], node["name"]) for node in flat(answer["nodes"]) if "ref" in node]
    assert offered == [
        ("generic", "打开"), ("listitem", "第一"), ("generic", ""), ("button", "内"),
    ]  # fmt: skip
    assert (await tab.do("click", selector=refs(answer)["打开"])).error is None
    assert await tab.script("said.textContent") == "a"
    whole = said(await looked(tab))
    assert ("heading", "卡") in whole
    assert ("text", "片") in whole


async def test_the_roots_that_hear_every_press_are_no_controls(lab: HostLab) -> None:
    rows = "".join(f"<p>行 {n} {'字' * 20}</p>" for n in range(30))
    tab = await lab.open(
        f"<div id=root>{rows}</div><p id=last>末</p><script>for (const each of [window, document,"
        " document.documentElement, document.body, root, last])"
        " each.addEventListener('click', () => 0)</script>"
    )
    assert said(await looked(tab, filter="interactive")) == [("generic", "末")]


async def test_a_listener_that_was_taken_away_is_forgotten(lab: HostLab) -> None:
    tab = await lab.open(
        "<div id=a>甲</div><script>const hear = () => 0; a.addEventListener('click', hear)</script>"
    )
    assert list(refs(await looked(tab))) == ["甲"]
    await tab.script("a.removeEventListener('click', hear)")
    assert list(refs(await looked(tab))) == []
    await tab.script("a.addEventListener('click', hear)")
    assert list(refs(await looked(tab))) == ["甲"]


async def test_frames_of_the_same_origin_are_told_too(lab: HostLab) -> None:
    tab = await lab.open(
        "<iframe src=/1></iframe>",
        "<div id=a>框内</div><div id=h style='height:9px'></div><script>"
        "a.addEventListener('click', () => 0); h.attachShadow({mode: 'closed'}).innerHTML ="
        " '<button>深</button>'</script>",
    )
    await tab.do("waitForSelector", selector="iframe >>> #a")
    assert list(refs(await looked(tab))) == ["框内", "深"]


async def test_a_root_that_comes_later_is_found(lab: HostLab) -> None:
    tab = await lab.open("<x-late style='display:block;height:20px'></x-late>")
    assert said(await looked(tab)) == []
    await tab.script(
        "customElements.define('x-late', class extends HTMLElement { constructor() { super();"
        " this.attachShadow({mode: 'closed'}).innerHTML = '<button>晚</button>' } })"
    )
    assert said(await looked(tab)) == [("button", "晚")]


async def test_many_listeners_are_told_over_several_looks(lab: HostLab) -> None:
    tab = await lab.open(
        "<body><script>for (let n = 0; n < 450; n++) { const each = document.createElement('div');"
        " each.textContent = 'n' + n; each.addEventListener('click', () => 0);"
        " document.body.append(each) }</script>"
    )
    # The look that ends the navigation is the first.
    for told in (2 * NODES_TOLD_MAX, 450, 450):
        answer = await looked(tab, filter="interactive", limit=1000)
        assert answer["total"] == told


class Counting(TargetSession):
    """A session that notes what is asked of it."""

    def __init__(self, of: TargetSession) -> None:
        super().__init__(of.transport, of.session_id, of.target_id, of.kind)
        self.asked: list[str] = []

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, timeout_s: float | None = None
    ) -> dict[str, Any]:
        self.asked.append(method)
        return await super().send(method, params, timeout_s)


async def test_a_page_that_stands_still_is_asked_two_questions(lab: HostLab) -> None:
    tab = await lab.open(CLOSED + "<div id=z>z</div><script>z.onclick = () => 0</script>")
    world = await tab.executor.tab.top_world()
    session = Counting(world.session)
    await assist(session, world.context_id)
    assert len(session.asked) > 2
    session.asked.clear()
    await assist(session, world.context_id)
    assert sorted(session.asked) == ["DOMDebugger.getEventListeners", "Runtime.callFunctionOn"]


async def test_a_document_that_is_gone_is_an_expected_error(lab: HostLab) -> None:
    tab = await lab.open("<p>a</p>")
    world = await tab.executor.tab.top_world()
    await assist(world.session, world.context_id)
    await tab.do("navigate", url=lab.good.url())
    with pytest.raises(ContextGoneError):
        await assist(world.session, world.context_id)
    assert said(await looked(tab)) == [("text", "a")]
