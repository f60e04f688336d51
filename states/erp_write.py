"""The context of one prepared ERP change: what guards read, and what only history needs.

`Control` holds two facts that outlive an event: the status of the queue's rows and how often
they were taken. What a gate finds is judged in the event that brings it and kept nowhere, so
nothing found earlier can stand for what is true now.
"""

from typing import Literal, NamedTuple

from states.catalogue import Lang

ATTEMPTS_MAX = 3

NOT_QUEUED = 0
PENDING = 100
AT_WORK = 101
CANCELLED = 450
# 201 = the ERP already ran this row: a success, not a conflict (queue protocol).
SUCCESSES = (200, 201)
FAILURES = (400, 401, 404, 409, 422, 423, 500, 504)
ANSWERS = tuple(sorted((*SUCCESSES, *FAILURES, CANCELLED)))

# How status may move. A reader that polls can miss 101, so 100 may be followed by any answer;
# 450 follows 100 alone, because the ERP cannot take back what it has begun.
STATUS_FOLLOWS: dict[int, frozenset[int]] = {
    NOT_QUEUED: frozenset({PENDING}),
    PENDING: frozenset({AT_WORK, *ANSWERS}),
    AT_WORK: frozenset({AT_WORK, *SUCCESSES, *FAILURES}),
} | {status: frozenset() for status in ANSWERS}

Owner = Literal["same", "other"]
DryRun = Literal["valid", "invalid", "unreachable"]


class Control(NamedTuple):
    """All that guards read; *attempts* is 0 again once nothing can be taken any more."""

    status: int = NOT_QUEUED
    attempts: int = 0


CONTROL_DOMAINS: dict[str, tuple[object, ...]] = {
    "status": (NOT_QUEUED, PENDING, AT_WORK, *ANSWERS),
    "attempts": tuple(range(ATTEMPTS_MAX + 1)),
}


class Record(NamedTuple):
    """History that no guard reads.

    *notice* is what the person was last told without the state changing; *reason* is why the
    change ended as it did. *prechecked* is false while a dry run could not be reached.
    """

    language: Lang = "en"
    preview_id: str = ""
    summary: str = ""
    card_digest: str = ""
    clicked_by: str = ""
    prechecked: bool = False
    queued_digest: str = ""
    rows: tuple[int, ...] = ()
    attempts: int = 0
    receipt: str = ""
    cancel_words: str = ""
    notice: str = ""
    reason: str = ""
    reason_facts: tuple[tuple[str, str], ...] = ()


class Context(NamedTuple):
    """What the chart carries from state to state."""

    control: Control = Control()
    record: Record = Record()
