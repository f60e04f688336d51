"""A secret is found by its form wherever it stands, and plain text stays as it is."""

import time

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


@pytest.mark.parametrize(
    ("text", "struck"),
    [("https://a.test/in?access_token=abc&page=1",
      "https://a.test/in?access_token=[redacted]&page=1"),
     ("https://a.test/#sid=abc", "https://a.test/#sid=[redacted]"),
     ("failed: password=hunter2 at once", "failed: password=[redacted] at once"),
     ("failed: api_key='abcdef'", "failed: api_key='[redacted]'"),
     ('{"access_token": "abc", "n": "x"}', '{"access_token": "[redacted]", "n": "x"}'),
     (r'{\"client_secret\":\"abc\"}', r'{\"client_secret\":\"[redacted]\"}')],
)  # fmt: skip
def test_what_a_name_tells_to_be_a_secret_is_struck_in_running_text(text: str, struck: str) -> None:
    assert strike(text) == struck
    assert strike(struck) == struck


@pytest.mark.parametrize(
    "text",
    ["[data-token=abcdefgh]", "max_tokens=4096000", "key=export-month", "a password=long one",
     "<input name=password type=password>", "https://a.test/?page=1&month=2026-03",
     '{"input_tokens": "12", "keyboard": "x"}', "1=1 a==b token="],
)  # fmt: skip
def test_what_only_looks_like_a_name_of_a_secret_stays(text: str) -> None:
    assert strike(text) == text


@pytest.mark.parametrize("part", ["=", '":', "a=", "&token", '\\"', "x" * 64, "?a=b&"])
def test_striking_takes_time_that_grows_with_the_text_only(part: str) -> None:
    text = part * (200_000 // len(part))
    began = time.perf_counter()
    strike(text)
    assert time.perf_counter() - began < 5
