"""Typing: text into one field, then keys; a field for files gets files instead.

The element is waited for, approved, made sure to be still the approved one, and afterwards asked
what it holds: a page that clears or rewrites its field makes the command fail with those words.
"""

from typing import Any

from browser.host.action_click import named, unknown
from browser.host.action_upload import HandOver
from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError
from browser.host.keyboard import CLIPBOARD_KEYS, give_page_focus, press_keys
from browser.host.turn import Turn

_DELETE = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}
_TEXT_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
_WITHOUT_TEXT = frozenset({"button", "submit", "reset", "image", "checkbox", "radio", "range"})
_SHOWN_CHARS = 200


class ValueLostError(CommandError):
    """The field does not hold what was typed; *held* is what it holds."""

    def __init__(self, code: str, turn: Turn, held: str) -> None:
        text = str(turn.params.text)
        super().__init__(
            code, name=named(turn), wanted=text[:_SHOWN_CHARS], got=held[:_SHOWN_CHARS]
        )
        self._data = {"typed": text, "value": held}

    def data(self) -> dict[str, Any]:
        """Return what was typed and what the field holds."""
        return self._data


async def type_text(turn: Turn) -> dict[str, Any]:
    """Type into one field, press keys on an element, or give files to a field for them."""
    params, wait_ms = turn.params, turn.tab.limits.wait_ms
    forbidden = sorted(CLIPBOARD_KEYS.intersection(params.keys))
    if forbidden:
        raise CommandError("keys_clipboard", key=forbidden[0])
    hand_over = HandOver(turn)
    with hand_over:
        await turn.meet(params.selector, wait_ms, prepare=hand_over.prepare)
        if turn.met["target"]["input_type"] == "file":
            return await hand_over.give()
    if turn.met.get("is_password"):
        raise CommandError("password_field", name=named(turn))
    if not params.text and not (params.clear and _holds_text(turn, keys=bool(params.keys))):
        return await _keys_alone(turn)
    arg = {"selector": turn.selector, "need": "edit", "timeout_ms": wait_ms}
    await turn.ask_to_act("ready", arg, wait_ms)
    await give_page_focus(turn)
    data = await _typed(turn)
    if params.keys:
        # What the typing opens (suggestions) gets the keys as well.
        await turn.ask("settled", {"ms_max": turn.tab.limits.settle_ms_max})
        await press_keys(turn, params.keys)
        data["keys"] = list(params.keys)
    return data


def _holds_text(turn: Turn, *, keys: bool) -> bool:
    """Tell whether there is a text to clear; what takes none is left to refuse it without keys."""
    target = turn.met["target"]
    if not keys or target["role"] in _TEXT_ROLES or target["tag"] == "textarea":
        return True
    return target["tag"] == "input" and target["input_type"] not in _WITHOUT_TEXT


async def _keys_alone(turn: Turn) -> dict[str, Any]:
    params, wait_ms = turn.params, turn.tab.limits.wait_ms
    if not params.keys:
        raise CommandError("nothing_to_type", name=named(turn))
    arg = {"selector": turn.selector, "need": "visible", "timeout_ms": wait_ms}
    await turn.ask_to_act("ready", arg, wait_ms)
    await give_page_focus(turn)
    await turn.ask_to_act("hold_focus", {"selector": turn.selector})
    await press_keys(turn, params.keys)
    return {"typed": "", "keys": list(params.keys)}


async def _typed(turn: Turn) -> dict[str, Any]:
    """Type the text and return what came of it.

    Raises:
        ValueLostError: the field holds something else.
    """
    params = turn.params
    arg = {"selector": turn.selector, "clear": params.clear, "text": params.text}
    turn.acted = True
    try:
        focused = await turn.ask_to_act("focus", arg)
        if focused["insert"] == "value":
            await turn.ask_to_act("set_value", {"selector": turn.selector, "value": params.text})
        elif params.text:
            await turn.send("Input.insertText", {"text": params.text})
        elif not focused["empty"]:
            for kind in ("rawKeyDown", "keyUp"):
                await turn.send("Input.dispatchKeyEvent", {"type": kind, **_DELETE})
        held = await turn.ask("held", {"selector": turn.selector, "text": params.text})
    except (ContextGoneError, CdpTimeoutError) as error:
        raise unknown(turn, error) from error
    return _outcome(turn, held)


def _outcome(turn: Turn, held: dict[str, Any]) -> dict[str, Any]:
    typed, value = turn.params.text, str(held["value"])
    if held["how"] == "cut":
        raise ValueLostError("value_was_cut", turn, value)
    if held["how"] == "lost":
        raise ValueLostError("value_did_not_stick", turn, value)
    if value == typed or held["how"] == "gone":
        return {"typed": typed}
    return {"typed": typed, "value": value}
