"""Typing, keys and choices reach an element in a frame of another site, and only that element."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio

from browser.host.locate import locate
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, Outcome, ResolvedCall
from browser.host.turn import Turn
from states.policy import Effect
from tests.support.two_hosts import THERE, TwoHosts, two_hosts
from tests.support.until import until
from tests.support.widgets import widget_page

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TwoHosts]:
    async with two_hosts(tmp_path_factory.mktemp("profiles")) as running:
        yield running


def nobody_agrees(call: ResolvedCall) -> Approval:
    return NEEDS_CONFIRMATION if call.effect is Effect.CONFIRM else ALLOW


async def framed(two: TwoHosts, name: str) -> None:
    two.there.pages["/in"] = widget_page(name)
    frame = f"<iframe src='http://{THERE}:{two.there.port}/in' width=900 height=600></iframe>"
    await two.show(f"<p style='height:300px'>above</p>{frame}")


async def do(two: TwoHosts, action: str, selector: str, **params: Any) -> Outcome:
    asked = {"selector": f"iframe >>> {selector}", **params}
    return await two.executor.execute(action, asked, THERE, nobody_agrees)


async def inside(two: TwoHosts, source: str) -> Any:
    """Return what *source* gives in the frame's own world, without any gesture."""
    place = await locate(two.executor.tab, "iframe >>> body", 3000)
    asked = {"expression": source, "returnByValue": True}
    answer = await place.world.session.send("Runtime.evaluate", asked)
    return answer["result"].get("value")


async def text(two: TwoHosts, selector: str) -> str:
    return str((await do(two, "getText", selector)).data["text"])


async def test_text_and_keys_arrive_in_the_frame(two: TwoHosts) -> None:
    await framed(two, "keys")
    outcome = await do(two, "type", "#text", text="xyz", keys=["Home", "Delete"])
    assert outcome.error is None
    assert await text(two, "#text") == "yz"
    assert "Home/Home/36/true" in await text(two, "#said")


async def framed_in_a_new_page(two: TwoHosts) -> None:
    """Show the frame in a page of a new process: the window's focus comes with its first input."""
    two.there.pages["/in"] = widget_page("keys")
    assert (await two.go(f"http://{THERE}:{two.there.port}/in")).error is None
    spin = "const spin = ms => { const end = Date.now() + ms; while (Date.now() < end); }"
    frame = f"<iframe src='http://{THERE}:{two.there.port}/in' width=900 height=600></iframe>"
    await two.show(f"<script>{spin}</script><input id=own value=abc>{frame}")
    assert await two.script("document.hasFocus()") is False


def first(monkeypatch: pytest.MonkeyPatch, asked: str, step: Callable[[], Awaitable[Any]]) -> None:
    """Have *step* done before the bundle is asked for *asked*."""
    ask_to_act = Turn.ask_to_act

    async def after_step(
        turn: Turn, function: str, arg: Mapping[str, Any], wait_ms: int = 0
    ) -> dict[str, Any]:
        if function == asked:
            await step()
        return await ask_to_act(turn, function, arg, wait_ms)

    monkeypatch.setattr(Turn, "ask_to_act", after_step)


async def busy_from_the_focus_on(two: TwoHosts, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy() -> None:
        await two.script("void setTimeout(spin, 0, 700)")
        await asyncio.sleep(0.05)

    await framed_in_a_new_page(two)
    for asked in ("focus", "hold_focus"):
        first(monkeypatch, asked, busy)


async def test_a_busy_new_page_leaves_the_focus_to_the_field_typed_into(
    two: TwoHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await busy_from_the_focus_on(two, monkeypatch)
    outcome = await do(two, "type", "#text", text="xyz", keys=["Home", "Delete"])
    assert outcome.error is None
    assert await inside(two, "text.value") == "yz"


async def test_a_busy_new_page_leaves_the_focus_to_what_gets_keys_alone(
    two: TwoHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await busy_from_the_focus_on(two, monkeypatch)
    outcome = await do(two, "type", "#next", text="", clear=False, keys=["Home", "Enter"])
    assert outcome.error is None
    assert await inside(two, "pressed.textContent") == "next "


async def test_a_page_that_takes_the_focus_from_its_frame_gets_no_key(
    two: TwoHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await framed_in_a_new_page(two)
    first(monkeypatch, "aim_key", lambda: two.script("own.focus()"))
    outcome = await do(two, "type", "#text", text="xyz", keys=["Delete"])
    assert outcome.error is not None
    assert outcome.error.code == "focus_moved"
    assert await two.script("own.value") == "abc"
    assert await inside(two, "text.value") == "xyz"


async def test_a_frame_that_has_the_focus_keeps_it(two: TwoHosts) -> None:
    await framed_in_a_new_page(two)
    await inside(two, "cell.focus()")

    async def is_told() -> bool:
        return bool(await two.script("document.activeElement.localName === 'iframe'"))

    await until(is_told)
    await two.executor.tab.ask("focus_page", {})
    assert await is_told()
    assert await inside(two, "document.activeElement.id") == "cell"


async def test_a_press_in_the_frame_is_judged_like_a_click(two: TwoHosts) -> None:
    await framed(two, "keys")
    keys = {"text": "", "clear": False, "keys": ["Enter"]}
    assert (await do(two, "type", "#next", **keys)).error is None
    asked = await do(two, "type", "#gone", **keys)
    assert asked.confirmation is not None
    assert await text(two, "#pressed") == "next"
    await two.executor.execute(
        "type", {"selector": "iframe >>> #gone", **keys}, THERE, lambda _: ALLOW
    )
    assert await text(two, "#pressed") == "next gone"


@pytest.mark.parametrize(
    ("selector", "value"), [("#status", "sent"), ("#dept", "人事部"), ("#city", "city 42")]
)
async def test_a_list_in_the_frame_is_chosen_from(two: TwoHosts, selector: str, value: str) -> None:
    await framed(two, "lists")
    assert (await do(two, "select", selector, value=value)).error is None
    shown = "#city_word" if selector == "#city" else selector
    assert await text(two, shown) == value


async def test_a_rewritten_field_in_the_frame_is_told(two: TwoHosts) -> None:
    await framed(two, "editors")
    outcome = await do(two, "type", "#rewrites", text="abc")
    assert outcome.error is not None
    assert outcome.error.code == "value_did_not_stick"
    assert (await do(two, "type", "#controlled", text="abc")).error is None
