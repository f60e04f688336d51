"""Sizes, fonts and colours of a chart's picture: dark ink on white, one restrained hue a target."""

from typing import NamedTuple

MARGIN = 36.0
COLUMN = 560.0
INSET = 14.0
GAP = 16.0
PAD = 12.0
GATE_Y = 17.5  # below a card's upper edge: the middle of its name, where edges arrive
LANE = 13.0
GUTTER_PAD = 22.0
CORNER = 6.0

SANS = "'Noto Sans CJK SC','Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif"
MONO = (
    "'DejaVu Sans Mono','Noto Sans Mono',Menlo,Consolas,'Liberation Mono',"
    "'Noto Sans Mono CJK SC','Noto Sans CJK SC','Noto Sans SC','PingFang SC','Microsoft YaHei',"
    "monospace"
)
# Dark enough for text on white (contrast over 5:1), apart in lightness for a grey print.
PALETTE = (
    "#1f5582",
    "#8a4b14",
    "#2e6b4a",
    "#6b3f86",
    "#a02f3f",
    "#0f6b73",
    "#6d5f12",
    "#4a5363",
    "#97306f",
    "#3d47a3",
    "#4b6a10",
    "#5b4632",
)


class Size(NamedTuple):
    """A font size and the line height that belongs to it."""

    font: float
    line: float


HEAD = Size(20, 28)
TITLE = Size(13.5, 20)
PROSE = Size(11.5, 17)
ROW = Size(11, 17)
WORK = Size(10.5, 16)
NOTE = Size(10, 15)


def style_sheet() -> str:
    """Return the picture's CSS; each class is a style of a `Run` or a shape."""
    hues = "".join(f".t{n}{{fill:{hue}}}.k{n}{{stroke:{hue}}}" for n, hue in enumerate(PALETTE))
    return (
        f"text{{font-family:{SANS};fill:#1c2430}}"
        f".mono{{font-family:{MONO}}}.bold{{font-weight:bold}}"
        ".soft{fill:#5a6472}.name{fill:#111820}.event{fill:#111820}"
        ".guard{fill:#6a4a08}.action{fill:#44505f}.number{fill:#6b7585}"
        ".ran{fill:#1b5e3a}.refused{fill:#95400f}"
        ".paper{fill:#fff}.frame{fill:#f5f7fa;stroke:#aab3bf;stroke-dasharray:5 3}"
        ".card{fill:#fff;stroke:#8893a1}.inner{fill:none;stroke:#8893a1}"
        ".head{fill:#e9edf3}.rule{stroke:#dde2e9;fill:none}.seen{stroke:#1b5e3a;stroke-width:1.8}"
        ".taken{fill:#e7f3ea}.ink{fill:#1c2430}"
        ".line{fill:none;stroke-width:1.4}.leader{stroke-dasharray:1 3}"
        ".ran-line{stroke-width:2.6}"
        ".off{stroke:#d3d8df;stroke-width:1}.off-head{fill:#c3cad3}"
        ".pale{fill-opacity:.5}.pale-shape{opacity:.5}"
        ".edge:hover .line{stroke-width:3.2}"
        f"{hues}"
    )
