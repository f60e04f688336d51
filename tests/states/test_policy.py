"""One place has one rule: which of two would count is not left to their order."""

import pytest
from pydantic import ValidationError

from states.policy import HostRule, Policy


def policy(*rules: HostRule) -> Policy:
    return Policy(version=1, hosts=rules)


def test_two_rules_for_one_place_are_refused_with_the_place() -> None:
    first = HostRule(host="erp.example.com", allow=("*",))
    second = HostRule(host="erp.example.com", port=443, confirm=("click",))
    with pytest.raises(ValidationError, match=r"https://erp\.example\.com:443 has two entries"):
        policy(first, second)


def test_another_port_scheme_or_host_is_another_place() -> None:
    rules = (
        HostRule(host="erp.example.com"),
        HostRule(host="erp.example.com", port=8443),
        HostRule(host="erp.example.com", scheme="http"),
        HostRule(host="api.example.com"),
    )
    assert policy(*rules).hosts == rules
