"""Policies for tasks of several looks: calendars, searches, trees, sliders, drags, keys."""

import re

from tests.outside.miniwob.case import Case, target
from tests.outside.miniwob.policies_type import SUBMIT, the_number

_DIGITS = {
    0: "0110 1001 1001 1001 1001 1001 0110", 1: "0010 0110 0010 0010 0010 0010 0010",
    2: "0110 1001 1001 0010 0100 1000 1111", 3: "0110 1001 0001 0110 0001 1001 0110",
    4: "1000 1010 1010 1111 0010 0010 0010", 5: "1111 1000 1000 1110 0001 1001 0110",
    6: "0110 1001 1000 1110 1001 1001 0110", 7: "1111 1001 0001 0010 0010 0100 0100",
    8: "0110 1001 1001 0110 1001 1001 0110", 9: "0110 1001 1001 0111 0001 1001 0110",
}  # fmt: skip
# The calendars of these tasks end with 2016 and open on their last month.
_LAST_MONTH = 12


def _pick_date(case: Case, where: str) -> None:
    found = re.search(r"(\d\d)/(\d\d)/2016", case.goal)
    assert found is not None
    case.do("click", selector=where)
    for _ in range(_LAST_MONTH - int(found[1])):
        case.click("generic", "Prev")
    case.click("link", str(int(found[2])))


async def choose_date(case: Case) -> None:
    """Open a calendar, go back to the month, choose the day."""
    _pick_date(case, target("textbox"))
    case.click(*SUBMIT)


async def _suggested(case: Case, name: str, prefix: str, suffix: str = "") -> None:
    """Type *prefix* into the field *name*, and choose what is suggested."""
    case.type("textbox", prefix, name)
    case.do("waitForSelector", selector=target("list"))
    await case.look()
    fits = [
        each
        for each in case.names("listitem")
        if prefix.lower() in each.lower() and each.endswith(suffix)
    ]
    # An airport's code may also be part of a town's name.
    case.click("listitem", next((each for each in fits if f"({prefix})" in each), fits[0]))


async def autocomplete(case: Case) -> None:
    """Choose the suggestion that starts and ends as the goal says."""
    await _suggested(case, "Tags:", *case.quoted())
    case.click(*SUBMIT)


async def book_flight(case: Case) -> None:
    """Fill in a search for flights, and book the one that the goal wants."""
    found = re.search(r"Book the (\w+) one-way flight from: (.+) to: (.+) on ", case.goal)
    assert found is not None
    await _suggested(case, "From:", found[2])
    await _suggested(case, "To:", found[3])
    _pick_date(case, target("textbox"))
    case.click("button", "Search")
    await case.look()
    times = [re.fullmatch(r"(\d+)h (\d+)m", name) for name in case.said()]
    minutes = [int(each[1]) * 60 + int(each[2]) for each in times if each]
    books = [name for name in case.names("button") if "$" in name]
    prices = [int(name.rpartition("$")[2]) for name in books]
    measure = minutes if found[1] == "shortest" else prices
    case.click("button", books[measure.index(min(measure))])


