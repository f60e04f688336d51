"""The chart erp_write up to the queue: three gates, and nothing is written unasked."""

from typing import Any

import pytest

from engine.chart.core import Do, Timer
from states.catalogue import CATALOGUE
from states.erp_write import ANSWERS, FAILURES, SUCCESSES, Context
from states.events import Event
from tests.statecharts.erp_walk import (
    CANCELLING,
    CARD,
    CHART,
    CHECKED,
    CLOSING,
    CORE,
    HANDED_OVER,
    QUEUED,
    RUNNING,
    SAVE,
    STALLED,
    STATES,
    WON,
    Walk,
    at,
)


def test_a_change_is_shown_saved_checked_queued_and_written() -> None:
    walk = Walk()
    assert walk.state == "preview"
    assert walk.done("prepare", CARD) == "shown"
    assert walk.send("save", SAVE) == "claimed.checking"
    assert walk.done("recheck", CHECKED) == "claimed.queueing"
    assert walk.done("enqueue", WON) == QUEUED
    assert walk.status == 100
    assert walk.taken(1) == RUNNING
    assert walk.status == 101
    assert walk.answered(200) == "succeeded"
    assert walk.started == ["prepare_card", "recheck", "enqueue", "watch_rows"]
    record = walk.snapshot.context.record
    assert (record.rows, record.clicked_by, record.card_digest) == ((7, 8), "sales1", "d1")
    assert walk.snapshot.live == ()


GATE_1 = [
    ("rights", "denied", "erp_no_right"), ("located", "none", "erp_record_missing"),
    ("located", "many", "erp_several_records"), ("values", "invalid", "erp_value_invalid"),
    ("names", "unclear", "erp_name_unclear"), ("record_state", "illegal", "erp_record_state"),
    ("stamps", "missing", "erp_no_stamps"), ("dry_run", "invalid", "erp_dry_run_invalid"),
]  # fmt: skip
GATE_2 = [
    ("owner", "other", "erp_not_owner"), ("rights", "denied", "erp_no_right"),
    ("record_state", "illegal", "erp_record_state"), ("dry_run", "invalid", "erp_dry_run_invalid"),
    ("read_values", "changed", "erp_changed_since"), ("digest", "other", "erp_digest_differs"),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "found", "reason"), GATE_1)
def test_gate_1_refuses_and_shows_no_card(fact: str, found: str, reason: str) -> None:
    walk = Walk()
    assert walk.done("prepare", {**CARD, fact: found}) == "refused"
    assert walk.reason == reason
    assert Walk().done("prepare", CARD) == "shown"


@pytest.mark.parametrize(("fact", "found", "reason"), GATE_2)
def test_gate_2_refuses_and_queues_nothing(fact: str, found: str, reason: str) -> None:
    walk = at("claimed.checking")
    assert walk.done("recheck", {**CHECKED, fact: found}) == "refused"
    assert walk.reason == reason
    assert "enqueue" not in walk.started
    assert at("claimed.checking").done("recheck", CHECKED) == "claimed.queueing"


@pytest.mark.parametrize(("service", "facts"), [("prepare", CARD), ("recheck", CHECKED)])
def test_a_fact_that_the_service_forgot_is_a_refusal(service: str, facts: dict[str, Any]) -> None:
    for fact in set(facts) - {"record"}:
        walk = at("preview" if service == "prepare" else "claimed.checking")
        without = {key: value for key, value in facts.items() if key != fact}
        assert walk.done(service, without) == "refused", fact


def test_a_dry_run_that_cannot_be_reached_is_allowed_and_marked_on_card_and_record() -> None:
    walk = Walk()
    assert walk.done("prepare", {**CARD, "dry_run": "unreachable"}) == "shown"
    assert not walk.snapshot.context.record.prechecked
    walk.send("save", SAVE)
    assert walk.done("recheck", CHECKED) == "claimed.queueing"
    assert walk.snapshot.context.record.prechecked
    other = at("claimed.checking")
    assert other.snapshot.context.record.prechecked
    assert other.done("recheck", {**CHECKED, "dry_run": "unreachable"}) == "claimed.queueing"
    assert not other.snapshot.context.record.prechecked


def test_the_card_is_shown_once_and_before_any_click() -> None:
    walk = at("shown")
    shown = [e for s in walk.steps for e in s.effects if isinstance(e, Do)]
    assert [effect.action for effect in shown] == ["show_card"]
    assert any(isinstance(e, Timer) for e in walk.steps[-1].effects)


