"""What a selector of the model means on the page as the agent last saw it (P4: the first check).

The rule: it reads whatever the host reads (a CSS selector, a ref, a mark, a locator), and answers
what is known, never more: the host resolves the element itself, and has the last word.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actions.perception.marks import Mark
from actions.perception.node_words import role_of
from states.page import AomNode

_MARK = re.compile(r"\[([0-9]{1,4})\]")
_LOCATOR = re.compile(
    r'([a-z]{1,30})\s+(?:\((?:attribute|hidden)\)\s+)?"((?:[^"\\]|\\.)*)"(?:\s+#([1-9][0-9]{0,3}))?',
    re.DOTALL,
)
_FRAME_REF = re.compile(r"@(f[0-9]{1,6})\.[0-9]{1,9}")
_PIERCE = " >>> "
_SHORTENED_CHARS_MIN = 20


class Found(NamedTuple):
    """The element a selector means, "" where it is not known, and the host of its frame.

    *host* is "" in the page's own document and its same-origin frames.
    """

    role: str = ""
    name: str = ""
    host: str = ""


class _Placed(NamedTuple):
    node: AomNode
    host: str


def find(selector: str, nodes: Sequence[AomNode], marks: Sequence[Mark]) -> Found | None:
    """Return what *selector* means among *nodes*, and *marks* of the last picture; None if nothing.

    What stands in a frame is known by its frame, even when it is no node itself.
    """
    if marked := _MARK.fullmatch(selector):
        return _marked(int(marked[1]), nodes, marks)
    placed = list(_placed(nodes))
    if locator := _LOCATOR.fullmatch(selector):
        return _located(locator, placed)
    for node, host in placed:
        if selector in (node.selector, node.ref):
            return Found(node.role, node.name, host)
    host = _host_of_frame(selector, placed)
    return Found(host=host) if host else None


def _marked(number: int, nodes: Sequence[AomNode], marks: Sequence[Mark]) -> Found | None:
    mark = next((mark for mark in marks if mark.id == number), None)
    if mark is None:
        return None
    on = [find(way, nodes, ()) for way in (mark.ref, mark.selector) if way]
    met = next((found for found in on if found is not None), Found())
    return Found(mark.role or met.role, mark.name or met.name, mark.host or met.host)


def _located(locator: re.Match[str], placed: Sequence[_Placed]) -> Found | None:
    role, written, number = locator.groups()
    name = re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)
    found = [
        Found(node.role, node.name, host)
        for node, host in placed
        if role_of(node) == role and _is_named(node.name, name)
    ]
    place = int(number) - 1 if number else 0
    return found[place] if place < len(found) else None


def _is_named(name: str, wanted: str) -> bool:
    plain = " ".join(name.split())
    if plain == wanted:
        return True
    cut = len(wanted) > _SHORTENED_CHARS_MIN and wanted.endswith("…")
    return cut and plain.startswith(wanted[:-1])


def _host_of_frame(selector: str, placed: Sequence[_Placed]) -> str:
    """Return the host of the frame that *selector* leads into, "" when it leads into none."""
    if named := _FRAME_REF.fullmatch(selector):
        return next((node.host or "" for node, _ in placed if node.frame == named[1]), "")
    best = ""
    way = ""
    for node, _ in placed:
        begin = f"{node.selector}{_PIERCE}"
        if node.host and node.selector and selector.startswith(begin) and len(begin) > len(way):
            best, way = node.host, begin
    return best


def _placed(nodes: Sequence[AomNode]) -> Iterator[_Placed]:
    """Yield each node with the host of the frame that it stands in, in reading order."""
    stack = [_Placed(node, "") for node in reversed(nodes)]
    while stack:
        node, host = stack.pop()
        yield _Placed(node, host)
        inner = node.host or host
        stack.extend(_Placed(child, inner) for child in reversed(node.children))
