"""A number of the last picture means its element; any other is refused, never guessed."""

import pytest

from browser.host.errors import CommandError
from browser.host.marks import NUMBER_MAX, Mark, Marked, Marks

PAGE = "loader-1"


def pictured(marks: Marks, *refs: str, page: str = PAGE) -> list[int]:
    """Number *refs* in a picture of *page*, and return their numbers."""
    elements = [Marked(ref, f"world of {page}") for ref in refs]
    numbers = marks.numbered(elements)
    marks.remember(
        [
            Mark(number, each.ref, page, each.context_id)
            for number, each in zip(numbers, elements, strict=True)
        ]
    )
    return numbers


def refused(marks: Marks, number: int, page: str = PAGE) -> str:
    with pytest.raises(CommandError) as caught:
        marks.ref_of(number, page)
    assert f"[{number}]" in caught.value.text("en")
    return caught.value.code


def test_a_number_means_the_element_it_was_drawn_on() -> None:
    marks = Marks()
    assert pictured(marks, "@7", "@f1.2") == [1, 2]
    assert marks.ref_of(2, PAGE) == "@f1.2"
    assert marks.meaning_of(1) == Mark(1, "@7", PAGE, f"world of {PAGE}")


@pytest.mark.parametrize("number", [0, 3, 999, -1])
def test_a_number_that_no_picture_shows_is_refused(number: int) -> None:
    marks = Marks()
    assert refused(marks, 1) == "stale_mark"
    pictured(marks, "@7", "@8")
    assert refused(marks, number) == "stale_mark"
    assert marks.ref_of(1, PAGE) == "@7"


def test_a_number_of_an_older_picture_is_refused_and_never_another_element() -> None:
    marks = Marks()
    assert pictured(marks, "@1", "@2", "@3") == [1, 2, 3]
    assert pictured(marks, "@3", "@4") == [3, 4]
    assert (refused(marks, 1), refused(marks, 2)) == ("stale_mark", "stale_mark")
    assert (marks.ref_of(3, PAGE), marks.ref_of(4, PAGE)) == ("@3", "@4")


def test_an_element_that_comes_back_gets_a_new_number() -> None:
    marks = Marks()
    pictured(marks, "@1")
    pictured(marks, "@2")
    assert pictured(marks, "@1") == [3]


def test_a_navigation_makes_every_number_stale() -> None:
    marks = Marks()
    pictured(marks, "@1")
    assert refused(marks, 1, "loader-2") == "stale_mark"
    assert marks.ref_of(1, PAGE) == "@1"
    # The next page's elements have the same refs, but no number of this one.
    assert pictured(marks, "@1", page="loader-2") == [2]
    assert refused(marks, 1, "loader-2") == "stale_mark"


def test_what_was_forgotten_is_refused() -> None:
    marks = Marks()
    pictured(marks, "@1")
    marks.forget()
    assert refused(marks, 1) == "stale_mark"


def test_numbers_stay_short_and_never_twice_in_one_picture() -> None:
    marks = Marks()
    kept = pictured(marks, "@kept")
    for turn in range(3):
        numbers = pictured(marks, "@kept", *(f"@{turn}.{each}" for each in range(400)))
        assert numbers[0] == kept[0]
        assert len(set(numbers)) == len(numbers)
        assert max(numbers) <= NUMBER_MAX
