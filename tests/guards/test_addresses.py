"""An address is what the browser would make of it, whole: user, port and scheme count."""

import pytest

from guards.policy import (
    domain_allowed,
    effect_of,
    origin_is_domain,
    resource_verdict,
    url_verdict,
)
from states.policy import Policy

PAGE = "https://erp.example.com/report"
POLICY = Policy.model_validate(
    {
        "version": 1,
        "hosts": [
            {"host": "erp.example.com", "allow": ["navigate"], "resources": ["cdn.example.com"]},
            {"host": "127.0.0.1", "scheme": "http", "port": 8123, "allow": ["*"]},
        ],
    }
)


@pytest.mark.parametrize("user", ["me@", "me:pw@", ":pw@", "me:@"])
def test_an_address_with_a_user_or_a_password_is_refused(user: str) -> None:
    assert url_verdict(POLICY, f"https://{user}erp.example.com/").reason == "url_userinfo"
    assert url_verdict(POLICY, "https://erp.example.com/")


@pytest.mark.parametrize("user", ["me@", "me:pw@", ":pw@"])
def test_a_resource_with_a_user_or_a_password_is_refused(user: str) -> None:
    verdict = resource_verdict(POLICY, PAGE, f"https://{user}cdn.example.com/a.js")
    assert verdict.reason == "resource_not_in_policy"
    assert resource_verdict(POLICY, PAGE, "https://cdn.example.com/a.js")


def test_a_resource_of_another_port_is_refused() -> None:
    other = resource_verdict(POLICY, PAGE, "https://cdn.example.com:8443/a.js")
    assert other.reason == "resource_not_in_policy"
    assert "8443" in other.text("en")
    assert resource_verdict(POLICY, PAGE, "https://cdn.example.com:443/a.js")


@pytest.mark.parametrize(
    "url",
    ["http://erp.example.com:443/", "https://127.0.0.1:8123/", "http://cdn.example.com:443/"],
)
def test_the_right_host_and_port_over_another_scheme_is_refused(url: str) -> None:
    assert url_verdict(POLICY, url).reason == "host_not_in_policy"
    assert url_verdict(POLICY, "https://erp.example.com:443/")
    assert url_verdict(POLICY, "http://127.0.0.1:8123/")


@pytest.mark.parametrize(
    ("origin", "domain", "same"),
    [
        ("http://127.0.0.1:8123", "127.0.0.1:8123", True),
        ("http://127.0.0.1:8124", "127.0.0.1:8123", False),
        ("https://erp.example.com", "erp.example.com:443", True),
        ("https://erp.example.com:8443", "erp.example.com:443", False),
        ("https://erp.example.com", "erp.example.com:8443", False),
        ("http://erp.example.com", "erp.example.com:443", False),
    ],
)
def test_an_origin_is_on_a_domain_only_with_its_port(origin: str, domain: str, same: bool) -> None:
    assert origin_is_domain(origin, domain) is same


@pytest.mark.parametrize("text", ["\x1b[2J", "\r\nFAKE LINE", "\u202egnp.exe", "\x00", "\u2066"])
def test_no_refusal_carries_a_control_character_to_the_screen(text: str) -> None:
    verdicts = [
        url_verdict(POLICY, f"https://evil.test/{text}"),
        url_verdict(POLICY, f"evil{text}"),
        domain_allowed(POLICY, f"evil.test{text}"),
        effect_of(POLICY, f"evil.test{text}", "click", {})[1],
        effect_of(POLICY, "erp.example.com", f"fly{text}", {})[1],
        resource_verdict(POLICY, PAGE, f"evil{text}"),
    ]
    for verdict in verdicts:
        assert not verdict
        for language in ("en", "zh-CN"):
            assert verdict.text(language).isprintable()


def test_what_can_be_read_is_shown_as_it_is() -> None:
    assert "报表.evil.test" in domain_allowed(POLICY, "报表.evil.test").text("en")
    assert "fly" in effect_of(POLICY, "erp.example.com", "fly", {})[1].text("en")


def test_a_long_address_is_shown_cut() -> None:
    long = url_verdict(POLICY, "data:" + "x" * 5_000).text("en")
    assert len(long) < 500
    assert "data:xxx" in long
