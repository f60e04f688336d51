"""The policy denies by default, reads URLs as the browser does, and asks before what matters."""

import pytest

from guards.policy import (
    domain_allowed,
    domain_of,
    effect_of,
    origin_is_domain,
    resource_verdict,
    url_verdict,
)
from states.policy import ACTIONS, Effect, Policy, Target

ERP = "https://erp.example.com"
POLICY = Policy.model_validate(
    {
        "version": 1,
        "hosts": [
            {
                "host": "erp.example.com",
                "allow": ["navigate", "click", "type", "select", "getText"],
                "confirm": ["storageSet", "scrollTo"],
                "resources": ["cdn.example.com"],
            },
            {"host": "127.0.0.1", "scheme": "http", "port": 8123, "allow": ["*"]},
            {"host": "other.example.com", "allow": ["getText"]},
        ],
        "risk_words": ["归档"],
    }
)

HOSTILE = {
    "https://erp.example.com:pw@evil.test/": "url_userinfo",
    "https://erp.example.com%20@evil.test": "url_userinfo",
    "data:text/html,hello": "scheme_refused",
    "javascript://erp.example.com/%0aalert(1)": "scheme_refused",
    "file:///etc/passwd": "scheme_refused",
    "chrome://version": "scheme_refused",
    "view-source:https://erp.example.com/": "scheme_refused",
    "blob:https://erp.example.com/x": "scheme_refused",
    "about:blank": "scheme_refused",
    "https://erp.example.com.evil.test/": "host_not_in_policy",
    "https://evil.test\\@erp.example.com/": "url_deceptive",
    "https://erp.example.com\\.evil.test/": "url_deceptive",
    "https://erp.example.com;.evil.test/": "host_not_in_policy",
    "https://erp.example.com\t.evil.test/": "url_deceptive",
    "https://erp.example.com\u2028.evil.test/": "url_deceptive",
    " https://erp.example.com/": "url_deceptive",
    "ht\ntps://erp.example.com/": "url_deceptive",
    "https://erp.example.com./": "host_not_in_policy",
    "https://erp.example.com:8443/": "host_not_in_policy",
    "http://erp.example.com/": "host_not_in_policy",
    "http://127.0.0.1/": "host_not_in_policy",
    "http://127.0.0.1:8124/": "host_not_in_policy",
    "https://xerp.example.com/": "host_not_in_policy",
    "https://example.com/": "host_not_in_policy",
    "http://prefix.[v1.example]/": "url_unreadable",
    "": "url_unreadable",
    "erp.example.com": "url_unreadable",
}


@pytest.mark.parametrize(("url", "reason"), HOSTILE.items())
def test_a_hostile_address_is_refused_with_its_own_reason(url: str, reason: str) -> None:
    verdict = url_verdict(POLICY, url)
    assert (verdict.allowed, verdict.reason) == (False, reason)
    assert verdict.text("en") != reason
    assert verdict.text("zh-CN") != verdict.text("en")


@pytest.mark.parametrize(
    "url",
    [
        "https://erp.example.com/",
        "https://erp.example.com:443/report?month=2026-03#top",
        "https://ERP.EXAMPLE.com/a@b",
        "http://127.0.0.1:8123/x",
    ],
)
def test_a_listed_address_passes(url: str) -> None:
    assert url_verdict(POLICY, url)


def test_an_unlisted_action_is_denied_and_a_listed_one_is_not() -> None:
    assert effect_of(POLICY, ERP, "getHtml", {})[0] is Effect.DENY
    assert effect_of(POLICY, ERP, "getText", {})[0] is Effect.READ
    assert effect_of(POLICY, ERP, "click", {}, Target(role="button", name="查询"))[0] is Effect.ACT
    assert effect_of(POLICY, "http://127.0.0.1:8123", "getHtml", {})[0] is Effect.READ


@pytest.mark.parametrize("action", ["eval", "executeJsInPage"])
def test_foreign_code_is_refused_even_where_everything_is_allowed(action: str) -> None:
    effect, verdict = effect_of(POLICY, "http://127.0.0.1:8123", action, {})
    assert (effect, verdict.reason) == (Effect.DENY, "action_never")


def test_an_unknown_action_and_an_unknown_host_are_denied() -> None:
    assert effect_of(POLICY, ERP, "fly", {})[1].reason == "action_unknown"
    assert effect_of(POLICY, "evil.test", "click", {})[1].reason == "host_not_in_policy"
    assert not domain_allowed(POLICY, "evil.test")
    assert domain_allowed(POLICY, "127.0.0.1:8123")
    assert not domain_allowed(POLICY, "127.0.0.1:9")


