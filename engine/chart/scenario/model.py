"""A scenario as read: frozen, checked against its chart, each step with its line."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from engine.chart.declaration import Scalar
from engine.chart.errors import ChartError, Problem
from engine.chart.step import Cancel, Do, Effect, Start, Timer
from states.events import NOTHING

Dropped = Literal["stale", "ignored"]
EffectKind = Literal["start", "cancel", "timer", "do"]


class ScenarioError(ChartError):
    """Scenario files that cannot be run; *problems* holds every line that is wrong."""

    def __init__(self, problems: tuple[Problem, ...], file: str) -> None:
        super().__init__(problems, "scenario_broken", file=file)


class WantedEffect(NamedTuple):
    """One effect a step must have: *names* are the ids it may carry, *seconds* None = any."""

    kind: EffectKind
    names: tuple[str, ...]
    seconds: float | None
    text: str

    def fits(self, effect: Effect) -> bool:
        """Tell whether *effect* is the wanted one."""
        kind, name, seconds = parts_of(effect)
        return (
            kind == self.kind
            and name in self.names
            and (self.seconds is None or self.seconds == seconds)
        )


class ScenarioStep(NamedTuple):
    """One event to send, and what must come of it; None = not asked.

    *fields* holds every declared field of the payload, *record* what replaces parts of the
    sample record. A *late* event carries a generation that is no longer live.
    """

    send: str
    fields: Mapping[str, Scalar] = NOTHING
    record: Mapping[str, Any] = NOTHING
    late: bool = False
    state: str | None = None
    effects: tuple[WantedEffect, ...] | None = None
    dropped: Dropped | None = None
    facts: Mapping[str, Scalar] = NOTHING
    line: int = 0


class Scenario(NamedTuple):
    """One story: where the chart begins, and its steps."""

    name: str
    context: Any
    steps: tuple[ScenarioStep, ...]
    source: str = ""
    line: int = 0


class ScenarioFile(NamedTuple):
    """The scenarios of one file, all of one chart."""

    source: str
    chart: str
    scenarios: tuple[Scenario, ...]


def parts_of(effect: Effect) -> tuple[EffectKind, str, float | None]:
    """Return the kind of *effect*, the id it carries, and a timer's seconds."""
    if isinstance(effect, Start):
        return "start", effect.id, None
    if isinstance(effect, Timer):
        return "timer", effect.event, effect.seconds
    if isinstance(effect, Cancel):
        return "cancel", effect.id, None
    return "do", effect.action, None


def effect_text(effect: Effect) -> str:
    """Return *effect* as a scenario writes it; the seconds are a setting and left out."""
    kind, name, _ = parts_of(effect)
    return f"{kind} {name}"


def same(left: object, right: object) -> bool:
    """Tell whether two plain values are the same, and true is not 1."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


__all__ = [
    "Do",
    "Dropped",
    "EffectKind",
    "Scenario",
    "ScenarioError",
    "ScenarioFile",
    "ScenarioStep",
    "WantedEffect",
    "effect_text",
    "parts_of",
    "same",
]
