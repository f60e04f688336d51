"""The actions that look: text, HTML, nodes, a wait, a picture, a scroll."""

from typing import Any

from browser.host.picture import picture_of
from browser.host.turn import Turn


async def get_text(turn: Turn) -> dict[str, Any]:
    """Read the visible text of one element."""
    await turn.meet(turn.params.selector)
    chars = min(turn.params.max_chars, turn.tab.limits.text_chars_max)
    answer = await turn.ask("text", {"selector": turn.params.selector, "max_chars": chars})
    return _cut({"text": answer["text"]}, answer)


async def get_html(turn: Turn) -> dict[str, Any]:
    """Read the HTML of one element, its secrets left out."""
    await turn.meet(turn.params.selector)
    chars = min(turn.params.max_chars, turn.tab.limits.html_chars_max)
    answer = await turn.ask("html", {"selector": turn.params.selector, "max_chars": chars})
    return _cut({"html": answer["html"]}, answer)


async def get_aom_snapshot(turn: Turn) -> dict[str, Any]:
    """List nodes of the page: of one element, filtered, or the next part."""
    params, limits = turn.params, turn.tab.limits
    if params.selector is None:
        await turn.meet_document()
    else:
        await turn.meet(params.selector)
    asked = {"limit": limits.snapshot_nodes_max, "name_chars": limits.name_chars_max}
    given = params.model_dump(exclude_none=True)
    answer = await turn.ask("snapshot", {**asked, **given})
    return {key: answer[key] for key in ("nodes", "total", "truncated", "cursor")}


async def scroll_to(turn: Turn) -> dict[str, Any]:
    """Scroll one element into view, or the page to a place."""
    params = turn.params
    if params.selector is None:
        await turn.meet_document()
        return await turn.ask("scroll", {"x": params.x or 0, "y": params.y or 0})
    await turn.meet(params.selector, turn.tab.limits.wait_ms)
    return await turn.ask("scroll", {"selector": params.selector})


async def wait_for_selector(turn: Turn) -> dict[str, Any]:
    """Wait until one element is attached, visible, or hidden."""
    params = turn.params
    await turn.meet_document()
    wait_ms = min(params.timeout_ms, turn.tab.limits.action_timeout_ms_max)
    arg = {"selector": params.selector, "need": params.state, "timeout_ms": wait_ms}
    await turn.ask("ready", arg, wait_ms)
    return {"found": params.state != "hidden"}


async def page_screenshot(turn: Turn) -> dict[str, Any]:
    """Take a picture of the page."""
    await turn.meet_document()
    picture = await picture_of(turn.tab, full_page=turn.params.full_page)
    # What was in the picture is the document that was met: ask it again.
    await turn.ask("snapshot", {"limit": 1, "name_chars": 1})
    return picture


def _cut(data: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    return {**data, "truncated": True} if answer.get("truncated") else data
