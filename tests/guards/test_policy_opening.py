"""What asks a host for a page is an act of that host, whether it is shown or hidden."""

from typing import Any

import pytest

from guards.policy import effect_of
from states.policy import READ_ACTIONS, Effect, Policy, Target

POLICY = Policy.model_validate(
    {
        "version": 1,
        "hosts": [
            {"host": "erp.example.com", "allow": ["*"]},
            {"host": "read.example.com", "allow": sorted(READ_ACTIONS)},
            {"host": "ask.example.com", "confirm": ["navigate", "zombieSpawn"]},
        ],
    }
)
OPENING = ["navigate", "zombieSpawn"]


def judged(action: str, where: str, target: Target | None = None, **params: Any) -> tuple[str, str]:
    effect, verdict = effect_of(POLICY, where, action, params, target)
    return effect, verdict.reason


@pytest.mark.parametrize("action", OPENING)
@pytest.mark.parametrize(
    ("url", "where", "said"),
    [
        ("https://erp.example.com/r", "erp.example.com", (Effect.ACT, "")),
        ("https://ask.example.com/r", "ask.example.com", ("confirm", "policy_wants_confirmation")),
        ("https://erp.example.com/logout", "erp.example.com", (Effect.CONFIRM, "risk_word")),
        ("https://read.example.com/r", "read.example.com", (Effect.DENY, "action_not_allowed")),
        ("https://evil.test/", "erp.example.com", (Effect.DENY, "host_not_in_policy")),
        ("https://ask.example.com/r", "erp.example.com", (Effect.DENY, "domain_mismatch")),
        ("data:text/html,x", "erp.example.com", (Effect.DENY, "scheme_refused")),
    ],
)
def test_a_page_is_judged_by_where_it_is(
    action: str, url: str, where: str, said: tuple[str, str]
) -> None:
    assert judged(action, where, url=url) == said


def test_no_address_makes_opening_a_read() -> None:
    for action in OPENING:
        for rule in POLICY.hosts:
            effect, _ = judged(action, rule.host, url=f"https://{rule.host}/")
            assert effect != Effect.READ


@pytest.mark.parametrize("direction", ["back", "forward"])
def test_an_entry_of_the_history_is_judged_where_it_is_expected_until_it_is_known(
    direction: str,
) -> None:
    assert judged("navigate", "erp.example.com", url=direction) == (Effect.ACT, "")
    assert judged("navigate", "read.example.com", url=direction)[0] == Effect.DENY
    assert judged("navigate", "evil.test", url=direction) == (Effect.DENY, "host_not_in_policy")
    known = Target(role="link", href="https://erp.example.com/logout")
    at = "https://erp.example.com"
    assert judged("navigate", at, known, url=direction) == (Effect.CONFIRM, "risk_word")
    outside = Target(role="link", href="https://evil.test/")
    assert judged("navigate", at, outside, url=direction)[0] == Effect.DENY


@pytest.mark.parametrize("direction", ["back", "forward"])
def test_only_the_tab_has_a_history(direction: str) -> None:
    assert judged("zombieSpawn", "erp.example.com", url=direction)[0] == Effect.DENY


def test_closing_a_page_is_an_act() -> None:
    assert judged("zombieKill", "erp.example.com", zombie_id="z") == (Effect.ACT, "")
