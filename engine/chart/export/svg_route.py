"""How the edges run: from a row's line into the gutter, along the lane of its target, to its card.

All edges to one state share one lane and one colour; two states share a lane only where their
stretches are apart. Horizontal stretches of the two columns never lie on each other.
"""

from typing import NamedTuple

from engine.chart.export.svg_card import Port, Scene
from engine.chart.export.svg_layout import Placed, Sheet, Side
from engine.chart.export.svg_style import CORNER, GATE_Y, GUTTER_PAD, LANE

APART = 4.0
_LANE_GAP = 14.0
_ARROW = 8.0


class Edge(NamedTuple):
    """One row's edge; *leader* crosses the blank rest of its card, *d* is the way from there."""

    target: str
    hue: int
    tip: str
    taken: int
    leader: tuple[float, float, float]
    d: str


class Head(NamedTuple):
    """The arrow head at a card; *taken* when any edge to it was."""

    hue: int
    x: float
    y: float
    side: Side
    taken: bool


class Routes(NamedTuple):
    """Every edge and every arrow head."""

    edges: tuple[Edge, ...]
    heads: tuple[Head, ...]


class _Start(NamedTuple):
    placed: Placed
    port: Port
    y: float


def lanes_of(sheet: Sheet) -> dict[str, int]:
    """Return the lane number of each target."""
    spans: dict[str, list[float]] = {}
    for placed in sheet.placed:
        for port in placed.card.ports:
            spans.setdefault(port.target, []).append(_port_y(placed, port))
    for placed in sheet.placed:
        if placed.card.path in spans:
            spans[placed.card.path].append(_gate_y(placed))
    ends: list[float] = []
    lanes: dict[str, int] = {}
    for target in sorted(spans, key=lambda path: (min(spans[path]), path)):
        low, high = min(spans[target]), max(spans[target])
        free = [number for number, end in enumerate(ends) if end + _LANE_GAP < low]
        lane = free[0] if free else len(ends)
        ends[lane : lane + 1] = [high]
        lanes[target] = lane
    return lanes


def gutter_width(lanes: dict[str, int]) -> float:
    """Return how wide the gutter must be for *lanes*."""
    return 2 * GUTTER_PAD + LANE * max(lanes.values(), default=0)


def route(scene: Scene, sheet: Sheet, lanes: dict[str, int]) -> Routes:
    """Return the edges and heads on *sheet*."""
    xs = {path: sheet.left_end + GUTTER_PAD + LANE * lane for path, lane in lanes.items()}
    gates = {placed.card.path: placed for placed in sheet.placed}
    starts = [
        _Start(placed, port, _port_y(placed, port))
        for placed in sheet.placed
        for port in placed.card.ports
    ]
    taken_y = [(start.y, xs[start.port.target]) for start in starts if start.placed.side == "left"]
    taken_y += [(_gate_y(gates[path]), x) for path, x in xs.items() if gates[path].side == "left"]
    arrivals = {
        path: _apart(_gate_y(gates[path]), x, taken_y)
        if gates[path].side == "right"
        else _gate_y(gates[path])
        for path, x in xs.items()
    }
    edges = []
    for start in starts:
        target, x = start.port.target, xs[start.port.target]
        y = start.y if start.placed.side == "left" else _apart(start.y, x, taken_y)
        edges.append(_edge(scene, start._replace(y=y), gates[target], (x, arrivals[target])))
    used = {edge.target for edge in edges if edge.taken}
    heads = tuple(
        Head(scene.hues[path], gates[path].gate, arrivals[path], gates[path].side, path in used)
        for path in xs
    )
    return Routes(tuple(edges), heads)


def _port_y(placed: Placed, port: Port) -> float:
    return placed.y + (port.right_y if placed.side == "left" else port.left_y)


def _gate_y(placed: Placed) -> float:
    return placed.y + GATE_Y


def _apart(y: float, x: float, left: list[tuple[float, float]]) -> float:
    """Return *y* moved a little where a stretch from the left column would lie under it.

    A stretch of the right column goes left to its lane *x*; one of the left column goes right to
    its own: they can only meet where the left one's lane lies further right.
    """
    near = [other for other, end in left if end >= x and abs(other - y) < 4 * APART]
    for moved in (0.0, APART, -APART, 1.5 * APART, -1.5 * APART):
        if all(abs(other - y - moved) >= APART for other in near):
            return y + moved
    return y


def _edge(scene: Scene, start: _Start, to: Placed, lane: tuple[float, float]) -> Edge:
    placed, port = start.placed, start.port
    inner = placed.x + port.text_end if placed.side == "left" else placed.x + 8
    gate = placed.gate
    end = to.gate + (_ARROW if to.side == "left" else -_ARROW)
    d = _path((gate, start.y), lane, end)
    hue = scene.hues[port.target]
    return Edge(port.target, hue, port.tip, port.taken, (inner, gate, start.y), d)


def _path(begin: tuple[float, float], lane: tuple[float, float], end: float) -> str:
    (x0, y0), (x, y1) = begin, lane
    if abs(y1 - y0) < 1:
        return f"M{_n(x0)} {_n(y0)}H{_n(end)}"
    round_by = min(CORNER, abs(y1 - y0) / 2)
    down = 1 if y1 > y0 else -1
    out = 1 if x > x0 else -1
    back = 1 if end > x else -1
    return (
        f"M{_n(x0)} {_n(y0)}H{_n(x - out * round_by)}"
        f"Q{_n(x)} {_n(y0)} {_n(x)} {_n(y0 + down * round_by)}"
        f"V{_n(y1 - down * round_by)}"
        f"Q{_n(x)} {_n(y1)} {_n(x + back * round_by)} {_n(y1)}H{_n(end)}"
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
