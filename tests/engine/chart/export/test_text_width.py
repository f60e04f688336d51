"""Lines are broken where a reader expects it, and are never wider than allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chart.export.text_width import TIE, Run, clean, line_width, wrap


def broken(text: str, width: float, lines_max: int = 0, *, mono: bool = True) -> list[str]:
    lines = wrap([Run(text, mono=mono)], 10, width, lines_max)
    return ["".join(run.text for run in line) for line in lines]


def test_a_line_breaks_at_blanks_and_beside_chinese() -> None:
    assert broken("one two three", 50) == ["one two", "three"]
    assert broken("浏览器任务abc", 31, mono=False) == ["浏览器", "任务", "abc"]


def test_a_line_does_not_begin_with_a_closing_mark() -> None:
    assert broken("一二三，四", 32, mono=False) == ["一二", "三，四"]
    assert broken("一二（三四", 32, mono=False) == ["一二", "（三四"]


def test_a_name_that_is_too_wide_breaks_after_an_underscore_or_anywhere() -> None:
    assert broken("first_second_third", 90) == ["first_second_", "third"]
    assert broken("abcdefghijklmnop", 63) == ["abcdefghij", "klmnop"]


def test_a_line_holds_one_character_where_no_more_fit() -> None:
    assert broken("a_b", 1) == ["a", "_", "b"]
    assert broken("甲乙", 1, mono=False) == ["甲", "乙"]


def test_words_that_are_tied_stay_together() -> None:
    assert broken(f"one two{TIE}x", 52) == ["one", f"two{TIE}x"]


def test_what_is_cut_ends_in_an_ellipsis() -> None:
    assert broken("one two three four", 50, 2) == ["one two", "three…"]
    assert clean("abcdef", 4) == "abc…"
    assert clean("abcd", 4) == "abcd"


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\u202e", "\u200b", "\ud800", "\ufffe", "\x85"])
def test_what_xml_or_a_reader_cannot_take_is_gone(bad: str) -> None:
    assert bad not in clean(f"a{bad}b")
    assert clean(f"a{bad}b") == "a b"


@given(st.text(), st.floats(20, 400), st.booleans())
def test_a_line_is_never_wider_than_allowed_and_nothing_is_lost(
    text: str, width: float, mono: bool
) -> None:
    whole = clean(text)
    lines = wrap([Run(whole, mono=mono)], 10, width)
    for line in lines:
        letters = sum(len(run.text) for run in line)
        assert line_width(line, 10) <= width + 0.01 or letters == 1
    told = "".join(run.text for line in lines for run in line)
    assert told.replace(" ", "") == whole.replace(" ", "")


@given(st.text())
def test_a_cleaned_text_can_be_written(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    clean(text).encode("utf-8")
