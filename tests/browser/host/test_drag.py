"""Dragging and menus that open under the mouse."""

import asyncio
from typing import Any

import pytest

from browser.host.approvals import lasting_of, subject_of
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall
from tests.support.host_lab import HostLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

POINTER = (
    "<style>div{width:120px;height:60px;touch-action:none}#b{margin-top:60px}</style>"
    "<div id=a aria-label=甲 role=button>甲</div><div id=b aria-label=乙 role=button>乙</div>"
    "<output id=said></output><script>"
    "let held = false; a.onpointerdown = () => held = true;"
    "onpointerup = (event) => { if (held) said.textContent ="
    " document.elementFromPoint(event.clientX, event.clientY).id; held = false }</script>"
)
NATIVE = (
    "<style>li,ul{min-height:30px;width:200px}</style>"
    "<ul id=from><li id=a draggable=true>任务</li></ul><ul id=b aria-label=完成>完成</ul>"
    "<output id=said></output><script>"
    "a.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'task 7');"
    "b.ondragover = (event) => event.preventDefault();"
    "b.ondrop = (event) => { event.preventDefault();"
    " said.textContent = event.dataTransfer.getData('text/plain'); b.append(a) }</script>"
)


@pytest.mark.parametrize(("page", "said"), [(POINTER, "b"), (NATIVE, "task 7")])
async def test_an_element_is_dragged_onto_another(lab: HostLab, page: str, said: str) -> None:
    tab = await lab.open(page)
    outcome = await tab.do("click", selector="#a", to="#b")
    assert outcome.error is None
    assert await tab.text("#said") == said
    # The browser's own dragging is given back: the next click is an ordinary one.
    assert (await tab.do("click", selector="#a")).error is None


async def test_a_drag_onto_something_risky_asks(lab: HostLab) -> None:
    tab = await lab.open(NATIVE.replace("完成", "删除"))
    asked = await tab.do("click", approve=lambda _: NEEDS_CONFIRMATION, selector="#a", to="#b")
    assert asked.confirmation is not None
    assert asked.confirmation.params["onto"]["name"] == "删除"
    assert asked.confirmation.effect.value == "confirm"
    assert await tab.text("#said") == ""
    plain = await lab.open(NATIVE)
    effects: list[str] = []

    def approve(call: ResolvedCall) -> Approval:
        effects.append(call.effect.value)
        return ALLOW

    done = await plain.do("click", approve=approve, selector="#a", to="#b")
    assert done.error is None
    assert effects == ["act"]


async def test_what_is_dragged_onto_may_not_change_after_the_yes(lab: HostLab) -> None:
    tab = await lab.open(NATIVE)
    swapped: list[asyncio.Task[Any]] = []

    def approve(_: ResolvedCall) -> Approval:
        swap = "b.outerHTML = b.outerHTML; b.ondrop = () => said.textContent = 'other'"
        swapped.append(asyncio.create_task(tab.script(swap)))
        return ALLOW

    outcome = await tab.do("click", approve=approve, selector="#a", to="#b")
    assert outcome.error is not None
    assert outcome.error.code == "stale_element"
    assert await tab.text("#said") == ""


async def test_a_yes_is_for_one_element_to_drag_onto_and_no_other_of_its_name(
    lab: HostLab,
) -> None:
    tab = await lab.open(NATIVE.replace("完成", "删除"))

    async def asked() -> ResolvedCall:
        outcome = await tab.do("click", approve=lambda _: NEEDS_CONFIRMATION,
                               selector="#a", to="#b")  # fmt: skip
        assert outcome.confirmation is not None
        return outcome.confirmation

    first, same = await asked(), await asked()
    await tab.script("b.outerHTML = b.outerHTML")
    other = await asked()
    assert subject_of(first, "t") == subject_of(same, "t")
    assert subject_of(first, "t") != subject_of(other, "t")
    # What was sent before is known again in another browser, where numbers are others.
    assert lasting_of(first) == lasting_of(other)


