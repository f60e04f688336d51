"""The set-of-mark picture (O3): what is in view, with a number on everything that can be pressed.

The rule: the boxes are where the elements stood before and after the pixels were taken, or there
is no picture. The page is not touched: the numbers are drawn on its pixels here.
"""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from browser.host.assist import assist
from browser.host.covering import covered
from browser.host.errors import CommandError, ContextGoneError
from browser.host.mark_drawing import Bounds, numbered_picture
from browser.host.marks import Mark, Marked
from browser.host.picture import captured
from browser.host.tab import Tab
from browser.host.tab_frames import Frame, View
from browser.host.worlds import World
from guards.policy import domain_of, effect_of
from states.policy import Effect, Policy

# So far a box may stand beside its element before a reader would take it for another.
_OFF_PX = 2
# When more than this share moves, what is in the picture is not what would be met.
_MOVING_SHARE = 0.5
_LOOK = "getAomSnapshot"


class _Part(NamedTuple):
    """One document of the tab: what of it is in view, and what can be pressed there."""

    world: World
    frame: Frame | None
    view: View
    answer: dict[str, Any]

    def placed(self, box: Sequence[int]) -> Bounds:
        """Return *box* as the top viewport has it."""
        return (round(box[0] + self.view.x), round(box[1] + self.view.y), box[2], box[3])


class _Taken(NamedTuple):
    parts: list[_Part]
    image: str
    boxes: list[Bounds]
    still: list[bool]


async def marked_picture(tab: Tab, policy: Policy) -> dict[str, Any]:
    """Return `{image_base64, mime, width, height, som_labels}` of what is in view.

    A label of a frame of another origin names its `host`. `more` counts the elements past the most
    that are numbered, `moving` those that would not stay where they were. The numbers are
    remembered in `tab.marks`.

    Raises:
        CommandError: the page moves, a password would be seen, or the picture is too large.
    """
    loader_id = tab.loader_ids[-1]
    taken = await _at_rest(tab, policy)
    labels = _labels(taken)
    elements = [Marked(label["ref"], world.context_id) for label, world in labels]
    numbers = tab.marks.numbered(elements)
    top = taken.parts[0].answer
    bounds = [(n, label["bounds"]) for n, (label, _) in zip(numbers, labels, strict=True)]
    limits = (tab.limits.som_pixels_max, tab.limits.som_bytes_max)
    png = base64.b64decode(taken.image)
    drawn = await asyncio.to_thread(numbered_picture, png, bounds, top["width"], limits)
    if drawn is None:
        raise CommandError("picture_too_large", size=len(png), limit=limits[1])
    if tab.loader_ids[-1] != loader_id:
        raise ContextGoneError("Page.captureScreenshot", "the document went away")
    tab.marks.remember(
        [
            Mark(number, label["ref"], loader_id, world.context_id)
            for number, (label, world) in zip(numbers, labels, strict=True)
        ]
    )
    data = {
        "image_base64": base64.b64encode(drawn.image).decode("ascii"),
        "mime": drawn.mime,
        "width": top["width"],
        "height": top["height"],
        "som_labels": [
            {"id": number, **label} for number, (label, _) in zip(numbers, labels, strict=True)
        ],
    }
    more, moving = sum(part.answer["more"] for part in taken.parts), taken.still.count(False)
    return data | ({"more": more} if more else {}) | ({"moving": moving} if moving else {})


async def _at_rest(tab: Tab, policy: Policy) -> _Taken:
    """Take the picture while the elements stay where they are; once again when they moved."""
    taken = await covered(tab, lambda: _taken(tab, policy))
    if not all(taken.still):
        taken = await covered(tab, lambda: _taken(tab, policy))
    number = taken.still.count(False)
    if number > _MOVING_SHARE * len(taken.still):
        raise CommandError("picture_moves", number=number, total=len(taken.still))
    return taken


async def _taken(tab: Tab, policy: Policy) -> _Taken:
    parts = await _parts(tab, policy)
    image = await captured(tab, {})
    again = await asyncio.gather(*(_again(tab, part) for part in parts))
    before = [part.placed(node["box"]) for part in parts for node in part.answer["nodes"]]
    after = [box for boxes in again for box in boxes]
    still = [_stands(*pair) for pair in zip(before, after, strict=True)]
    return _Taken(parts, image, before, still)


def _stands(before: Bounds, after: Bounds | None) -> bool:
    if after is None:
        return False
    return all(abs(was - now) <= _OFF_PX for was, now in zip(before, after, strict=True))


async def _parts(tab: Tab, policy: Policy) -> list[_Part]:
    """Return the tab's documents, the top one first, at most as many elements as are numbered."""
    frames: list[Frame | None] = [None, *await tab.frames.all()]
    found = await asyncio.gather(
        *(_part(tab, policy, place, frames) for place in range(len(frames)))
    )
    left = tab.limits.som_labels_max
    parts = []
    for part in found:
        if part is None:
            continue
        nodes = part.answer["nodes"][:left]
        more = part.answer["more"] + len(part.answer["nodes"]) - len(nodes)
        left -= len(nodes)
        parts.append(part._replace(answer={**part.answer, "nodes": nodes, "more": more}))
    return await _uncovered(tab, parts)


