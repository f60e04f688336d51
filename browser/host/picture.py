"""Pictures of the page: PNG, bounded in pixels before and in bytes after they are taken.

The rule: a field that shows a password is covered while the picture is taken; if it cannot be, or
did not stay so, there is no picture.
"""

import asyncio
import base64
from typing import Any

from browser.host.errors import CommandError, HostError
from browser.host.tab import Tab


async def picture_of(
    tab: Tab, *, full_page: bool = False, timeout_s: float | None = None
) -> dict[str, Any]:
    """Return `{image_base64, width, height}`, and `truncated` when the page is taller.

    Raises:
        CommandError: the picture has too many bytes, or would show a password.
    """
    metrics = await tab.send("Page.getLayoutMetrics", {}, timeout_s)
    view, content = metrics["cssLayoutViewport"], metrics["cssContentSize"]
    width, height = int(view["clientWidth"]), int(view["clientHeight"])
    asked: dict[str, Any] = {"format": "png", "optimizeForSpeed": True}
    truncated = False
    if full_page:
        width = min(int(content["width"]), tab.limits.screenshot_pixels_max)
        tallest = max(tab.limits.screenshot_pixels_max // max(width, 1), 1)
        height = min(int(content["height"]), tallest)
        truncated = height < int(content["height"])
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        asked |= {"clip": clip, "captureBeyondViewport": True}
    covered = await tab.ask("cover", {})
    image = (await tab.send("Page.captureScreenshot", asked, timeout_s))["data"]
    # In the same document: another one was not covered.
    await tab.ask("uncover", {"document_id": covered["document_id"]})
    if len(image) > tab.limits.screenshot_bytes_max:
        limit = tab.limits.screenshot_bytes_max
        raise CommandError("picture_too_large", size=len(image), limit=limit)
    data = {"image_base64": image, "width": width, "height": height}
    return {**data, "truncated": True} if truncated else data


async def picture_bytes(tab: Tab, seconds: float) -> bytes | None:
    """Return a picture of what is in view as PNG, or None when none can be had in *seconds*."""
    try:
        async with asyncio.timeout(seconds):
            picture = await picture_of(tab)
    except (HostError, TimeoutError):
        return None
    return base64.b64decode(picture["image_base64"])
