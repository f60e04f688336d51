"""Drawing on a picture that was taken: numbered boxes, or the one element a person is asked about.

The rule: the page never sees any of it. What is drawn is drawn here, on a copy of its pixels, and
the result is bounded in pixels and in bytes.
"""

import io
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from browser.host.tag_places import Box, Ink, place_tags

# Dark enough for white digits (contrast 5 and more), and told apart beside each other.
COLOURS = ("#b3001b", "#0b4fb3", "#11691f", "#7a1fa2", "#8a4300", "#00636b")
_FONT_PX = 11.5
_PAD_PX = 2
_TAG_HEIGHT_PX = 13
_LINE_PX = 2
_FRAME_COLOUR = "#d0021b"
_ROOM_PX = 40
_JPEG_QUALITIES = (85, 70, 50)
_SMALLER = 0.75
_SHRINKS_MAX = 6
_FASTEST = 1

Bounds = tuple[int, int, int, int]


class Drawn(NamedTuple):
    """A finished picture and what kind of file it is."""

    image: bytes
    mime: str


def numbered_picture(
    png: bytes, marks: Sequence[tuple[int, Bounds]], view_width: int, limits: tuple[int, int]
) -> Drawn | None:
    """Return *png* with a numbered box for each of *marks*; None when it stays too large.

    *marks* are numbers and `[x, y, width, height]` in CSS pixels of a viewport that is *view_width*
    wide; *limits* are the most pixels and the most bytes.
    """
    pixels_max, bytes_max = limits
    image = _at_most(_opened(png), pixels_max)
    scale = image.width / max(view_width, 1)
    view = Box(0, 0, image.width, image.height)
    boxes = [_scaled(bounds, scale).within(view) for _, bounds in marks]
    font = ImageFont.load_default(_FONT_PX * scale)
    sizes = [_tag_size(str(number), font, scale) for number, _ in marks]
    tags = place_tags(boxes, sizes, view, _ink_of(image, sizes))
    draw = ImageDraw.Draw(image)
    for box in boxes:
        _halo(draw, box, scale)
    for place, box in enumerate(boxes):
        _outline(draw, box, COLOURS[place % len(COLOURS)], scale)
    for place, tag in enumerate(tags):
        _tag(draw, tag, str(marks[place][0]), COLOURS[place % len(COLOURS)], font)
    return _packed(image, bytes_max)


def framed_picture(
    png: bytes, bounds: Bounds, view_width: int, size: tuple[int, int]
) -> bytes | None:
    """Return as PNG what is around the element at *bounds*, its box drawn, at most *size* large.

    None when no part of the element is in the picture.
    """
    image = _opened(png)
    scale = image.width / max(view_width, 1)
    view = Box(0, 0, image.width, image.height)
    box = _scaled(bounds, scale).within(view)
    if box.area <= 0:
        return None
    draw = ImageDraw.Draw(image)
    _halo(draw, box, scale * 2)
    _outline(draw, box, _FRAME_COLOUR, scale * 2)
    part = image.crop(_around(box, view, size, scale))
    part.thumbnail(size)
    file = io.BytesIO()
    part.save(file, "PNG", optimize=True)
    return file.getvalue()


def _opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png), formats=("PNG",)).convert("RGB")


def _scaled(bounds: Bounds, scale: float) -> Box:
    x, y, width, height = (side * scale for side in bounds)
    return Box(round(x), round(y), round(x + width), round(y + height))


def _at_most(image: Image.Image, pixels_max: int) -> Image.Image:
    pixels = image.width * image.height
    if pixels <= pixels_max:
        return image
    return _shrunk(image, (pixels_max / pixels) ** 0.5)


def _shrunk(image: Image.Image, factor: float) -> Image.Image:
    size = (max(int(image.width * factor), 1), max(int(image.height * factor), 1))
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2)


