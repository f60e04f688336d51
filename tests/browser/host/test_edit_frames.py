"""Typing, keys and choices reach an element in a frame of another site, and only that element."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, Outcome, ResolvedCall
from states.policy import Effect
from tests.support.two_hosts import THERE, TwoHosts, two_hosts
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


async def text(two: TwoHosts, selector: str) -> str:
    return str((await do(two, "getText", selector)).data["text"])


async def test_text_and_keys_arrive_in_the_frame(two: TwoHosts) -> None:
    await framed(two, "keys")
    outcome = await do(two, "type", "#text", text="xyz", keys=["Home", "Delete"])
    assert outcome.error is None
    assert await text(two, "#text") == "yz"
    assert "Home/Home/36/true" in await text(two, "#said")


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
