"""What asks a person although the policy allows it: storage, and paths that name an operation."""

import pytest

from guards.policy import effect_of
from guards.risk import risk_word_in_path
from states.policy import Effect, Policy, Target

POLICY = Policy.model_validate(
    {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]}
)
WHERE = "https://erp.example.com"


@pytest.mark.parametrize("value", ["dark", None])
def test_writing_or_clearing_storage_asks_and_reading_it_does_not(value: str | None) -> None:
    params = {"key": "theme", "value": value}
    effect, verdict = effect_of(POLICY, WHERE, "storageSet", params)
    assert (effect, verdict.reason) == (Effect.CONFIRM, "risk_storage")
    assert effect_of(POLICY, WHERE, "storageGet", {"key": "theme"})[0] is Effect.READ


@pytest.mark.parametrize(
    "path",
    [
        "%64elete/5",
        "log%6Fut",
        "a?do=%64%65%6c%65%74%65",
        "%E5%88%A0%E9%99%A4",
        "%E4%BD%9C%E5%BA%9F",
    ],
)
def test_a_risky_path_asks_however_it_is_written(path: str) -> None:
    url = f"{WHERE}/{path}"
    link = Target(role="link", name="more", href=url)
    clicked, verdict = effect_of(POLICY, WHERE, "click", {}, link)
    assert (clicked, verdict.reason) == (Effect.CONFIRM, "risk_word")
    assert effect_of(POLICY, "erp.example.com", "navigate", {"url": url})[0] is Effect.CONFIRM


@pytest.mark.parametrize("path", ["%72eport/5", "%E6%8A%A5%E8%A1%A8", "deleted-items"])
def test_a_harmless_path_asks_nobody(path: str) -> None:
    url = f"{WHERE}/{path}"
    assert risk_word_in_path(url) == ""
    link = Target(role="link", name="more", href=url)
    assert effect_of(POLICY, WHERE, "click", {}, link)[0] is Effect.ACT
    assert effect_of(POLICY, "erp.example.com", "navigate", {"url": url})[0] is Effect.ACT