def _tag_size(
    text: str, font: ImageFont.ImageFont | ImageFont.FreeTypeFont, scale: float
) -> tuple[int, int]:
    return round(font.getlength(text) + 2 * _PAD_PX * scale), round(_TAG_HEIGHT_PX * scale)


def _ink_of(image: Image.Image, sizes: Sequence[tuple[int, int]]) -> Ink:
    """Return a function that tells how much is written in a rectangle of one of *sizes*.

    One blur a size gives the mean of the edges around every pixel at once.
    """
    half = image.convert("L").reduce(2)
    edges = half.filter(ImageFilter.FIND_EDGES)
    right, bottom = edges.width - 1, edges.height - 1
    # The filter leaves the outermost pixels as they were.
    ImageDraw.Draw(edges).rectangle((0, 0, right, bottom), outline=0)
    means = {
        (width, height): edges.filter(ImageFilter.BoxBlur((width / 4, height / 4))).load()
        for width, height in set(sizes)
    }

    def ink(spot: Box) -> float:
        at = means[spot.width, spot.height]
        place = (
            min((spot.left + spot.right) // 4, right),
            min((spot.top + spot.bottom) // 4, bottom),
        )
        value = at[place] if at is not None else 0.0
        return value if isinstance(value, float | int) else 0.0

    return ink


def _edge(draw: ImageDraw.ImageDraw, box: Box, out: int) -> tuple[int, int, int, int]:
    """Return the corners of the line *out* pixels outside *box*, or at the picture's edge."""
    right, bottom = draw.im.size
    return (
        max(box.left - out, 0),
        max(box.top - out, 0),
        min(box.right + out, right) - 1,
        min(box.bottom + out, bottom) - 1,
    )


def _halo(draw: ImageDraw.ImageDraw, box: Box, scale: float) -> None:
    """Draw a light line around where the box will be: it shows on a dark page."""
    draw.rectangle(_edge(draw, box, _line(scale) + 1), outline="white")


def _outline(draw: ImageDraw.ImageDraw, box: Box, colour: str, scale: float) -> None:
    line = _line(scale)
    draw.rectangle(_edge(draw, box, line), outline=colour, width=line)


def _line(scale: float) -> int:
    return max(round(_LINE_PX * scale), 1)


def _tag(
    draw: ImageDraw.ImageDraw,
    tag: Box,
    text: str,
    colour: str,
    font: ImageFont.ImageFont | ImageFont.FreeTypeFont,
) -> None:
    draw.rectangle((tag.left, tag.top, tag.right - 1, tag.bottom - 1), fill=colour)
    middle = ((tag.left + tag.right) / 2, (tag.top + tag.bottom) / 2)
    draw.text(middle, text, fill="white", font=font, anchor="mm")


def _around(box: Box, view: Box, size: tuple[int, int], scale: float) -> Box:
    """Return the part of *view* to show: *size* around *box*, more when the box is larger."""
    room = round(_ROOM_PX * scale)
    width = min(max(round(size[0] * scale), box.width + 2 * room), view.width)
    height = min(max(round(size[1] * scale), box.height + 2 * room), view.height)
    left = min(max((box.left + box.right - width) // 2, 0), view.width - width)
    top = min(max((box.top + box.bottom - height) // 2, 0), view.height - height)
    return Box(left, top, left + width, top + height)


def _packed(image: Image.Image, bytes_max: int) -> Drawn | None:
    """Return *image* as PNG, else as JPEG, else smaller, until it has at most *bytes_max*."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_FASTEST)
    if file.tell() <= bytes_max:
        return Drawn(file.getvalue(), "image/png")
    for _ in range(_SHRINKS_MAX):
        for quality in _JPEG_QUALITIES:
            file = io.BytesIO()
            image.save(file, "JPEG", quality=quality)
            if file.tell() <= bytes_max:
                return Drawn(file.getvalue(), "image/jpeg")
        image = _shrunk(image, _SMALLER)
    return None
