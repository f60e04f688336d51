"""What the browser tells of a document that script in an isolated world cannot see.

Elements with press listeners of the page, and closed shadow roots: the browser names both, and
the bundle of the document is told of them before a snapshot. What was told once is kept for each
document, so a page that stands still costs two questions in one round trip.
"""

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from browser.host.errors import CdpError, ContextGoneError, SessionGoneError
from browser.host.target_session import TargetSession

PRESSES = frozenset(
    {
        "click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "dblclick",
        "auxclick",
    }
)  # fmt: skip
NODES_TOLD_MAX = 200
# A closed root may hold elements with closed roots of their own.
_ROUNDS_MAX = 4
_DOCUMENTS_KEPT = 100
# The middle part of an object's id is the number of the world it is in.
_OBJECT_ID = re.compile(r"-?\d+\.(\d+)\.\d+")

_GROUP = "sgclaw_assist"

_ADOPT = "function (...nodes) { return __sg.adopt(nodes); }"
_FORGET = "function (...nodes) { return __sg.forget(nodes); }"


async def assist(session: TargetSession, context_id: str) -> None:
    """Tell the bundle in the world *context_id* of *session* what only the browser can see.

    What the browser refuses to tell is left out: the bundle goes by what script sees.

    Raises:
        ContextGoneError: the document went away.
        HostError: the browser does not answer.
    """
    documents = _KNOWN.setdefault(session, {})
    try:
        if context_id not in documents:
            documents[context_id] = await _Document.open(session, context_id)
            while len(documents) > _DOCUMENTS_KEPT:
                del documents[next(iter(documents))]
        await documents[context_id].tell()
    except CdpError as error:
        documents.pop(context_id, None)
        if isinstance(error, ContextGoneError | SessionGoneError):
            raise


class _Document:
    """One document of *session*: what its bundle was told already."""

    def __init__(self, session: TargetSession, page: str, world: int, outer: str) -> None:
        self._session = session
        self._page = page
        self._world = world
        self._outer = outer
        self._told: set[int] = set()

    @classmethod
    async def open(cls, session: TargetSession, context_id: str) -> "_Document":
        """Return the document that the world *context_id* belongs to."""
        asked = {"expression": "document", "uniqueContextId": context_id}
        answer = await session.send("Runtime.evaluate", asked)
        page = str(answer["result"].get("objectId", ""))
        found = _OBJECT_ID.fullmatch(page)
        if found is None:
            raise CdpError("Runtime.evaluate", f"no world number in {page!r}")
        # Chromium 156 crashes at its next garbage collection when it is asked for the listeners
        # of a node as an isolated world knows it; as the page's own world knows it, it does not.
        node = (await session.send("DOM.describeNode", {"objectId": page}))["node"]
        outer = await session.send("DOM.resolveNode", {"backendNodeId": node["backendNodeId"]})
        return cls(session, page, int(found[1]), str(outer["object"]["objectId"]))

    async def tell(self) -> None:
        """Tell the bundle what changed since the last time."""
        pressed, hosts = await asyncio.gather(self._pressed(), self._hosts())
        if hosts or pressed.keys() != self._told:
            await self._tell(pressed, hosts)
            await self._session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})

    async def _tell(self, pressed: Mapping[int, None], hosts: list[str]) -> None:
        gone = self._told - pressed.keys()
        new = [node for node in pressed if node not in self._told][:NODES_TOLD_MAX]
        if gone:
            await self._call(_FORGET, await self._resolved(list(gone)[:NODES_TOLD_MAX]))
        adopted = await self._adopt(new) if new else 0
        # Noted when done: a look that is given up half-way is begun anew.
        self._told = (self._told - gone) | set(new)
        for _ in range(_ROUNDS_MAX):
            adopted += await self._adopt(await self._closed_roots(hosts)) if hosts else 0
            if adopted == 0:
                break
            adopted, hosts = 0, await self._hosts()

    async def _pressed(self) -> dict[int, None]:
        """Return the numbers of the nodes with press listeners, in the page's order."""
        asked = {"objectId": self._outer, "depth": -1, "pierce": True}
        answer = await self._session.send("DOMDebugger.getEventListeners", asked)
        return {
            each["backendNodeId"]: None
            for each in answer["listeners"]
            if each["type"] in PRESSES and "backendNodeId" in each
        }

    async def _hosts(self) -> list[str]:
        """Return the elements that may hide a closed root, as the bundle names them."""
        answer = await self._ask("function () { return __sg.unseen(); }", ())
        found = answer.get("objectId")
        if found is None:
            return []
        named = {"objectId": found, "ownProperties": True}
        listed = await self._session.send("Runtime.getProperties", named)
        values = (each.get("value", {}) for each in listed["result"] if each["enumerable"])
        return [value["objectId"] for value in values if "objectId" in value]

    async def _closed_roots(self, hosts: Iterable[str]) -> list[int]:
        """Return the numbers of the closed shadow roots of *hosts*."""
        answers = await self._each("DOM.describeNode", [{"objectId": host} for host in hosts])
        return [
            root["backendNodeId"]
            for answer in answers
            for root in answer["node"].get("shadowRoots", ())
            if root.get("shadowRootType") == "closed"
        ]

    async def _adopt(self, nodes: Collection[int]) -> int:
        """Tell the bundle of *nodes*; return how many closed roots were new to it."""
        return int((await self._call(_ADOPT, await self._resolved(nodes))).get("adopted", 0))

    async def _resolved(self, nodes: Iterable[int]) -> list[str]:
        """Return *nodes* as objects of the bundle's world, without those that are no more."""
        where = {"executionContextId": self._world, "objectGroup": _GROUP}
        asked = [{"backendNodeId": node, **where} for node in nodes]
        answers = await self._each("DOM.resolveNode", asked)
        # A node of another origin in the same process has none: its own document's look tells it.
        return [each["object"]["objectId"] for each in answers if "objectId" in each["object"]]

    async def _each(self, method: str, asked: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the answers to *method* for each of *asked*, without those that are refused."""
        sent = (self._session.send(method, params) for params in asked)
        answers = await asyncio.gather(*sent, return_exceptions=True)
        kept: list[dict[str, Any]] = []
        for answer in answers:
            if not isinstance(answer, BaseException):
                kept.append(answer)
            elif not isinstance(answer, CdpError) or isinstance(answer, ContextGoneError):
                raise answer
        return kept

    async def _call(self, function: str, objects: Collection[str]) -> dict[str, Any]:
        """Return what *function* of the bundle answers for *objects*."""
        if not objects:
            return {}
        answer = await self._ask(function, objects, by_value=True)
        value = answer.get("value")
        return value if isinstance(value, dict) else {}

    async def _ask(
        self, function: str, objects: Iterable[str], *, by_value: bool = False
    ) -> dict[str, Any]:
        asked = {
            "functionDeclaration": function,
            "objectId": self._page,
            "arguments": [{"objectId": each} for each in objects],
            "returnByValue": by_value,
            "objectGroup": _GROUP,
        }
        answer = await self._session.send("Runtime.callFunctionOn", asked)
        result: dict[str, Any] = answer["result"]
        return result


_KNOWN: WeakKeyDictionary[TargetSession, dict[str, _Document]] = WeakKeyDictionary()
