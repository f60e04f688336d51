"""Passwords out of pictures: every document of the tab covers its fields while one is taken.

The rule: all documents that the tab holds are covered, and the same ones are there afterwards, or
what was taken is thrown away.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from browser.host.errors import CommandError, ContextGoneError, HostError
from browser.host.tab import Tab
from browser.host.worlds import World

T = TypeVar("T")

_TRIES = 3
_FRAME_S = 5.0


async def covered(tab: Tab, take: Callable[[], Awaitable[T]]) -> T:
    """Return what *take* gives while no document of *tab* shows a password.

    Raises:
        CommandError: a password stays readable, or the frames change all the time.
        ContextGoneError: the page went away.
    """
    for _ in range(_TRIES):
        top = await tab.top_world()
        worlds = tab.worlds.present()
        told = await _answers(tab, "cover", [(world, {}) for world in worlds])
        answered = {world: each for world, each in told.items() if isinstance(each, dict)}
        try:
            _raise_first(told, top)
            taken = await take()
        finally:
            # The last first: a field that two documents reach gets its own look back that way.
            asked = [(world, _same(each)) for world, each in reversed(answered.items())]
            kept = await _answers(tab, "uncover", asked)
        _raise_first(kept, top)
        failed = [each for each in kept.values() if isinstance(each, HostError)]
        if len(answered) == len(worlds) and not failed and await _all_known(tab, worlds):
            return taken
    raise CommandError("picture_frame_uncovered")


async def _answers(
    tab: Tab, function: str, asked: list[tuple[World, dict[str, Any]]]
) -> dict[World, dict[str, Any] | HostError]:
    """Ask in each world, in this order, without waiting for one before the next is asked."""
    top = tab.worlds.top

    async def one(world: World, arg: dict[str, Any]) -> dict[str, Any] | HostError:
        seconds = tab.limits.cdp_seconds
        try:
            # A frame that hangs must not hold the page's picture up for long.
            async with asyncio.timeout(seconds if world == top else min(seconds, _FRAME_S)):
                return await tab.ask(function, arg, world=world)
        except HostError as error:
            return error
        except TimeoutError:
            return CommandError("picture_frame_uncovered")

    told = await asyncio.gather(*(one(world, arg) for world, arg in asked))
    return {world: answer for (world, _), answer in zip(asked, told, strict=True)}


def _raise_first(told: dict[World, dict[str, Any] | HostError], top: World) -> None:
    """Raise what a frame that went away does not explain."""
    for world, answer in told.items():
        if isinstance(answer, HostError) and (world == top or not _left(answer)):
            raise answer


def _left(error: HostError) -> bool:
    return isinstance(error, ContextGoneError) or error.code in ("tab_gone", "document_changed")


def _same(covering: dict[str, Any]) -> dict[str, Any]:
    """Return how to ask for the same document again: another one was not covered."""
    return {"document_id": covering["document_id"]}


async def _all_known(tab: Tab, worlds: tuple[World, ...]) -> bool:
    """Tell whether the tab's documents are those of *worlds*, and no frame is without one."""
    trees = await asyncio.gather(
        *(session.send("Page.getFrameTree", {}, tab.limits.cdp_seconds)
          for session in tab.worlds.sessions())
    )  # fmt: skip
    frames = {frame_id for told in trees for frame_id in _frame_ids(told["frameTree"])}
    known = {world.frame_id for world in worlds}
    return set(tab.worlds.present()) == set(worlds) and frames <= known


def _frame_ids(tree: dict[str, Any]) -> list[str]:
    found = [str(tree["frame"]["id"])]
    for child in tree.get("childFrames", ()):
        found += _frame_ids(child)
    return found
