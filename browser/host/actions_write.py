"""The actions that act in the page: click, type, select.

Each waits until the element is there, has itself approved on it, waits until it is ready, makes
sure it is still the approved one, acts on nothing else, and is never sent twice.
"""

import asyncio
from typing import Any

from browser.host.click_guard import ClickGuard
from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError
from browser.host.turn import Turn

# How long a frame may take to tell where a press went, once the press itself was answered.
_TOLD_S = 1.0


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
    ready = await turn.ask_to_act("ready", arg, wait_ms)
    kinds = ["mousePressed", "mouseReleased"]
    if (ready["x"], ready["y"]) != (before.get("x"), before.get("y")):
        kinds.insert(0, "mouseMoved")
    guard = ClickGuard(turn.tab.worlds)
    try:
        aimed = turn.ask_to_act("aim", {"selector": selector, "key": guard.key})
        await asyncio.gather(*guard.arming(), aimed)
        turn.acted = True
        # Sent together, in this order: nothing of the page can come between.
        await asyncio.gather(*(_mouse(turn, ready, kind) for kind in kinds))
        await guard.outcome(_TOLD_S)
    except (ContextGoneError, CdpTimeoutError) as error:
        if not turn.acted:
            raise
        raise _unknown(turn, error) from error
    finally:
        guard.release()
    if not guard.delivered:
        code = "click_intercepted" if guard.stopped else "click_not_delivered"
        raise CommandError(code, name=_named(turn), by=guard.stopped)
    return {"clicked": _named(turn)}


async def type_text(turn: Turn) -> dict[str, Any]:
    """Type into one field; a field made of parts (a date) gets its value set."""
    params = turn.params
    await _ready_to_edit(turn)
    _refuse_password(turn)
    arg = {"selector": params.selector, "clear": params.clear}
    turn.acted = True
    try:
        focused = await turn.ask_to_act("focus", arg)
        if focused["insert"] == "value":
            await turn.ask_to_act("set_value", {"selector": params.selector, "value": params.text})
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
        answer = await turn.ask_to_act("select_option", arg)
    except (ContextGoneError, CdpTimeoutError) as error:
        raise _unknown(turn, error) from error
    return {"selected": answer["selected"]}


async def _ready_to_edit(turn: Turn) -> None:
    wait_ms = turn.tab.limits.wait_ms
    await turn.meet(turn.params.selector, wait_ms)
    arg = {"selector": turn.params.selector, "need": "edit", "timeout_ms": wait_ms}
    await turn.ask_to_act("ready", arg, wait_ms)


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
