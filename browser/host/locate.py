"""From what a command calls its element to the document that holds it, in whichever frame.

A selector is CSS (` >>> ` enters a shadow root or a frame), a ref (`@12`, `@f2.12` in the frame
f2), a mark of the last picture (`[3]`), or a locator as the page text writes it
(`button "保存" #2`). What is left of it after this is for the bundle of that document alone.
"""

import asyncio
import re
from typing import NamedTuple

from browser.host.assist import assist
from browser.host.errors import CommandError, ContextGoneError
from browser.host.refusals import refusal_of
from browser.host.tab import Tab
from browser.host.tab_frames import Frame
from browser.host.worlds import World

_FRAME_REF = re.compile(r"@(f\d{1,4})\.(\d{1,9})")
_MARK = re.compile(r"\[(\d{1,4})\]")
_LOCATOR = re.compile(r'[a-z]{1,30}\s+".*"(\s+#\d{1,4})?', re.DOTALL)
_PARTS = re.compile(r"\s*>>>\s*")
_PIERCE = " >>> "
_RETRY_S = 0.1
_DEPTH_MAX = 6


class Place(NamedTuple):
    """Where an element is to be looked for: *selector* in *world*; *frame* None is the top."""

    world: World
    selector: str
    frame: Frame | None = None

    @property
    def name(self) -> str:
        """The name of the frame, "" for the top document."""
        return self.frame.name if self.frame is not None else ""


async def locate(tab: Tab, selector: str, wait_ms: int = 0) -> Place:
    """Return where *selector* leads, waiting up to *wait_ms* for a frame on its way to appear.

    Raises:
        CommandError: the frame it names is not there, or a mark or locator means several things.
    """
    written = selector.strip()
    mark = _MARK.fullmatch(written)
    if mark is not None:
        written = tab.marks.ref_of(int(mark[1]), tab.loader_ids[-1])
    ref = _FRAME_REF.fullmatch(written)
    if ref is not None:
        return await _in_frame(tab, ref[1], f"@{ref[2]}")
    deadline = asyncio.get_running_loop().time() + wait_ms / 1000
    if _LOCATOR.fullmatch(written):
        return await _locator(tab, written, deadline)
    return await _path(tab, written, deadline)


async def entered(tab: Tab, place: Place, owner: int) -> Place:
    """Return the body of the frame whose element *owner* is in *place*, else *place* itself."""
    frame = await tab.frames.at(place.world, owner)
    return place if frame is None else Place(frame.world, "body", frame)


async def _in_frame(tab: Tab, name: str, selector: str) -> Place:
    frame = await tab.frames.named(name)
    if frame is None:
        raise refusal_of({"code": "frame_gone", "detail": name}, {"selector": f"@{name}"})
    return Place(frame.world, selector, frame)


async def _path(tab: Tab, selector: str, deadline: float) -> Place:
    """Follow the parts of a CSS path into the frames that it names."""
    place = Place(await tab.top_world(), selector)
    for _ in range(_DEPTH_MAX):
        if _PIERCE.strip() not in place.selector:
            break
        step = await _entering(tab, place, deadline)
        if step is None:
            break
        owner, used = step
        frame = await tab.frames.at(place.world, owner)
        if frame is None:
            raise refusal_of({"code": "frame_gone", "detail": place.selector}, {})
        rest = _PARTS.split(place.selector)[used:]
        place = Place(frame.world, _PIERCE.join(rest), frame)
    return place


async def _entering(tab: Tab, place: Place, deadline: float) -> tuple[int, int] | None:
    """Return the number of the frame's element on the way and how many parts led to it."""
    while True:
        try:
            answer = await tab.ask("count", {"selector": place.selector}, world=place.world)
        except ContextGoneError:
            raise
        except CommandError as refused:
            if refused.code != "enter_frame":
                return None  # whoever asks for the element itself will hear it
            owner, used = str(refused.facts["detail"]).split()
            return int(owner), int(used)
        if answer["count"] > 0 or _over(deadline):
            return None
        await asyncio.sleep(_RETRY_S)


async def _locator(tab: Tab, selector: str, deadline: float) -> Place:
    """Find the one document in which the locator means something."""
    while True:
        top = Place(await tab.top_world(), selector)
        inner = [Place(frame.world, selector, frame) for frame in await tab.frames.all()]
        found = [place for place in (top, *inner) if await _count(tab, place) > 0]
        if len(found) > 1:
            detail = f"{len(found)} documents of the page hold {selector}"
            raise refusal_of({"code": "ambiguous", "detail": detail}, {"selector": selector})
        if found or _over(deadline):
            return found[0] if found else top
        await asyncio.sleep(_RETRY_S)


async def _count(tab: Tab, place: Place) -> int:
    try:
        # What can be pressed is a node: a locator must know it as the last snapshot did.
        await assist(place.world.session, place.world.context_id)
        answer = await tab.ask("count", {"selector": place.selector}, world=place.world)
    except ContextGoneError:
        if place.frame is None:
            raise
        return 0
    return int(answer["count"])


def _over(deadline: float) -> bool:
    return asyncio.get_running_loop().time() >= deadline
