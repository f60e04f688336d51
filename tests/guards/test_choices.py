"""The guards that choose a road: each is true of its own fact, and of no other."""

from collections.abc import Callable

import pytest

from guards.confirm import approval_expired, asking_about_call
from guards.flow import (
    browser_is_new,
    host_wants_confirmation,
    not_told_yet,
    reply_is_text,
    skill_is_running,
    starts_skill,
    step_by_step,
)
from states.events import Event
from states.task import Context, Control
from states.verdict import Verdict

TICK = Event("tick")
Guard = Callable[[Context, Event], Verdict]


@pytest.mark.parametrize(
    ("guard", "field", "true_of", "false_of"),
    [
        (asking_about_call, "asking", ["call"], ["step"]),
        (reply_is_text, "reply", ["text"], ["call", "skill", "dialog", "none", "invalid"]),
        (starts_skill, "reply", ["skill"], ["call", "text", "dialog", "none", "invalid"]),
        (skill_is_running, "skill", ["running"], ["idle"]),
        (step_by_step, "step_mode", [True], [False]),
        (not_told_yet, "told", [False], [True]),
    ],
)
def test_a_guard_of_the_context_reads_its_own_fact(
    guard: Guard, field: str, true_of: list[object], false_of: list[object]
) -> None:
    def asked(value: object) -> bool:
        return bool(guard(Context(Control(**{field: value})), TICK))  # type: ignore[arg-type]

    assert [asked(value) for value in true_of] == [True] * len(true_of)
    assert [asked(value) for value in false_of] == [False] * len(false_of)


@pytest.mark.parametrize(
    ("guard", "field", "true_of", "false_of"),
    [
        (approval_expired, "decision", ["expired"], ["approved", "rejected", "", None]),
        (host_wants_confirmation, "outcome", ["confirmation"], ["success", "gone", None]),
        (browser_is_new, "browser", ["new"], ["same", None]),
        (reply_is_text, "reply", ["text"], ["call", None]),
    ],
)
def test_a_guard_of_the_event_reads_its_own_fact(
    guard: Guard, field: str, true_of: list[object], false_of: list[object]
) -> None:
    def asked(value: object) -> bool:
        return bool(guard(Context(), Event("x", {field: value})))

    assert [asked(value) for value in true_of] == [True] * len(true_of)
    assert [asked(value) for value in false_of] == [False] * len(false_of)
    assert not guard(Context(), TICK)
