"""What an ERP change remembers: finite control, and why it ended in words of both languages."""

from typing import Any

import pytest

from states.catalogue import CATALOGUE, words
from states.erp_write import (
    ANSWERS,
    AT_WORK,
    ATTEMPTS_MAX,
    CONTROL_DOMAINS,
    FAILURES,
    PENDING,
    Context,
    Control,
    Record,
)
from states.erp_write_fold import ERP_REDUCERS, FAILURE_REASONS
from states.events import Event

QUEUE_EVENTS: dict[str, dict[str, Any]] = {
    "take_rows": {"claim": "won", "record": {"rows": [7, 8]}},
    "take_attempt": {"attempt": 2},
    "take_answer": {"status": 422, "attempt": 2, "record": {"receipt": "price missing"}},
}
NOTICES = sorted(name for name in ERP_REDUCERS if name.startswith("note_"))
ENDS = sorted(name for name in ERP_REDUCERS if name.split("_")[0] in ("refuse", "lose"))


def fold(context: Context, reducer: str, payload: dict[str, Any] | None = None) -> Context:
    return ERP_REDUCERS[reducer](context, Event("x", payload or {}))


def at_work() -> Context:
    record = Record(preview_id="p1", rows=(7, 8), attempts=2)
    return Context(Control(AT_WORK, 2), record)


def test_the_control_stays_inside_its_domains_whatever_is_folded() -> None:
    for start in (Context(), Context(Control(PENDING, 0)), at_work()):
        for reducer in ERP_REDUCERS:
            for payload in ({"attempt": 9, "status": 500}, {"attempt": 1, "status": 200}):
                control = fold(start, reducer, payload).control
                for field, values in CONTROL_DOMAINS.items():
                    assert getattr(control, field) in values, reducer


def test_an_answer_ends_the_counting_and_keeps_what_the_erp_said() -> None:
    context = Context()
    for reducer, payload in QUEUE_EVENTS.items():
        context = fold(context, reducer, payload)
    assert context.control == Control(422, 0)
    assert (context.record.attempts, context.record.rows) == (2, (7, 8))
    assert context.record.receipt == "price missing"


def test_a_card_is_kept_with_its_digest_and_whether_it_was_tried() -> None:
    given = {"preview_id": "p1", "summary": "s", "digest": "d1"}
    tried = fold(Context(), "take_card", {"dry_run": "valid", "record": given}).record
    assert (tried.preview_id, tried.summary, tried.card_digest) == ("p1", "s", "d1")
    assert tried.prechecked
    for dry_run in ("unreachable", "", None):
        untried = fold(Context(), "take_card", {"dry_run": dry_run, "record": given}).record
        assert not untried.prechecked


def test_the_queued_digest_and_the_click_are_kept_beside_the_card() -> None:
    context = fold(Context(), "take_click", {"owner": "same", "record": {"user": "sales1"}})
    context = fold(context, "take_recheck", {"dry_run": "valid", "record": {"digest": "d1"}})
    assert (context.record.clicked_by, context.record.queued_digest) == ("sales1", "d1")


@pytest.mark.parametrize(("given", "language"), [("zh-CN", "zh-CN"), ("en", "en"), ("fr", "en")])
def test_the_person_is_told_in_a_language_there_is(given: str, language: str) -> None:
    record = fold(Context(), "take_proposal", {"record": {"language": given}}).record
    assert record.language == language


def test_the_persons_words_stay_with_a_cancel_until_the_queue_agrees() -> None:
    asked = fold(Context(Control(PENDING, 0)), "ask_cancel", {"record": {"reason": "wrong row"}})
    assert (asked.record.reason, asked.control.status) == ("", PENDING)
    done = fold(asked, "take_cancelled", {"cancel": "won"})
    assert (done.record.reason, done.control.status) == ("erp_cancelled", 450)
    assert done.record.reason_facts == (("why", "wrong row"),)
    early = fold(Context(), "take_cancel", {"record": {"reason": "wrong row"}})
    assert early.record.reason_facts == done.record.reason_facts
    assert early.control == Control()


@pytest.mark.parametrize("reducer", NOTICES)
def test_a_notice_changes_nothing_but_itself(reducer: str) -> None:
    before = at_work()
    after = fold(before, reducer, {"attempt": 1})
    assert after.record.notice in CATALOGUE
    assert after == Context(before.control, before.record._replace(notice=after.record.notice))


@pytest.mark.parametrize("reducer", ENDS)
def test_an_end_names_its_reason_and_keeps_the_status_last_seen(reducer: str) -> None:
    facts = {"error": "busy", "text": "the store is busy", "record": {"what": "number 40"}}
    after = fold(at_work(), reducer, facts)
    assert after.control == Control(AT_WORK, 0)
    said = dict(after.record.reason_facts)
    for lang in (0, 1):
        sentence = CATALOGUE[after.record.reason][lang]
        assert sentence
    spoken = words(after.record.reason, "en", **said)
    assert "?" not in spoken
    assert (said["status"], said["attempts"], said["rows"]) == ("101", "2", "7, 8")


def test_no_two_ends_are_told_alike() -> None:
    reasons = [fold(at_work(), reducer).record.reason for reducer in ENDS]
    assert len(set(reasons)) == len(reasons)


@pytest.mark.parametrize("status", FAILURES)
def test_every_failure_of_the_protocol_has_a_sentence_of_its_own(status: int) -> None:
    after = fold(Context(Control(status, 0)), "fail_answer", {"status": status})
    assert after.record.reason == FAILURE_REASONS[status]
    assert str(status) in CATALOGUE[after.record.reason][0]
    assert str(status) in CATALOGUE[after.record.reason][1]


def test_the_failures_are_those_of_the_protocol() -> None:
    assert set(FAILURE_REASONS) == set(FAILURES)
    assert len(set(FAILURE_REASONS.values())) == len(FAILURES)
    assert set(ANSWERS) == {200, 201, 400, 401, 404, 409, 422, 423, 450, 500, 504}
    assert CONTROL_DOMAINS["attempts"] == tuple(range(ATTEMPTS_MAX + 1)) == (0, 1, 2, 3)


def test_a_record_that_is_no_mapping_is_nothing() -> None:
    assert (
        fold(Context(), "take_card", {"record": "p1", "dry_run": "valid"}).record.preview_id == ""
    )
