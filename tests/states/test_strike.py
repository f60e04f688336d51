"""A secret is found by its form wherever it stands, and plain text stays as it is."""

import pytest

from states.secrets import REDACTED, strike

SECRETS = (
    "sk-abcdefghijklmnop", "ghp_" + "a" * 24, "gho_" + "b" * 24, "ghu_" + "c" * 24,
    "ghs_" + "d" * 24, "ghr_" + "e" * 24, "xoxa-1234567890ab", "xoxb-1234567890ab",
    "xoxp-1234567890ab", "AKIAABCDEFGHIJKLMNOP", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2ln",
)  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_struck_by_its_form(secret: str) -> None:
    assert strike(f"密钥 {secret} 在此") == f"密钥 {REDACTED} 在此"


def test_a_bearer_token_and_the_password_in_an_address_are_struck() -> None:
    assert strike("Authorization: Bearer abcdefgh12345678") == f"Authorization: Bearer {REDACTED}"
    assert strike("https://anna:hunter2@erp.example.com/") == f"https://{REDACTED}@erp.example.com/"


def test_plain_text_stays_as_it_is() -> None:
    text = "发票 FP0001 已作废 https://erp.example.com/a sk- eyJ Bearer x"
    assert strike(text) == text
