"""The rule on posted forms by itself: whose command it was, and whether a person agreed to it."""

import pytest

from browser.host.form_posts import FormPosts
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, ResolvedCall
from states.policy import Effect, Target


def call_of(effect: Effect) -> ResolvedCall:
    params = {"url": "https://a.example/"}
    return ResolvedCall("navigate", params, "https://a.example", "", None, effect)


def passes(posts: FormPosts) -> bool:
    return bool(posts.verdict("n1", "https://a.example/"))


async def test_a_person_at_a_headed_browser_posts_while_no_command_runs() -> None:
    headed = FormPosts(person_present=True, late_s=10)
    assert passes(headed)
    assert not passes(FormPosts(person_present=False, late_s=10))
    headed = FormPosts(person_present=True, late_s=10)
    with headed.command(lambda _: ALLOW, "en") as command:
        command.decide(call_of(Effect.ACT))
        assert not passes(headed)


async def test_an_approval_covers_its_command_and_a_little_more() -> None:
    now = [0.0]
    rule = FormPosts(person_present=False, late_s=10, clock=lambda: now[0])
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(call_of(Effect.CONFIRM))
        now[0] = 100.0
        assert rule.verdict("during", "u")
    now[0] = 109.0
    assert rule.verdict("soon", "u")
    now[0] = 111.0
    assert not rule.verdict("late", "u")
    assert rule.verdict("soon", "the next hop of what was let out")


async def test_what_is_posted_long_after_a_command_is_not_held_against_it() -> None:
    now = [0.0]
    rule = FormPosts(person_present=False, late_s=10, clock=lambda: now[0])
    for waited, known in ((11.0, False), (9.0, True)):
        with rule.command(lambda _: ALLOW, "en") as command:
            command.decide(call_of(Effect.ACT))
        now[0] += waited
        assert not passes(rule)
        assert rule.knows(call_of(Effect.ACT)) is known


async def test_a_refused_or_later_command_ends_what_an_approval_covers() -> None:
    rule = FormPosts(person_present=False, late_s=10)
    with rule.command(lambda _: NEEDS_CONFIRMATION, "en") as command:
        command.decide(call_of(Effect.CONFIRM))
        assert not passes(rule)
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(call_of(Effect.CONFIRM))
        assert rule.verdict("n2", "u")
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(call_of(Effect.ACT)._replace(params={"url": "https://b.example/"}))
        assert not passes(rule)


def click(effect: Effect = Effect.ACT, action: str = "click", serial: int = 0) -> ResolvedCall:
    button = Target(role="button", name="Show", serial=serial)
    return ResolvedCall(action, {"selector": "#b"}, "https://a.example", "d1", button, effect)


async def test_a_command_that_posted_unapproved_needs_a_person_the_next_time() -> None:
    rule = FormPosts(person_present=False, late_s=10)
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(click())
        assert not passes(rule)
    with rule.command(lambda call: NEEDS_CONFIRMATION, "en") as again:
        assert again.decide(click()) == NEEDS_CONFIRMATION
        assert again.call is not None
        assert (again.call.effect, "Show" in again.call.reason) == (Effect.CONFIRM, True)
    with rule.command(lambda _: ALLOW, "en") as agreed:
        agreed.decide(click())
        assert passes(rule)


async def test_a_command_that_posted_nothing_needs_nobody() -> None:
    rule = FormPosts(person_present=False, late_s=10)
    for _ in range(2):
        with rule.command(lambda _: ALLOW, "en") as command:
            command.decide(click())
            assert command.call is not None
            assert command.call.effect is Effect.ACT


async def test_a_plain_click_that_was_allowed_is_no_approval_of_a_form() -> None:
    rule = FormPosts(person_present=False, late_s=10)
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(click(Effect.ACT))
        assert not command.approved
        assert not passes(rule)


async def test_a_read_leaves_the_command_before_it_in_charge() -> None:
    now = [0.0]
    rule = FormPosts(person_present=False, late_s=10, clock=lambda: now[0])
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(click(Effect.CONFIRM))
    with rule.command(lambda _: ALLOW, "en") as reading:
        reading.decide(click(Effect.READ, "getText"))
        now[0] = 5.0
        assert passes(rule)


@pytest.mark.parametrize("network_id", ["n2", ""])
async def test_a_request_that_is_no_hop_of_one_let_out_is_judged_anew(network_id: str) -> None:
    now = [0.0]
    rule = FormPosts(person_present=False, late_s=10, clock=lambda: now[0])
    with rule.command(lambda _: ALLOW, "en") as command:
        command.decide(click(Effect.CONFIRM))
        assert rule.verdict("n1", "u")
        assert rule.verdict("", "u")
    now[0] = 100.0
    assert rule.verdict("n1", "u")
    assert not rule.verdict(network_id, "u")
