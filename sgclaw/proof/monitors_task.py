"""What must never happen in a browser task, watched from outside of the chart.

A *command* is the service `act` (one browser action) or `skill` (a skill's run). What it needs
is read from the events that bring the call, the host's answer and the person's decision; that it
goes out is read from the effects. A state is a word.
"""

from typing import Literal

from engine.chart.graph import Taken
from engine.chart.monitor import Monitor
from states.task import REPAIRS_MAX

COMMANDS = frozenset({"act", "skill"})
_MODEL_REPLIES = frozenset({"done.invoke.plan", "done.invoke.think"})
_CALLS = frozenset({*_MODEL_REPLIES, "skill_asked"})
# After these the call is over: its command was answered, or what made it is gone.
_ENDS_CALL = frozenset(
    {"done.invoke.act", "error.invoke.act", "done.invoke.observe", "done.invoke.skill",
     "error.invoke.skill", "resumed"}
)  # fmt: skip

Call = Literal["none", "free", "must_ask", "approved", "denied"]


class ApprovalConsumed:
    """Each command is one call's, and where a person is needed it uses up one fresh yes.

    none = there is no call, or it was sent; free = it may be sent; must_ask = the policy or the
    host wants a person; approved = the person said yes to it.
    """

    initial: Call = "none"

    def step(self, state: Call, taken: Taken) -> tuple[Call, str]:
        """Follow the call from its making to its command."""
        call = _call_after(state, taken)
        if not taken.starts(*COMMANDS):
            return call, ""
        broken = {
            "must_ask": "check_task_unapproved",
            "denied": "check_task_denied",
            "none": "check_task_sent_twice",
        }.get(call, "")
        return "none", broken


def _call_after(call: Call, taken: Taken) -> Call:
    kind, payload = taken.event.type, taken.event.payload
    if kind in _CALLS:
        if payload.get("reply", "call") not in ("call", "skill", "dialog"):
            return "none"
        needs: dict[object, Call] = {"confirm": "must_ask", "deny": "denied"}
        return needs.get(payload.get("effect"), "free")
    if kind == "done.invoke.act" and payload.get("outcome") == "confirmation":
        return "must_ask"
    if kind == "done.invoke.ask":
        approves = call == "must_ask" and payload.get("decision") == "approved"
        # What is denied stays so, whatever a person says.
        return "approved" if approves else "denied" if call == "denied" else "none"
    return "none" if kind in _ENDS_CALL else call


class StepsNotExceeded:
    """When the steps are spent, no command goes out any more."""

    initial = "left"

    def step(self, state: str, taken: Taken) -> tuple[str, str]:
        """Take over what the last finished step or refused question says of the budget."""
        kind, payload = taken.event.type, taken.event.payload
        rejected = kind == "done.invoke.ask" and payload.get("decision") == "rejected"
        if kind == "done.invoke.observe" or rejected:
            state = str(payload.get("steps"))
        broken = state == "spent" and taken.starts(*COMMANDS)
        return state, "check_task_over_budget" if broken else ""


class RepairsNotExceeded:
    """The model is asked again for valid output at most *REPAIRS_MAX* times in a row."""

    initial = 0

    def step(self, state: int, taken: Taken) -> tuple[int, str]:
        """Count the invalid replies in a row after which the model was asked again."""
        if taken.event.type not in _MODEL_REPLIES:
            return state, ""
        if taken.event.payload.get("reply") != "invalid":
            return 0, ""
        asked_again = state + 1 if taken.starts("think") else state
        if asked_again > REPAIRS_MAX:
            return REPAIRS_MAX, "check_task_repairs"
        return asked_again, ""


class RejectedNotAskedAgain:
    """A command that the person refused is not put to the person once more."""

    initial = ""

    def step(self, state: str, taken: Taken) -> tuple[str, str]:
        """Look at the host's question about a refused command."""
        payload = taken.event.payload
        refused = payload.get("outcome") == "confirmation" and payload.get("asked") == "rejected"
        return state, "check_task_asked_again" if refused and taken.starts("ask") else ""


class LostNotSentAgain:
    """A command whose answer was lost is not sent again before the model or skill speaks."""

    initial = False

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Remember a lost command until somebody decides anew."""
        kind = taken.event.type
        if kind == "resumed":
            state = state or taken.event.payload.get("lost") == "command"
        elif kind in _CALLS:
            state = False
        return state, "check_task_lost_again" if state and taken.starts(*COMMANDS) else ""


MONITORS: tuple[Monitor, ...] = (
    ApprovalConsumed(),
    StepsNotExceeded(),
    RepairsNotExceeded(),
    RejectedNotAskedAgain(),
    LostNotSentAgain(),
)
