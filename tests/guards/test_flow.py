"""The facts that choose the next state: each is read of its own field, and of no other value."""

from collections.abc import Callable

import pytest

from guards.confirm import asking_about_call, asking_question, target_not_found
from guards.flow import (
    asks_person,
    reply_is_cut,
    reply_is_declined,
    reply_is_paused,
    reply_is_text,
    reply_is_valid,
    starts_skill,
    window_is_full,
)
from states.catalogue import CATALOGUE
from states.events import Event
from states.task import REPLIES, Context, Control
from states.verdict import Verdict

TICK = Event("tick")
Guard = Callable[[Context, Event], Verdict]
# Which replies each guard is about.
ABOUT: list[tuple[Guard, set[str]]] = [
    (reply_is_declined, {"declined"}),
    (reply_is_cut, {"cut"}),
    (reply_is_paused, {"paused"}),
    (window_is_full, {"overflow"}),
    (asks_person, {"question"}),
    (starts_skill, {"skill"}),
    (reply_is_text, {"text"}),
    (reply_is_valid, set(REPLIES) - {"invalid", "none"}),
]


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize(("guard", "allowed"), ABOUT)
def test_a_guard_on_the_reply_allows_its_own_kind_only(
    guard: Guard, allowed: set[str], reply: str
) -> None:
    context = Context(Control(reply=reply))  # type: ignore[arg-type]
    verdict = guard(context, TICK)
    assert bool(verdict) is (reply in allowed)
    if not verdict:
        assert all(CATALOGUE[verdict.reason])


def test_every_way_of_stopping_is_caught_before_a_call_is_looked_at() -> None:
    """None of these may reach the rows of the policy: each has a guard that allows it alone."""
    for reply in ("declined", "cut", "paused", "overflow"):
        context = Context(Control(reply=reply))
        caught = [guard for guard, _ in ABOUT[:4] if guard(context, TICK)]
        assert len(caught) == 1


def test_a_reply_that_comes_with_its_event_is_read_of_the_event() -> None:
    assert reply_is_text(Context(), Event("x", {"reply": "text"}))
    assert not reply_is_text(Context(Control(reply="text")), Event("x", {"reply": "call"}))


@pytest.mark.parametrize("asking", ["call", "step", "question"])
def test_a_yes_is_for_the_question_that_was_asked(asking: str) -> None:
    context = Context(Control(asking=asking))  # type: ignore[arg-type]
    assert bool(asking_about_call(context, TICK)) is (asking == "call")
    assert bool(asking_question(context, TICK)) is (asking == "question")


@pytest.mark.parametrize("decision", ["approved", "rejected", "expired", None])
def test_only_what_the_host_could_not_resolve_is_unresolved(decision: object) -> None:
    assert not target_not_found(Context(), Event("x", {"decision": decision}))
    assert target_not_found(Context(), Event("x", {"decision": "unresolved"}))
