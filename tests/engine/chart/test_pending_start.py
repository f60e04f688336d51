"""A service whose start was pending when the abort came is not made at all (shell invariant 3)."""

import asyncio
from typing import Any

from states.events import Event
from tests.engine.chart.errand import Errand
from tests.engine.chart.sample import core_of

# The chart's own abort, with an effect that looks around before anything is cancelled.
LOOKS = """
id: look
version: 1
initial: idle
events: {go: {}, look: {}, abort: {}}
states:
  idle: {on: {go: sending, abort: ended}}
  sending:
    entry: [a]
    exit: [b]
    invoke: {id: send, src: send_command, onDone: ended, onError: ended}
    on: {abort: ended, look: {actions: [c]}}
  ended: {type: final, entry: report}
"""


def services() -> list[str]:
    """Return the services that run, or were made to run, in this moment."""
    return [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("send#")]


async def test_a_start_that_an_abort_overtook_makes_nothing() -> None:
    errand: Errand
    seen: list[list[str]] = []

    def press_escape(_: Any, __: Event) -> None:
        errand.shell.post("abort")

    def look(_: Any, __: Event) -> None:
        seen.append(services())

    errand = Errand(effects={"a": press_escape, "b": look, "report": look}, core=core_of(LOOKS))
    assert await errand.run("go") == "ended"
    assert errand.did("start") == []
    assert seen == [[], []]


async def test_without_the_abort_the_same_start_makes_the_service() -> None:
    errand: Errand
    seen: list[list[str]] = []

    def look(_: Any, __: Event) -> None:
        seen.append(services())
        errand.shell.post("abort")

    errand = Errand(effects={"c": look}, core=core_of(LOOKS))
    errand.when("sending", lambda: errand.shell.post("look"))
    assert await errand.run("go") == "ended"
    assert errand.did("start") == ["send_command"]
    assert [len(found) for found in seen] == [1]
