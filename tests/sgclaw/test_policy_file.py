"""A policy file is read strictly: what is wrong with it is named, and nothing starts."""

from pathlib import Path

import pytest

from sgclaw.errors import RefusedError
from sgclaw.policy_file import BYTES_MAX, load_policy, parse_policy
from states.verdict import refused

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


_ENTRY = "version: 1\nhosts:\n  - {host: a.example.com, allow: [navigate], %s}\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (_ENTRY % 'upload: "yes"', "hosts.0.upload must be true or false without quotes, not yes"),
        (_ENTRY % "upload: yes", "must be true or false"),
        (_ENTRY % "upload: 1", "must be true or false"),
        (_ENTRY % 'mask: "#salary"', "hosts.0.mask must be a list"),
        (_ENTRY % 'mask: ["#a >>> b"]', "must be a CSS selector such as #salary"),
        (_ENTRY % 'mask: [""]', "must be a CSS selector such as #salary"),
        (_ENTRY % f"mask: {['#a'] * 51}", "hosts.0.mask has more than 50 entries"),
        (_ENTRY % 'masks: ["#a"]', "no key masks (hosts.0.masks); meant is perhaps mask"),
        (_ENTRY % "zzz: 1", "meant is perhaps host / scheme / port"),
        (_ENTRY % 'port: "x"', "must be a number from 1 to 65535, not x"),
        (_ENTRY % "scheme: ftp", "must be https or http, not ftp"),
        (_ENTRY % 'resources: ["https://cdn.example.com"]', "is no host name"),
        (_ENTRY % "resources: []" + "risk_words: void\n", "risk_words must be a list"),
        (_ENTRY % "resources: []" + 'risk_words: [""]\n', "must be a word of 1 to 40"),
        ("version: 1\nhost: []\n", "There is no key host (host); meant is perhaps hosts"),
        ("version: 1\nhosts: {host: a.example.com}\n", "hosts must be a list"),
        ("version: 1\nhosts: [a.example.com]\n", "one of its entries with keys"),
        ("version: 2\nhosts: []\n", "version must be 1, not 2"),
    ],
)
def test_each_wrong_value_is_named_with_what_may_stand_there(text: str, says: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_policy(text, "p.yaml")
    assert says in caught.value.text("en")
    chinese = caught.value.text("zh-CN")
    assert "must" not in chinese
    assert "should" not in chinese


def test_files_are_let_in_by_the_word_true_alone() -> None:
    assert parse_policy(_ENTRY % "upload: true", "p.yaml").hosts[0].upload
    assert not parse_policy(_ENTRY % "upload: false", "p.yaml").hosts[0].upload


def test_a_missing_and_an_undecodable_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no policy file"):
        load_policy(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(RefusedError, match="cannot be read"):
        load_policy(tmp_path / "bad.yaml")


def _code(path: Path) -> str:
    with pytest.raises(RefusedError) as caught:
        load_policy(path)
    return caught.value.code


def test_a_file_too_large_is_refused_and_one_of_the_bound_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(GOOD + "#" * (BYTES_MAX - len(GOOD.encode())), encoding="utf-8")
    assert load_policy(path).host_names() == ("erp.example.com",)
    path.write_text(path.read_text(encoding="utf-8") + "#", encoding="utf-8")
    assert _code(path) == "policy_unreadable"


def test_what_is_no_plain_file_is_not_read() -> None:
    assert _code(Path("/dev/null")) == "policy_unreadable"


@pytest.mark.parametrize("text", ["- a\n", "5\n", "text\n"])
def test_a_file_that_is_no_mapping_is_told_so(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_policy(text, "p.yaml")
    assert refused("policy_not_mapping").text() in str(caught.value)
