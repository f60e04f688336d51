"""A tag lies in the picture beside its box, and on no other tag while there is any room."""

from itertools import combinations

import pytest

from browser.host.tag_places import Box, place_tags

VIEW = Box(0, 0, 1280, 800)
SIZE = (18, 13)


def placed(*boxes: Box, view: Box = VIEW) -> list[Box]:
    return place_tags(boxes, [SIZE] * len(boxes), view)


def overlaps(tags: list[Box]) -> int:
    return sum(first.within(second).area > 0 for first, second in combinations(tags, 2))


def touches(tag: Box, box: Box) -> bool:
    """Tell whether *tag* has a point in common with *box* or its edge."""
    common = tag.within(box)
    return common.width >= 0 and common.height >= 0


def grid(columns: int, rows: int, width: int, height: int, gap: int) -> list[Box]:
    return [
        Box(left, top, left + width, top + height)
        for top in range(0, rows * (height + gap), height + gap)
        for left in range(0, columns * (width + gap), width + gap)
    ]


def test_a_tag_stands_above_its_box_on_the_left() -> None:
    assert placed(Box(100, 100, 200, 130)) == [Box(100, 87, 118, 100)]


@pytest.mark.parametrize(
    "box",
    [
        Box(0, 0, 40, 20),
        Box(1240, 0, 1280, 20),
        Box(0, 780, 40, 800),
        Box(1240, 780, 1280, 800),
        Box(600, 0, 700, 20),
        Box(0, 0, 1280, 800),
        Box(0, 0, 6, 6),
        Box(1274, 794, 1280, 800),
    ],
)
def test_at_the_edges_a_tag_stays_in_the_picture_and_at_its_box(box: Box) -> None:
    (tag,) = placed(box)
    assert VIEW.holds(tag)
    assert touches(tag, box)
    assert (tag.width, tag.height) == SIZE


@pytest.mark.parametrize(
    ("width", "height", "gap"), [(36, 18, 2), (24, 16, 0), (20, 14, 4), (60, 20, 0), (18, 13, 0)]
)
def test_in_a_dense_grid_no_tag_covers_another(width: int, height: int, gap: int) -> None:
    boxes = grid(12, 12, width, height, gap)
    tags = placed(*boxes)
    assert overlaps(tags) == 0
    assert all(touches(tag, box) for tag, box in zip(tags, boxes, strict=True))


def test_where_every_box_is_smaller_than_a_tag_as_few_as_possible_overlap() -> None:
    boxes = grid(10, 10, 10, 10, 0)
    # One above the other they would cover each other everywhere.
    above = [Box(box.left, box.top, box.left + 18, box.top + 13) for box in boxes]
    assert overlaps(placed(*boxes)) < overlaps(above)


def test_a_tag_avoids_the_words_above_it_and_takes_the_free_side() -> None:
    row, words = Box(100, 100, 180, 120), Box(90, 80, 300, 99)

    def ink(spot: Box) -> float:
        return 60.0 if spot.within(words).area > 0 else 0.0

    (tag,) = place_tags([row], [SIZE], VIEW, ink)
    assert tag.within(words).area == 0
    assert placed(row)[0].within(words).area > 0  # with nothing written there, above is best


def test_with_words_on_every_side_a_tag_covers_its_own_rather_than_a_neighbours() -> None:
    box = Box(100, 100, 180, 120)
    (tag,) = place_tags([box], [SIZE], VIEW, lambda _: 50.0)
    assert box.holds(tag)


def test_a_tag_is_not_put_where_it_would_be_read_as_the_next_boxs() -> None:
    first, second = Box(100, 0, 140, 20), Box(143, 0, 183, 20)
    tag, _ = placed(first, second)
    assert tag.within(second).area == 0
    assert tag.right <= first.right
