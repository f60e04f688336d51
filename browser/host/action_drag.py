"""Dragging: the approved element is pressed, moved onto another one, and let go there.

Pages drag in two ways: by pointer events, which a moving mouse gives, and by the browser's own drag
and drop, which the browser hands to us to carry on. Both end at the very element that was named.
"""

import asyncio
import contextlib
from typing import Any

from browser.host.action_click import click, mouse, named, pressing
from browser.host.aim import Point, ready_point
from browser.host.click_guard import ClickGuard
from browser.host.errors import CommandError, HostError, PolicyRefusedError
from browser.host.locate import Place, locate
from browser.host.transport import CdpEvent
from browser.host.turn import Turn
from guards.policy import domain_of, origin_is_domain
from states.verdict import refused

_STEPS = 8
_DRAG_S = 0.5
_DROPS_S = 1.5
_DIALOG_S = 600.0
# What of the other element must stay as it was when the person was asked.
_KEPT = ("role", "name", "tag", "input_type", "submits", "href", "said", "serial")


async def click_or_drag(turn: Turn) -> dict[str, Any]:
    """Click one element, or drag it onto the one that `to` names."""
    if turn.params.to is None:
        return await click(turn)
    return await drag(turn, min(turn.params.timeout_ms, turn.tab.limits.action_timeout_ms_max))


async def drag(turn: Turn, wait_ms: int) -> dict[str, Any]:
    """Drag the element of *turn* onto the one named `to`."""
    onto = _Onto(turn, wait_ms)
    await turn.meet(turn.params.selector, wait_ms, prepare=onto.prepare)
    await ready_point(turn, "click", wait_ms)
    start, end = await _both(turn, onto)
    carried = _Carried(turn)
    await carried.watch()
    try:
        await _carry(turn, onto, carried, (start, end))
    finally:
        await carried.stop()
    return {"clicked": named(turn), "to": onto.name}


async def _carry(
    turn: Turn, onto: "_Onto", carried: "_Carried", points: tuple[Point, Point]
) -> None:
    """Press at the first of *points*, move to the second, and let go there.

    Raises:
        CommandError: the press, or the letting go, met something of another frame.
    """
    start, end = points
    held = True
    try:
        async with pressing(turn, [(start, "mouseMoved"), (start, "mousePressed")]) as guard:
            guard.late_s = _DROPS_S  # a frame of another process gets the drop a little later
            await onto.let_go_in(guard)
            # One by one: the page may put something of its own under the mouse at each.
            for point in _way(start, end):
                if not carried.begun:
                    await mouse(turn, point, "mouseDragged")
            held = False
            if not await carried.drop(end):
                await mouse(turn, end, "mouseReleased")
            if guard.stopped:
                raise CommandError("click_intercepted", name=onto.name, by=guard.stopped)
    finally:
        if held:  # nobody waits: a dialog may hold the page up
            turn.tab.worlds.soon(_let_go(turn, start))


async def _let_go(turn: Turn, start: Point) -> None:
    tab = turn.tab
    with contextlib.suppress(HostError):
        # The browser drops what the mouse does while a dialog is open.
        await tab.until(lambda: tab.dialog is None, _DIALOG_S)
        await mouse(turn, start, "mouseDragged")
        await mouse(turn, start, "mouseReleased")


