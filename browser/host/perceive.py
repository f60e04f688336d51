"""The page with everything in it: one snapshot over the documents of all frames.

Each bundle tells its own document. Here the frames of other origins are put in their place: bounds
move into the tab's viewport, refs and selectors get the frame's name and path, the bound on nodes
holds for the whole.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from browser.host.assist import assist
from browser.host.errors import CdpError, CdpTimeoutError, CommandError, ContextGoneError
from browser.host.locate import Place
from browser.host.tab import Tab
from browser.host.tab_frames import Frame, View
from guards.policy import domain_of, effect_of
from states.page import AomNode, PageState
from states.policy import Effect, Policy

_NODES = TypeAdapter(tuple[AomNode, ...])
_FRAMES_MAX = 20
_DEPTH_MAX = 5
_PIERCE = " >>> "
_LOOK = "getAomSnapshot"


class Perceived(NamedTuple):
    """What a look at the page gave; *cursor* continues it where there is more."""

    page: PageState
    nodes: tuple[AomNode, ...]
    total: int
    truncated: bool
    cursor: str | None


class _Look:
    """One look: what is left of its bounds, and what it counted."""

    def __init__(self, tab: Tab, policy: Policy, asked: Mapping[str, Any]) -> None:
        limits = tab.limits
        bounds = {"limit": limits.snapshot_nodes_max, "name_chars": limits.name_chars_max}
        self.tab = tab
        self.policy = policy
        self.asked = {**bounds, **asked}
        self.frames = _FRAMES_MAX
        self.left = int(self.asked["limit"])
        self.total = 0
        self.named = 0
        self.missed = 0
        self.truncated = False
        self.visual = False

    def took(self, answer: Mapping[str, Any]) -> None:
        """Count what one document answered."""
        self.tab.refs_told = max(self.tab.refs_told, answer.get("highest", 0))
        self.left -= sum(1 for _ in _all(answer["nodes"]))
        self.total += answer["total"]
        self.named += answer.get("named", 0)
        self.missed += answer.get("missed", 0)
        self.truncated = self.truncated or answer["truncated"]
        self.visual = self.visual or bool(answer.get("visual"))


async def perceive(
    tab: Tab,
    policy: Policy,
    place: Place | None = None,
    expected: Mapping[str, Any] | None = None,
    **asked: Any,
) -> Perceived:
    """Return the page as it is now, or what stands in *place*.

    *asked* goes to each document's bundle (`limit`, `name_chars`, `filter`, ...); *expected* and a
    `cursor` only to the first one, so a list that goes on tells nothing of frames again.

    Raises:
        CommandError: a document refused, or answered what cannot be read.
        ContextGoneError: the document went away.
    """
    look = _Look(tab, policy, asked)
    world = place.world if place is not None else await tab.top_world()
    where = {"selector": place.selector} if place is not None else {}
    first = {**look.asked, **where, **(expected or {})}
    await assist(world.session, world.context_id)
    answer = await tab.ask("snapshot", first, world=world)
    look.took(answer)
    frame = place.frame if place is not None else None
    if frame is not None:
        _moved(answer["nodes"], await tab.frames.view(frame), frame, "")
    if not asked.get("cursor"):
        await _fill(look, answer["nodes"], Place(world, "", frame))
    return _perceived(look, answer)


async def _fill(look: _Look, nodes: list[dict[str, Any]], place: Place, deep: int = 0) -> None:
    """Put what the frames among *nodes* hold below their nodes."""
    for node in _all(nodes):
        owner = node.pop("owner", None)
        if owner is None or look.frames <= 0 or deep >= _DEPTH_MAX:
            continue
        look.frames -= 1
        frame = await look.tab.frames.at(place.world, owner)
        if frame is None:
            continue
        node["frame"] = frame.name
        await _enter(look, node, frame, deep)


async def _enter(look: _Look, node: dict[str, Any], frame: Frame, deep: int) -> None:
    try:
        identity = await look.tab.ask("identity", {}, world=frame.world)
        node["host"] = domain_of(identity["origin"])
        if not _may_read(look.policy, identity["origin"]):
            return
        if look.left <= 0:
            look.truncated = True
            return
        view = await look.tab.frames.view(frame)
        asked = {**look.asked, "limit": look.left, "part": view.part}
        await assist(frame.world.session, frame.world.context_id)
        answer = await look.tab.ask("snapshot", asked, world=frame.world)
    except (ContextGoneError, CdpTimeoutError, CdpError):
        return  # it loads anew, or hangs: the page around it is still worth telling
    look.took(answer)
    path = node.get("selector")
    _moved(answer["nodes"], view, frame, f"{path}{_PIERCE}" if path else None)
    await _fill(look, answer["nodes"], Place(frame.world, "", frame), deep + 1)
    if answer["nodes"]:
        node["children"] = [*node.get("children", []), *answer["nodes"]]


def _moved(nodes: list[dict[str, Any]], view: View, frame: Frame, path: str | None) -> None:
    """Say where *nodes* of *frame* stand in the tab, and how they are called from outside."""
    for node in _all(nodes):
        x, y, width, height = node["bounds"]
        node["bounds"] = [round(x + view.x), round(y + view.y), width, height]
        if "ref" in node:
            node["ref"] = f"@{frame.name}.{node['ref'].removeprefix('@')}"
        if path:
            if "selector" in node:
                node["selector"] = path + node["selector"]
        else:
            node.pop("selector", None)


def _may_read(policy: Policy, origin: str) -> bool:
    # A frame without an origin of its own (a sandboxed one) is words of the page around it.
    if origin == "null":
        return True
    return effect_of(policy, origin, _LOOK, {})[0] is Effect.READ


def _all(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.get("children", [])))
        yield node


def _perceived(look: _Look, answer: Mapping[str, Any]) -> Perceived:
    truncated = look.truncated
    counted = look.named + look.missed
    state = {
        **answer["page"],
        "total": look.total,
        "truncated": truncated,
        "missed": look.missed,
        "completeness": round(look.named / counted, 3) if counted else 1.0,
        "visual": look.visual,
    }
    try:
        nodes = _NODES.validate_python(answer["nodes"])
        page = PageState.model_validate(state)
    except (ValidationError, KeyError) as error:
        raise CommandError("page_failed", detail=str(error)[:200]) from error
    return Perceived(page, nodes, look.total, truncated, answer["cursor"])