async def search_engine(case: Case) -> None:
    """Search, turn to the page of the wanted result, click it."""
    [wanted] = case.quoted()[:1]
    place = the_number(r"the (\d)(?:st|nd|rd|th) search result", case.goal) - 1
    case.type("textbox", wanted)
    case.click("button", "Search")
    if place >= 3:
        case.click("link", str(place // 3 + 1))
    await case.look()
    results = [name for name in case.names("link") if not re.fullmatch(r"\d|<|>", name)]
    name = results[place % 3]
    case.click("link", name, nth=results[: place % 3 + 1].count(name))


async def phone_book(case: Case) -> None:
    """Turn the pages to the person, and click what is asked for."""
    found = re.search(r"Find (.+) in the contact book and click on their (\w+)", case.goal)
    assert found is not None
    place = ["phone", "email", "address"].index(found[2])
    for _ in range(5):
        if case.names("heading") == [found[1]]:
            break
        case.click("link", ">")
        await case.look()
    case.click("generic", case.names("generic")[place])


async def tree(case: Case) -> None:
    """Open the folders one by one until the name shows, and click it.

    A file is an entry with a name; the name of a folder is a control inside its entry.
    """
    [wanted] = case.quoted()
    opened: set[str] = set()
    for _ in range(10):
        if wanted in case.names("listitem", "generic"):
            break
        folders = [name for name in case.names("generic") if name and name not in opened]
        opened.add(folders[0])
        case.click("generic", folders[0], nth=1)
        await case.look()
    role = "generic" if wanted in case.names("generic") else "listitem"
    case.click(role, wanted, nth=1)


async def number_boxes(case: Case) -> None:
    """Draw a digit with boxes."""
    [digit] = case.quoted()
    for nth, dot in enumerate(_DIGITS[int(digit)].replace(" ", ""), start=1):
        if dot == "1":
            case.click("checkbox", nth=nth)
    case.click(*SUBMIT)


def _slide(case: Case, nth: int, start: int, end: int) -> None:
    key = "ArrowRight" if end > start else "ArrowLeft"
    if end != start:
        case.keys(target("generic", nth=nth), *[key] * abs(end - start))


async def slider(case: Case) -> None:
    """Move a slider with the arrow keys."""
    _slide(case, 0, int(case.said()[0]), the_number(r"Select (-?\d+) with", case.goal))
    case.click(*SUBMIT)


async def sliders(case: Case) -> None:
    """Move three sliders with the arrow keys."""
    wanted = [int(each) for each in re.findall(r"\d+", case.goal)]
    for nth, (start, end) in enumerate(zip(case.said()[:3], wanted, strict=True), start=1):
        _slide(case, nth, int(start), end)
    case.click(*SUBMIT)


async def slider_and_box(case: Case) -> None:
    """Move a slider, tick a box."""
    _slide(case, 0, int(case.said()[0]), the_number(r"Select (-?\d+) with", case.goal))
    case.click("checkbox", nth=the_number(r"the (\d)(?:st|nd|rd) checkbox", case.goal))
    case.click(*SUBMIT)


async def radio_and_text(case: Case) -> None:
    """Choose a radio button, type a number into one of three fields."""
    [number] = case.quoted()
    case.click("radio", nth=the_number(r"the (\d)(?:st|nd|rd) radio", case.goal))
    case.type("textbox", number, nth=the_number(r"the (\d)(?:st|nd|rd) textbox", case.goal))
    case.click(*SUBMIT)


async def menu_path(case: Case) -> None:
    """Choose from a menu level by level, with the keyboard: a click on a parent would choose it."""
    path = case.goal.removeprefix("Select ").split(">")
    for depth, entry in enumerate(path):
        level = [node for node in case.nodes if node.role == "menu"][depth]
        entries = [child.name for child in level.children if child.role == "menuitem"]
        is_last = depth == len(path) - 1
        keys = ["ArrowDown"] * entries.index(entry) + ["Enter" if is_last else "ArrowRight"]
        case.keys(target("menu", nth=1), *keys)
        if not is_last:
            await case.look()


async def dropdown(case: Case) -> None:
    """Choose from a list that a script drew, press a button."""
    found = re.search(r"Choose (.+) from the dropdown", case.goal)
    assert found is not None
    case.select("combobox", found[1])
    case.click("button", case.quoted()[0])


async def scroll_list(case: Case) -> None:
    """Choose one or two entries of a list."""
    found = re.search(r"Select (.+) from the scroll list", case.goal)
    assert found is not None
    for option in found[1].split(", "):
        case.select("listbox", option)
    case.click(*SUBMIT)


MORE = {
    "book-flight": book_flight,
    "book-flight-nodelay": book_flight,
    "choose-date": choose_date,
    "choose-date-easy": choose_date,
    "choose-date-medium": choose_date,
    "choose-date-nodelay": choose_date,
    "click-menu": menu_path,
    "click-scroll-list": scroll_list,
    "form-sequence": slider_and_box,
    "form-sequence-2": radio_and_text,
    "form-sequence-3": dropdown,
    "navigate-tree": tree,
    "number-checkboxes": number_boxes,
    "phone-book": phone_book,
    "search-engine": search_engine,
    "use-autocomplete": autocomplete,
    "use-autocomplete-nodelay": autocomplete,
    "use-slider": slider,
    "use-slider-2": sliders,
}
