"""The critic (L7): do the steps move the task, and does the answer stand on something done."""

from collections.abc import Sequence

from states.events import Event
from states.task import REPEATS_MAX, Context, StepOutcome
from states.verdict import ALLOWED, Verdict, refused

LOOP_PERIOD_MAX = 3


def no_loop(context: Context, event: Event) -> Verdict:
    """The task does not run in circles."""
    del event
    return steps_do_not_repeat(context.control.repeats, _last_action(context))


def answer_has_evidence(context: Context, event: Event) -> Verdict:
    """Something succeeded that backs the final text."""
    del event
    return text_is_backed(context.control.evidence, claims_action=context.control.claims)


def steps_do_not_repeat(repeats: int, action: str = "") -> Verdict:
    """Refuse to go on after the same cycle of steps ran *REPEATS_MAX* times to no effect."""
    if repeats >= REPEATS_MAX:
        return refused("loop", action=action, repeats=repeats)
    return ALLOWED


def text_is_backed(evidence: str, *, claims_action: bool) -> Verdict:
    """Refuse a final text after a failure, or one that claims what no tool did."""
    if evidence == "good":
        return ALLOWED
    if evidence == "none" and not claims_action:
        return ALLOWED
    return refused("no_evidence")


def repeats_of(history: Sequence[StepOutcome]) -> int:
    """Return how often the tail of *history* repeats one cycle of 1 to 3 steps, at most 4.

    A step equals another when it made the same call and left the page the same. A skill's
    reads do not count: polling is how a skill waits.
    """
    counted = [s for s in history if not (s.source == "skill" and s.reads)]
    if not counted or counted[-1] is not history[-1]:
        return 0
    return max(_cycles(counted, period) for period in range(1, LOOP_PERIOD_MAX + 1))


def _cycles(history: Sequence[StepOutcome], period: int) -> int:
    """Return how many whole times the last *period* steps stand in a row, at most 4."""
    marks = [(step.call_digest, step.fingerprint) for step in history]
    cycle = marks[-period:]
    if len(cycle) < period:
        return 0
    times = 1
    while times < REPEATS_MAX and len(marks) >= period * (times + 1):
        if marks[-period * (times + 1) : -period * times] != cycle:
            break
        times += 1
    # One occurrence is no repetition.
    return times if times > 1 else 0


def _last_action(context: Context) -> str:
    history = context.record.history
    return history[-1].action if history else ""
