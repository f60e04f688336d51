"""Equal contexts have equal digests, however they came about; a long history costs little (L8)."""

import json
import tracemalloc
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.context_digest import ContextDigest
from states.messages import Message
from states.task import Context, Request, SentCommand, StepOutcome

FIELDS = ("conversation", "history", "commands", "rejected", "reason_facts")


def item(field: str, number: int) -> Any:
    """Return item *number* of *field*, each time as a fresh object."""
    text = f"text {number}"
    match field:
        case "conversation":
            return Message(role="user", text=text)
        case "history":
            return StepOutcome(source="model", action=text, call_digest="", fingerprint="",
                               success=bool(number % 2))  # fmt: skip
        case "commands":
            # Python's 1 and true are equal, and are not the same in a ledger.
            value: Any = (0, 1, True, False, 1.0)[number % 5]
            return SentCommand(seq=number // 5, action="click", params={"x": value}, success=True)
        case "reason_facts":
            return (text, "why")
        case _:
            return text


def fresh(context: Context) -> str:
    """Return the digest of *context* as one that never saw another sees it."""
    return ContextDigest()(context)


CHANGE = st.tuples(
    st.sampled_from(FIELDS),
    st.sampled_from(("extend", "cut", "replace_one", "rebuild", "empty", "keep", "one_less_first")),
    st.integers(0, 9),
)


def changed(context: Context, field: str, how: str, number: int) -> Context:
    before: tuple[Any, ...] = getattr(context.record, field)
    at = number % len(before) if before else 0
    match how:
        case "extend":
            after = (*before, *(item(field, number + n) for n in range(number % 3 + 1)))
        case "cut":
            after = before[:at]
        case "replace_one":
            after = (*before[:at], item(field, number), *before[at + 1 :])
        case "rebuild":
            after = tuple(
                each.model_copy() if hasattr(each, "model_copy") else each for each in before
            )
        case "one_less_first":
            after = before[1:]
        case "empty":
            after = ()
        case _:
            after = before
    changes: dict[str, Any] = {field: after, "steps": number}
    if how == "replace_one":
        changes["request"] = Request(action=f"a{number}")
    record = context.record._replace(**changes)
    return Context(context.control, record)


@settings(max_examples=150, deadline=None)
@given(st.lists(CHANGE, max_size=25))
def test_a_digest_does_not_depend_on_what_came_before(changes: list[tuple[str, str, int]]) -> None:
    context, running = Context(), ContextDigest()
    for change in changes:
        context = changed(context, *change)
        assert running(context) == fresh(context)


def test_two_contexts_that_differ_in_one_item_have_two_digests() -> None:
    running = ContextDigest()
    seen = set()
    for number in range(5):
        record = Context().record._replace(commands=(item("commands", number),))
        seen.add(running(Context(record=record)))
    assert len(seen) == 5


def test_items_of_one_tuple_do_not_run_together() -> None:
    digests = {
        fresh(Context(record=Context().record._replace(rejected=rejected)))
        for rejected in ((), ("",), ("", ""), ("ab",), ("a", "b"))
    }
    assert len(digests) == 5


def test_a_secret_has_no_part_in_a_digest() -> None:
    digests = set()
    for key in ("sk-abcdefghijklmnopqrstuv", "sk-zyxwvutsrqponmlkjihgfe", "[redacted]"):
        message = Message(role="user", text=f"use {key}")
        digests.add(fresh(Context(record=Context().record._replace(conversation=(message,)))))
    assert len(digests) == 1


class CountedStep(StepOutcome):
    """A step that counts how often it is read."""

    def model_dump(self, **options: Any) -> dict[str, Any]:
        READ.append(self.call_digest)
        return super().model_dump(**options)


READ: list[str] = []


def test_a_history_that_grows_is_read_once_and_kept_once() -> None:
    READ.clear()
    running, record = ContextDigest(), Context().record
    steps = 2000
    tracemalloc.start()
    try:
        for number in range(steps):
            step = CountedStep(source="model", action="click", call_digest=str(number),
                               fingerprint="", success=True)  # fmt: skip
            record = record._replace(history=(*record.history, step), steps=number)
            running(Context(record=record))
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert [str(number) for number in range(steps)] == READ
    assert held < 4_000_000  # the steps themselves; all the tuples on the way are 16 MB more
    assert len(json.dumps(READ)) < held  # tracing was on
