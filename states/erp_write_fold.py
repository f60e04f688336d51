"""The reducers of the chart erp_write: pure `(context, event) -> context`, one fact folded each.

A payload's finite fields go to `control`, its `record` to the record. Reducers decide nothing:
what is allowed next is the guards' business.
"""

from collections.abc import Callable, Mapping
from typing import Any

from states.erp_write import (
    AT_WORK,
    ATTEMPTS_MAX,
    CANCELLED,
    PENDING,
    Context,
    Control,
    Record,
)
from states.events import Event

Reducer = Callable[[Context, Event], Context]

# What a failed row's status means to the person; each is a key of the catalogue.
FAILURE_REASONS: dict[int, str] = {
    400: "erp_payload_broken",
    401: "erp_right_lost",
    404: "erp_record_gone",
    409: "erp_conflict",
    422: "erp_rejected",
    423: "erp_locked",
    500: "erp_broken",
    504: "erp_timed_out",
}


def take_proposal(context: Context, event: Event) -> Context:
    """Keep in whose language the person will be told."""
    given = _record(event)
    return _recorded(context, language="zh-CN" if given.get("language") == "zh-CN" else "en")


def take_card(context: Context, event: Event) -> Context:
    """Fold the card that will be shown: its id, its words, its digest, and whether it was tried."""
    given = _record(event)
    return _recorded(
        context,
        preview_id=str(given.get("preview_id", "")),
        summary=str(given.get("summary", "")),
        card_digest=str(given.get("digest", "")),
        prechecked=event.payload.get("dry_run") == "valid",
    )


def take_click(context: Context, event: Event) -> Context:
    """Keep who clicked save."""
    return _recorded(context, clicked_by=str(_record(event).get("user", "")))


def take_recheck(context: Context, event: Event) -> Context:
    """Fold the payload that will be queued, and whether its dry run was reached this time."""
    return _recorded(
        context,
        queued_digest=str(_record(event).get("digest", "")),
        prechecked=event.payload.get("dry_run") == "valid",
    )


def take_rows(context: Context, event: Event) -> Context:
    """The rows stand in the queue with status 100."""
    rows = tuple(int(row) for row in _record(event).get("rows", ()))
    return _recorded(Context(Control(PENDING, 0), context.record), rows=rows)


def take_attempt(context: Context, event: Event) -> Context:
    """A worker took the rows."""
    attempt = min(int(event.payload["attempt"]), ATTEMPTS_MAX)
    return _recorded(Context(Control(AT_WORK, attempt), context.record), attempts=attempt)


def take_lost_cancel(context: Context, event: Event) -> Context:
    """The rows had been taken before the cancel reached them."""
    del event
    folded = Context(Control(AT_WORK, 1), context.record)
    return _recorded(folded, attempts=1, notice="erp_cancel_too_late")


def take_answer(context: Context, event: Event) -> Context:
    """Fold the status the rows ended with, and the ERP's own words about it."""
    control = Control(int(event.payload["status"]), 0)
    receipt = str(_record(event).get("receipt", ""))
    return _recorded(Context(control, context.record), receipt=receipt)


def take_cancel(context: Context, event: Event) -> Context:
    """Keep that the person cancelled while nothing was queued, and why."""
    return _cancelled(ask_cancel(context, event))


def ask_cancel(context: Context, event: Event) -> Context:
    """Keep why the person wants the rows cancelled; whether they are is not known yet."""
    return _recorded(context, cancel_words=str(_record(event).get("reason", "")))


def take_cancelled(context: Context, event: Event) -> Context:
    """The rows were cancelled while they had status 100, here or at the ERP."""
    del event
    return _cancelled(Context(Control(CANCELLED, 0), context.record))


def _cancelled(context: Context) -> Context:
    why = (("why", context.record.cancel_words),)
    return _recorded(context, reason="erp_cancelled", reason_facts=why)


def fail_answer(context: Context, event: Event) -> Context:
    """Name the failure that the status stands for."""
    reason = FAILURE_REASONS.get(context.control.status, "erp_broken")
    return _ended(context, event, reason)


