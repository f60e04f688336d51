"""The reducers of going on after a kill (L8), and what a finished turn leaves in control."""

from collections.abc import Mapping
from typing import Any

from states.conversation import closed_with, open_calls, without_calls
from states.events import Event
from states.messages import Message
from states.page import PageState
from states.policy import READ_ACTIONS
from states.task import (
    FAILURES_MAX,
    NOT_THE_BROWSERS,
    Context,
    Control,
    Record,
    SentCommand,
    StepOutcome,
    StepResult,
)


def take_new_life(context: Context, event: Event) -> Context:
    """A new agent goes on, and nothing was lost: only the page may be another one.

    In a new browser the calls that wait are dropped: they were meant for the old page.
    """
    given = record_of(event)
    record = _on_page(context.record, given)
    if event.payload["browser"] == "new":
        note = str(given.get("note", ""))
        if record.request.call_id in open_calls(record):
            record = record._replace(told_later=note)
        else:
            record = told_now(without_calls(record), note)
    return Context(context.control, record)


def take_resumption(context: Context, event: Event) -> Context:
    """A new agent goes on: what was under way is lost, and the model is told (L8).

    A command that may have acted stays in the record as unknown; it is evidence of nothing.
    """
    given, control, record = record_of(event), context.control, context.record
    lost = event.payload["lost"]
    if lost != "nothing":  # what got no answer was a step all the same
        steps = event.payload["steps"] if control.steps == "left" else control.steps
        control = control._replace(steps=steps)
        record = record._replace(steps=record.steps + 1)
    if lost == "command":
        record = record._replace(unknown=(*record.unknown, record.request.call_digest))
        if record.request.tool not in NOT_THE_BROWSERS:
            sent = SentCommand.model_validate(given["sent"])
            record = record._replace(commands=(*record.commands, sent))
    if control.skill == "running":
        record = record._replace(request=record.skill_request)
    note = str(given.get("note", ""))
    told = closed_with(record, note, failed=True)._replace(in_flight=False)
    data = {"weighty": given.get("weighty", True)}
    result = StepResult(success=False, error="interrupted", message=note, data=data)
    bad = lost == "command" or control.skill == "running"
    settled = used_up(control)._replace(
        skill="idle",
        asking="call",
        evidence="bad" if bad else control.evidence,
        # The critic has not read these yet.
        repeats=control.repeats,
        same_failures=control.same_failures,
    )
    return Context(settled, _on_page(told._replace(result=result), given))


def take_finished_step(context: Context, event: Event) -> Context:
    """Count the step of a killed skill whose result had come and was not looked at."""
    control, record = context.control, context.record
    outcome = outcome_of(record)
    failures = 0 if outcome.success else min(control.failures + 1, FAILURES_MAX)
    history = (*record.history, outcome)
    return Context(
        control._replace(failures=failures, steps=event.payload["steps"]),
        record._replace(history=history, steps=record.steps + 1),
    )


def outcome_of(record: Record) -> StepOutcome:
    """Return the last request and its result as the critic remembers them."""
    request, result = record.request, record.result
    return StepOutcome(
        source=request.source,
        action=request.action or request.tool,
        call_digest=request.call_digest,
        fingerprint=result.fingerprint if result else "",
        success=result is not None and result.success,
        reads=request.action in READ_ACTIONS,
        number=record.steps + 1,
    )


def told_now(record: Record, note: str) -> Record:
    """Return *record* with *note* as words of the user."""
    told = Message(role="user", text=note)
    return record._replace(conversation=(*record.conversation, told))


def _on_page(record: Record, given: Mapping[str, Any]) -> Record:
    return record._replace(
        page=PageState.model_validate(given.get("page", {})),
        page_text=str(given.get("page_text", "")),
    )


def used_up(control: Control) -> Control:
    """Return *control* without what the critic has read: the next turn begins clean."""
    return control._replace(reply="none", source="model", claims=False, repeats=0, same_failures=0)


def record_of(event: Event) -> Mapping[str, Any]:
    """Return what travels with *event* besides its finite fields."""
    found = event.payload.get("record", {})
    return found if isinstance(found, Mapping) else {}
