"""Plain facts of the task that choose the next state; none of them is a safety rule."""

from states.events import Event
from states.task import Context
from states.verdict import ALLOWED, Verdict, refused


def _fact(true: bool, otherwise: str) -> Verdict:
    return ALLOWED if true else refused(otherwise)


def reply_is_valid(context: Context, event: Event) -> Verdict:
    """The model's output, or the skill's call, can be read."""
    del event
    return _fact(context.control.reply not in ("invalid", "none"), "output_unusable")


def reply_is_text(context: Context, event: Event) -> Verdict:
    """The model answered with text alone (R1)."""
    reply = event.payload.get("reply", context.control.reply)
    return _fact(reply == "text", "reply_has_call")


def reply_is_declined(context: Context, event: Event) -> Verdict:
    """The model, or its provider's rules, declined to answer."""
    del event
    return _fact(context.control.reply == "declined", "not_declined")


def reply_is_cut(context: Context, event: Event) -> Verdict:
    """The reply ended at the limit of the model's output: nothing of it can be run."""
    del event
    return _fact(context.control.reply == "cut", "reply_is_whole")


def reply_is_paused(context: Context, event: Event) -> Verdict:
    """The provider paused the reply and wants to be called again."""
    del event
    return _fact(context.control.reply == "paused", "not_paused")


def window_is_full(context: Context, event: Event) -> Verdict:
    """The conversation did not fit the model's window."""
    del event
    return _fact(context.control.reply == "overflow", "window_has_room")


def asks_person(context: Context, event: Event) -> Verdict:
    """The model asks the person for what only the person knows."""
    del event
    return _fact(context.control.reply == "question", "no_question")


def starts_skill(context: Context, event: Event) -> Verdict:
    """The call is run_skill."""
    del event
    return _fact(context.control.reply == "skill", "no_skill_call")


def skill_is_running(context: Context, event: Event) -> Verdict:
    """A skill waits for the answer to its call."""
    del event
    return _fact(context.control.skill == "running", "no_skill_runs")


def step_by_step(context: Context, event: Event) -> Verdict:
    """The person wants to be asked after each step (`--step`)."""
    del event
    return _fact(context.control.step_mode, "runs_through")


def not_told_yet(context: Context, event: Event) -> Verdict:
    """The model has not yet been told that its answer lacks evidence."""
    del event
    return _fact(not context.control.told, "told_before")


def host_wants_confirmation(context: Context, event: Event) -> Verdict:
    """The host did nothing and wants a person's yes first."""
    del context
    return _fact(event.payload.get("outcome") == "confirmation", "host_did_not_ask")


def browser_is_new(context: Context, event: Event) -> Verdict:
    """The task goes on in a new browser: what was on the page is gone."""
    del context
    return _fact(event.payload.get("browser") == "new", "browser_is_the_same")
