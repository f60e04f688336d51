"""Policies for pages whose controls are drawn: icons without a name are counted in page order."""

import re

from states.page import AomNode
from tests.outside.miniwob.case import Case, target
from tests.outside.miniwob.policies_type import SUBMIT

_ICONS = {"Reply": 1, "Retweet": 2, "Like": 3, "Share": 4}
_MORE = 4
# The bar above an open message: back, trash, star; above one being written: back, send.
_TRASH, _STAR, _SEND = 2, 3, 2


def _is_icon(node: AomNode) -> bool:
    return node.role == "generic" and not node.name and node.ref is not None


def _icons_before(case: Case, post: AomNode) -> int:
    """Return how many icons stand before *post*."""
    before = case.nodes[: case.nodes.index(post)]
    return sum(1 for node in before if _is_icon(node))


def _posts(case: Case, user: str) -> list[AomNode]:
    texts = [node for node in case.nodes if node.role == "text"]
    return [node for node in texts[1:] if user in node.name.split()]


async def press_on_post(case: Case) -> None:
    """Press one button of a post, an icon or an entry of its menu."""
    [user] = re.findall(r"(@\w+)", case.goal)
    [wanted] = case.quoted()
    first = _icons_before(case, _posts(case, user)[0])
    if wanted in _ICONS:
        case.click("generic", nth=first + _ICONS[wanted])
        return
    case.click("generic", nth=first + _MORE)
    await case.look()
    entry = next(
        node for node in case.nodes if node.role == "listitem" and _entry(node).startswith(wanted)
    )
    case.click("listitem", _entry(entry))


def _entry(node: AomNode) -> str:
    return node.name or "".join(child.name for child in node.children)


async def press_on_posts(case: Case) -> None:
    """Press a button on all posts of a user, or on some."""
    [user] = re.findall(r"(@\w+)", case.goal)
    [wanted] = case.quoted()
    counted = re.search(r"on (\d+) posts? by", case.goal)
    posts = _posts(case, user)
    for post in posts[: int(counted[1]) if counted else None]:
        case.click("generic", nth=_icons_before(case, post) + _ICONS[wanted])
    case.click(*SUBMIT)


async def order_food(case: Case) -> None:
    """Order dishes by name, or so many of a kind."""
    dishes: list[str] = []
    kinds: list[set[str]] = []
    for node in case.nodes[1:]:
        if node.role == "text":
            dishes.append(node.name)
            kinds.append(set())
        elif node.role == "img":
            kinds[-1].add(node.name)
    by_kind = re.search(r"Order (\d) items that are (.+)", case.goal)
    if by_kind is None:
        wanted = case.goal.partition(": ")[2].split(", ")
        places = [dishes.index(name) for name in wanted]
    else:
        fits = [place for place, kind in enumerate(kinds) if by_kind[2] in kind]
        places = [fits[time % len(fits)] for time in range(int(by_kind[1]))]
    for place in places:
        case.click("generic", "+", nth=place + 1)
    case.click("button", "Order!")


async def grid_point(case: Case) -> None:
    """Press a point of a grid, which is drawn column by column from the top left."""
    found = re.search(r"\((-?\d),(-?\d)\)", case.goal)
    assert found is not None
    x, y = int(found[1]), int(found[2])
    case.click("generic", nth=(x + 2) * 5 + (2 - y) + 1)


async def greatest_card(case: Case) -> None:
    """Turn the cards over one by one, then the greatest again."""
    numbers: list[int] = []
    cards = [node for node in case.nodes if node.role == "generic" and node.ref]
    for place in range(len(cards)):
        names = [node.name for node in case.nodes if node.role == "generic" and node.ref]
        case.click("generic", names[place])
        await case.look()
        shown = [node for node in case.nodes if node.name.isdigit() and node.source is None]
        numbers.append(int(shown[0].name))
    names = [node.name for node in case.nodes if node.role == "generic" and node.ref]
    case.click("generic", names[numbers.index(max(numbers))])
    case.click("button", "Submit")


async def new_event(case: Case) -> None:
    """Drag over the half hours of a day, name the event."""
    found = re.search(r"Create an? ([\d.]+) (min|hour)\w* .*between (\d+)([AP])M", case.goal)
    assert found is not None
    halves = round(float(found[1]) * 2 if found[2] == "hour" else float(found[1]) / 30)
    first = (int(found[3]) % 12 + (12 if found[4] == "P" else 0)) * 2 + 1
    case.drag(target("generic", nth=first), target("generic", nth=first + halves - 1))
    case.type("textbox", case.quoted()[0], "Event name")
    case.click("button", "Create")


async def email(case: Case) -> None:
    """Open a message, and delete, star, answer or forward it."""
    rows = {name.split()[0]: name for name in case.names("generic") if name}
    sender = _sender(case.goal, list(rows))
    case.click("generic", rows[sender])
    goal = case.goal.lower()
    if case.episode.task.startswith("email-inbox-forward") or "forward" in goal:
        others = [name for name in re.findall(r"[A-Z][\w-]+", case.goal) if name != sender]
        case.click("generic", "Forward")
        case.type("textbox", others[-1], nth=1)
        case.click("generic", nth=_SEND)
    elif "reply" in goal or "respond" in goal:
        case.click("generic", "Reply")
        case.type("textbox", case.quoted()[-1])
        case.click("generic", nth=_SEND)
    elif "delet" in goal or "trash" in goal:
        case.click("generic", nth=_TRASH)
    else:
        case.click("generic", nth=_STAR)


def _sender(goal: str, names: list[str]) -> str:
    """Return whose message is meant."""
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", goal)]
    for name in named:
        if re.search(rf"(from|by) {name}\b|\b{name}('s| sent)", goal):
            return name
    return named[0]


ICONS = {
    "daily-calendar": new_event,
    "email-inbox": email,
    "email-inbox-delete": email,
    "email-inbox-forward": email,
    "email-inbox-forward-nl": email,
    "email-inbox-forward-nl-turk": email,
    "email-inbox-important": email,
    "email-inbox-nl-turk": email,
    "email-inbox-noscroll": email,
    "email-inbox-reply": email,
    "email-inbox-star-reply": email,
    "find-greatest": greatest_card,
    "grid-coordinate": grid_point,
    "order-food": order_food,
    "social-media": press_on_post,
    "social-media-all": press_on_posts,
    "social-media-some": press_on_posts,
}