class _Onto:
    """Where it is dragged to: looked at before the person is asked, and part of the question."""

    def __init__(self, turn: Turn, wait_ms: int) -> None:
        self._turn = turn
        self._wait_ms = wait_ms
        self._place: Place | None = None
        self._expected: dict[str, Any] = {}
        self.name = ""

    async def prepare(self, found: dict[str, Any]) -> dict[str, Any]:
        """Add the words of the other element to those of the one that is dragged."""
        turn, selector = self._turn, str(self._turn.params.to)
        self._place = place = await locate(turn.tab, selector, self._wait_ms)
        met = await self._ready(place, "attached", self._wait_ms)
        origin, expected = str(met["origin"]), turn.request.expected_domain
        if not origin_is_domain(origin, expected):
            facts = {"expected": expected, "actual": domain_of(origin) or origin}
            raise PolicyRefusedError(refused("domain_mismatch", **facts))
        target = met["target"]
        # Nothing but this very element, in this very document, is what the person agrees to.
        self._expected = {
            "expected_origin": origin,
            "document_id": met["document_id"],
            "expected_target": {key: target[key] for key in _KEPT},
        }
        self.name = str(target["name"] or selector)
        said = f"{found['target']['said']}\n{self.name}\n{target['said']}"
        found["target"] = {**found["target"], "said": said}
        shown = {"role": target["role"], "name": self.name, "frame": place.name}
        return {"onto": {**shown, "element": f"@{target['serial']}"}}

    async def point(self) -> Point:
        """Return where it stands now.

        Raises:
            CommandError: it is another element, or not in view beside the one that is dragged.
        """
        place = self._place
        if place is None:  # the command was not met
            raise CommandError("drag_too_far", name=named(self._turn), to=self.name)
        view = await self._turn.tab.frames.view(place.frame)
        found = await self._ready(place, "visible", 0, {"part": view.part})
        if found["x"] is None:
            raise CommandError("drag_too_far", name=named(self._turn), to=self.name)
        return Point(found["x"] + view.x, found["y"] + view.y)

    async def let_go_in(self, guard: ClickGuard) -> None:
        """Let *guard* allow that the mouse is let go in the frame of this element."""
        mine, other = self._turn.place, self._place
        if mine is not None and other is not None and mine.world != other.world:
            await guard.leave(other.world)

    async def _ready(
        self, place: Place, need: str, wait_ms: int, more: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        arg = {"selector": place.selector, "action": "click", "need": need, "timeout_ms": wait_ms}
        asked = {**arg, **self._expected, **(more or {})}
        return await self._turn.tab.ask("ready", asked, wait_ms / 1000, place.world)


async def _both(turn: Turn, onto: _Onto) -> tuple[Point, Point]:
    """Return both points, which stand in view together and no longer move."""
    end = await onto.point()
    start = await ready_point(turn, "click", turn.tab.limits.wait_ms)
    if await onto.point() != end:
        end = await onto.point()
    return start, end


def _way(start: Point, end: Point) -> list[Point]:
    across, down = (end.x - start.x) / _STEPS, (end.y - start.y) / _STEPS
    steps = [Point(start.x + across * n, start.y + down * n) for n in range(1, _STEPS)]
    # Twice at the end: some pages look at where the last movement began.
    return [*steps, end, end]


class _Carried:
    """The browser's own drag, when the page started one: it waits for us to carry it on."""

    def __init__(self, turn: Turn) -> None:
        self._tab = turn.tab
        self._begun: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._stop_listening = turn.tab.session.subscribe(self._heard)

    @property
    def begun(self) -> bool:
        """Whether the browser's own drag began."""
        return self._begun.done()

    async def watch(self) -> None:
        """Have the browser hand its drags to us."""
        await self._tab.send("Input.setInterceptDrags", {"enabled": True})

    async def drop(self, end: Point) -> bool:
        """Drop what is carried at *end*; tell whether anything was."""
        try:
            async with asyncio.timeout(_DRAG_S):
                carried = await self._begun
        except TimeoutError:
            return False
        place = {"x": end.x, "y": end.y, "data": carried}
        for kind in ("dragEnter", "dragOver", "drop"):
            await self._tab.send("Input.dispatchDragEvent", {"type": kind, **place})
        released = {"type": "mouseReleased", "button": "left", "x": end.x, "y": end.y}
        await self._tab.send("Input.dispatchMouseEvent", {**released, "clickCount": 1})
        return True

    async def stop(self) -> None:
        """Let the browser do its drags itself again."""
        self._stop_listening()
        with contextlib.suppress(HostError):
            await self._tab.send("Input.setInterceptDrags", {"enabled": False})

    def _heard(self, event: CdpEvent) -> None:
        if event.method == "Input.dragIntercepted" and not self._begun.done():
            self._begun.set_result(dict(event.params["data"]))
