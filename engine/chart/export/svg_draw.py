"""From places and routes to SVG text: plain shapes in absolute coordinates, everything escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from engine.chart.export.svg_card import Scene, Text
from engine.chart.export.svg_layout import Frame, Placed
from engine.chart.export.svg_route import Edge, Head
from engine.chart.export.svg_style import GATE_Y, PAD
from engine.chart.export.text_width import Run, clean


def tag(name: str, body: str = "", /, **attributes: object) -> str:
    """Return one element; `_` at the end of an attribute's name is dropped, inside it is `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(str(value))


def title(text: str) -> str:
    """Return what a pointer that rests on the parent is told."""
    return f"<title>{escape(clean(text))}</title>"


def text_at(text: Text, x: float = 0.0, y: float = 0.0) -> str:
    """Return *text* moved by (x, y)."""
    body = "".join(_span(run) for run in text.line)
    return tag("text", body, x=text.x + x, y=text.y + y, font_size=text.size)


def _span(run: Run) -> str:
    kinds = [run.style] if run.style else []
    kinds += (["mono"] if run.mono else []) + (["bold"] if run.bold else [])
    return f'<tspan class="{escape(" ".join(kinds))}">{escape(run.text)}</tspan>'


def frame(scene: Scene, box: Frame) -> str:
    """Return the box around a state with inner states."""
    pale = scene.walk is not None and box.path not in scene.walk.states
    kind = "frame pale-shape" if pale else "frame"
    shape = {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "rx": 10}
    return tag("rect", title(scene.title_of(box.path)), class_=kind, **shape)


def card(scene: Scene, placed: Placed) -> str:
    """Return the paper of a card: its border, its head, the stripes of taken rows, its mark."""
    of = placed.card
    pale = "" if of.seen is not False else " pale-shape"
    x, y, width, height = placed.x, placed.y, of.width, of.height
    seen = " seen" if of.seen else ""
    parts = [
        tag("rect", class_=f"card{seen}{pale}", x=x, y=y, width=width, height=height, rx=6),
        tag("path", class_=f"head{pale}", d=_head(x + 1, y + 1, width - 2, of.head - 1)),
    ]
    if of.final:
        inset = {"x": x + 3, "y": y + 3, "width": width - 6, "height": height - 6, "rx": 4}
        parts.append(tag("rect", class_=f"inner{pale}", **inset))
    for top, high in of.stripes:
        shape = {"x": x + 5, "y": y + top, "width": width - 10, "height": high, "rx": 3}
        parts.append(tag("rect", class_="taken", **shape))
    if of.start or of.final:
        parts.append(mark(x + PAD + 7, y + GATE_Y, final=of.final, kind=pale))
    return tag("g", "".join(parts))


def mark(x: float, y: float, *, final: bool, kind: str = "") -> str:
    """Return the dot of a start, or the ringed dot of an end."""
    dot = tag("circle", class_=f"ink{kind}", cx=x, cy=y, r=3.2 if final else 5.0)
    ring = tag("circle", class_=f"inner{kind}", cx=x, cy=y, r=6.0) if final else ""
    return dot + ring


def texts(scene: Scene, placed: Placed) -> str:
    """Return all that is written on a card, in one group that names its state and its box."""
    of = placed.card
    body = title(scene.title_of(of.path))
    body += "".join(text_at(text, placed.x, placed.y) for text in of.texts)
    return group(of.path, (placed.x, placed.y, of.width, of.height), body)


def group(name: str, box: Sequence[float], body: str) -> str:
    """Return *body* as a group; `data-box` says within which box its texts stand."""
    return tag("g", body, data_state=name, data_box=" ".join(map(_value, box)))


def edge(scene: Scene, way: Edge) -> str:
    """Return one row's edge: dotted over its own card, then a line."""
    hue = f"k{way.hue}"
    if scene.walk is not None:
        hue = f"{hue} ran-line" if way.taken else "off"
    inner, gate, y = way.leader
    leader = f"M{_value(inner)} {_value(y)}H{_value(gate)}"
    body = title(way.tip) + tag("path", class_=f"line leader {hue}", d=leader)
    return tag("g", body + tag("path", class_=f"line {hue}", d=way.d), class_="edge")


def head(scene: Scene, arrow: Head) -> str:
    """Return the arrow head at a card."""
    live = scene.walk is None or arrow.taken
    back = 10.0 if arrow.side == "left" else -10.0
    x, y = arrow.x, arrow.y
    points = f"{_value(x)},{_value(y)} {_value(x + back)},{_value(y - 5)} "
    points += f"{_value(x + back)},{_value(y + 5)}"
    return tag("polygon", class_=f"t{arrow.hue}" if live else "off-head", points=points)


def in_order(edges: Iterable[Edge]) -> list[Edge]:
    """Return *edges* with those of a run last, so that they lie on top."""
    return sorted(edges, key=lambda each: each.taken > 0)


def _head(x: float, y: float, width: float, height: float) -> str:
    """Return a box with round upper corners."""
    end, low = x + width, y + height
    return (
        f"M{_value(x)} {_value(low)}V{_value(y + 5)}Q{_value(x)} {_value(y)} {_value(x + 5)} "
        f"{_value(y)}H{_value(end - 5)}Q{_value(end)} {_value(y)} {_value(end)} {_value(y + 5)}"
        f"V{_value(low)}Z"
    )
