"""Choosing from a list: a <select> by its value or label, a list of the page's own by clicking it.

A list of the page's own is opened by a guarded click, the one option whose label is the value is
clicked the same way, and the list must say it afterwards. What is missing or ambiguous is never
guessed, and the list is closed again.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from browser.host.action_click import named, press, unknown
from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError, HostError
from browser.host.keyboard import key_press
from browser.host.turn import Turn
from guards.policy import effect_of
from states.policy import Effect, Target

_SHOWN_CHARS = 200


async def select(turn: Turn) -> dict[str, Any]:
    """Choose one option of a list by its value or label."""
    params, wait_ms = turn.params, turn.tab.limits.wait_ms
    await turn.meet(params.selector, wait_ms)
    if turn.met["target"]["tag"] != "select":
        return await _from_own_list(turn)
    arg = {"selector": turn.selector, "need": "edit", "timeout_ms": wait_ms}
    await turn.ask_to_act("ready", arg, wait_ms)
    turn.acted = True
    try:
        asked = {"selector": turn.selector, "value": params.value}
        answer = await turn.ask_to_act("select_option", asked)
    except (ContextGoneError, CdpTimeoutError) as error:
        raise unknown(turn, error) from error
    return {"selected": answer["selected"]}


async def _from_own_list(turn: Turn) -> dict[str, Any]:
    params, wait_ms = turn.params, turn.tab.limits.wait_ms
    asked = {"selector": turn.selector, "value": params.value}
    wait = {"selector": turn.selector, "need": "visible", "timeout_ms": wait_ms}
    await turn.ask_to_act("ready", wait, wait_ms)
    list_now = await turn.ask_to_act("own_list", asked)
    if list_now["says"]:
        return {"selected": params.value}
    try:
        if not list_now["open"]:
            async with _on_part(turn, list_now["opener"]):
                await press(turn, wait_ms)
        option = await _option(turn, asked)
        if not option["chosen"]:
            async with _on_part(turn, option["option"]):
                _judge_option(turn)
                await press(turn, wait_ms)
        await _verify(turn, asked)
    except HostError:
        await _close(turn)
        raise
    return {"selected": params.value}


async def _option(turn: Turn, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the option that the value means, once the list shows it."""
    limits = turn.tab.limits
    arg = {
        **asked,
        "timeout_ms": limits.option_wait_ms,
        "scrolls_max": limits.option_scrolls_max,
        "search_ms": limits.wait_ms,
    }
    found = await turn.ask("list_option", arg, limits.option_wait_ms + limits.wait_ms)
    if found["option"] is None:
        seconds = round(limits.option_wait_ms / 1000, 1)
        raise CommandError("list_did_not_open", name=named(turn), seconds=seconds)
    return found


@asynccontextmanager
async def _on_part(turn: Turn, selector: str) -> AsyncIterator[None]:
    """Let *turn* stand on the part *selector* of its list, in the same document."""
    place, met = turn.place, turn.met
    found = await turn.ask("resolve", {"selector": selector})
    if found["target"]["submits"]:
        raise CommandError("element_no_select", selector=named(turn), detail="it submits a form")
    try:
        turn.met = found
        turn.place = place._replace(selector=selector) if place is not None else None
        yield
    finally:
        turn.place, turn.met = place, met


def _judge_option(turn: Turn) -> None:
    """Refuse the option that stands there when its words need a yes that nobody gave."""
    if turn.effect is Effect.CONFIRM:
        return
    target = Target.model_validate(turn.met["target"])
    given = (turn.policy, str(turn.met["origin"]), "select", turn.params.completed(), target)
    effect, verdict = effect_of(*given)
    if effect is not turn.effect:
        raise CommandError("option_risky", name=target.name, why=verdict.text(turn.lang))


async def _verify(turn: Turn, asked: dict[str, Any]) -> None:
    try:
        after = await turn.ask("list_says", asked, turn.tab.limits.option_wait_ms)
    except ContextGoneError:
        return  # the choice opened another page
    except CdpTimeoutError as error:
        raise unknown(turn, error) from error
    if after["open"]:
        await _close(turn)
    if not after["says"]:
        got = str(after["value"])[:_SHOWN_CHARS]
        raise CommandError("choice_did_not_stick", name=named(turn), wanted=asked["value"], got=got)


async def _close(turn: Turn) -> None:
    """Close the list as a person would, if it is still open."""
    try:
        left_open = await turn.ask("list_open", {"selector": turn.selector})
        if left_open["open"]:
            for event in key_press("Escape").events():
                await turn.send("Input.dispatchKeyEvent", event)
    except HostError:
        return  # there is no list any more
