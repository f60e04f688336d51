"""Plans written by hand, where a test wants one certain episode."""

from typing import Any

from tests.sim.calls import TIMEOUT_MS_FLOOR
from tests.sim.plan import Answer, Plan, Reply

APPROVES = Answer("approve", 1.0)


def click(selector: str, number: int) -> dict[str, Any]:
    """Return a turn of the model that clicks *selector* as call *number*."""
    params = {"selector": selector, "timeout_ms": TIMEOUT_MS_FLOOR + number}
    wanted = {"action": "click", "params": params}
    return {"tool_calls": [{"id": f"c{number}", "name": "browser_action", "input": wanted}]}


def says(text: str) -> dict[str, Any]:
    """Return a turn of the model that only speaks."""
    return {"text": text}


def errand(*turns: dict[str, Any], answer: Answer = APPROVES) -> Plan:
    """Return a calm plan with *turns*, each 0.1 s later, and one *answer* to every question."""
    replies = tuple(Reply(0.1, turn) for turn in turns)
    return Plan(0, calm=True, replies=replies, answers=(answer,) * 9, skills=())


# One reading click and one write that a person approves.
ONE_WRITE = errand(click("#query", 1), click("#pay", 2), says("The page says hi."))
# The same without the click before it: half the turns, for those who try each of them.
WRITE_ONLY = errand(click("#pay", 1), says("The page says hi."))
# Two writes that the model wants in one breath: the person is asked about both at once.
TWO_WRITES = errand(
    {"tool_calls": [*click("#pay", 1)["tool_calls"], *click("#void", 2)["tool_calls"]]},
    says("The page says hi."),
)
