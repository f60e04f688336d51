"""The one policy verdict of the product (P4, design invariant 3).

Both ends of the pipe call these functions: the agent first, the host again with the element
it resolved. URLs are parsed as the browser parses them (WHATWG, ada); hosts match exactly;
what is not listed is denied.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import ada_url

from guards.risk import risk_of_target
from states.policy import ACTIONS, NEVER_ACTIONS, READ_ACTIONS, Effect, HostRule, Policy, Target
from states.verdict import ALLOWED, Verdict, refused

_DEFAULT_PORT = {"https:": 443, "http:": 80}
# WHATWG parsers strip or rewrite these silently; a URL that needs it was written to deceive.
# (A backslash after the first ? or # is plain text to them: `?path=C:\\x`.)
_DECEPTIVE = re.compile(r"[\x00-\x20\x7f\u0085\u2028\u2029]|^\s|\s$|^[^?#]*\\")
_SHOWN_CHARS = 200
# What asks a host for a page: judged by where it goes, and never a read, since a plain GET to a
# host tells it something.
OPENING = frozenset({"navigate", "zombieSpawn"})
# Addresses of the tab's own history; the host judges the entry behind them (`Target.href`).
HISTORY = ("back", "forward")


def url_verdict(policy: Policy, url: str) -> Verdict:
    """Allow *url* only if its parsed scheme, host and port are listed in *policy*."""
    _, verdict = rule_for_url(policy, url)
    return verdict


def rule_for_url(policy: Policy, url: str) -> tuple[HostRule | None, Verdict]:
    """Return the rule that covers *url* and the verdict on it."""
    shown = _shown(url)
    if _DECEPTIVE.search(url):
        return None, refused("url_deceptive", url=shown)
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None, refused("url_unreadable", url=shown)
    if parsed.protocol not in _DEFAULT_PORT:
        return None, refused("scheme_refused", url=shown, scheme=parsed.protocol.rstrip(":"))
    if parsed.username or parsed.password:
        return None, refused("url_userinfo", url=shown)
    rule = _rule(policy, parsed.protocol, parsed.hostname, parsed.port)
    if rule is None:
        return None, refused("host_not_in_policy", host=parsed.host)
    return rule, ALLOWED


def resource_verdict(policy: Policy, document_url: str, url: str) -> Verdict:
    """Allow a page at *document_url* to load *url*: its own host, or one of its `resources`."""
    rule, document = rule_for_url(policy, document_url)
    if rule is None:
        return document
    own, _ = rule_for_url(policy, url)
    if own is not None and own.host == rule.host:
        return ALLOWED
    if _DECEPTIVE.search(url):
        return refused("url_deceptive", url=_shown(url))
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return refused("url_unreadable", url=_shown(url))
    userinfo = parsed.username or parsed.password
    plain = parsed.protocol == "https:" and not parsed.port and not userinfo
    if plain and parsed.hostname in rule.resources:
        return ALLOWED
    return refused("resource_not_in_policy", host=parsed.host, document=rule.host)


def domain_allowed(policy: Policy, domain: str) -> Verdict:
    """Allow *domain* (`host` or `host:port`) if some rule names it exactly."""
    if _rules_for_domain(policy, domain):
        return ALLOWED
    return refused("host_not_in_policy", host=_shown(domain))


def origin_is_domain(origin: str, domain: str) -> bool:
    """Tell whether a document's *origin* is on *domain* (`host` or `host:port`)."""
    try:
        parsed = ada_url.URL(origin)
    except ValueError:
        return False
    port = parsed.port or str(_DEFAULT_PORT.get(parsed.protocol, ""))
    return domain in (parsed.hostname, f"{parsed.hostname}:{port}")


def domain_of(url: str) -> str:
    """Return the host of *url* (with its port when it is not the scheme's own), or ""."""
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return ""
    return parsed.host if parsed.protocol in _DEFAULT_PORT else ""


def effect_of(
    policy: Policy, where: str, action: str, params: Mapping[str, Any], target: Target | None = None
) -> tuple[Effect, Verdict]:
    """Return the effect class of *action* and why.

    *where* is an origin (`https://host`) or a domain; *target* is the element as far as it is
    known, None when it is not yet resolved. The verdict allows for read and act; for confirm
    and deny it carries the reason.
    """
    known = _action_known(action)
    if not known:
        return Effect.DENY, known
    rules, verdict = _rules_at(policy, where)
    if not rules:
        return Effect.DENY, verdict
    if action in OPENING and not _goes_back(action, params, target):
        url = target.href if target is not None and target.href else str(params.get("url", ""))
        rule, verdict = _navigation(policy, where, url)
        if rule is None:
            return Effect.DENY, verdict
        rules = (rule,)
    return _effect(policy, rules, action, (params, target))


