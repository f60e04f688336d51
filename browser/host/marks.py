"""The marks of the last set-of-mark picture: `[3]` is the element that the picture numbered 3.

The rule: a number never means another element than the one it was drawn on. An element keeps its
number while its document stands; a number that is not in the newest picture is refused.
"""

from collections.abc import Sequence
from typing import NamedTuple

from browser.host.errors import CommandError

# Longer numbers would hide more of the page; before one comes again it was stale for long.
NUMBER_MAX = 999


class Mark(NamedTuple):
    """One numbered element: *ref* in the page whose loader is *document*.

    *context_id* names the document that the element itself stands in: its frame's own.
    """

    number: int
    ref: str
    document: str
    context_id: str = ""


class Marked(NamedTuple):
    """An element that a picture is to number."""

    ref: str
    context_id: str = ""


class Marks:
    """What the numbers of the last picture mean."""

    def __init__(self) -> None:
        self._marks: dict[int, Mark] = {}
        self._last = 0

    def numbered(self, elements: Sequence[Marked]) -> list[int]:
        """Return a number for each of *elements*: its own from the last picture, else a new one."""
        known = {(mark.context_id, mark.ref): number for number, mark in self._marks.items()}
        kept = {known[key] for each in elements if (key := (each.context_id, each.ref)) in known}
        numbers = []
        for each in elements:
            number = known.get((each.context_id, each.ref))
            numbers.append(self._next(kept) if number is None else number)
        return numbers

    def remember(self, labels: Sequence[Mark]) -> None:
        """Let the numbers of *labels* mean their elements, and no other number anything."""
        self._marks = {mark.number: mark for mark in labels}

    def forget(self) -> None:
        """Let no number mean anything: the page is another one."""
        self._marks = {}

    def meaning_of(self, number: int, document: str | None = None) -> Mark:
        """Return what *number* means in the page whose loader is *document* (default: any).

        Raises:
            CommandError: the last picture does not show it, or was of another page.
        """
        mark = self._marks.get(number)
        if mark is None or (document is not None and mark.document != document):
            raise CommandError("stale_mark", mark=number)
        return mark

    def ref_of(self, number: int, document: str) -> str:
        """Return the ref that *number* stands for in the page whose loader is *document*.

        Raises:
            CommandError: see `meaning_of`.
        """
        return self.meaning_of(number, document).ref

    def _next(self, kept: set[int]) -> int:
        self._last = self._last % NUMBER_MAX + 1
        while self._last in kept:
            self._last = self._last % NUMBER_MAX + 1
        return self._last
