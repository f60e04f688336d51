"""An approval lets one command of exactly its digest pass, once, for a time."""

from browser.host.approvals import Approvals
from states.digest import digest_of
from states.policy import Target


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_approval_is_spent_by_its_first_use() -> None:
    approvals = Approvals(Clock())
    approvals.grant("a", "terminal", 10)
    assert approvals.consume("a")
    assert not approvals.consume("a")


def test_an_approval_of_another_digest_does_not_pass() -> None:
    approvals = Approvals(Clock())
    approvals.grant("a", "terminal", 10)
    assert not approvals.consume("b")
    assert approvals.consume("a")


def test_an_approval_expires() -> None:
    clock = Clock()
    approvals = Approvals(clock)
    approvals.grant("a", "terminal", 10)
    approvals.grant("b", "terminal", 10)
    clock.now = 9.9
    assert approvals.consume("a")
    clock.now = 10
    assert not approvals.consume("b")
    clock.now = 0
    assert not approvals.consume("b")


def test_a_rejection_is_remembered_and_takes_the_approval_back() -> None:
    approvals = Approvals(Clock())
    approvals.grant("a", "terminal", 10)
    approvals.reject("a")
    assert approvals.was_rejected("a")
    assert not approvals.was_rejected("b")
    assert not approvals.consume("a")


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
    spelled = {"timeout_ms": 1, "selector": "#x"}
    shown = Target(role="button", name="Delete", tag="button", submits=True)
    assert digest_of("click", spelled, "https://a", "doc", shown, "trace") == digest
