"""The reducers of going on after a kill (L8), and what a finished turn leaves in control."""

from collections.abc import Mapping
from typing import Any

from states.conversation import with_note, without_calls
from states.events import Event
from states.page import PageState
from states.task import Context, Control, SentCommand, StepResult


def take_resumption(context: Context, event: Event) -> Context:
    """A new agent goes on: what was under way is lost, and the model is told (L8).

    A command that may have acted stays in the record as unknown; it is evidence of nothing.
    """
    given, control = record_of(event), context.control
    record = context.record
    if control.skill == "running":
        record = record._replace(request=record.skill_request)
    if event.payload["lost"] == "command":
        sent = SentCommand.model_validate(given["sent"])
        unknown = (*record.unknown, context.record.request.call_digest)
        record = record._replace(commands=(*record.commands, sent), unknown=unknown)
    note = str(given.get("note", ""))
    record = without_calls(with_note(record, note, failed=True))._replace(
        result=StepResult(
            success=False, error="interrupted", message=note, data={"weighty": given.get("weighty", True)}
        ),
        page=PageState.model_validate(given.get("page", {})),
        page_text=str(given.get("page_text", "")),
    )
    bad = event.payload["lost"] == "command" or control.skill == "running"
    evidence = "bad" if bad else control.evidence
    settled = used_up(control)._replace(skill="idle", asking="call", evidence=evidence)
    return Context(settled, record)


def used_up(control: Control) -> Control:
    """Return *control* without what the critic has read: the next turn begins clean."""
    return control._replace(reply="none", source="model", claims=False, repeats=0, same_failures=0)


def record_of(event: Event) -> Mapping[str, Any]:
    """Return what travels with *event* besides its finite fields."""
    found = event.payload.get("record", {})
    return found if isinstance(found, Mapping) else {}
