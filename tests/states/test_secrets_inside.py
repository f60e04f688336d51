"""A secret is struck at any depth of a document: by its form, and by the name it stands under."""

import pytest

from states.secrets import REDACTED, is_secret_key, strike_all

TOKEN = "ghp_" + "a" * 24


def test_a_secret_is_struck_at_any_depth() -> None:
    document = {"a": [{"b": f"x {TOKEN}"}, (TOKEN,)], "n": 5}
    assert strike_all(document) == {"a": [{"b": f"x {REDACTED}"}, [REDACTED]], "n": 5}


@pytest.mark.parametrize("key", ["password", "api_key", "token", "Authorization", "密码", "hmac"])
def test_what_stands_under_a_secrets_name_is_struck_when_names_count(key: str) -> None:
    assert is_secret_key(key)
    assert strike_all({"in": {key: "x", "name": "x"}}) == {"in": {key: REDACTED, "name": "x"}}
    assert strike_all({key: "x"}, by_key=False) == {key: "x"}
    assert strike_all({key: ""}) == {key: ""}


@pytest.mark.parametrize("key", ["name", "input_tokens", "monkey", "passage"])
def test_another_name_is_no_secrets(key: str) -> None:
    assert not is_secret_key(key)
    assert strike_all({key: "x"}) == {key: "x"}
