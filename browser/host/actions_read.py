"""The actions that look: text, HTML, nodes, a wait, a picture, a scroll."""

from typing import Any

from browser.host.errors import CommandError
from browser.host.marked_picture import marked_picture
from browser.host.perceive import perceive
from browser.host.picture import picture_of
from browser.host.turn import Turn


async def get_text(turn: Turn) -> dict[str, Any]:
    """Read the visible text of one element."""
    await turn.meet(turn.params.selector, enter=True)
    chars = min(turn.params.max_chars, turn.tab.limits.text_chars_max)
    answer = await turn.ask("text", {"selector": turn.selector, "max_chars": chars})
    told = {"text": answer["text"]}
    if answer.get("hidden_chars"):
        told["hidden_chars"] = answer["hidden_chars"]
    return _cut(told, answer)


async def get_html(turn: Turn) -> dict[str, Any]:
    """Read the HTML of one element, its secrets left out."""
    await turn.meet(turn.params.selector, enter=True)
    chars = min(turn.params.max_chars, turn.tab.limits.html_chars_max)
    answer = await turn.ask("html", {"selector": turn.selector, "max_chars": chars})
    return _cut({"html": answer["html"]}, answer)


async def get_aom_snapshot(turn: Turn) -> dict[str, Any]:
    """List nodes of the page: of one element, filtered, or the next part."""
    params = turn.params
    if params.selector is None:
        await turn.meet_document()
    else:
        await turn.meet(params.selector, enter=True)
    asked = params.model_dump(exclude_none=True, include={"filter", "cursor"})
    seen = await perceive(turn.tab, turn.policy, turn.place, turn.expected, **asked)
    if params.selector is None and not asked:
        turn.seen = seen  # the answer's own look at the page, taken a moment before
    nodes = [node.model_dump(mode="json", exclude_none=True) for node in seen.nodes]
    told = {"nodes": nodes, "total": seen.total, "truncated": seen.truncated}
    return {**told, "cursor": seen.cursor}


async def scroll_to(turn: Turn) -> dict[str, Any]:
    """Scroll one element into view, or the page to a place."""
    params = turn.params
    if params.selector is None:
        await turn.meet_document()
        return await turn.ask("scroll", {"x": params.x or 0, "y": params.y or 0})
    await turn.meet(params.selector, turn.tab.limits.wait_ms)
    return await turn.ask("scroll", {"selector": turn.selector})


async def wait_for_selector(turn: Turn) -> dict[str, Any]:
    """Wait until one element is attached, visible, or hidden."""
    params = turn.params
    wait_ms = min(params.timeout_ms, turn.tab.limits.action_timeout_ms_max)
    coming = params.state != "hidden"
    left = await turn.meet_document(params.selector, wait_ms if coming else 0)
    left = left if coming else wait_ms
    arg = {"selector": turn.selector, "need": params.state, "timeout_ms": left}
    await turn.ask("ready", arg, left)
    return {"found": params.state != "hidden"}


async def page_screenshot(turn: Turn) -> dict[str, Any]:
    """Take a picture of the page, with numbers on what can be pressed when that is asked."""
    params = turn.params
    if params.som_overlay and params.full_page:
        raise CommandError("picture_marks_full_page")
    await turn.meet_document()
    if params.som_overlay:
        picture = await marked_picture(turn.tab, turn.policy)
    else:
        picture = await picture_of(turn.tab, full_page=params.full_page)
    # What was in the picture is the document that was met: ask it again.
    await turn.ask("viewport", {})
    return picture


def _cut(data: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    return {**data, "truncated": True} if answer.get("truncated") else data
