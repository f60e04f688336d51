"""The policy's place in the task chart: its verdict on the call, before anything is sent (P4)."""

from states.events import Event
from states.policy import Effect
from states.task import Context
from states.verdict import ALLOWED, Verdict, refused


def policy_allows(context: Context, event: Event) -> Verdict:
    """The policy does not forbid the call."""
    del event
    if context.control.effect == Effect.DENY.value:
        return _reason(context, "refused")
    return ALLOWED


def person_not_needed(context: Context, event: Event) -> Verdict:
    """The call may be made without asking a person."""
    del event
    if context.control.effect == Effect.CONFIRM.value:
        return _reason(context, "needs_confirmation")
    return ALLOWED


def _reason(context: Context, otherwise: str) -> Verdict:
    refusal = context.record.request.refusal
    if refusal is None:
        return refused(otherwise)
    return refused(refusal.reason, **refusal.facts)
