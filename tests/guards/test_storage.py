"""What a page keeps is changed on a person's word only."""

import pytest

from guards.policy import effect_of
from guards.risk import risk_of_target
from states.policy import Effect, HostRule, Policy

POLICY = Policy(version=1, hosts=(HostRule(host="erp.example.com", allow=("*",)),))


@pytest.mark.parametrize(
    ("action", "effect"), [("storageSet", Effect.CONFIRM), ("storageGet", Effect.READ)]
)
def test_writing_to_a_pages_storage_needs_a_person_and_reading_does_not(
    action: str, effect: Effect
) -> None:
    params = {"area": "local", "key": "k", "value": "v"}
    found, verdict = effect_of(POLICY, "https://erp.example.com", action, params)
    assert found is effect
    assert verdict.reason == risk_of_target(action, params, None, ())[0]
