"""Where each card stands: two columns with a gutter between them, which belongs to the edges.

Every card touches the gutter or has only the blank padding of its frames between, so an edge can
reach any card without crossing another. A state with inner states is a frame: a large one spans
both columns and the gutter (band), a smaller one stands in one column (stack). Which column a card
takes depends on the chart alone, not on the language or the run, so pictures can be compared.
"""

from typing import Literal, NamedTuple

from engine.chart.declaration import State
from engine.chart.export.svg_card import Card, Scene, card_of
from engine.chart.export.svg_style import COLUMN, GAP, INSET, MARGIN

BAND_SHARE = 0.5
BAND_CHILDREN_MIN = 3

Side = Literal["left", "right"]


class Placed(NamedTuple):
    """A card at (x, y); *side* is the column it stands in."""

    card: Card
    x: float
    y: float
    side: Side

    @property
    def gate(self) -> float:
        """Return the x of the edge that faces the gutter."""
        return self.x + self.card.width if self.side == "left" else self.x


class Frame(NamedTuple):
    """The box around a state with inner states."""

    path: str
    x: float
    y: float
    width: float
    height: float


class Sheet(NamedTuple):
    """All that stands on the paper below the head, and where the columns end."""

    placed: tuple[Placed, ...]
    frames: tuple[Frame, ...]
    left_end: float
    right_start: float
    width: float
    bottom: float


def place(scene: Scene, top: float, gutter: float) -> Sheet:
    """Return where everything stands with a *gutter* of this width, below *top*."""
    placer = _Placer(scene, gutter)
    roots = [state for state in scene.chart.states.values() if not state.parent]
    bottom = placer.band(roots, top, 0)
    return placer.sheet(bottom)


class _Placer:
    def __init__(self, scene: Scene, gutter: float) -> None:
        self._scene = scene
        states = scene.chart.states
        self._weights = {path: _weight(scene, state) for path, state in states.items()}
        self._total = sum(self._weights[p] for p, state in states.items() if not state.parent)
        deepest = max(path.count(".") for path in states)
        self._column = COLUMN + 2 * INSET * deepest
        self._left = MARGIN
        self._right = MARGIN + self._column + gutter
        self._placed: list[Placed] = []
        self._frames: list[Frame] = []

    def sheet(self, bottom: float) -> Sheet:
        """Return what was placed, outer frames first."""
        frames = tuple(sorted(self._frames, key=lambda frame: frame.path.count(".")))
        end = self._right + self._column
        left_end = self._left + self._column
        return Sheet(tuple(self._placed), frames, left_end, self._right, end + MARGIN, bottom)

    def band(self, states: list[State], top: float, depth: int, used: float = 0.0) -> float:
        """Place *states* in both columns below *top*; return where the lower column ends.

        *used* is the height of what the left column already holds.
        """
        columns: dict[Side, float] = {"left": top + used, "right": top}
        weights: dict[Side, float] = {"left": used, "right": 0.0}
        for state in states:
            if self._is_band(state, depth):
                # What comes after it begins below it, in both columns.
                y = self._frame_over_both(state, max(columns.values()), depth) + GAP
                columns, weights = {"left": y, "right": y}, {"left": 0.0, "right": 0.0}
                continue
            side: Side = "left" if weights["left"] <= weights["right"] else "right"
            x, width = self._room(side, depth)
            columns[side] = self._stack(state, x, columns[side], width, side) + GAP
            weights[side] += self._weights[state.path]
        return max(columns.values()) - GAP

    def _is_band(self, state: State, depth: int) -> bool:
        share = self._weights[state.path] / self._total
        many = len(state.children) >= BAND_CHILDREN_MIN
        return many and share > BAND_SHARE and depth == state.path.count(".")

    def _room(self, side: Side, depth: int) -> tuple[float, float]:
        width = self._column - INSET * depth
        return (self._left + INSET * depth if side == "left" else self._right), width

    def _frame_over_both(self, state: State, top: float, depth: int) -> float:
        x, width = self._room("left", depth + 1)
        card = card_of(self._scene, state, width)
        y = top + INSET
        self._placed.append(Placed(card, x, y, "left"))
        children = [self._scene.chart.states[child] for child in state.children]
        bottom = self.band(children, y, depth + 1, card.height + GAP) + INSET
        left = self._left + INSET * depth
        end = self._right + self._column - INSET * depth
        self._frames.append(Frame(state.path, left, top, end - left, bottom - top))
        return bottom

    def _stack(self, state: State, x: float, top: float, width: float, side: Side) -> float:
        """Place *state* with all that is in it in one column; return where it ends."""
        if not state.children:
            card = card_of(self._scene, state, width)
            self._placed.append(Placed(card, x, top, side))
            return top + card.height
        card = card_of(self._scene, state, width - 2 * INSET)
        self._placed.append(Placed(card, x + INSET, top + INSET, side))
        y = top + INSET + card.height + GAP
        for child in state.children:
            inner = self._scene.chart.states[child]
            y = self._stack(inner, x + INSET, y, width - 2 * INSET, side) + GAP
        bottom = y - GAP + INSET
        self._frames.append(Frame(state.path, x, top, width, bottom - top))
        return bottom


def _weight(scene: Scene, state: State) -> float:
    """Return about how high the state is: the same in every language and for every run."""
    lines = 60 + 16.0 * len(state.entry + state.exit + state.services + state.delays)
    for row in state.rows:
        names = (row.guard.text() if row.guard else "") + "".join(a.name for a in row.actions)
        lines += 17 * (1 + (len(row.event) + len(names) + len(row.target or "")) // 70)
    return lines + sum(_weight(scene, scene.chart.states[child]) for child in state.children)
