"""A policy file is read strictly: what is wrong with it is named, and nothing starts."""

from pathlib import Path

import pytest

from sgclaw.errors import RefusedError
from sgclaw.policy_file import load_policy, parse_policy

GOOD = """
version: 1
hosts:
  - {host: erp.example.com, scheme: https, port: 443, allow: [navigate], confirm: [storageSet]}
risk_words: [作废, void]
"""


def test_a_good_policy_is_read() -> None:
    policy = parse_policy(GOOD, "p.yaml")
    assert policy.hosts[0].confirm == ("storageSet",)
    assert policy.risk_words == ("作废", "void")


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (GOOD.replace("allow:", "alow:"), "policy_invalid", "allow"),
        (GOOD.replace("navigate", "navigat"), "policy_invalid", "navigate"),
        (GOOD.replace("version: 1", "version: 2"), "policy_invalid", "version"),
        (GOOD.replace("erp.example.com", "ERP.example.com"), "policy_invalid", "host"),
        (GOOD.replace("erp.example.com", "'*.example.com'"), "policy_invalid", "host"),
        (GOOD.replace("443", "0"), "policy_invalid", "port"),
        (GOOD + "version: 1\n", "policy_invalid", "version"),
        (
            "version: 1\nhosts: [{host: a.example.com, allow: ['*']},"
            " {host: a.example.com, confirm: [click]}]\n",
            "policy_invalid",
            "https://a.example.com:443 has two entries",
        ),
        ("version: 1\nhosts: [{host: a.example.com}]\n", "policy_allows_nothing", "p.yaml"),
        ("", "policy_invalid", "p.yaml"),
        ("- a\n", "policy_invalid", "p.yaml"),
    ],
)
def test_a_bad_policy_is_refused_with_what_to_mend(text: str, code: str, says: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_policy(text, "p.yaml")
    assert caught.value.code == code
    assert says in str(caught.value)
    assert caught.value.exit_code == 4


def test_a_missing_and_an_undecodable_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no policy file"):
        load_policy(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(RefusedError, match="cannot be read"):
        load_policy(tmp_path / "bad.yaml")
