"""The conversation of a task's record: each call of the model gets its answer, once."""

from states.catalogue import words
from states.messages import Message
from states.task import Record


def with_note(record: Record, note: str, *, failed: bool) -> Record:
    """Append *note* as the answer to the model's call, or as the user's words when none is open."""
    call_id = record.request.call_id
    if call_id in open_calls(record):
        told = Message(role="tool", text=note, call_id=call_id, failed=failed)
    else:
        told = Message(role="user", text=note)
    return record._replace(conversation=(*record.conversation, told))


def closed_with(record: Record, note: str, *, failed: bool) -> Record:
    """Append *note* as `with_note` does, and drop the calls that wait: nothing comes between them.

    Answers stand straight behind the reply that asked; what is no answer comes after all of them.
    """
    if record.request.call_id in open_calls(record):
        return without_calls(with_note(record, note, failed=failed))
    return with_note(without_calls(record), note, failed=failed)


def without_calls(record: Record) -> Record:
    """Drop the calls that wait; every call of a reply gets its answer, so these too."""
    note = words("not_run", record.language)
    told = tuple(
        Message(role="tool", text=note, call_id=call_id, failed=True)
        for call_id in open_calls(record)
    )
    return record._replace(calls_left=(), conversation=(*record.conversation, *told))


def open_calls(record: Record) -> tuple[str, ...]:
    """Return the calls of the newest reply that have no answer yet, in order."""
    answered: set[str] = set()
    for message in reversed(record.conversation):
        if message.role == "assistant":
            return tuple(call.id for call in message.tool_calls if call.id not in answered)
        if message.role == "tool":
            answered.add(message.call_id)
    return ()
