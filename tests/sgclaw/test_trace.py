"""A trace id is what the pipe says it is, and so a safe name for a file."""

import pytest

from sgclaw.clock import utc_now
from sgclaw.trace import is_trace, new_trace_id

GOOD = "sgclaw-20261129-0123456789abcdef"


def test_what_the_product_makes_is_a_trace_id() -> None:
    assert is_trace(GOOD)
    assert is_trace(new_trace_id(utc_now()))


@pytest.mark.parametrize(
    "text",
    ["", "sgclaw", GOOD + "\n", " " + GOOD, "../" + GOOD, GOOD + "/..", GOOD.upper(),
     GOOD[:-1] + "g", GOOD + "0" * 17, GOOD.replace("2", "\u0662"), GOOD + ".jsonl"],
)  # fmt: skip
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert not is_trace(text)