def test_an_empty_policy_denies_every_action() -> None:
    empty = Policy(version=1, hosts=())
    assert {effect_of(empty, ERP, action, {"url": ERP})[0] for action in ACTIONS} == {Effect.DENY}


def test_a_listed_confirmation_wins_over_allow() -> None:
    effect, verdict = effect_of(POLICY, ERP, "scrollTo", {})
    assert (effect, verdict.reason) == (Effect.CONFIRM, "policy_wants_confirmation")


RISKY = {
    "void": (Target(role="button", name="作废 FP0001"), "risk_word"),
    "delete": (Target(role="button", name="Delete invoice"), "risk_word"),
    "log out": (Target(role="link", name="Log out"), "risk_word"),
    "blanks inside": (Target(role="button", name="删 除"), "risk_word"),
    "own word": (Target(role="button", name="归档"), "risk_word"),
    "submit": (Target(role="button", name="Go", submits=True), "risk_submit"),
    "log in": (
        Target(role="button", name="进入", submits=True, in_password_form=True),
        "risk_login",
    ),
    "link": (Target(role="link", name="bye", href="https://erp.example.com/logout"), "risk_word"),
}


@pytest.mark.parametrize(("target", "reason"), RISKY.values(), ids=RISKY.keys())
def test_a_risky_click_asks_a_person(target: Target, reason: str) -> None:
    effect, verdict = effect_of(POLICY, ERP, "click", {}, target)
    assert (effect, verdict.reason) == (Effect.CONFIRM, reason)


@pytest.mark.parametrize("name", ["查询", "导出报表", "下一页", "deleted items", "Next", "Sendai"])
def test_a_harmless_click_does_not_ask(name: str) -> None:
    assert effect_of(POLICY, ERP, "click", {}, Target(role="button", name=name))[0] is Effect.ACT


def test_typing_into_a_password_field_is_refused_and_elsewhere_not() -> None:
    secret = Target(role="textbox", name="密码", input_type="password")
    assert effect_of(POLICY, ERP, "type", {"text": "x"}, secret)[1].reason == "password_field"
    plain = Target(role="textbox", name="月份", input_type="text")
    assert effect_of(POLICY, ERP, "type", {"text": "x"}, plain)[0] is Effect.ACT


def test_choosing_a_risky_option_asks() -> None:
    assert effect_of(POLICY, ERP, "select", {"value": "作废"})[0] is Effect.CONFIRM
    assert effect_of(POLICY, ERP, "select", {"value": "财务部"})[0] is Effect.ACT


def test_a_navigation_must_lead_where_the_caller_says() -> None:
    url = {"url": "https://erp.example.com/report"}
    assert effect_of(POLICY, "erp.example.com", "navigate", url)[0] is Effect.ACT
    effect, verdict = effect_of(POLICY, "127.0.0.1", "navigate", url)
    assert (effect, verdict.reason) == (Effect.DENY, "domain_mismatch")
    not_allowed = {"url": "https://other.example.com/"}
    assert effect_of(POLICY, "other.example.com", "navigate", not_allowed)[0] is Effect.DENY


def test_a_navigation_that_logs_out_asks() -> None:
    url = {"url": "https://erp.example.com/user/logout"}
    assert effect_of(POLICY, "erp.example.com", "navigate", url)[0] is Effect.CONFIRM


def test_a_page_loads_from_its_own_host_and_its_resources_only() -> None:
    page = "https://erp.example.com/report"
    assert resource_verdict(POLICY, page, "https://erp.example.com/a.js")
    assert resource_verdict(POLICY, page, "https://cdn.example.com/a.js")
    assert not resource_verdict(POLICY, page, "https://evil.test/a.js")
    assert not resource_verdict(POLICY, page, "http://cdn.example.com/a.js")
    assert not resource_verdict(POLICY, page, "https://other.example.com/a.js")
    assert not resource_verdict(POLICY, "https://evil.test/", "https://cdn.example.com/a.js")


def test_origins_and_domains_are_compared_exactly() -> None:
    assert origin_is_domain("https://erp.example.com", "erp.example.com")
    assert origin_is_domain("http://127.0.0.1:8123", "127.0.0.1:8123")
    assert not origin_is_domain("https://erp.example.com.evil.test", "erp.example.com")
    assert not origin_is_domain("null", "erp.example.com")
    assert domain_of("https://erp.example.com/x") == "erp.example.com"
    assert domain_of("about:blank") == ""
