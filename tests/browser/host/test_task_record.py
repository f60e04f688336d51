"""The host's record of a task: complete, bounded, without what was typed into a password field."""

from browser.host.task_record import TaskRecord
from engine.pipe.envelope import UNSEALED
from states.settings import TaskLimits
from states.wire import (
    Command,
    CommandSecurity,
    DialogResponse,
    Mac,
    Response,
    StateChanged,
    TaskCompleted,
    WireError,
)

SECURITY = CommandSecurity(hmac=UNSEALED, expected_domain="erp.example.com")
TRACE = "sgclaw-20260303-a1b2c3d4"


def typed(text: str, error: str = "") -> tuple[Command, Response]:
    params = {"selector": "#a", "text": text}
    command = Command(seq=1, action="type", params=params, security=SECURITY)
    said = WireError(code=error, message="") if error else None
    mac = Mac(hmac=UNSEALED)
    return command, Response(seq=1, success=not error, error=said, security=mac)


def ended(record: TaskRecord, **told: object) -> TaskCompleted:
    claim = {"trace_id": TRACE, "state": "completed", **told}
    return record.mended(TaskCompleted.model_validate(claim))[0]


def test_what_was_meant_for_a_password_field_is_told_as_its_length() -> None:
    record = TaskRecord(TaskLimits())
    record.answered(*typed("hunter2", "password_field"), None)
    record.answered(*typed("wang"), None)
    refused, done = ended(record).commands
    assert (refused.params["text"], refused.error) == ("<7 chars>", "password_field")
    assert done.params["text"] == "wang"


def test_a_long_text_is_cut() -> None:
    record = TaskRecord(TaskLimits(report_chars_max=10))
    record.answered(*typed("x" * 100), None)
    assert ended(record).commands[0].params["text"] == "x" * 10 + "…"


def test_an_answered_dialog_stands_in_the_record_with_who_approved_it() -> None:
    record = TaskRecord(TaskLimits())
    dialog = DialogResponse(seq=1, accept=True, security=SECURITY)
    record.answered(dialog, typed("")[1], "terminal")
    [told] = ended(record).commands
    assert (told.action, told.approved_by) == ("dialog_response", "terminal")
    assert told.params == {"accept": True, "text": ""}


def test_the_steps_of_the_agent_count_when_they_can_be_true() -> None:
    record = TaskRecord(TaskLimits(steps_max=9))
    for _ in range(3):
        record.answered(*typed("x"), None)
    assert [ended(record, steps=told).steps for told in (1, 2, 3, 9, 10)] == [3, 2, 3, 9, 3]


def test_the_path_begins_idle_and_ends_with_the_end() -> None:
    record = TaskRecord(TaskLimits())
    assert ended(record, state="aborted").path == ("idle", "aborted")
    for state in ("planning", "completed"):
        record.state(StateChanged(state=state, event="x"))
    assert ended(record).path == ("idle", "planning", "completed")
    assert ended(record, state="failed").path == ("idle", "planning", "completed", "failed")