def _goes_back(action: str, params: Mapping[str, Any], target: Target | None) -> bool:
    """Tell whether the address is an entry of the tab's history that is not known yet."""
    known = target is not None and target.href
    return action == "navigate" and params.get("url") in HISTORY and not known


def _effect(
    policy: Policy,
    rules: tuple[HostRule, ...],
    action: str,
    met: tuple[Mapping[str, Any], Target | None],
) -> tuple[Effect, Verdict]:
    params, target = met
    host = rules[0].host
    files = _file_verdict(rules, action, target)
    if not files:
        return Effect.DENY, files
    if any(_lists(rule.confirm, action) for rule in rules):
        return Effect.CONFIRM, refused("policy_wants_confirmation", action=action, host=host)
    if not any(_lists(rule.allow, action) for rule in rules):
        return Effect.DENY, refused("action_not_allowed", action=action, host=host)
    if action == "type" and target is not None and target.input_type == "password":
        return Effect.DENY, refused("password_field", name=target.name)
    key, facts = risk_of_target(action, params, target, policy.risk_words)
    if key:
        return Effect.CONFIRM, refused(key, **facts)
    return (Effect.READ if action in READ_ACTIONS else Effect.ACT), ALLOWED


def upload_allowed(policy: Policy, origin: str) -> bool:
    """Tell whether files of the person may be given to a page at *origin*."""
    rule, _ = rule_for_url(policy, origin)
    return rule is not None and rule.upload


def _file_verdict(rules: tuple[HostRule, ...], action: str, target: Target | None) -> Verdict:
    """Refuse what would open a file chooser, and files where no rule lets them in."""
    if target is None or target.input_type != "file":
        return ALLOWED
    name = target.name or target.tag
    if action == "click":
        return refused("click_opens_chooser", name=name)
    if action == "type" and not any(rule.upload for rule in rules):
        return refused("upload_not_allowed", name=name, host=rules[0].host)
    return ALLOWED


def _action_known(action: str) -> Verdict:
    if action in NEVER_ACTIONS:
        return refused("action_never", action=action)
    if action not in ACTIONS:
        return refused("action_unknown", action=_shown(action))
    return ALLOWED


def _rules_at(policy: Policy, where: str) -> tuple[tuple[HostRule, ...], Verdict]:
    if "://" in where:
        rule, verdict = rule_for_url(policy, where)
        return ((rule,) if rule else ()), verdict
    rules = _rules_for_domain(policy, where)
    return rules, ALLOWED if rules else refused("host_not_in_policy", host=_shown(where))


def _navigation(policy: Policy, where: str, url: str) -> tuple[HostRule | None, Verdict]:
    """Return the rule of the page that *url* leads to; it must be where the caller expects."""
    rule, verdict = rule_for_url(policy, url)
    if rule is None:
        return None, verdict
    expected = where if "://" not in where else domain_of(where)
    if not origin_is_domain(ada_url.URL(url).origin, expected):
        return None, refused("domain_mismatch", expected=expected, actual=domain_of(url))
    return rule, ALLOWED


def _rules_for_domain(policy: Policy, domain: str) -> tuple[HostRule, ...]:
    host, colon, port = domain.rpartition(":") if ":" in domain else (domain, "", "")
    return tuple(
        rule
        for rule in policy.hosts
        if rule.host == host and (not colon or str(rule.effective_port()) == port)
    )


def _rule(policy: Policy, protocol: str, hostname: str, port: str) -> HostRule | None:
    number = int(port) if port else _DEFAULT_PORT[protocol]
    for rule in policy.hosts:
        if (rule.host, rule.scheme + ":", rule.effective_port()) == (hostname, protocol, number):
            return rule
    return None


def _lists(listed: tuple[str, ...], action: str) -> bool:
    return action in listed or "*" in listed


def _shown(text: str) -> str:
    """Return *text* safe to print on one line: control characters escaped, bounded."""
    safe = "".join(c if c.isprintable() else quote(c, errors="replace") for c in text)
    return safe if len(safe) <= _SHOWN_CHARS else safe[:_SHOWN_CHARS] + "…"