def test_a_card_that_nobody_clicks_expires_and_is_not_called_cancelled() -> None:
    walk = at("shown")
    assert walk.late("card_seconds") == "expired"
    assert walk.reason == "erp_card_expired"
    assert walk.send("save", SAVE) == "expired"
    assert walk.started == ["prepare_card"]


@pytest.mark.parametrize("clicked", [{"owner": "other"}, {"owner": ""}, {}])
def test_a_strangers_click_writes_nothing_and_leaves_the_card_to_its_owner(
    clicked: dict[str, Any],
) -> None:
    walk = at("shown")
    assert walk.send("save", clicked) == "shown"
    assert (walk.told, walk.notice) == (True, "erp_not_owner")
    assert walk.started == ["prepare_card"]
    assert walk.send("save", SAVE) == "claimed.checking"


def test_a_cancelled_change_is_not_offered_again_until_the_person_asks() -> None:
    walk = Walk({"cancelled_before": True, "asked_again": False})
    assert (walk.state, walk.reason, walk.started) == ("refused", "erp_cancelled_before", [])
    assert Walk({"cancelled_before": True, "asked_again": True}).state == "preview"
    assert Walk({}).state == "refused"


def test_a_lost_claim_ends_as_already_taken() -> None:
    walk = at("claimed.queueing")
    assert walk.done("enqueue", {"claim": "lost"}) == "taken"
    assert (walk.reason, walk.status) == ("erp_already_taken", 0)
    assert "watch_rows" not in walk.started


@pytest.mark.parametrize("state", [*STATES[2:], *HANDED_OVER])
def test_fifty_more_clicks_claim_nothing_more_and_each_is_told_why(state: str) -> None:
    walk = at(state)
    before = walk.started
    for _ in range(50):
        assert walk.send("save", SAVE) == state
        assert walk.steps[-1].result == "handled"
        assert (walk.told, walk.notice) == (True, "erp_saved_before")
    assert walk.started == before
    assert before.count("enqueue") <= 1


@pytest.mark.parametrize("state", ["preview", "shown"])
def test_a_cancel_before_the_click_ends_it_and_nothing_is_written(state: str) -> None:
    walk = at(state)
    assert walk.send("abort", {"record": {"reason": "no"}}) == "cancelled"
    assert (walk.reason, walk.status, walk.snapshot.live) == ("erp_cancelled", 0, ())
    assert "enqueue" not in walk.started


def test_a_cancel_while_nothing_is_proposed_ends_it_too() -> None:
    step = CORE.feed(CORE.initial(Context()), Event("abort"))
    assert step.snapshot.state == "cancelled"


@pytest.mark.parametrize("state", [*STATES[2:], CANCELLING, RUNNING, STALLED, CLOSING])
def test_a_cancel_that_comes_too_late_changes_nothing_and_is_told(state: str) -> None:
    walk = at(state)
    before = walk.snapshot
    assert walk.send("abort") == state
    assert (walk.told, walk.notice) == (True, "erp_cancel_too_late")
    assert walk.snapshot.live == before.live
    assert walk.snapshot.context.control == before.context.control


@pytest.mark.parametrize(
    ("state", "service", "error", "silent"),
    [
        ("preview", "prepare", "erp_preview_failed", "erp_preview_silent"),
        ("claimed.checking", "recheck", "erp_recheck_failed", "erp_recheck_silent"),
    ],
)
def test_a_gate_that_cannot_look_refuses(state: str, service: str, error: str, silent: str) -> None:
    walk = at(state)
    assert (walk.failed(service), walk.reason) == ("refused", error)
    walk = at(state)
    assert (walk.late("gate_seconds"), walk.reason) == ("refused", silent)
    assert "enqueue" not in walk.started


@pytest.mark.parametrize("state", [*STATES, *HANDED_OVER])
def test_a_fault_of_our_own_never_claims_more_than_is_known(state: str) -> None:
    walk = at(state)
    ended = walk.send("fault", {"error": "e", "text": "t"})
    assert ended == ("unknown" if "enqueue" in walk.started else "refused")


def test_every_end_has_words_in_both_languages() -> None:
    assert {f"{reason}" for *_, reason in GATE_1 + GATE_2} <= set(CATALOGUE)
    assert set(ANSWERS) == {*SUCCESSES, *FAILURES, 450}
    for state in CHART.states.values():
        assert state.description.en, state.path
        assert state.description.zh, state.path
