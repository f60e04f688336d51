"""Where the numbered tags of a set-of-mark picture go: pure geometry in the picture's pixels.

The rule: a tag touches its box, lies in the picture, covers no other tag where there is any room,
and otherwise as few words as possible. Above on the left is best, as a reader looks there first.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_TAG_WEIGHT = 400.0
_BOX_WEIGHT = 12.0
_INK_WEIGHT = 0.5
_OWN_INK_WEIGHT = 0.2
# A tag beside another box would be read as that one's.
_GAP_PX = 3
_ROUNDS = 2
_CELL_PX = 64
_SHIFTS_MAX = 4


class Box(NamedTuple):
    """A rectangle in pixels; *right* and *bottom* are just outside it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """How wide it is."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """How high it is."""
        return self.bottom - self.top

    @property
    def area(self) -> int:
        """How many pixels it holds."""
        return max(self.width, 0) * max(self.height, 0)

    def within(self, other: "Box") -> "Box":
        """Return the part of it that lies in *other*; without area when there is none."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def holds(self, other: "Box") -> bool:
        """Tell whether *other* lies in it altogether."""
        return self.within(other) == other


Ink = Callable[[Box], float]


def place_tags(
    boxes: Sequence[Box], sizes: Sequence[tuple[int, int]], view: Box, ink: Ink = lambda _: 0.0
) -> list[Box]:
    """Return where the tag of each of *boxes* goes; its size is the one of *sizes* there.

    *ink* tells how much is written in a rectangle, 0 being nothing.
    """
    around = _Cells()
    for number, box in enumerate(boxes):
        around.add(number, box)
    spots = [
        sorted((rank + _written(spot, box, ink), spot) for rank, spot in _spots(box, size, view))
        for box, size in zip(boxes, sizes, strict=True)
    ]
    placed = _Cells()
    tags: dict[int, Box] = {}
    for _ in range(_ROUNDS):
        for number, choices in enumerate(spots):
            if number in tags:
                placed.remove(number, tags[number])
            tags[number] = _cheapest(number, choices, placed, around)
            placed.add(number, tags[number])
    return [tags[number] for number in range(len(boxes))]


def _written(spot: Box, box: Box, ink: Ink) -> float:
    """Return what covering the words at *spot* costs; a label's own words stand in its name too."""
    return (_OWN_INK_WEIGHT if box.holds(spot) else _INK_WEIGHT) * ink(spot)


def _cheapest(
    number: int, choices: Sequence[tuple[float, Box]], placed: "_Cells", around: "_Cells"
) -> Box:
    best, least = choices[0][1], float("inf")
    for cost, spot in choices:
        if cost >= least:
            break
        beside = Box(spot.left - _GAP_PX, spot.top, spot.right + _GAP_PX, spot.bottom)
        cost += _TAG_WEIGHT * placed.covered_by(spot, number)
        cost += _BOX_WEIGHT * around.covered_by(beside, number)
        if cost < least:
            best, least = spot, cost
    return best


def _spots(box: Box, size: tuple[int, int], view: Box) -> list[tuple[float, Box]]:
    """Return the places for a tag of *size* at *box*, each with how little it is liked."""
    width, height = size
    found = []
    for rank, left, top in _corners(box, width, height):
        spot = Box(left, top, left + width, top + height)
        if view.holds(spot):
            found.append((rank, spot))
    if found:
        return found
    left = min(max(box.left, view.left), view.right - width)
    top = min(max(box.top - height, view.top), view.bottom - height)
    return [(0.0, Box(left, top, left + width, top + height))]


def _corners(box: Box, width: int, height: int) -> Iterator[tuple[float, int, int]]:
    """Yield rank, left and top of each place that touches *box*."""
    above, below = box.top - height, box.bottom
    before, after = box.left - width, box.right
    middle = box.top + (box.height - height) // 2
    yield 0.0, box.left, above
    yield 1.0, box.right - width, above
    yield 1.2, after, middle
    yield 1.5, before, middle
    yield 1.8, after, box.top
    yield 2.0, before, box.top
    yield 2.2, box.right - width, box.top
    yield 2.4, box.right - width, middle
    yield 2.6, box.left, box.top
    yield 2.8, box.right - width, box.bottom - height
    yield 3.0, box.left, box.bottom - height
    # A tag off a corner, or below, could be taken for another box's.
    yield 5.0, before, above
    yield 5.2, after, above
    yield 6.0, box.left, below
    yield 6.2, box.right - width, below
    yield 9.0, before, below
    yield 9.2, after, below
    for shift in range(1, min(box.width // max(width, 1), _SHIFTS_MAX)):
        yield 2.0 + shift / 10, box.left + shift * width, above
        yield 3.4 + shift / 10, box.left + shift * width, box.top


class _Cells:
    """Numbered rectangles, found again by where they lie."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], dict[int, Box]] = defaultdict(dict)

    def add(self, number: int, box: Box) -> None:
        """Note *box* under *number*."""
        for cell in self._of(box):
            self._cells[cell][number] = box

    def remove(self, number: int, box: Box) -> None:
        """Forget what was noted."""
        for cell in self._of(box):
            self._cells[cell].pop(number, None)

    def covered_by(self, box: Box, but: int) -> float:
        """Return how much of *box* the others cover; the one numbered *but* is no other."""
        found: dict[int, Box] = {}
        for cell in self._of(box):
            if cell in self._cells:
                found |= self._cells[cell]
        found.pop(but, None)
        left, top, right, bottom = box
        common = 0
        for other in found.values():
            across = min(right, other.right) - max(left, other.left)
            down = min(bottom, other.bottom) - max(top, other.top)
            if across > 0 and down > 0:
                common += across * down
        return common / max(box.area, 1)

    @staticmethod
    def _of(box: Box) -> Iterator[tuple[int, int]]:
        for across in range(box.left // _CELL_PX, box.right // _CELL_PX + 1):
            for down in range(box.top // _CELL_PX, box.bottom // _CELL_PX + 1):
                yield across, down
