"""The gates of an ERP change: each refuses for its reason, and what is not known is refused."""

import pytest

from guards.erp_write import digest_of_payload
from sgclaw.wiring_erp import ERP_GUARDS
from states.catalogue import CATALOGUE
from states.erp_write import (
    ANSWERS,
    AT_WORK,
    ATTEMPTS_MAX,
    CANCELLED,
    FAILURES,
    NOT_QUEUED,
    PENDING,
    STATUS_FOLLOWS,
    SUCCESSES,
    Context,
    Control,
)
from states.events import Event
from states.verdict import Verdict

# guard, the fact it reads, what opens it, what does not, the reason
FACTS: list[tuple[str, str, tuple[object, ...], tuple[object, ...], str]] = [
    ("rights_granted", "rights", ("granted",), ("denied",), "erp_no_right"),
    ("record_found", "located", ("one", "many"), ("none",), "erp_record_missing"),
    ("record_is_one", "located", ("one",), ("many", "none"), "erp_several_records"),
    ("values_valid", "values", ("valid",), ("invalid",), "erp_value_invalid"),
    ("names_resolved", "names", ("resolved",), ("unclear",), "erp_name_unclear"),
    ("record_state_legal", "record_state", ("legal",), ("illegal",), "erp_record_state"),
    ("stamps_taken", "stamps", ("taken",), ("missing",), "erp_no_stamps"),
    ("dry_run_passes", "dry_run", ("valid", "unreachable"), ("invalid",), "erp_dry_run_invalid"),
    ("clicked_by_owner", "owner", ("same",), ("other",), "erp_not_owner"),
    ("read_values_same", "read_values", ("same",), ("changed",), "erp_changed_since"),
    ("payload_is_as_shown", "digest", ("same",), ("other",), "erp_digest_differs"),
    ("claim_won", "claim", ("won",), ("lost",), "erp_already_taken"),
    ("rows_are_queued", "rows", ("queued",), ("none",), "erp_not_queued"),
    ("another_claimed", "rows", ("other",), ("queued", "none"), "erp_no_other_claim"),
    ("cancel_won", "cancel", ("won",), ("lost",), "erp_cancel_too_late"),
    ("worker_holds_lease", "status", (101,), (100, 200, 500), "erp_lease_over"),
]
NO_FACTS: tuple[object, ...] = (None, "", True, 1, "yes", ("granted",), {})


def ask(guard: str, facts: dict[str, object], **control: int) -> Verdict:
    return ERP_GUARDS[guard](Context(Control(**control)), Event("x", facts))


@pytest.mark.parametrize(("guard", "fact", "opens", "refuses", "reason"), FACTS)
def test_a_gate_opens_for_its_fact_alone(
    guard: str, fact: str, opens: tuple[object, ...], refuses: tuple[object, ...], reason: str
) -> None:
    for found in opens:
        assert ask(guard, {fact: found}) == Verdict(True)  # noqa: FBT003
    for found in (*refuses, *NO_FACTS):
        verdict = ask(guard, {fact: found})
        assert (verdict.allowed, verdict.reason) == (False, reason), found
    assert not ask(guard, {})
    assert reason in CATALOGUE


@pytest.mark.parametrize(
    ("cancelled_before", "asked_again", "offered"),
    [(False, False, True), (False, True, True), (True, True, True), (True, False, False),
     (None, False, False), (0, 0, False), ("no", "yes", False), (True, 1, False)],
)  # fmt: skip
def test_a_cancelled_change_is_offered_only_when_asked_for(
    cancelled_before: object, asked_again: object, offered: bool
) -> None:
    facts = {"cancelled_before": cancelled_before, "asked_again": asked_again}
    verdict = ask("may_be_offered", facts)
    assert verdict.allowed is offered
    assert verdict.reason == ("" if offered else "erp_cancelled_before")


@pytest.mark.parametrize("attempts", range(ATTEMPTS_MAX + 1))
def test_rows_are_taken_under_a_new_number_up_to_the_bound(attempts: int) -> None:
    for attempt in range(-1, ATTEMPTS_MAX + 3):
        verdict = ask("attempt_is_newer", {"attempt": attempt}, attempts=attempts)
        assert verdict.allowed is (attempts < attempt <= 3), attempt
    assert ask("attempt_is_newer", {}, attempts=attempts).reason == "erp_old_attempt"
    assert not ask("attempt_is_newer", {"attempt": "2"}, attempts=attempts)


def test_three_attempts_are_the_bound() -> None:
    assert ask("attempts_left", {}, attempts=2)
    verdict = ask("attempts_left", {}, attempts=3)
    assert (verdict.allowed, verdict.reason) == (False, "erp_attempts_spent")
    assert "3" in verdict.text("zh-CN")


@pytest.mark.parametrize("attempts", range(ATTEMPTS_MAX + 1))
def test_an_answer_counts_from_the_attempt_that_was_last_taken(attempts: int) -> None:
    for attempt in range(ATTEMPTS_MAX + 1):
        verdict = ask("answer_is_current", {"attempt": attempt}, attempts=attempts)
        assert verdict.allowed is (attempt >= attempts), attempt
    nothings: tuple[dict[str, object], ...] = ({}, {"attempt": None}, {"attempt": "3"})
    for nothing in nothings:
        assert ask("answer_is_current", nothing, attempts=attempts).reason == "erp_late_answer"


def test_a_status_moves_only_as_the_queues_protocol_allows() -> None:
    def followers(before: int) -> set[int]:
        return {s for s in range(700) if ask("status_may_follow", {"status": s}, status=before)}

    assert followers(NOT_QUEUED) == {100}
    assert followers(PENDING) == {101, 200, 201, 400, 401, 404, 409, 422, 423, 450, 500, 504}
    assert followers(AT_WORK) == followers(PENDING) - {CANCELLED}
    for status in ANSWERS:
        assert followers(status) == set(), status
    assert set(STATUS_FOLLOWS) == {NOT_QUEUED, PENDING, AT_WORK, *ANSWERS}


@pytest.mark.parametrize("status", [None, "200", 200.5, "", [200], 202, 999])
def test_what_is_no_status_follows_nothing(status: object) -> None:
    verdict = ask("status_may_follow", {"status": status}, status=PENDING)
    assert (verdict.allowed, verdict.reason) == (False, "erp_status_impossible")


def test_only_200_and_201_are_success_and_only_450_is_a_cancellation() -> None:
    for status in (NOT_QUEUED, PENDING, AT_WORK, *ANSWERS):
        success = ask("answer_is_success", {}, status=status)
        cancelled = ask("answer_is_cancellation", {}, status=status)
        assert success.allowed is (status in (200, 201)), status
        assert cancelled.allowed is (status == 450), status
        assert success or success.reason == "erp_no_success"
        assert cancelled or cancelled.reason == "erp_not_cancelled"
    assert set(SUCCESSES).isdisjoint(FAILURES)


def test_the_digest_of_the_payload_is_the_cards_or_another() -> None:
    assert digest_of_payload("d1", "d1") == "same"
    for shown, queued in (("d1", "d2"), ("d1", ""), ("", "d1"), ("", "")):
        assert digest_of_payload(shown, queued) == "other"


def test_every_guard_of_the_chart_is_tried_here() -> None:
    others = {
        *("may_be_offered", "attempt_is_newer", "attempts_left", "answer_is_current"),
        *("status_may_follow", "answer_is_success", "answer_is_cancellation"),
    }
    assert {guard for guard, *_ in FACTS} | others == set(ERP_GUARDS)
