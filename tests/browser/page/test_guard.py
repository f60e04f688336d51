"""While a click is under way no press reaches anything but the marked element."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import PageLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

TWO = (
    "<style>button{position:absolute;left:0;width:200px;height:50px}</style>"
    "<button id=a style='top:0'><b>甲</b></button><button id=b style='top:100px'>乙</button>"
    "<script>window.met = []; for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click'])"
    "  addEventListener(type, e => met.push(type + ' ' + (e.target.id || e.target.tagName)))"
    "</script>"
)
ON_A, ON_B = (100, 25), (100, 125)


async def met(lab: PageLab) -> str:
    return str(await lab.run("met.splice(0).join()"))


async def aim(lab: PageLab, selector: str = "#a") -> None:
    answer: dict[str, Any] = await lab.ask("aim", selector=selector, action="click", key="k")
    assert "error" not in answer


async def test_an_armed_frame_lets_no_press_through(open_page: Open) -> None:
    lab = await open_page(TWO)
    await lab.click(*ON_A)
    assert "click a" in (await met(lab)).replace("B", "a")
    await lab.ask("arm", key="k")
    await lab.click(*ON_A)
    assert await met(lab) == ""
    assert await lab.ask("release", key="k") == {"delivered": False, "stopped": "b"}
    await lab.click(*ON_A)
    assert "click" in await met(lab)


async def test_the_marked_element_is_pressed_and_nothing_else(open_page: Open) -> None:
    lab = await open_page(TWO)
    await aim(lab)
    await lab.click(*ON_B)
    assert await met(lab) == ""
    assert await lab.ask("release", key="k") == {"delivered": False, "stopped": 'button#b "乙"'}
    await aim(lab)
    await lab.click(*ON_A)
    assert await met(lab) == "pointerdown B,mousedown B,mouseup B,click B"
    assert await lab.ask("release", key="k") == {"delivered": True, "stopped": ""}


async def test_the_guard_ends_by_itself(open_page: Open) -> None:
    lab = await open_page(TWO)
    await lab.ask("arm", key="k", ms=-1)
    await lab.click(*ON_B)
    assert "click b" in await met(lab)


async def test_the_guard_judges_a_late_event_by_when_it_was_made(open_page: Open) -> None:
    lab = await open_page(TWO)
    await lab.ask("arm", key="k", ms=3_000)
    # The page is busy past the guard's end; the press came before it.
    busy = "{ const end = performance.now() + 4_000; while (performance.now() < end); }"
    await asyncio.gather(lab.run(busy), *_press(lab, *ON_B))
    assert await met(lab) == ""
    await lab.click(*ON_B)
    assert "click b" in await met(lab)


def _press(lab: PageLab, x: int, y: int) -> list[Awaitable[Any]]:
    place = {"x": x, "y": y, "button": "left", "clickCount": 1}
    send = lab.session.send
    kinds = ("mousePressed", "mouseReleased")
    return [send("Input.dispatchMouseEvent", {**place, "type": kind}) for kind in kinds]


async def test_a_scripted_click_of_the_page_is_not_judged(open_page: Open) -> None:
    lab = await open_page(TWO)
    await aim(lab)
    await lab.run("b.click()")
    assert await met(lab) == "click b"


async def test_a_label_and_its_control_are_one(open_page: Open) -> None:
    lab = await open_page(
        "<label id=l style='position:absolute;top:0;left:0;width:200px;height:50px'>名"
        "</label><input type=checkbox id=c style='position:absolute;top:200px'>"
        "<script>l.htmlFor = 'c'</script>"
    )
    for selector in ("#l", "#c"):
        await aim(lab, selector)
        await lab.click(*ON_A)
        assert (await lab.ask("release", key="k"))["delivered"] is True
    assert await lab.run("c.checked") is False


async def test_a_press_that_rebuilds_the_page_may_be_released_there(open_page: Open) -> None:
    veil = "<div id=veil style=position:fixed;inset:0></div>"
    lab = await open_page(
        TWO + f"<script>a.onmousedown = () => document.body.innerHTML += '{veil}'</script>"
    )
    await aim(lab)
    await lab.click(*ON_A)
    assert "mouseup veil" in await met(lab)


async def test_a_control_inside_the_marked_element_is_not_pressed(open_page: Open) -> None:
    lab = await open_page(
        "<div id=a style='width:200px;height:50px'></div>"
        "<script>window.met = []; addEventListener('click', e => met.push('click'))</script>"
    )
    await aim(lab)
    await lab.run("a.innerHTML = '<button style=\"width:200px;height:50px\">删除</button>'")
    await lab.click(*ON_A)
    assert await met(lab) == ""


async def test_the_page_cannot_see_or_forge_the_mark(open_page: Open) -> None:
    lab = await open_page(
        TWO + "<script>window.heard = 0; const own = EventTarget.prototype.dispatchEvent;"
        "EventTarget.prototype.dispatchEvent = function(e) { heard++; return own.call(this, e) };"
        "b.dispatchEvent(new Event('k', {bubbles: true, composed: true}))</script>"
    )
    await aim(lab)
    assert await lab.run("heard") == 1
    await lab.click(*ON_B)
    assert await met(lab) == ""
