"""Where the mouse goes: the point of an element in the tab's own viewport, in whichever frame.

A frame's bundle knows its own viewport only. The pages above are scrolled to it first, they tell
which part of it is in view, and the point counts only if it still stands there afterwards.
"""

from typing import Any, NamedTuple

from browser.host.errors import CommandError
from browser.host.tab_frames import View
from browser.host.turn import Turn

_TRIES = 4
_SLICE_MS = 1_500


class Point(NamedTuple):
    """A place in the tab's viewport, in CSS pixels."""

    x: float
    y: float


async def ready_point(turn: Turn, need: str, wait_ms: int) -> Point:
    """Wait until the element of *turn* can be acted upon; return where.

    Raises:
        CommandError: it cannot in time; its sentence says which condition failed.
    """
    frame = turn.place.frame if turn.place is not None else None
    arg: dict[str, Any] = {"selector": turn.selector, "need": need}
    if frame is None:
        ready = await turn.ask_to_act("ready", {**arg, "timeout_ms": wait_ms}, wait_ms)
        return Point(ready["x"], ready["y"])
    left = wait_ms
    for last in (False,) * (_TRIES - 1) + (True,):
        before = await turn.tab.frames.view(frame, reveal=True)
        given = left if last else min(left, _SLICE_MS)
        try:
            asked = {**arg, "timeout_ms": given, "part": before.part}
            ready = await turn.ask_to_act("ready", asked, given)
        except CommandError as refused:
            # What is outside may have come into view: the element's scrolling moves every page.
            if last or refused.code not in {"wait_out_of_view", "wait_covered"}:
                raise
            left = max(left - given, 0)
            continue
        if await turn.tab.frames.view(frame) == before:
            return _in_tab(before, ready)
    raise CommandError("wait_moving", selector=turn.selector, seconds=round(wait_ms / 1000, 1))


async def met_point(turn: Turn) -> Point | None:
    """Return where the element of *turn* was met, None when that is out of view."""
    if turn.met.get("x") is None:
        return None
    frame = turn.place.frame if turn.place is not None else None
    return _in_tab(await turn.tab.frames.view(frame), turn.met)


def _in_tab(view: View, place: dict[str, Any]) -> Point:
    return Point(place["x"] + view.x, place["y"] + view.y)
