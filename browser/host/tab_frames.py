"""The frames of a tab that the page above cannot reach: named, found, and placed in the viewport.

A frame of the same origin belongs to the document around it: the bundle walks into it. A frame of
another origin has a bundle of its own; its element in the page above tells where it stands. Its
name (`f2`) is given once and never to another frame of the tab.
"""

import asyncio
import json
from typing import Any, NamedTuple

from browser.host.errors import CdpError, ContextGoneError
from browser.host.worlds import World, Worlds

_FRAMES_MAX = 60
_DEPTH_MAX = 6
_ASK_S = 10.0


class Frame(NamedTuple):
    """A frame of another origin: *owner* is the serial of its element in the world *above*."""

    name: str
    world: World
    above: World
    owner: int


class View(NamedTuple):
    """Where a document stands: its origin in the top viewport, and the part of it in view.

    The part is [left, top, right, bottom] in the document's own viewport.
    """

    x: float = 0.0
    y: float = 0.0
    part: tuple[float, float, float, float] | None = None


class TabFrames:
    """The frames of another origin of the tab with *worlds*."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._names: dict[str, str] = {}
        self._of_owner: dict[tuple[str, int], str] = {}
        self._links: dict[str, tuple[World, int]] = {}

    async def all(self) -> tuple[Frame, ...]:
        """Return every such frame, those of the top document first."""
        top = self._worlds.top
        found: list[Frame] = []
        level = [top] if top is not None else []
        for _ in range(_DEPTH_MAX):
            rows = await asyncio.gather(*(self._inside(world) for world in level))
            inner = [frame for row in rows for frame in row]
            found += inner
            level = [frame.world for frame in inner]
            if not level or len(found) >= _FRAMES_MAX:
                break
        return tuple(found[:_FRAMES_MAX])

    async def at(self, above: World, owner: int) -> Frame | None:
        """Return the frame whose element is number *owner* in *above*, None when it has none."""
        frame_id = await self._frame_id(above, owner)
        world = self._worlds.in_frame(frame_id) if frame_id else None
        if world is None or world == above:
            return None
        name = self._names.setdefault(frame_id, f"f{len(self._names) + 1}")
        self._links[frame_id] = (above, owner)
        return Frame(name, world, above, owner)

    async def named(self, name: str) -> Frame | None:
        """Return the frame that was told as *name*."""
        frame_id = next((each for each, told in self._names.items() if told == name), "")
        return await self._in(frame_id) if frame_id else None

    async def of_world(self, world: World) -> Frame | None:
        """Return the frame with *world*, None for the top document."""
        if world == self._worlds.top:
            return None
        return await self._in(world.frame_id)

    async def _in(self, frame_id: str) -> Frame | None:
        link = self._links.get(frame_id)
        if link is not None and self._worlds.stands(link[0]):
            frame = await self.at(*link)
            if frame is not None and frame.world.frame_id == frame_id:
                return frame
        return next((each for each in await self.all() if each.world.frame_id == frame_id), None)

    async def view(self, frame: Frame | None, *, reveal: bool = False) -> View:
        """Return where the document of *frame* stands, None being the top one.

        With *reveal* the pages above scroll to it first.
        """
        if frame is None:
            return View()
        around = await self.view(await self.of_world(frame.above), reveal=reveal)
        asked = {"owner": frame.owner, "reveal": reveal, "part": around.part}
        box = await _asked(frame.above, f"__sg.frame_box({json.dumps(asked)})")
        if not isinstance(box, dict) or "error" in box:
            raise ContextGoneError("Runtime.evaluate", "the frame left its page")
        part = (box["left"], box["top"], box["right"], box["bottom"])
        return View(around.x + box["x"], around.y + box["y"], part)

    # --- which frame an element holds

    async def _inside(self, world: World) -> list[Frame]:
        answer = await _asked(world, "__sg.frame_owners({})")
        owners = answer.get("owners", ()) if isinstance(answer, dict) else ()
        found = await asyncio.gather(*(self.at(world, int(owner)) for owner in owners))
        return [frame for frame in found if frame is not None]

    async def _frame_id(self, world: World, owner: int) -> str:
        known = self._of_owner.get((world.context_id, owner))
        if known is not None:
            return known
        try:
            element = await _evaluated(world, f"__sg.frame_element({owner})", by_value=False)
            object_id = element.get("objectId")
            if object_id is None:
                return ""
            told = await world.session.send("DOM.describeNode", {"objectId": object_id}, _ASK_S)
            await world.session.send("Runtime.releaseObject", {"objectId": object_id}, _ASK_S)
        except CdpError:
            return ""  # it went away meanwhile
        frame_id = str(told["node"].get("frameId", ""))
        if frame_id:
            self._of_owner[(world.context_id, owner)] = frame_id
        return frame_id


async def _asked(world: World, expression: str) -> Any:
    try:
        return (await _evaluated(world, expression, by_value=True)).get("value")
    except CdpError:
        return None


async def _evaluated(world: World, expression: str, *, by_value: bool) -> dict[str, Any]:
    asked = {
        "expression": expression,
        "uniqueContextId": world.context_id,
        "returnByValue": by_value,
    }
    answer = await world.session.send("Runtime.evaluate", asked, _ASK_S)
    result: dict[str, Any] = answer["result"]
    return result
