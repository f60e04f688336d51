"""Real key presses: each key of a command with its code, its text and its modifier.

The rule: a key that presses, sends or removes something goes out only when the bundle says, in the
moment before, that the approved element has the focus itself; and under the guard of every frame,
so that it reaches nothing else when the focus moves in that very moment.
"""

import asyncio
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from browser.host.click_guard import ClickGuard
from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError, SessionGoneError
from browser.host.refusals import refusal_of
from browser.host.turn import Turn

# They would take from the person's clipboard, or put something there.
CLIPBOARD_KEYS = frozenset({"Control+c", "Control+v", "Control+x"})
_PRESSING = frozenset({"Enter", "Space", "Delete", "Backspace"})
# How long a frame may take to tell where a key went, once the press itself was answered.
_TOLD_S = 1.0
_BITS = MappingProxyType({"Alt": 1, "Control": 2, "Shift": 8})
_BIT_CODES = MappingProxyType({"Alt": 18, "Control": 17, "Shift": 16})
_CODES = MappingProxyType(
    {
        "Enter": 13, "Tab": 9, "Escape": 27, "Backspace": 8, "Delete": 46, "Space": 32,
        "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34,
        "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39,
    }
)  # fmt: skip
_TEXTS = MappingProxyType({"Enter": "\r", "Space": " "})


class KeyPress(NamedTuple):
    """One key as the browser is told of it; *text* is what it writes, "" for nothing."""

    key: str
    code: str
    number: int
    text: str = ""
    modifier: str = ""

    @property
    def needs_focus(self) -> bool:
        """Whether the key could set something off that was not approved, if it went elsewhere."""
        return self.code in _PRESSING or self.modifier in {"Control", "Alt"}

    def events(self) -> list[dict[str, Any]]:
        """Return the events of the press, in their order."""
        bits = _BITS.get(self.modifier, 0)
        key = {
            "key": self.key, "code": self.code,
            "windowsVirtualKeyCode": self.number, "modifiers": bits,
        }  # fmt: skip
        down: dict[str, Any] = {"type": "rawKeyDown", **key}
        if self.text:
            down |= {"type": "keyDown", "text": self.text, "unmodifiedText": self.text}
        events = [down, {"type": "keyUp", **key}]
        if not self.modifier:
            return events
        held = {
            "key": self.modifier, "code": f"{self.modifier}Left",
            "windowsVirtualKeyCode": _BIT_CODES[self.modifier],
        }  # fmt: skip
        return [
            {"type": "rawKeyDown", **held, "modifiers": bits}, *events,
            {"type": "keyUp", **held, "modifiers": 0},
        ]  # fmt: skip


def key_press(written: str) -> KeyPress:
    """Return the press of *written*, a key as the parameters name it (`Shift+Tab`)."""
    modifier, _, name = written.rpartition("+")
    commands = modifier in {"Control", "Alt"}
    if name in _CODES:
        text = "" if commands else _TEXTS.get(name, "")
        return KeyPress(" " if name == "Space" else name, name, _CODES[name], text, modifier)
    letter = name.upper() if modifier == "Shift" else name
    code = f"Key{name.upper()}"
    return KeyPress(letter, code, ord(name.upper()), "" if commands else letter, modifier)


async def give_page_focus(turn: Turn) -> None:
    """Let the top document hold the focus before an element in a frame of another process does.

    Otherwise it might take the focus from that element with the first text or key (`focusPage`).
    """
    place, tab = turn.place, turn.tab
    if place is not None and place.world.session.session_id != tab.session.session_id:
        await tab.ask("focus_page", {})


async def press_keys(turn: Turn, keys: Sequence[str]) -> None:
    """Press *keys* one after the other on the element that *turn* met and focused.

    Raises:
        CommandError: the focus moved, or the page left, before all were pressed.
    """
    for number, written in enumerate(keys):
        press = key_press(written)
        try:
            if press.needs_focus:
                await _guarded(turn, press)
            else:
                turn.acted = True
                await _sent(turn, press)
        except (ContextGoneError, SessionGoneError, CdpTimeoutError) as error:
            raise _interrupted(keys, number, error) from error
        except CommandError as error:
            if number == 0:
                raise
            pressed, why = " ".join(keys[:number]), error.text(turn.lang)
            raise CommandError("keys_stopped", pressed=pressed, key=written, why=why) from error


async def _guarded(turn: Turn, press: KeyPress) -> None:
    """Send *press* to the approved element or to nothing.

    Raises:
        CommandError: something else has the focus.
    """
    world = turn.place.world if turn.place is not None else await turn.tab.top_world()
    guard = ClickGuard(turn.tab.worlds, world, keys=True)
    try:
        aimed = turn.ask_to_act("aim_key", {"selector": turn.selector, "key": guard.key})
        await asyncio.gather(*guard.arming(), aimed)
        turn.acted = True
        await _sent(turn, press)
        await guard.outcome(_TOLD_S)
    finally:
        guard.release()
    if guard.stopped and not guard.delivered:
        moved = {"code": "focus_moved", "detail": guard.stopped}
        raise refusal_of(moved, {"selector": turn.params.selector})


async def _sent(turn: Turn, press: KeyPress) -> None:
    events = press.events()
    await asyncio.gather(*(turn.send("Input.dispatchKeyEvent", event) for event in events))


def _interrupted(keys: Sequence[str], number: int, error: Exception) -> CommandError:
    pressed = " ".join(keys[:number]) or "-"
    return CommandError("keys_interrupted", pressed=pressed, key=keys[number], why=str(error)[:200])
