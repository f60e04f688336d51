"""Text that was cut between the halves of a surrogate pair comes together again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.llm.halves import Halves, joined

FIRST, SECOND = "\ud83e", "\uddfe"


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["a", FIRST, SECOND, "b"], ["a", "", "🧾", "b"]),
        ([f"a{FIRST}", f"{SECOND}b"], ["a", "🧾b"]),
        ([f"{FIRST}{SECOND}"], ["🧾"]),
        ([FIRST, "b"], ["", "\ufffdb"]),
        ([SECOND, "b"], ["\ufffd", "b"]),
        ([FIRST, FIRST, SECOND], ["", "\ufffd", "🧾"]),
        (["plain", ""], ["plain", ""]),
    ],
)
def test_halves_come_together_and_never_go_out_alone(pieces: list[str], whole: list[str]) -> None:
    halves = Halves()
    assert [halves.feed(piece) for piece in pieces] == whole
    assert halves.end() == ""


def test_a_half_that_stays_alone_is_told_as_one_in_the_end() -> None:
    halves = Halves()
    assert (halves.feed(f"a{FIRST}"), halves.end(), halves.end()) == ("a", "\ufffd", "")


@given(st.text(st.characters()))
def test_whatever_comes_can_be_written(text: str) -> None:
    joined(text).encode()
    halves = Halves()
    assert "".join([*map(halves.feed, text), halves.end()]) == joined(text)
