"""The person's confirmation (L3, P5): only an exact yes is a yes."""

from states.events import Event
from states.task import Context
from states.verdict import ALLOWED, Verdict, refused


def approval_granted(context: Context, event: Event) -> Verdict:
    """The person said yes to exactly this."""
    del context
    return decision_approves(event.payload.get("decision"))


def decision_approves(decision: object) -> Verdict:
    """Refuse everything but the word approved: a missing or unknown answer is a no."""
    if decision == "approved":
        return ALLOWED
    return refused("not_approved", decision=decision)


def approval_expired(context: Context, event: Event) -> Verdict:
    """Nobody answered in time."""
    del context
    return ALLOWED if event.payload.get("decision") == "expired" else refused("not_expired")


def target_not_found(context: Context, event: Event) -> Verdict:
    """The host found nothing to ask about."""
    del context
    return ALLOWED if event.payload.get("decision") == "unresolved" else refused("resolved")


def asking_about_call(context: Context, event: Event) -> Verdict:
    """The question was about a command, not about going on."""
    del event
    return ALLOWED if context.control.asking == "call" else refused("asking_about_step")


def asking_question(context: Context, event: Event) -> Verdict:
    """The question was the model's own, about what only the person knows."""
    del event
    return ALLOWED if context.control.asking == "question" else refused("not_asking_question")


def not_rejected_before(context: Context, event: Event) -> Verdict:
    """The person has not refused this very command in this task."""
    del context
    return ALLOWED if event.payload.get("asked") == "new" else refused("rejected_before")
