"""What must never happen in a browser task, watched from outside of the chart.

A *command* is the service `act` (one browser action) or `skill` (a skill's run). What it needs
is read from the events that bring the call, the host's answer and the person's decision; that it
goes out is read from the effects. A state is a word.
"""

from typing import Literal, NamedTuple

from engine.chart.graph import Taken
from engine.chart.monitor import Monitor
from engine.chart.step import Cancel, Do
from states.task import FAILURES_MAX, REPAIRS_MAX, REPEATS_MAX, SAME_FAILURES_MAX

COMMANDS = frozenset({"act", "skill"})
_MODEL_REPLIES = frozenset({"done.invoke.plan", "done.invoke.think"})
_CALLS = frozenset({*_MODEL_REPLIES, "skill_asked"})
# After these the call is over: its command was answered, or what made it is gone.
_ENDS_CALL = frozenset(
    {"done.invoke.act", "error.invoke.act", "done.invoke.observe", "done.invoke.skill",
     "error.invoke.skill", "resumed"}
)  # fmt: skip

# Replies that are none: invalid, or not whole.
_ASKED_AGAIN = frozenset({"invalid", "cut", "paused", "overflow"})

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
        if payload.get("reply", "call") not in ("call", "skill", "dialog", "tool"):
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


class Steps(NamedTuple):
    """The budget as it was last told, and whether the model's own question is out."""

    left: str = "left"
    question: bool = False


class StepsNotExceeded:
    """When the steps are spent, no command goes out any more."""

    initial = Steps()

    def step(self, state: Steps, taken: Taken) -> tuple[Steps, str]:
        """Take over what the last step, refused call or question says of the budget."""
        kind, payload = taken.event.type, taken.event.payload
        question, left = _question(state.question, taken), state.left
        counts = state.question or payload.get("decision") == "rejected"
        if kind == "done.invoke.observe" or (kind == "done.invoke.ask" and counts):
            left = str(payload.get("steps"))
        broken = left == "spent" and taken.starts(*COMMANDS)
        return Steps(left, question), "check_task_over_budget" if broken else ""


def _question(before: bool, taken: Taken) -> bool:
    """Tell whether the question that is out, or comes next, is the model's own."""
    if taken.event.type in _MODEL_REPLIES:
        return taken.event.payload.get("reply") == "question"
    return before and taken.event.type != "done.invoke.ask"


class RepairsNotExceeded:
    """The model is asked again for valid output at most *REPAIRS_MAX* times in a row."""

    initial = 0

    def step(self, state: int, taken: Taken) -> tuple[int, str]:
        """Count the replies in a row that were none, and after which the model was asked again."""
        if taken.event.type not in _MODEL_REPLIES:
            return state, ""
        if taken.event.payload.get("reply") not in _ASKED_AGAIN:
            return 0, ""
        asked_again = state + 1 if taken.starts("think") else state
        if asked_again > REPAIRS_MAX:
            return REPAIRS_MAX, "check_task_repairs"
        return asked_again, ""


class RejectedNotAskedAgain:
    """A command that the person refused becomes an observation; it is not put to them once more."""

    initial = ""

    def step(self, state: str, taken: Taken) -> tuple[str, str]:
        """Look at the host's question about a refused command."""
        payload = taken.event.payload
        if payload.get("outcome") != "confirmation" or payload.get("asked") != "rejected":
            return state, ""
        if taken.starts("ask"):
            return state, "check_task_asked_again"
        observed = taken.path == ("active.observing",) and taken.starts("observe")
        return state, "" if observed else "check_task_refusal_lost"


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


class Backing(NamedTuple):
    """What the answer could stand on: *last* is how the last thing that counts ended.

    *acts* and *skill*: a command, or a skill, is out and has not answered. *question*: the person
    is asked what the model wants to know, so that no answer refuses nothing.
    """

    last: Literal["none", "good", "bad"] = "none"
    acts: bool = False
    skill: bool = False
    question: bool = False