def _ended(context: Context, event: Event, reason: str) -> Context:
    record = context.record
    facts = (
        ("status", str(context.control.status)),
        ("after", str(event.payload.get("status", ""))),
        ("attempts", str(record.attempts)),
        ("receipt", record.receipt),
        ("rows", ", ".join(map(str, record.rows))),
        ("error", str(event.payload.get("error", ""))),
        ("text", str(event.payload.get("text", ""))),
        ("what", str(_record(event).get("what", ""))),
    )
    # No worker is waited for any more: a counter that stays would only multiply what is checked.
    control = context.control._replace(attempts=0)
    return _recorded(Context(control, record), reason=reason, reason_facts=facts)


def _ending(reason: str) -> Reducer:
    """Return a reducer that names *reason* as the end."""

    def end(context: Context, event: Event) -> Context:
        return _ended(context, event, reason)

    end.__doc__ = f"End with the reason {reason}."
    return end


def _noting(notice: str) -> Reducer:
    """Return a reducer that keeps *notice* to be told; nothing else changes."""

    def note(context: Context, event: Event) -> Context:
        del event
        return _recorded(context, notice=notice)

    note.__doc__ = f"Keep the notice {notice}."
    return note


def _recorded(context: Context, **changes: Any) -> Context:
    return Context(context.control, context.record._replace(**changes))


def _record(event: Event) -> Mapping[str, Any]:
    found = event.payload.get("record", {})
    return found if isinstance(found, Mapping) else {}


ERP_REDUCERS: dict[str, Reducer] = {
    reducer.__name__: reducer
    for reducer in (
        take_proposal, take_card, take_click, take_recheck, take_rows, take_attempt,
        take_lost_cancel, take_answer, take_cancel, ask_cancel, take_cancelled, fail_answer,
    )
} | {
    "note_not_owner": _noting("erp_not_owner"),
    "note_saved_before": _noting("erp_saved_before"),
    "note_cancel_too_late": _noting("erp_cancel_too_late"),
    "note_cancel_failed": _noting("erp_cancel_failed"),
    "note_old_attempt": _noting("erp_old_attempt"),
    "note_late_answer": _noting("erp_late_answer"),
    "refuse_cancelled_before": _ending("erp_cancelled_before"),
    "refuse_rights": _ending("erp_no_right"),
    "refuse_missing": _ending("erp_record_missing"),
    "refuse_several": _ending("erp_several_records"),
    "refuse_values": _ending("erp_value_invalid"),
    "refuse_names": _ending("erp_name_unclear"),
    "refuse_record_state": _ending("erp_record_state"),
    "refuse_stamps": _ending("erp_no_stamps"),
    "refuse_dry_run": _ending("erp_dry_run_invalid"),
    "refuse_preview": _ending("erp_preview_failed"),
    "refuse_preview_silent": _ending("erp_preview_silent"),
    "refuse_owner": _ending("erp_not_owner"),
    "refuse_changed": _ending("erp_changed_since"),
    "refuse_digest": _ending("erp_digest_differs"),
    "refuse_recheck": _ending("erp_recheck_failed"),
    "refuse_recheck_silent": _ending("erp_recheck_silent"),
    "refuse_fault": _ending("erp_fault"),
    "expire_card": _ending("erp_card_expired"),
    "end_taken": _ending("erp_already_taken"),
    "fail_not_queued": _ending("erp_not_queued"),
    "lose_claim": _ending("erp_claim_unknown"),
    "lose_fault": _ending("erp_fault_later"),
    "lose_status": _ending("erp_status_impossible"),
    "lose_watch": _ending("erp_watch_lost"),
    "lose_watch_end": _ending("erp_watch_ended"),
    "lose_time": _ending("erp_watch_time"),
    "lose_close": _ending("erp_close_unknown"),
}  # fmt: skip

__all__ = ["ERP_REDUCERS", "FAILURE_REASONS", "Record", "Reducer"]
