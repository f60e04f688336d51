"""An approval lets one command on one element pass, once, for a time; a no is kept for good."""

from typing import Any

import pytest

from browser.host.approvals import Approvals, Subject, subject_of
from browser.host.outcome import ResolvedCall
from states.digest import digest_of, mark_of
from states.policy import Effect, Target

A = Subject("digest-a", "mark-a", 7, "filled")
B = Subject("digest-b", "mark-b", 8, "filled")
BUTTON = Target(role="button", name="Delete", serial=7, form_state="filled")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_approval_is_spent_by_its_first_use_and_tells_who_gave_it() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A], "terminal", 10)
    assert approvals.consume(A) == "terminal"
    assert approvals.consume(A) is None


def test_an_approval_of_another_digest_does_not_pass() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A], "terminal", 10)
    assert approvals.consume(B) is None
    assert approvals.consume(A) == "terminal"


@pytest.mark.parametrize("change", [{"serial": 9}, {"form_state": "other values"}])
def test_an_approval_does_not_pass_another_element_or_another_content_of_the_form(
    change: dict[str, Any],
) -> None:
    approvals = Approvals(Clock())
    approvals.grant([A], "terminal", 10)
    assert approvals.consume(A._replace(**change)) is None
    assert approvals.consume(A) is None  # it was about what is gone


def test_whatever_is_done_takes_every_approval_back() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A], "terminal", 10)
    approvals.grant([B], "terminal", 10)
    approvals.void()
    assert (approvals.consume(A), approvals.consume(B)) == (None, None)


def test_an_approval_expires() -> None:
    clock = Clock()
    approvals = Approvals(clock)
    approvals.grant([A], "terminal", 10)
    approvals.grant([B], "terminal", 10)
    clock.now = 9.9
    assert approvals.consume(A) == "terminal"
    clock.now = 10
    assert approvals.consume(B) is None
    clock.now = 0
    assert approvals.consume(B) is None


C = Subject("digest-c", "mark-c", 9, "filled")


def test_a_list_passes_in_its_order_and_only_as_a_list() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A, B, C], "terminal", 10)
    for subject in (A, B, C):
        assert approvals.listed(subject) == "terminal"
        assert approvals.consume(subject) == "terminal"
        approvals.void_others()
        assert approvals.consume(subject) is None
    approvals.grant([A], "terminal", 10)
    assert approvals.listed(A) is None  # alone it is no list: the person is asked each time
    assert approvals.consume(A) == "terminal"


@pytest.mark.parametrize("asked", [B, A._replace(serial=1), A._replace(form_state="x")])
def test_what_is_not_the_next_of_a_list_ends_it(asked: Subject) -> None:
    approvals = Approvals(Clock())
    approvals.grant([A, B, C], "terminal", 10)
    assert approvals.listed(asked) is None
    assert approvals.consume(asked) is None
    assert [approvals.consume(subject) for subject in (A, B, C)] == [None] * 3


def test_a_list_does_not_keep_what_was_given_beside_it() -> None:
    approvals = Approvals(Clock())
    approvals.grant([C], "terminal", 10)
    approvals.grant([A, B], "terminal", 10)
    assert approvals.consume(A) == "terminal"
    approvals.void_others()
    assert approvals.consume(C) is None
    assert approvals.consume(B) == "terminal"


def test_what_acts_without_an_approval_keeps_no_list() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A, B], "terminal", 10)
    assert approvals.consume(A) == "terminal"
    assert approvals.consume(C) is None
    approvals.void_others()
    assert approvals.consume(B) is None


def test_a_list_may_be_taken_back_without_what_was_given_by_itself() -> None:
    approvals = Approvals(Clock())
    approvals.grant([C], "terminal", 10)
    approvals.grant([A, B], "terminal", 10)
    approvals.void_lists()
    assert [approvals.consume(subject) for subject in (A, B, C)] == [None, None, "terminal"]


def test_what_is_given_anew_stands_where_the_new_list_has_it() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A, B], "terminal", 10)
    approvals.grant([B, A], "terminal", 10)
    assert approvals.listed(A) is None
    assert approvals.consume(B) == "terminal"
    assert approvals.consume(A) == "terminal"


def test_a_rejection_is_remembered_by_digest_and_by_mark_and_takes_the_approval_back() -> None:
    approvals = Approvals(Clock())
    approvals.grant([A], "terminal", 10)
    approvals.reject(A)
    assert approvals.was_rejected(A)
    assert approvals.was_rejected(B._replace(digest=A.digest))
    assert approvals.was_rejected(B._replace(mark=A.mark))
    assert not approvals.was_rejected(B)
    assert approvals.consume(A) is None


def test_a_digest_changes_with_each_of_its_six_facts_and_with_nothing_else() -> None:
    target = Target(role="button", name="Delete", frame="")
    base = ("click", {"selector": "#x", "timeout_ms": 1}, "https://a", "doc", target, "trace")
    digest = digest_of(*base)
    others = [
        ("type", *base[1:]),
        (base[0], {"selector": "#y", "timeout_ms": 1}, *base[2:]),
        (*base[:2], "https://b", *base[3:]),
        (*base[:3], "doc2", *base[4:]),
        (*base[:4], Target(role="link", name="Delete"), base[5]),
        (*base[:4], Target(role="button", name="Delete all"), base[5]),
        (*base[:4], Target(role="button", name="Delete", frame="f1"), base[5]),
        (*base[:5], "trace2"),
    ]
    assert len({digest, *(digest_of(*other) for other in others)}) == len(others) + 1
    spelled = {"timeout_ms": 20_000, "selector": "#x"}
    shown = BUTTON.model_copy(update={"tag": "button", "submits": True})
    assert digest_of("click", spelled, "https://a", "doc", shown, "trace") == digest


def test_a_mark_is_of_the_element_and_of_what_is_done_to_it_however_it_is_spelled() -> None:
    base = ("select", {"selector": "#x", "value": "1"}, "https://a", "doc", BUTTON)
    mark = mark_of(*base)
    assert mark == mark_of("select", {"selector": "@3", "value": "1", "timeout_ms": 5}, *base[2:])
    others = [
        ("click", *base[1:]),
        (base[0], {"selector": "#x", "value": "2"}, *base[2:]),
        (*base[:2], "https://b", *base[3:]),
        (*base[:3], "doc2", BUTTON),
        *((*base[:4], BUTTON.model_copy(update={name: new}))
          for name, new in {"role": "link", "name": "x", "frame": "f", "serial": 8}.items()),
    ]  # fmt: skip
    assert len({mark, *(mark_of(*other) for other in others)}) == len(others) + 1


def test_the_subject_of_a_call_holds_its_element_and_what_its_form_held() -> None:
    call = ResolvedCall("click", {"selector": "#x"}, "https://a", "doc", BUTTON, Effect.CONFIRM)
    subject = subject_of(call, "trace")
    assert (subject.serial, subject.form_state) == (7, "filled")
    assert subject.digest != subject.mark
    nowhere = subject_of(call._replace(target=None), "trace")
    assert (nowhere.serial, nowhere.form_state) == (0, "")