async def _part(
    tab: Tab, policy: Policy, place: int, frames: Sequence[Frame | None]
) -> _Part | None:
    """Return what is in the one of *frames* at *place*, None when nothing may be told."""
    frame = frames[place]
    world = await tab.top_world() if frame is None else frame.world
    limits = tab.limits
    try:
        view = await tab.frames.view(frame)
        if view.part is not None and not _is_area(view.part):
            return None
        asked = {
            "limit": limits.som_labels_max,
            "name_chars": limits.name_chars_max,
            "part": view.part,
            "owners": [each.owner for each in frames if each is not None and each.above == world],
        }
        await assist(world.session, world.context_id)
        answer = await tab.ask("marking", asked, world=world)
    except ContextGoneError:
        if frame is None:
            raise
        return None
    if frame is not None and not _may_read(policy, answer["origin"]):
        return None
    nodes = [{**node, "place": place} for place, node in enumerate(answer["nodes"])]
    return _Part(world, frame, view, {**answer, "nodes": nodes})


def _may_read(policy: Policy, origin: str) -> bool:
    # A frame without an origin of its own (a sandboxed one) is part of the page around it.
    return origin == "null" or effect_of(policy, origin, _LOOK, {})[0] is Effect.READ


def _is_area(part: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = part
    return right > left and bottom > top


async def _again(tab: Tab, part: _Part) -> list[Bounds | None]:
    """Return where the elements of *part* stand now."""
    view = await tab.frames.view(part.frame)
    asked = {"document_id": part.answer["document_id"], "part": view.part}
    told = await tab.ask("marked", asked, world=part.world)
    now = part._replace(view=view)
    boxes = [told["boxes"][node["place"]] for node in part.answer["nodes"]]
    return [None if box is None else now.placed(box) for box in boxes]


async def _uncovered(tab: Tab, parts: list[_Part]) -> list[_Part]:
    """Leave out what in a frame something in the documents above lies over."""
    of_world = {part.world: part for part in parts}
    kept = []
    for part in parts:
        seen = await asyncio.gather(
            *(_reached(tab, part, step) for step in _way_up(part, of_world))
        )
        hidden = {place for places in seen for place in places}
        nodes = [n for place, n in enumerate(part.answer["nodes"]) if place not in hidden]
        kept.append(part._replace(answer={**part.answer, "nodes": nodes}))
    return kept


def _way_up(part: _Part, of_world: Mapping[World, _Part]) -> list[tuple[Frame, View]]:
    """Return the frame of *part* and those around it, each with the view of its page above."""
    steps = []
    frame = part.frame
    while frame is not None and (above := of_world.get(frame.above)) is not None:
        steps.append((frame, above.view))
        frame = above.frame
    return steps


async def _reached(tab: Tab, part: _Part, step: tuple[Frame, View]) -> list[int]:
    """Return which elements of *part* a press in the page above the frame would not reach."""
    frame, above = step
    points = [
        [box[0] + box[2] / 2 - above.x, box[1] + box[3] / 2 - above.y]
        for box in map(part.placed, (node["box"] for node in part.answer["nodes"]))
    ]
    if not points:
        return []
    told = await tab.ask("over_frame", {"owner": frame.owner, "points": points}, world=frame.above)
    return [place for place, is_over in enumerate(told["over"]) if is_over]


def _labels(taken: _Taken) -> list[tuple[dict[str, Any], World]]:
    """Return a label, without its number, for each element that stayed where it was."""
    of_world = {part.world: part for part in taken.parts}
    nodes = [(part, node) for part in taken.parts for node in part.answer["nodes"]]
    labels = []
    for (part, node), box, still in zip(nodes, taken.boxes, taken.still, strict=True):
        if not still:
            continue
        ref = node["ref"] if part.frame is None else f"@{part.frame.name}.{node['ref'][1:]}"
        label = {
            "ref": ref,
            "selector": _selector(part, node, of_world),
            "name": node["name"],
            "role": node["role"],
            "bounds": box,
        }
        if part.frame is not None and (host := domain_of(part.answer["origin"])):
            label["host"] = host
        labels.append((label, part.world))
    return labels


def _selector(part: _Part, node: Mapping[str, Any], of_world: Mapping[World, _Part]) -> str | None:
    """Return a selector that leads to *node* from the top document, None when none does."""
    path = [node.get("selector")]
    frame = part.frame
    while frame is not None:
        above = of_world.get(frame.above)
        path.append(above.answer["frames"].get(str(frame.owner)) if above is not None else None)
        frame = above.frame if above is not None else None
    steps = [step for step in path if step is not None]
    return " >>> ".join(reversed(steps)) if len(steps) == len(path) else None
