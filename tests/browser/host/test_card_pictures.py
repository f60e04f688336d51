"""An approval card shows the element it is about; without a picture it is asked all the same."""

import asyncio
import io

import pytest
from PIL import Image

from browser.host.approver import ApprovalCard, CardItem
from browser.host.card_pictures import pictured
from browser.host.memory_executor import MemoryExecutor
from browser.host.outcome import NEEDS_CONFIRMATION, ResolvedCall
from states.policy import Effect, Target
from states.settings import BrowserLimits
from tests.browser.host.host_stage import ELEMENTS, PAGE, POLICY, Stage
from tests.support.host_lab import DOMAIN, HostLab, TabLab

VOID = "<button id=void style='width:90px;height:30px'>作废</button>"


async def resolved(tab: TabLab, **params: str) -> ResolvedCall:
    """Return the click as the host resolved it, not yet done."""
    outcome = await tab.do("click", approve=lambda _: NEEDS_CONFIRMATION, **params)
    assert outcome.confirmation is not None, outcome.error
    return outcome.confirmation


def has_frame(picture: bytes | None) -> bool:
    """Tell whether an element's box is drawn in *picture*."""
    assert picture is not None
    colours = Image.open(io.BytesIO(picture)).convert("RGB").getcolors(1_000_000) or []
    return (208, 2, 27) in [colour for _, colour in colours]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("before", ["", "<p style='height:3000px'>"])
async def test_the_element_is_framed_in_its_surroundings_also_far_below(
    lab: HostLab, before: str
) -> None:
    tab = await lab.open(f"{before}<h1>Invoice</h1>{VOID}")
    picture = await tab.executor.picture_of_target(await resolved(tab, selector="#void"))
    assert picture is not None
    assert has_frame(picture)
    width, height = Image.open(io.BytesIO(picture)).size
    assert (width > 1000, height) == (True, 400)
    assert len(picture) < 100_000


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_an_element_in_a_frame_is_framed_where_the_frame_shows_it(lab: HostLab) -> None:
    inner = f"<body style='margin:0'><p style='height:900px'></p>{VOID}"
    tab = await lab.open("<p style='height:1500px'></p><iframe src=/1></iframe>", inner)
    call = await resolved(tab, selector="iframe >>> #void")
    assert has_frame(await tab.executor.picture_of_target(call))


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('#void').outerHTML = document.querySelector('#void').outerHTML",
        "document.querySelector('#void').remove()",
        "location.reload()",
    ],
)
async def test_another_element_or_page_is_never_shown_in_its_place(
    lab: HostLab, change: str
) -> None:
    tab = await lab.open(VOID)
    call = await resolved(tab, selector="#void")
    assert has_frame(await tab.executor.picture_of_target(call))
    await tab.script(change)
    await tab.executor.page_state()
    assert await tab.executor.picture_of_target(call) is None


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_picture_that_takes_too_long_is_none(lab: HostLab) -> None:
    tab = await lab.open(VOID, limits=BrowserLimits(card_picture_seconds=0.001))
    assert await tab.executor.picture_of_target(await resolved(tab, selector="#void")) is None


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_shown_password_is_not_on_the_card(lab: HostLab) -> None:
    pictures = []
    for value in ("hunter22", "xxxxxxxx"):
        tab = await lab.open(f"<input id=pw type=password value={value}>{VOID}")
        await tab.script("pw.type = 'text'")
        call = await resolved(tab, selector="#void")
        pictures.append(await tab.executor.picture_of_target(call))
    assert pictures[0] is not None
    assert pictures[0] == pictures[1]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_call_without_an_element_has_no_picture(lab: HostLab) -> None:
    tab = await lab.open(VOID)
    call = ResolvedCall("navigate", {"url": "x"}, f"http://{DOMAIN}", "", None, Effect.CONFIRM)
    assert await tab.executor.picture_of_target(call) is None


# --- the card

CALLS = [
    ResolvedCall("click", {"selector": name}, PAGE.origin, "d1", Target(), Effect.CONFIRM)
    for name in ("#void", "#delete", "#export")
]
CARD = ApprovalCard(action="click", also=(CardItem(action="click"), CardItem(action="click")))


class Slow(MemoryExecutor):
    """An executor whose pictures of *slow* never come."""

    slow = ""

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        if call.params["selector"] == self.slow:
            await asyncio.Event().wait()
        return await super().picture_of_target(call)


def executor(slow: str = "") -> Slow:
    made = Slow(POLICY, PAGE, ELEMENTS)
    made.pictures = {"#void": b"void", "#delete": b"delete", "#export": b"export"}
    made.slow = slow
    return made


async def test_each_listed_command_gets_its_own_picture() -> None:
    card = await pictured(CARD, CALLS, executor(), 5)
    assert [card.picture, *(each.picture for each in card.also)] == [b"void", b"delete", b"export"]


async def test_what_cannot_be_had_in_time_is_left_out_and_the_card_stays() -> None:
    card = await pictured(CARD, CALLS, executor("#delete"), 0.05)
    assert [card.picture, *(each.picture for each in card.also)] == [b"void", None, None]
    assert (card.action, len(card.also)) == ("click", 2)


async def test_a_picture_is_no_part_of_what_is_written_down_of_a_card() -> None:
    card = await pictured(CARD, CALLS, executor(), 5)
    assert "void" not in card.model_dump_json() + repr(card)


async def test_the_person_is_shown_the_element_that_the_host_resolved() -> None:
    stage = Stage("approved", "approved")
    stage.executor.pictures = {"#void": b"the void button"}
    async with stage.playing() as agent:
        for selector in ("#void", "#export"):
            assert (await agent.ask("click", selector=selector)).decision == "approved"
        await agent.complete()
    first, second = stage.person.asked
    assert (first.target.name, first.host, first.picture) == (
        "作废", "https://erp.example.com", b"the void button"
    )  # fmt: skip
    assert first.params["selector"] == "#void"
    assert (second.target.name, second.picture) == ("Export", None)