class AnswerHasEvidence:
    """The task is completed only by an answer that the last result backs.

    Where nothing was done and nothing refused, an answer that claims nothing needs no backing.
    """

    initial = Backing()

    def step(self, state: Backing, taken: Taken) -> tuple[Backing, str]:
        """Follow what counts: results, refused questions, and what a kill took away."""
        kind, payload = taken.event.type, taken.event.payload
        lost = state.skill or (state.acts and payload.get("lost") == "command")
        asked = kind == "done.invoke.ask" and not state.question
        refused = asked and payload["decision"] != "approved"
        last = state.last
        if kind == "done.invoke.observe":
            last = "good" if payload["outcome"] == "ok" else "bad"
        elif refused or (kind == "resumed" and lost):
            last = "bad"
        acts, skill = _runs("act", state.acts, taken), _runs("skill", state.skill, taken)
        after = Backing(last, acts, skill, _question(state.question, taken))
        if "completed" not in taken.path:
            return after, ""
        answers = kind in _MODEL_REPLIES and payload.get("reply") == "text"
        backed = last == "good" or (last == "none" and not payload.get("claims"))
        return after, "" if answers and backed else "check_task_no_evidence"


def _runs(service: str, before: bool, taken: Taken) -> bool:
    """Tell whether *service* is out after *taken*, when it was *before*."""
    if taken.starts(service):
        return True
    answered = taken.event.type in (f"done.invoke.{service}", f"error.invoke.{service}")
    ended = any(isinstance(each, Cancel) and each.id == service for each in taken.effects)
    return before and not answered and not ended


class ToldOnce:
    """The model is told at most once that nothing backs its answer."""

    initial = False

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Look for an answer after which the model is asked again."""
        answers = taken.event.type in _MODEL_REPLIES and taken.event.payload["reply"] == "text"
        if not answers or not taken.starts("think"):
            return state, ""
        return True, "check_task_told_again" if state else ""


class FailuresEndTask:
    """After too many failures nothing is begun any more: the state is how many came in a row.

    At *FAILURES_MAX* it stays; a call that failed *SAME_FAILURES_MAX* times leads there at once.
    """

    initial = 0

    def step(self, state: int, taken: Taken) -> tuple[int, str]:
        """Count what was observed."""
        payload = taken.event.payload
        if taken.event.type == "done.invoke.observe" and state < FAILURES_MAX:
            state = 0 if payload["outcome"] == "ok" else state + 1
            if payload["same_failures"] == SAME_FAILURES_MAX:
                state = FAILURES_MAX
        broken = state == FAILURES_MAX and _goes_on(taken)
        return state, "check_task_breaker" if broken else ""


class LoopEndsTask:
    """After the same steps came *REPEATS_MAX* times nothing is begun any more."""

    initial = False

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Remember that the task ran in circles."""
        state = state or taken.event.payload.get("repeats") == REPEATS_MAX
        return state, "check_task_loop" if state and _goes_on(taken) else ""


def _goes_on(taken: Taken) -> bool:
    """Tell whether the model, a command or a skill gets its turn."""
    return taken.starts("plan", "think", *COMMANDS) or _answers_skill(taken)


def _answers_skill(taken: Taken) -> bool:
    return any(isinstance(each, Do) and each.action == "answer_skill" for each in taken.effects)


class RejectedSkillStops:
    """A skill that had a question refused goes on no more: it neither speaks nor is answered."""

    initial = "idle"

    def step(self, state: str, taken: Taken) -> tuple[str, str]:
        """Follow the skill from its start, over a refusal, to its end."""
        kind, payload = taken.event.type, taken.event.payload
        no = kind == "done.invoke.ask" and payload["decision"] == "rejected"
        after = "refused" if no and state == "live" else state
        goes_on = kind == "skill_asked" or _answers_skill(taken)
        if after == "refused" and goes_on:
            return after, "check_task_skill_goes_on"
        if taken.starts("skill"):
            return "live", ""
        return after if _runs("skill", state != "idle", taken) else "idle", ""


MONITORS: tuple[Monitor, ...] = (
    ApprovalConsumed(),
    StepsNotExceeded(),
    RepairsNotExceeded(),
    RejectedNotAskedAgain(),
    LostNotSentAgain(),
    AnswerHasEvidence(),
    ToldOnce(),
    FailuresEndTask(),
    LoopEndsTask(),
    RejectedSkillStops(),
)
