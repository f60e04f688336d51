"""What must never happen to a prepared ERP change, watched from outside of the chart.

A change is written by the service `enqueue`, and by nothing else. A state that says "nothing was
written" or "cancelled" must be true of what was started and what the queue answered.
"""

from engine.chart.graph import Taken
from engine.chart.monitor import Monitor

_AS_SHOWN = {
    "owner": ("same",),
    "rights": ("granted",),
    "record_state": ("legal",),
    "read_values": ("same",),
    "dry_run": ("valid", "unreachable"),
    "digest": ("same",),
}
_SUCCESSES = (200, 201)
_CANCELLED = 450
_NOTHING_WRITTEN = ("refused", "expired")


class QueuedOnce:
    """The rows of one card are written at most once."""

    initial = False

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Remember the first writing."""
        writes = taken.starts("enqueue")
        return state or writes, "check_erp_queued_twice" if state and writes else ""


class QueuedAsShown:
    """Only the owner's click on a card, checked again in full, writes."""

    initial = False

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Remember the click; look at the check in the event that writes."""
        payload = taken.event.payload
        clicked = state or (taken.event.type == "save" and payload.get("owner") == "same")
        if not taken.starts("enqueue"):
            return clicked, ""
        checked = taken.event.type == "done.invoke.recheck" and all(
            payload.get(name) in wanted for name, wanted in _AS_SHOWN.items()
        )
        return clicked, "" if clicked and checked else "check_erp_unchecked"


class CancelledOnlyWaiting:
    """The queue is asked to cancel at 100 only: when the rows are written and nobody took them."""

    initial = "none"

    def step(self, state: str, taken: Taken) -> tuple[str, str]:
        """Follow where the rows are: none, waiting, gone."""
        kind, payload = taken.event.type, taken.event.payload
        written = payload.get("claim") == "won" or payload.get("rows") == "queued"
        if kind in ("done.invoke.enqueue", "done.invoke.settle"):
            state = "waiting" if written else "gone"
        elif kind in ("row_taken", "row_answered", "done.invoke.cancel", "done.invoke.close"):
            state = "gone"
        broken = taken.starts("cancel") and state != "waiting"
        return state, "check_erp_cancel_too_late" if broken else ""


class EndIsTrue:
    """Where the change ends is what the queue answered; what is not known ends as unknown."""

    initial = False

    def step(self, state: bool, taken: Taken) -> tuple[bool, str]:
        """Remember that the rows may have been written; compare the end with the answer."""
        end = taken.path[-1] if taken.path else ""
        status = taken.event.payload.get("status")
        written = state or taken.starts("enqueue")
        if end == "succeeded" and status not in _SUCCESSES:
            return written, "check_erp_false_success"
        if not state:
            return written, ""
        if end in _NOTHING_WRITTEN:
            return written, "check_erp_false_refusal"
        if end == "cancelled" and not (
            status == _CANCELLED or taken.event.payload.get("cancel") == "won"
        ):
            return written, "check_erp_false_cancel"
        known = isinstance(status, int) and status not in (*_SUCCESSES, _CANCELLED)
        if end == "failed" and not (known or taken.event.payload.get("rows") == "none"):
            return written, "check_erp_false_failure"
        return written, ""


class LateAnswerIgnored:
    """The answer of a worker whose lease another took over ends nothing."""

    initial = 0

    def step(self, state: int, taken: Taken) -> tuple[int, str]:
        """Follow the highest attempt; an answer below it must enter no state."""
        attempt = taken.event.payload.get("attempt")
        if not isinstance(attempt, int):
            return state, ""
        if taken.event.type == "row_answered" and attempt < state and taken.path:
            return state, "check_erp_late_answer"
        return max(attempt, state), ""


class CancelledNotOffered:
    """A change that the person cancelled is not prepared again unless asked for."""

    initial = ""

    def step(self, state: str, taken: Taken) -> tuple[str, str]:
        """Look at what is proposed."""
        payload = taken.event.payload
        unwanted = payload.get("cancelled_before") is True and payload.get("asked_again") is False
        broken = unwanted and taken.starts("prepare")
        return state, "check_erp_offered_again" if broken else ""


MONITORS: tuple[Monitor, ...] = (
    QueuedOnce(),
    QueuedAsShown(),
    CancelledOnlyWaiting(),
    EndIsTrue(),
    LateAnswerIgnored(),
    CancelledNotOffered(),
)
