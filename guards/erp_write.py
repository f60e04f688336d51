"""The gates of a written ERP change (E5, E6, E8): what is not known to be right is refused.

Each guard hands its fact to a rule. A fact that is missing or unknown is a refusal, so a service
that forgets to look can never open a gate.
"""

from typing import Literal

from states.erp_write import (
    AT_WORK,
    ATTEMPTS_MAX,
    CANCELLED,
    STATUS_FOLLOWS,
    SUCCESSES,
    Context,
)
from states.events import Event
from states.verdict import ALLOWED, Verdict, refused


def found_is(found: object, wanted: str, reason: str) -> Verdict:
    """Refuse with *reason* unless exactly *wanted* was found."""
    return ALLOWED if found == wanted else refused(reason)


# -- before the first gate


def may_be_offered(context: Context, event: Event) -> Verdict:
    """The person has not cancelled this very change, or asked for it again since."""
    del context
    given = event.payload
    return offer_is_wanted(
        cancelled_before=given.get("cancelled_before"), asked_again=given.get("asked_again")
    )


def offer_is_wanted(*, cancelled_before: object, asked_again: object) -> Verdict:
    """Refuse a change that the person cancelled and nobody asked for since."""
    if cancelled_before is False or asked_again is True:
        return ALLOWED
    return refused("erp_cancelled_before")


# -- gate 1 (the card) and gate 2 (the click): what was found, found again


def rights_granted(context: Context, event: Event) -> Verdict:
    """The person may make this change."""
    del context
    return found_is(event.payload.get("rights"), "granted", "erp_no_right")


def record_found(context: Context, event: Event) -> Verdict:
    """There is such a record."""
    del context
    return located_something(event.payload.get("located"))


def located_something(located: object) -> Verdict:
    """Refuse when no record was found, or nobody looked."""
    return ALLOWED if located in ("one", "many") else refused("erp_record_missing")


def record_is_one(context: Context, event: Event) -> Verdict:
    """There is exactly one such record."""
    del context
    return found_is(event.payload.get("located"), "one", "erp_several_records")


def values_valid(context: Context, event: Event) -> Verdict:
    """Every new value can be read and is allowed for its field."""
    del context
    return found_is(event.payload.get("values"), "valid", "erp_value_invalid")


def names_resolved(context: Context, event: Event) -> Verdict:
    """Every name of another record is bound to one record."""
    del context
    return found_is(event.payload.get("names"), "resolved", "erp_name_unclear")


def record_state_legal(context: Context, event: Event) -> Verdict:
    """The record's state (audited, void) allows the change."""
    del context
    return found_is(event.payload.get("record_state"), "legal", "erp_record_state")


def stamps_taken(context: Context, event: Event) -> Verdict:
    """The stamps of every record on the card are kept with it."""
    del context
    return found_is(event.payload.get("stamps"), "taken", "erp_no_stamps")


def dry_run_passes(context: Context, event: Event) -> Verdict:
    """The ERP, asked to try, did not say that the change is invalid."""
    del context
    return trial_is_no_refusal(event.payload.get("dry_run"))


def trial_is_no_refusal(dry_run: object) -> Verdict:
    """Refuse an invalid trial; one that could not be reached is allowed and marked (E6)."""
    return ALLOWED if dry_run in ("valid", "unreachable") else refused("erp_dry_run_invalid")


def clicked_by_owner(context: Context, event: Event) -> Verdict:
    """The person who clicks is the one the card was made for."""
    del context
    return found_is(event.payload.get("owner"), "same", "erp_not_owner")


def read_values_same(context: Context, event: Event) -> Verdict:
    """Every value and stamp on the card is still what the ERP holds."""
    del context
    return found_is(event.payload.get("read_values"), "same", "erp_changed_since")


def payload_is_as_shown(context: Context, event: Event) -> Verdict:
    """What will be queued has the digest of what the card showed (E6)."""
    del context
    return found_is(event.payload.get("digest"), "same", "erp_digest_differs")


