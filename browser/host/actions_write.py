"""The actions that act in the page: click, type, select.

Each waits until the element is there, has itself approved on it, waits until it is ready, makes
sure it is still the approved one, acts, and is never sent twice.
"""

import asyncio
from typing import Any

from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError
from browser.host.turn import Turn


async def click(turn: Turn) -> dict[str, Any]:
    """Click one element with real mouse events."""
    selector = turn.params.selector
    wait_ms = min(turn.params.timeout_ms, turn.tab.limits.action_timeout_ms_max)
    await turn.meet(selector, wait_ms)
    before = turn.met
    if before.get("x") is not None:
        # Hovering first: what it opens or covers is seen by the check below.
        await _mouse(turn, before, "mouseMoved")
    arg = {"selector": selector, "need": "click", "timeout_ms": wait_ms}
    ready = await turn.ask("ready", arg, wait_ms)
    turn.same_target(ready)
    kinds = ["mousePressed", "mouseReleased"]
    if (ready["x"], ready["y"]) != (before.get("x"), before.get("y")):
        kinds.insert(0, "mouseMoved")
    turn.acted = True
    try:
        # Sent together, in this order: nothing of the page can come between.
        await asyncio.gather(*(_mouse(turn, ready, kind) for kind in kinds))
    except (ContextGoneError, CdpTimeoutError) as error:
        raise _unknown(turn, error) from error
    return {"clicked": _named(turn)}


async def type_text(turn: Turn) -> dict[str, Any]:
    """Type into one field; a field made of parts (a date) gets its value set."""
    params = turn.params
    await _ready_to_edit(turn)
    _refuse_password(turn)
    arg = {"selector": params.selector, "clear": params.clear}
    turn.acted = True
    try:
        focused = await turn.ask("focus", arg)
        turn.same_target(focused)
        if focused["insert"] == "value":
            await turn.ask("set_value", {"selector": params.selector, "value": params.text})
        elif params.text:
            await turn.tab.send("Input.insertText", {"text": params.text})
        elif params.clear and not focused["empty"]:
            await _press_delete(turn)
    except (ContextGoneError, CdpTimeoutError) as error:
        raise _unknown(turn, error) from error
    return {"typed": params.text}


async def select(turn: Turn) -> dict[str, Any]:
    """Choose one option of a list by its value or label."""
    params = turn.params
    await _ready_to_edit(turn)
    turn.acted = True
    arg = {"selector": params.selector, "value": params.value}
    try:
        answer = await turn.ask("select_option", arg)
    except (ContextGoneError, CdpTimeoutError) as error:
        raise _unknown(turn, error) from error
    return {"selected": answer["selected"]}


async def _ready_to_edit(turn: Turn) -> None:
    wait_ms = turn.tab.limits.wait_ms
    await turn.meet(turn.params.selector, wait_ms)
    arg = {"selector": turn.params.selector, "need": "edit", "timeout_ms": wait_ms}
    turn.same_target(await turn.ask("ready", arg, wait_ms))


def _refuse_password(turn: Turn) -> None:
    if turn.met.get("is_password"):
        raise CommandError("password_field", name=_named(turn))


async def _mouse(turn: Turn, place: dict[str, Any], kind: str) -> None:
    event: dict[str, Any] = {"type": kind, "x": place["x"], "y": place["y"]}
    if kind != "mouseMoved":
        event |= {"button": "left", "clickCount": 1}
    await turn.tab.send("Input.dispatchMouseEvent", event)


async def _press_delete(turn: Turn) -> None:
    key = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}
    for kind in ("rawKeyDown", "keyUp"):
        await turn.tab.send("Input.dispatchKeyEvent", {"type": kind, **key})


def _named(turn: Turn) -> str:
    return str(turn.met["target"]["name"] or turn.params.selector)


def _unknown(turn: Turn, error: CommandError | ContextGoneError | CdpTimeoutError) -> CommandError:
    return CommandError("unknown_outcome", action=turn.request.action, why=str(error)[:200])
