"""Pictures of the page: PNG, bounded in pixels before and in bytes after they are taken.

The rule: a field that shows a password is covered in every frame while the picture is taken; if it
cannot be, or did not stay so, there is no picture.
"""

import asyncio
import base64
from typing import Any

from browser.host.covering import covered
from browser.host.errors import CommandError, HostError
from browser.host.locate import Place, locate
from browser.host.mark_drawing import framed_picture
from browser.host.outcome import ResolvedCall
from browser.host.tab import Tab


async def picture_of(
    tab: Tab, *, full_page: bool = False, timeout_s: float | None = None
) -> dict[str, Any]:
    """Return `{image_base64, mime, width, height}`, and `truncated` when the page is taller.

    Raises:
        CommandError: the picture has too many bytes, or would show a password.
    """
    metrics = await tab.send("Page.getLayoutMetrics", {}, timeout_s)
    view, content = metrics["cssLayoutViewport"], metrics["cssContentSize"]
    width, height = int(view["clientWidth"]), int(view["clientHeight"])
    asked: dict[str, Any] = {}
    truncated = False
    if full_page:
        width = min(int(content["width"]), tab.limits.screenshot_pixels_max)
        tallest = max(tab.limits.screenshot_pixels_max // max(width, 1), 1)
        height = min(int(content["height"]), tallest)
        truncated = height < int(content["height"])
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        asked |= {"clip": clip, "captureBeyondViewport": True}
    image = await covered(tab, lambda: captured(tab, asked, timeout_s))
    if len(image) > tab.limits.screenshot_bytes_max:
        limit = tab.limits.screenshot_bytes_max
        raise CommandError("picture_too_large", size=len(image), limit=limit)
    data = {"image_base64": image, "mime": "image/png", "width": width, "height": height}
    return {**data, "truncated": True} if truncated else data


async def captured(tab: Tab, asked: dict[str, Any], timeout_s: float | None = None) -> str:
    """Return the page's pixels as PNG in base64; call it through `covered`."""
    quick = {"format": "png", "optimizeForSpeed": True}
    answer = await tab.send("Page.captureScreenshot", {**quick, **asked}, timeout_s)
    return str(answer["data"])


async def picture_bytes(tab: Tab, seconds: float) -> bytes | None:
    """Return a picture of what is in view as PNG, or None when none can be had in *seconds*."""
    try:
        async with asyncio.timeout(seconds):
            picture = await picture_of(tab)
    except (HostError, TimeoutError):
        return None
    return base64.b64decode(picture["image_base64"])


async def picture_of_target(tab: Tab, call: ResolvedCall) -> bytes | None:
    """Return as PNG the element of *call* with what is around it, or None.

    The element is brought into view. None when the call is about no element, when the element is
    another one by now, and when no picture can be had in time.
    """
    selector = call.params.get("selector")
    if not isinstance(selector, str) or tab.dialog is not None or tab.crashed:
        return None
    try:
        async with asyncio.timeout(tab.limits.card_picture_seconds):
            place = await locate(tab, selector)
            asked = {"selector": place.selector, "document_id": call.document_id}
            return await _framed(tab, place, asked, call)
    except (HostError, TimeoutError):
        return None


async def _framed(
    tab: Tab, place: Place, asked: dict[str, Any], call: ResolvedCall
) -> bytes | None:
    view = await tab.frames.view(place.frame, reveal=True)
    found = await tab.ask("element_box", {**asked, "part": view.part}, world=place.world)
    if call.target is not None and found["serial"] != call.target.serial:
        return None

    async def taken() -> tuple[Any, Any, str]:
        # What scrolled the element into view may have moved its frame.
        view = await tab.frames.view(place.frame)
        again = await tab.ask("element_box", {**asked, "part": view.part}, world=place.world)
        return view, again["box"], await captured(tab, {})

    view, box, image = await covered(tab, taken)
    bounds = (round(box[0] + view.x), round(box[1] + view.y), box[2], box[3])
    size = (tab.limits.card_picture_width_px, tab.limits.card_picture_height_px)
    wide = (await tab.ask("viewport", {}))["width"]
    return await asyncio.to_thread(framed_picture, base64.b64decode(image), bounds, wide, size)
