"""A chart as declared: frozen data, spelled as in the YAML, each row with its line.

Paths are absolute from the root and joined by "."; `ALWAYS` stands as event name of an
eventless row. Rows keep the order of the file, because the first enabled row wins.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from states.catalogue import Lang

ALWAYS = ""
ABORT = "abort"
FAULT = "fault"

Scalar = str | int | float | bool | None
Domains = Mapping[str, tuple[Scalar, ...]]


class Description(NamedTuple):
    """What a person reads about a chart, a state or a row; *zh* is empty when not given."""

    en: str = ""
    zh: str = ""

    def text(self, lang: Lang = "en") -> str:
        """Return the text in *lang*, or in the other language when that one is missing."""
        return (self.zh or self.en) if lang == "zh-CN" else (self.en or self.zh)


class Guard(NamedTuple):
    """A named guard, or a tree of them."""

    op: Literal["name", "and", "or", "not"]
    name: str = ""
    parts: tuple["Guard", ...] = ()

    def names(self) -> Iterator[str]:
        """Yield each guard name of the tree, left to right."""
        if self.op == "name":
            yield self.name
        for part in self.parts:
            yield from part.names()

    def text(self) -> str:
        """Return the tree as one line: `a`, `a and b`, `not (a or b)`."""
        if self.op == "name":
            return self.name
        inner = [f"({p.text()})" if p.op in {"and", "or"} else p.text() for p in self.parts]
        return f"not {inner[0]}" if self.op == "not" else f" {self.op} ".join(inner)


class Action(NamedTuple):
    """One entry of `actions`, `entry` or `exit`.

    reduce = a pure function of the context; do = an effect for the shell; spawn and stop name
    the service session to start or end.
    """

    kind: Literal["reduce", "do", "spawn", "stop"]
    name: str
    line: int = 0

    def text(self) -> str:
        """Return the name, with `spawn` or `stop` before a session's id."""
        return f"{self.kind} {self.name}" if self.kind in {"spawn", "stop"} else self.name


class Row(NamedTuple):
    """One alternative for *event* in *source*, the *number*-th from 1; no *target* = internal."""

    source: str
    event: str
    number: int
    target: str | None = None
    guard: Guard | None = None
    actions: tuple[Action, ...] = ()
    description: Description = Description()
    line: int = 0


class Service(NamedTuple):
    """A service that ends with its state.

    An invoke starts when the state is entered, a spawn by the action `{spawn: id}`; each may send
    *emits* while it lives.
    """

    id: str
    src: str
    emits: tuple[str, ...] = ()
    description: Description = Description()
    line: int = 0


class Delay(NamedTuple):
    """A timer of a state: *key* is a name bound outside, or *seconds* stands in the chart."""

    key: str
    event: str
    seconds: float | None = None
    line: int = 0


class State(NamedTuple):
    """One state; *rows* holds `on`, `always`, `after`, onDone and onError in that order."""

    path: str
    parent: str
    initial: str | None = None
    children: tuple[str, ...] = ()
    final: bool = False
    entry: tuple[Action, ...] = ()
    exit: tuple[Action, ...] = ()
    invokes: tuple[Service, ...] = ()
    spawns: tuple[Service, ...] = ()
    delays: tuple[Delay, ...] = ()
    rows: tuple[Row, ...] = ()
    description: Description = Description()
    line: int = 0

    def alternatives(self, event: str) -> tuple[Row, ...]:
        """Return the rows of *event* in declared order."""
        return tuple(row for row in self.rows if row.event == event)

    @property
    def services(self) -> tuple[Service, ...]:
        """Return what may run while the state is active."""
        return (*self.invokes, *self.spawns)

    def actions(self) -> Iterator[Action]:
        """Yield every action of the state: entry, rows, exit."""
        yield from self.entry
        for row in self.rows:
            yield from row.actions
        yield from self.exit


class Chart(NamedTuple):
    """A whole chart; *sha256* is of the text's bytes and stands in every ledger record."""

    id: str
    version: int
    sha256: str
    source: str
    initial: str
    events: Mapping[str, Domains]
    states: Mapping[str, State]
    description: Description = Description()

    def leaves(self) -> tuple[State, ...]:
        """Return the states without children, in document order."""
        return tuple(state for state in self.states.values() if not state.children)

    def chain(self, path: str) -> tuple[State, ...]:
        """Return the state at *path* and its ancestors, innermost first."""
        found = []
        while path:
            found.append(self.states[path])
            path = self.states[path].parent
        return tuple(found)

    def leaf_of(self, path: str) -> str:
        """Return the leaf that entering *path* ends in."""
        initial = self.states[path].initial
        return path if initial is None else self.leaf_of(initial)

    def rows_for(self, leaf: str, event: str) -> tuple[Row, ...]:
        """Return the rows that *event* may take in *leaf*: the child's before the parent's."""
        return tuple(row for state in self.chain(leaf) for row in state.alternatives(event))

    def rows(self) -> Iterator[Row]:
        """Yield every declared row in document order."""
        for state in self.states.values():
            yield from state.rows


def is_within(path: str, owner: str) -> bool:
    """Tell whether *path* is *owner* or lies below it."""
    return path == owner or path.startswith(owner + ".")


def completion_events(service_id: str) -> tuple[str, str]:
    """Return the event names that end the service *service_id*: done and error."""
    return f"done.invoke.{service_id}", f"error.invoke.{service_id}"
