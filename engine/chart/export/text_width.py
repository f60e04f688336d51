"""How wide a text may become: an upper bound without a font, so a picture is the same anywhere.

The table is wider than the fonts of the stacks in `svg_style`, never narrower: what is reserved by
it holds the text in any of them. Chinese counts as a full em; so does what the table does not know.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MONO_EM = 0.63
BOLD = 1.08

_THIN = "ijl|!'.,:;`"
_SLIM = 'rtfI()[]{}-/\\" *'
_WIDE = "mwMW@%"
_BROAD_LATIN = frozenset(map(ord, "ÆæŒœ"))
# (last character, em): Latin, combining marks, other scripts, Chinese, the long Arabic ligature,
# Chinese, cuneiform (signs as wide as words), more scripts, emoji, rare Chinese.
_EM_UP_TO = (
    *((0x24F, 0.86), (0x2FF, 1.1), (0x36F, 0.0), (0x2E7F, 1.1), (0xFDFC, 1.02), (0xFDFD, 12.0)),
    *((0x11FFF, 1.1), (0x1254F, 12.0), (0x1EFFF, 1.1), (0x1FFFF, 1.4), (0x10FFFF, 1.02)),
)
# Outside XML 1.0, or able to turn the direction of what follows: never part of a picture.
_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufdd0-\ufdef\ufeff"
    "\ufff9-\uffff\ud800-\udfff\U000e0000-\U0010ffff]+"
)
_SPACES = re.compile(r"\s+")
# A line does not begin with these, nor end with those (the rule of Chinese typesetting).
_CLOSING = "，。、；：？！）】》」』”’%,.;:!?)]}"
_OPENING = "（【《「『“‘([{"
# A no-break space (`TIE`) holds two words together.
_WORD = re.compile(r" +|[^ \u2e80-\U0003ffff]+|[\u2e80-\U0003ffff]")
TIE = "\xa0"


class Run(NamedTuple):
    """A stretch of text in one *style*; *mono* and *bold* decide its width."""

    text: str
    style: str = ""
    mono: bool = True
    bold: bool = False


Line = tuple[Run, ...]


def clean(text: str, length_max: int = 0) -> str:
    """Return *text* as one line that XML may hold, cut with an ellipsis after *length_max*."""
    whole = _SPACES.sub(" ", _UNFIT.sub(" ", text)).strip()
    return whole[: length_max - 1] + "…" if 0 < length_max < len(whole) else whole


def width_of(run: Run, size: float) -> float:
    """Return how wide *run* is at most, in pixels, at the font *size*."""
    ems = sum(_mono_em(char) if run.mono else _em(char) for char in run.text)
    return ems * size * (BOLD if run.bold and not run.mono else 1)


def line_width(line: Sequence[Run], size: float) -> float:
    """Return how wide *line* is at most."""
    return sum(width_of(run, size) for run in line)


def _mono_em(char: str) -> float:
    return MONO_EM if char.isascii() else _em(char)


def _em(char: str) -> float:
    if char.isascii():
        if char in _THIN:
            return 0.4
        if char in _SLIM:
            return 0.48
        if char in _WIDE:
            return 1.02
        return 0.78 if char.isupper() else 0.68
    return _em_beyond_ascii(ord(char))


def _em_beyond_ascii(code: int) -> float:
    if code in _BROAD_LATIN:
        return 1.02
    return next(em for last, em in _EM_UP_TO if code <= last)


def wrap(runs: Sequence[Run], size: float, width: float, lines_max: int = 0) -> list[Line]:
    """Return *runs* in lines no wider than *width*; after *lines_max* the rest is an ellipsis.

    A line breaks at a space, beside a Chinese character, and inside a name only where the name
    alone is too wide: after `_` or `.` if it has one there, else anywhere.
    """
    lines: list[list[Run]] = [[]]
    left = width
    for piece in _pieces(runs, size, width):
        wide = line_width(piece, size)
        if wide > left and lines[-1]:
            lines.append([])
            left = width
        if not lines[-1] and all(run.text == " " for run in piece):
            continue
        lines[-1] += piece
        left -= wide
    whole = [_joined(line) for line in lines if line]
    if lines_max and len(whole) > lines_max:
        last = _shortened(whole[lines_max - 1], size, width)
        return [*whole[: lines_max - 1], last]
    return whole


def _pieces(runs: Sequence[Run], size: float, width: float) -> Iterator[list[Run]]:
    """Yield what may not be parted, in order; a blank comes alone."""
    held: list[Run] = []
    for run, word in ((each, w[0]) for each in runs for w in _WORD.finditer(each.text)):
        piece = run._replace(text=word)
        if word[0] == " ":
            if held:
                yield held
            held = []
            yield [run._replace(text=" ")]
        elif held and (_sticks(held[-1], piece)):
            held.append(piece)
        else:
            if held:
                yield held
            held = [piece]
        if line_width(held, size) > width:
            yield from _broken(held, size, width)
            held = []
    if held:
        yield held


def _sticks(before: Run, after: Run) -> bool:
    """Tell whether no line may break between two neighbours that no blank parts."""
    if before.text[-1] in _OPENING or after.text[0] in _CLOSING:
        return True
    return before.text[-1] < "\u2e80" and after.text[0] < "\u2e80"


def _broken(piece: Sequence[Run], size: float, width: float) -> Iterator[list[Run]]:
    for run in piece:
        rest = run.text
        while rest:
            fits = _longest(run, rest, size, width)
            cut = max(rest.rfind("_", 0, fits), rest.rfind(".", 0, fits)) + 1
            at = cut if fits < len(rest) and cut > fits // 2 else fits
            yield [run._replace(text=rest[:at])]
            rest = rest[at:]


def _longest(run: Run, text: str, size: float, width: float) -> int:
    """Return how many characters of *text* fit, at least one."""
    wide = 0.0
    for number, char in enumerate(text):
        wide += width_of(run._replace(text=char), size)
        if wide > width and number:
            return number
    return len(text)


def _joined(line: Sequence[Run]) -> Line:
    """Return *line* with neighbours of one style as one run, without blanks at its end."""
    joined: list[Run] = []
    for run in line:
        if joined and joined[-1]._replace(text="") == run._replace(text=""):
            joined[-1] = run._replace(text=joined[-1].text + run.text)
        else:
            joined.append(run)
    while joined and not joined[-1].text.strip():
        joined.pop()
    if joined:
        joined[-1] = joined[-1]._replace(text=joined[-1].text.rstrip())
    return tuple(joined)


def _shortened(line: Line, size: float, width: float) -> Line:
    runs = list(line)
    while runs and line_width(runs, size) + size * 1.1 > width:
        runs[-1] = runs[-1]._replace(text=runs[-1].text[:-1])
        if not runs[-1].text:
            runs.pop()
    last = runs[-1] if runs else line[-1]._replace(text="")
    return (*runs[:-1], last._replace(text=last.text.rstrip() + "…"))
