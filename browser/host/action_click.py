"""Clicking and dragging with real mouse events: on the approved element and nothing else.

The element is waited for, approved, waited for again until it can be pressed, made sure to be
still the approved one, and pressed once under the click guard of every frame.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from browser.host.aim import Point, met_point, ready_point
from browser.host.click_guard import ClickGuard
from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError
from browser.host.turn import Turn

# How long a frame may take to tell where a press went, once the press itself was answered.
_TOLD_S = 1.0
# How long a menu may take to open under the mouse.
_HOVER_MS = 400


async def click(turn: Turn) -> dict[str, Any]:
    """Click one element with real mouse events."""
    wait_ms = min(turn.params.timeout_ms, turn.tab.limits.action_timeout_ms_max)
    await turn.meet(turn.params.selector, wait_ms)
    await press(turn, wait_ms)
    return {"clicked": named(turn)}


async def press(turn: Turn, wait_ms: int) -> None:
    """Press and release the left button on the element that *turn* met.

    Raises:
        CommandError: it could not be pressed, or the press went to something else.
    """
    hovered = await met_point(turn)
    if hovered is None:
        await open_by_hover(turn)
    else:
        # Hovering first: what it opens or covers is seen by the check below.
        await mouse(turn, hovered, "mouseMoved")
    point = await ready_point(turn, "click", wait_ms)
    before = [] if point == hovered else [(point, "mouseMoved")]
    await guarded(turn, [*before, (point, "mousePressed"), (point, "mouseReleased")])


async def guarded(turn: Turn, events: Sequence[tuple[Point, str]]) -> None:
    """Send mouse *events*, the press among them reaching the approved element or nothing.

    Raises:
        CommandError: the press went to something else, or nowhere.
    """
    async with pressing(turn, events):
        pass


@asynccontextmanager
async def pressing(turn: Turn, events: Sequence[tuple[Point, str]]) -> AsyncIterator[ClickGuard]:
    """Do what `guarded` does; the guard of every frame stands until what follows is done."""
    world = turn.place.world if turn.place is not None else await turn.tab.top_world()
    guard = ClickGuard(turn.tab.worlds, world)
    try:
        aimed = turn.ask_to_act("aim", {"selector": turn.selector, "key": guard.key})
        await asyncio.gather(*guard.arming(), aimed)
        turn.acted = True
        # Sent together, in this order: nothing of the page can come between.
        await asyncio.gather(*(mouse(turn, point, kind) for point, kind in events))
        await guard.outcome(_TOLD_S)
        if not guard.delivered:
            code = "click_intercepted" if guard.stopped else "click_not_delivered"
            raise CommandError(code, name=named(turn), by=guard.stopped)
        yield guard
    except (ContextGoneError, CdpTimeoutError) as error:
        if not turn.acted:
            raise
        raise unknown(turn, error) from error
    finally:
        guard.release()


async def open_by_hover(turn: Turn) -> None:
    """Move the mouse onto what is visible around a hidden element: a menu may open by it."""
    places = await turn.ask("hover_places", {"selector": turn.selector})
    frame = turn.place.frame if turn.place is not None else None
    for place in places["places"]:
        view = await turn.tab.frames.view(frame)
        await mouse(turn, Point(place["x"] + view.x, place["y"] + view.y), "mouseMoved")
        with contextlib.suppress(CommandError):
            arg = {"selector": turn.selector, "need": "visible", "timeout_ms": _HOVER_MS}
            await turn.ask("ready", arg, _HOVER_MS)
            return


async def mouse(turn: Turn, point: Point, kind: str) -> None:
    """Send one mouse event at *point* of the tab's viewport."""
    event: dict[str, Any] = {"type": kind, "x": point.x, "y": point.y}
    if kind == "mouseDragged":
        event |= {"type": "mouseMoved", "button": "left", "buttons": 1}
    elif kind != "mouseMoved":
        event |= {"button": "left", "clickCount": 1}
    await turn.tab.send("Input.dispatchMouseEvent", event)


def named(turn: Turn) -> str:
    """Return what the element is called in a sentence."""
    return str(turn.met["target"]["name"] or turn.params.selector)


def unknown(turn: Turn, error: CommandError | ContextGoneError | CdpTimeoutError) -> CommandError:
    """Return the error of a command that may have acted before *error*."""
    return CommandError("unknown_outcome", action=turn.request.action, why=str(error)[:200])
