"""What a negation takes back, wherever it stands."""

import pytest

from guards.output import claims_action


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("已经没有导出报表", False),
        ("已经无法导出报表", False),
        ("已经导出报表", True),
        ("没有失败，已经导出报表", True),
    ],
)
def test_a_negation_inside_a_claim_takes_it_back(text: str, claims: bool) -> None:
    assert claims_action(text) is claims
