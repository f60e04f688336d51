"""Circuit breaker (L6, L7): stop a task whose commands keep failing."""

from collections.abc import Sequence

from states.events import Event
from states.task import FAILURES_MAX, SAME_FAILURES_MAX, Context, StepOutcome
from states.verdict import ALLOWED, Verdict, refused


def breaker_closed(context: Context, event: Event) -> Verdict:
    """The last commands did not fail too often."""
    del event
    return failures_are_few(context.control.failures, context.control.same_failures)


def failures_are_few(failures_in_a_row: int, failures_of_this_call: int) -> Verdict:
    """Refuse after the 5th failure in a row, or the 4th of one call (3 retries, L6)."""
    if failures_of_this_call >= SAME_FAILURES_MAX:
        return refused("breaker_same_call", failures=failures_of_this_call)
    if failures_in_a_row >= FAILURES_MAX:
        return refused("breaker_in_a_row", failures=failures_in_a_row)
    return ALLOWED


def failures_of_call(history: Sequence[StepOutcome], call_digest: str) -> int:
    """Return how often the call failed in this task, at most the bound."""
    failed = sum(1 for step in history if not step.success and step.call_digest == call_digest)
    return min(failed, SAME_FAILURES_MAX)
