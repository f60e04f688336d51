"""The chart erp_write in the queue: leases, late answers, cancels, and what is not known."""

import pytest

from states.catalogue import words
from states.erp_write import FAILURES, SUCCESSES
from states.events import Event
from tests.statecharts.erp_walk import (
    CANCELLING,
    CLOSING,
    CORE,
    HANDED_OVER,
    QUEUED,
    RUNNING,
    STALLED,
    WON,
    at,
)


def test_rows_that_wait_are_cancelled_by_the_queue() -> None:
    walk = at(QUEUED)
    assert walk.send("abort") == CANCELLING
    assert walk.started[-1] == "cancel_rows"
    assert walk.done("cancel", {"cancel": "won"}) == "cancelled"
    assert walk.status == 450


@pytest.mark.parametrize("state", [QUEUED, CANCELLING])
def test_rows_cancelled_at_the_erp_end_as_cancelled(state: str) -> None:
    walk = at(state)
    assert walk.answered(450) == "cancelled"
    assert (walk.status, walk.reason) == (450, "erp_cancelled")


def test_a_cancel_that_lost_the_race_is_told_and_the_result_is_waited_for() -> None:
    walk = at(CANCELLING)
    assert walk.done("cancel", {"cancel": "lost"}) == RUNNING
    assert (walk.told, walk.notice, walk.status) == (True, "erp_cancel_too_late", 101)
    assert walk.taken(1) == RUNNING
    assert walk.answered(200) == "succeeded"


def test_rows_taken_while_the_cancel_is_under_way_make_it_too_late() -> None:
    walk = at(CANCELLING)
    assert walk.taken(1) == RUNNING
    assert (walk.told, walk.notice) == (True, "erp_cancel_too_late")
    assert "cancel" not in dict(walk.snapshot.live)
    other = at(QUEUED)
    other.taken(1)
    assert not other.told


@pytest.mark.parametrize("how", ["error", "silence"])
def test_a_cancel_that_could_not_be_put_may_be_tried_again(how: str) -> None:
    walk = at(CANCELLING)
    assert (walk.failed("cancel") if how == "error" else walk.late("gate_seconds")) == QUEUED
    assert (walk.told, walk.notice) == (True, "erp_cancel_failed")
    assert walk.send("abort") == CANCELLING


@pytest.mark.parametrize("status", SUCCESSES)
@pytest.mark.parametrize("state", HANDED_OVER)
def test_200_and_201_are_success(state: str, status: int) -> None:
    walk = at(state)
    assert walk.answered(status, attempt=3) == "succeeded"
    assert (walk.status, walk.reason, walk.snapshot.live) == (status, "", ())


@pytest.mark.parametrize("status", FAILURES)
def test_every_failure_is_told_with_what_the_erp_said(status: int) -> None:
    walk = at(RUNNING)
    facts = {"status": status, "attempt": 1, "record": {"receipt": "the ERP's words"}}
    assert walk.send("row_answered", facts) == "failed"
    assert walk.status == status
    record = walk.snapshot.context.record
    for lang in ("en", "zh-CN"):
        sentence = words(
            record.reason, "en" if lang == "en" else "zh-CN", **dict(record.reason_facts)
        )
        assert str(status) in sentence
        assert "the ERP's words" in sentence


@pytest.mark.parametrize("state", [RUNNING, STALLED, CLOSING])
@pytest.mark.parametrize("status", [450, 100, 0, 202, None, "200"])
def test_a_status_that_cannot_follow_is_not_believed(state: str, status: object) -> None:
    walk = at(state)
    assert walk.send("row_answered", {"status": status, "attempt": 3}) == "unknown"
    assert walk.reason == "erp_status_impossible"


def test_a_lease_that_runs_out_lets_the_rows_be_taken_three_times_and_no_more() -> None:
    walk = at(QUEUED)
    for attempt in (1, 2):
        assert walk.taken(attempt) == RUNNING
        assert walk.late("lease_seconds") == STALLED
    assert walk.taken(3) == RUNNING
    assert walk.late("lease_seconds") == CLOSING
    assert walk.taken(4) == CLOSING
    assert walk.done("close", {"status": 500}) == "failed"
    assert (walk.status, walk.reason) == (500, "erp_broken")
    assert dict(walk.snapshot.context.record.reason_facts)["attempts"] == "3"


def test_a_worker_that_takes_the_rows_over_starts_a_new_lease() -> None:
    walk = at(RUNNING)
    before = dict(walk.snapshot.live)
    assert walk.taken(2) == RUNNING
    now = dict(walk.snapshot.live)
    timer = "after.handed_over.running.lease_seconds"
    assert now[timer] != before[timer]
    assert now["watch"] == before["watch"]


def test_the_late_answer_of_an_earlier_worker_is_fenced() -> None:
    walk = at(STALLED)
    walk.taken(2)
    assert walk.answered(500, attempt=1) == RUNNING
    assert walk.notice == "erp_late_answer"
    assert walk.status == 101
    assert walk.answered(201, attempt=2) == "succeeded"


def test_the_answer_of_a_worker_that_nobody_replaced_counts_after_its_lease() -> None:
    assert at(STALLED).answered(200, attempt=1) == "succeeded"


def test_rows_taken_twice_under_one_number_were_taken_once() -> None:
    walk = at(RUNNING)
    before = walk.snapshot
    assert walk.taken(1) == RUNNING
    assert walk.snapshot.live == before.live
    assert walk.snapshot.context.control == before.context.control


def test_what_the_queue_says_at_the_last_lease_is_the_truth() -> None:
    assert at(CLOSING).done("close", {"status": 200}) == "succeeded"
    assert at(CLOSING).done("close", {"status": 101}) == RUNNING
    assert at(CLOSING).done("close", {"status": 450}) == "unknown"
    assert at(CLOSING).failed("close") == "unknown"
    assert at(CLOSING).late("gate_seconds") == "unknown"


@pytest.mark.parametrize("how", ["error", "silence"])
def test_a_write_that_was_not_heard_of_again_is_looked_up_and_never_repeated(how: str) -> None:
    for found, state in (
        ("queued", QUEUED),
        ("other", "taken"),
        ("none", "failed"),
        ("", "failed"),
    ):
        walk = at("claimed.queueing")
        lost = walk.failed("enqueue") if how == "error" else walk.late("gate_seconds")
        assert lost == "claimed.settling"
        assert walk.done("settle", {"rows": found, "record": {"rows": [7]}}) == state
        assert walk.started.count("enqueue") == 1
    walk = at("claimed.settling")
    assert (walk.failed("settle"), walk.reason) == ("unknown", "erp_claim_unknown")
    assert at("claimed.settling").late("gate_seconds") == "unknown"


def test_an_answer_that_comes_after_the_look_up_began_is_stale() -> None:
    walk = at("claimed.queueing")
    generation = dict(walk.snapshot.live)["enqueue"]
    walk.failed("enqueue")
    late = CORE.feed(walk.snapshot, Event("done.invoke.enqueue", WON, generation))
    assert late.result == "stale"


@pytest.mark.parametrize("state", HANDED_OVER)
def test_a_queue_that_cannot_be_read_leaves_the_outcome_unknown(state: str) -> None:
    assert at(state).failed("watch") == "unknown"
    walk = at(state)
    assert (walk.done("watch", {}), walk.reason) == ("unknown", "erp_watch_ended")
    walk = at(state)
    assert (walk.late("watch_seconds"), walk.reason) == ("unknown", "erp_watch_time")