def digest_of_payload(shown: str, queued: str) -> Literal["same", "other"]:
    """Return how the digest of the *queued* payload stands to the *shown* card's."""
    return "same" if shown and shown == queued else "other"


# -- gate 3: the claim


def claim_won(context: Context, event: Event) -> Verdict:
    """This click, and no other, claimed the card and wrote its rows."""
    del context
    return found_is(event.payload.get("claim"), "won", "erp_already_taken")


def rows_are_queued(context: Context, event: Event) -> Verdict:
    """The transaction that was not heard of again had been committed."""
    del context
    return found_is(event.payload.get("rows"), "queued", "erp_not_queued")


def another_claimed(context: Context, event: Event) -> Verdict:
    """The rows that are in the queue are those of another click."""
    del context
    return found_is(event.payload.get("rows"), "other", "erp_no_other_claim")


# -- the queue


def cancel_won(context: Context, event: Event) -> Verdict:
    """The rows still had status 100 when the cancel reached them."""
    del context
    return found_is(event.payload.get("cancel"), "won", "erp_cancel_too_late")


def attempt_is_newer(context: Context, event: Event) -> Verdict:
    """A worker took the rows that had not been taken under this number."""
    return attempt_follows(event.payload.get("attempt"), context.control.attempts)


def attempt_follows(attempt: object, attempts: int) -> Verdict:
    """Refuse an attempt that was seen before, and one beyond the bound."""
    if isinstance(attempt, int) and attempts < attempt <= ATTEMPTS_MAX:
        return ALLOWED
    return refused("erp_old_attempt", attempt=attempt, attempts=attempts)


def attempts_left(context: Context, event: Event) -> Verdict:
    """The rows may be taken once more."""
    del event
    return another_attempt_is_left(context.control.attempts)


def another_attempt_is_left(attempts: int) -> Verdict:
    """Refuse after the third attempt."""
    if attempts < ATTEMPTS_MAX:
        return ALLOWED
    return refused("erp_attempts_spent", attempts=attempts)


def answer_is_current(context: Context, event: Event) -> Verdict:
    """The answer is not that of a worker whose lease another took over."""
    return answer_is_of(event.payload.get("attempt"), context.control.attempts)


def answer_is_of(attempt: object, attempts: int) -> Verdict:
    """Refuse the answer of an attempt before the last one taken."""
    if isinstance(attempt, int) and attempt >= attempts:
        return ALLOWED
    return refused("erp_late_answer", attempt=attempt, attempts=attempts)


def status_may_follow(context: Context, event: Event) -> Verdict:
    """The rows can have come to this status from the one last seen."""
    return status_is_reachable(context.control.status, event.payload.get("status"))


def status_is_reachable(before: int, after: object) -> Verdict:
    """Refuse a status that the queue's protocol does not allow after *before*."""
    if isinstance(after, int) and after in STATUS_FOLLOWS.get(before, ()):
        return ALLOWED
    return refused("erp_status_impossible", status=before, after=after)


def worker_holds_lease(context: Context, event: Event) -> Verdict:
    """The rows could not be ended, because their worker renewed its lease."""
    del context
    return status_is_at_work(event.payload.get("status"))


def status_is_at_work(status: object) -> Verdict:
    """Refuse every status but 101."""
    return ALLOWED if status == AT_WORK else refused("erp_lease_over")


def answer_is_success(context: Context, event: Event) -> Verdict:
    """The ERP wrote the change, now or before."""
    del event
    return status_is_success(context.control.status)


def status_is_success(status: int) -> Verdict:
    """Refuse every status but 200 and 201."""
    return ALLOWED if status in SUCCESSES else refused("erp_no_success", status=status)


def answer_is_cancellation(context: Context, event: Event) -> Verdict:
    """The rows were cancelled."""
    del event
    return status_is_cancelled(context.control.status)


def status_is_cancelled(status: int) -> Verdict:
    """Refuse every status but 450."""
    return ALLOWED if status == CANCELLED else refused("erp_not_cancelled", status=status)
