"""One episode as a policy plays it: it reads the goal and what a look shows, and notes its steps.

The rule: a target is named by its AOM role and name, and by its number where names repeat; nothing
else of the page is used. Steps are only noted. They are carried out in the rehearsal tab when the
policy must look again; the same steps, word for word, are what the scripted model says later.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, NamedTuple

from states.page import AomNode
from tests.support.wob_site import Episode


class Step(NamedTuple):
    """One call of the scripted model, *wait_s* after the last one."""

    action: str
    params: dict[str, Any]
    wait_s: float = 0


class Seen(NamedTuple):
    """What one command of the rehearsal brought: its data, and the page after it."""

    data: dict[str, Any]
    nodes: tuple[AomNode, ...]


Perform = Callable[[Step], Awaitable[Seen]]


def target(role: str, name: str = "", nth: int = 0) -> str:
    """Return how a command names the element: `button "OK"`, `button "OK" #2`."""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'{role} "{quoted}"' + (f" #{nth}" if nth else "")


def called(node: AomNode) -> str:
    """Return what the page text calls *node*: a nameless one is called by the one text in it."""
    if node.name or node.ref or len(node.children) != 1 or node.children[0].role != "text":
        return node.name
    return node.children[0].name


def flat(nodes: Sequence[AomNode]) -> Iterator[AomNode]:
    """Yield *nodes* and what stands in them, in document order."""
    for node in nodes:
        yield node
        yield from flat(node.children)


class Case:
    """The episode in progress: its *goal*, the last look, the *steps* so far."""

    def __init__(self, episode: Episode, goal: str, first: Seen, perform: Perform) -> None:
        self.episode = episode
        self.goal = goal
        self.steps: list[Step] = []
        self._seen = first
        self._perform = perform
        self._done = 0

    # --- what a policy reads

    @property
    def nodes(self) -> list[AomNode]:
        """Every node of the last look, in document order."""
        return list(flat(self._seen.nodes))

    def names(self, *roles: str) -> list[str]:
        """Return the names of the nodes with one of *roles*, in document order."""
        return [called(node) for node in self.nodes if node.role in roles]

    def said(self) -> list[str]:
        """Return all words of the last look but the goal's own line."""
        return [node.name for node in self.nodes if node.name][1:]

    def quoted(self) -> list[str]:
        """Return what stands between double quotes in the goal."""
        return re.findall(r'"\s*(.*?)\s*"', self.goal)

    async def look(self) -> list[AomNode]:
        """Carry out what was noted and look at the page as it is then."""
        if self._done == len(self.steps):
            self.do("getAomSnapshot")
        while self._done < len(self.steps):
            self._seen = await self._perform(self.steps[self._done])
            self._done += 1
        return self.nodes

    async def text(self, role: str, name: str = "", nth: int = 0) -> str:
        """Read one element to its end, however long it is."""
        self.do("getText", selector=target(role, name, nth))
        await self.look()
        return str(self._seen.data["text"])

    # --- what a policy does

    def do(self, action: str, *, wait_s: float = 0, **params: Any) -> None:
        """Note a step."""
        self.steps.append(Step(action, params, wait_s))

    def click(self, role: str, name: str = "", nth: int = 0) -> None:
        """Note a click."""
        self.do("click", selector=target(role, name, nth))

    def drag(self, source: str, to: str) -> None:
        """Note a drag of *source* onto *to* (each a `target`)."""
        self.do("click", selector=source, to=to)

    def type(self, role: str, text: str, name: str = "", nth: int = 0) -> None:
        """Note that *text* is typed into a field."""
        self.do("type", selector=target(role, name, nth), text=text)

    def keys(self, where: str, *keys: str) -> None:
        """Note key presses on *where* (a `target`), at most 20 a step."""
        for start in range(0, len(keys), 20):
            part = list(keys[start : start + 20])
            self.do("type", selector=where, text="", clear=False, keys=part)

    def select(self, role: str, value: str, name: str = "", nth: int = 0) -> None:
        """Note that an option of a list is chosen."""
        self.do("select", selector=target(role, name, nth), value=value)