DAY = """
<style>
  .half{height:30px;width:200px;border:1px solid} #new{position:absolute;background:#8f8}
</style>
<div id=day style=position:relative></div><output id=said></output><script>
  for (let n = 0; n < 8; n++) day.innerHTML += `<div class=half role=button id=h${n}>${n}:00</div>`;
  let from = null;
  const draw = (to) => {
    document.getElementById('new')?.remove();
    const event = document.createElement('div');
    event.id = 'new';
    const height = to.offsetTop + 30 - from.offsetTop;
    event.style.cssText = `left:0;width:200px;top:${from.offsetTop}px;height:${height}px`;
    // Only where the mouse moved on the new event itself can it be let go.
    event.onmousemove = () => event.onmouseup = () => {
      said.textContent = `${from.id} to ${to.id}`;
      from = null;
    };
    day.append(event);
  };
  for (const half of document.querySelectorAll('.half')) {
    half.onmousedown = (event) => { event.preventDefault(); from = half };
    half.onmousemove = () => from && draw(half);
  }
</script>"""


async def test_a_drag_draws_what_the_page_puts_under_the_mouse(lab: HostLab) -> None:
    tab = await lab.open(DAY)
    assert (await tab.do("click", selector="#h1", to="#h4")).error is None
    assert await tab.text("#said") == "h1 to h4"


async def test_a_drag_that_is_stopped_lets_go_where_it_began(lab: HostLab) -> None:
    once = "a.onpointermove = (event) => { if (event.buttons) { a.onpointermove = null;"
    tab = await lab.open(POINTER.replace("let held", f"{once} alert('stop') }} }}; let held"))
    stopped = await tab.do("click", selector="#a", to="#b")
    assert stopped.data["dialog"]["message"] == "stop"
    answer = tab.executor.answer_dialog
    await answer(accept=True, text="", expected_domain="127.0.0.1", approve=lambda _: ALLOW)
    async with asyncio.timeout(20):
        while await tab.script("held"):
            pass
    assert await tab.text("#said") == "a"


async def test_what_is_not_in_view_together_is_not_dragged(lab: HostLab) -> None:
    far = "<div style='height:5000px'></div>"
    tab = await lab.open(NATIVE.replace("<ul id=b", f"{far}<ul id=b"))
    outcome = await tab.do("click", selector="#a", to="#b")
    assert outcome.error is not None
    assert outcome.error.code == "drag_too_far"
    assert await tab.text("#said") == ""


MENU = (
    "<style>.sub{display:none}.menu{width:120px}.menu:hover .sub{display:block}"
    ".beside{display:none}.opener:hover+.beside,.beside:hover{display:block}</style>"
    "<ul><li class=menu>报表<ul class=sub>"
    "<li id=month onclick=\"said.textContent='月报'\">月报</li>"
    "</ul></li></ul><div><span class=opener>更多</span><div class=beside>"
    "<a id=year href=# onclick=\"said.textContent='年报';return false\">年报</a></div></div>"
    "<output id=said></output>"
)


@pytest.mark.parametrize(("selector", "said"), [("#month", "月报"), ("#year", "年报")])
async def test_an_entry_of_a_menu_that_opens_under_the_mouse_is_clicked(
    lab: HostLab, selector: str, said: str
) -> None:
    tab = await lab.open(MENU)
    assert (await tab.do("click", selector=selector, timeout_ms=3_000)).error is None
    assert await tab.text("#said") == said


async def test_a_hidden_element_that_no_hovering_shows_is_not_clicked(lab: HostLab) -> None:
    tab = await lab.open(MENU.replace(":hover", ":active"))
    outcome = await tab.do("click", selector="#month", timeout_ms=500)
    assert outcome.error is not None
    assert outcome.error.code == "wait_not_visible"
    assert await tab.text("#said") == ""


async def test_refs_never_mean_an_element_of_the_next_document(lab: HostLab) -> None:
    page = "<button onclick=\"fetch('/pressed')\">{n}</button>"
    tab = await lab.open(page.format(n="一"), page.format(n="一"))
    first = (await tab.do("getAomSnapshot")).data["nodes"][0]["ref"]
    assert (await tab.do("navigate", url=lab.good.url("/1"))).error is None
    second = (await tab.do("getAomSnapshot")).data["nodes"][0]["ref"]
    assert first != second
    refused = await tab.do("click", selector=first)
    assert refused.error is not None
    assert refused.error.code == "stale_ref"
    assert "/pressed" not in lab.good.hit_paths()
    assert (await tab.do("click", selector=second)).error is None
