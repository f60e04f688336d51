"""What is drawn on a picture can be read, stands where the elements are, and is bounded."""

import io
import os

import pytest
from PIL import Image, ImageChops, ImageColor

from browser.host.mark_drawing import COLOURS, framed_picture, numbered_picture

WIDE, HIGH = 640, 400
LIMITS = (2_000_000, 1_500_000)


def page(width: int = WIDE, height: int = HIGH, *, noise: bool = False) -> bytes:
    image = Image.new("RGB", (width, height), "white")
    if noise:
        image = Image.frombytes("RGB", (width, height), os.urandom(width * height * 3))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def opened(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture)).convert("RGB")


def changed(before: bytes, after: bytes) -> tuple[int, int, int, int] | None:
    """Return the corners of what differs between two pictures of one size."""
    return ImageChops.difference(opened(before), opened(after)).getbbox()


def luminance(colour: str) -> float:
    parts = [each / 255 for each in ImageColor.getrgb(colour)[:3]]
    red, green, blue = (
        each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", COLOURS)
def test_white_digits_can_be_read_on_every_colour(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 5


def test_a_box_is_drawn_around_its_element_and_the_tag_above_it() -> None:
    before = page()
    drawn = numbered_picture(before, [(7, (100, 100, 80, 30))], WIDE, LIMITS)
    assert drawn is not None
    assert drawn.mime == "image/png"
    assert changed(before, drawn.image) == (98, 87, 182, 132)
    assert opened(drawn.image).getpixel((140, 115)) == (255, 255, 255)  # inside nothing is drawn


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_the_pictures_own_pixels_count_not_those_of_css(ratio: int) -> None:
    before = page(WIDE * ratio, HIGH * ratio)
    drawn = numbered_picture(before, [(7, (100, 100, 80, 30))], WIDE, (10_000_000, 1_500_000))
    assert drawn is not None
    corners = changed(before, drawn.image)
    assert corners is not None
    assert corners == pytest.approx([ratio * side for side in (98, 87, 182, 132)], abs=2)


def test_a_box_past_the_edge_is_cut_there() -> None:
    before = page()
    marks = [(1, (-50, -20, 100, 60)), (2, (600, 380, 300, 300))]
    drawn = numbered_picture(before, marks, WIDE, LIMITS)
    assert drawn is not None
    assert opened(drawn.image).size == (WIDE, HIGH)


def test_without_marks_the_picture_is_as_it_was() -> None:
    before = page(noise=True)
    drawn = numbered_picture(before, [], WIDE, LIMITS)
    assert drawn is not None
    assert changed(before, drawn.image) is None


def test_too_many_pixels_are_scaled_down_and_the_marks_with_them() -> None:
    drawn = numbered_picture(page(1280, 800), [(1, (640, 400, 100, 50))], 1280, (256_000, 10**6))
    assert drawn is not None
    image = opened(drawn.image)
    assert image.width * image.height <= 256_000
    scale = image.width / 1280
    edge = image.getpixel((round(640 * scale) - 1, round(425 * scale)))
    assert edge == ImageColor.getrgb(COLOURS[0])


def test_too_many_bytes_make_a_jpeg_and_then_a_smaller_one() -> None:
    before = page(noise=True)
    limits = [1_500_000, 200_000, 30_000]
    drawn = [numbered_picture(before, [], WIDE, (2_000_000, limit)) for limit in limits]
    kinds = [each.mime for each in drawn if each is not None]
    assert kinds == ["image/png", "image/jpeg", "image/jpeg"]
    sizes = [len(each.image) for each in drawn if each is not None]
    assert all(size <= limit for size, limit in zip(sizes, limits, strict=True))
    assert drawn[2] is not None
    assert opened(drawn[2].image).width < WIDE
    assert numbered_picture(before, [], WIDE, (2_000_000, 10)) is None


def test_an_approval_picture_shows_the_element_and_what_is_around_it() -> None:
    picture = framed_picture(page(1280, 800), (600, 400, 80, 30), 1280, (640, 360))
    assert picture is not None
    image = opened(picture)
    assert image.format is None
    assert image.size == (640, 360)
    inside, edge = image.getpixel((320, 180)), image.getpixel((320 - 41, 180))
    assert (inside, edge != inside) == ((255, 255, 255), True)


@pytest.mark.parametrize("bounds", [(0, 0, 50, 20), (1230, 780, 50, 20), (0, 0, 1280, 800)])
def test_at_an_edge_or_too_large_it_is_still_bounded(bounds: tuple[int, int, int, int]) -> None:
    picture = framed_picture(page(1280, 800), bounds, 1280, (640, 360))
    assert picture is not None
    width, height = opened(picture).size
    assert width <= 640
    assert height <= 360


def test_an_element_out_of_the_picture_has_none() -> None:
    assert framed_picture(page(), (0, 900, 50, 20), WIDE, (640, 360)) is None
