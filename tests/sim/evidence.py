"""What was seen of one episode, in one order: the judges read it, and it tells the story.

Every sighting has a number (its place in the order) and a virtual time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.chart.step import Snapshot
from states.wire import TaskCompleted
from tests.sim.plan import Plan

_FACT_CHARS_MAX = 90
# What differs from one machine or run to the next, and what is no part of the story.
_NOT_TOLD = frozenset({"pid", "version", "why"})


class Place(NamedTuple):
    """When something was seen: its number and its time."""

    n: int
    at_s: float


class Sent(NamedTuple):
    """A message as an end wrote it, before any fault; *life* is the agent's incarnation."""

    when: Place
    life: int
    direction: str
    document: Mapping[str, Any]


class Asked(NamedTuple):
    """A request as the agent decided on it; it is written a moment later."""

    when: Place
    life: int
    kind: str


class Row(NamedTuple):
    """A row that is in the ledger."""

    when: Place
    life: int
    row: Mapping[str, Any]
    durable: bool


class Reached(NamedTuple):
    """A command that reached the browser, to be done or only to be looked at."""

    when: Place
    action: str
    domain: str
    params: Mapping[str, Any]


class Done(NamedTuple):
    """What the browser did: *bound* is all that an approval must have been about."""

    when: Place
    number: int
    action: str
    params: Mapping[str, Any]
    digest: str
    bound: tuple[object, ...]
    needs_person: bool


@dataclass
class Card:
    """A question on the person's desk, and how it ended.

    *also* are digest and bound of what else was listed on it, in its order.
    """

    when: Place
    purpose: str
    digest: str
    bound: tuple[object, ...]
    answer: str
    also: tuple[tuple[str, tuple[object, ...]], ...] = ()
    ended: str = ""
    ended_when: Place | None = None

    @property
    def listed(self) -> tuple[tuple[str, tuple[object, ...]], ...]:
        """Return digest and bound of everything that the answer was about."""
        return ((self.digest, self.bound), *self.also)


class Note(NamedTuple):
    """A line of the host's own log."""

    when: Place
    event: str
    facts: Mapping[str, object]


class End(NamedTuple):
    """How the host said that a run ended; the last one is the task's."""

    when: Place
    life: int
    told: TaskCompleted


@dataclass
class Evidence:
    """All sightings of the episode of *plan*."""

    plan: Plan
    now: Callable[[], float]
    sent: list[Sent] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    reached: list[Reached] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    stops: list[tuple[Place, str]] = field(default_factory=list)
    faults: list[tuple[Place, str]] = field(default_factory=list)
    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    ends: list[End] = field(default_factory=list)
    host_rows: list[tuple[Place, Mapping[str, Any]]] = field(default_factory=list)
    agent_left_s: float | None = None
    over_when: Place | None = None
    stuck: str = ""
    replay: str = ""
    turns: int = 0
    leaked: list[str] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    canaries: dict[str, str] = field(default_factory=dict)
    _told: list[tuple[float, str, str, object]] = field(default_factory=list)

    @property
    def end(self) -> TaskCompleted | None:
        """Return the task's end, None when no host told one."""
        return self.ends[-1].told if self.ends else None

    def place(self) -> Place:
        """Return the place of what is seen now."""
        return Place(len(self._told), self.now())

    def tell(self, who: str, what: str, facts: object = None) -> Place:
        """Add *what* to the story and return its place."""
        place = self.place()
        self._told.append((place.at_s, who, what, facts))
        return place

    def stopped(self, *kinds: str) -> Place | None:
        """Return when the first of *kinds* happened, None when none did."""
        return next((when for when, kind in self.stops if kind in kinds), None)

    def story(self) -> str:
        """Return the episode in words, one sighting a line; the same for the same seed."""
        return "".join(
            f"{n:4} {at:10.3f}s {who:<7} {what}{_words(facts)}\n"
            for n, (at, who, what, facts) in enumerate(self._told)
        )


def _words(facts: object) -> str:
    if not facts:
        return ""
    if not isinstance(facts, Mapping):
        return f" {str(facts)[:_FACT_CHARS_MAX]}"
    told = (f"{k}={str(v)[:_FACT_CHARS_MAX]}" for k, v in facts.items() if k not in _NOT_TOLD)
    return " " + " ".join(told)
