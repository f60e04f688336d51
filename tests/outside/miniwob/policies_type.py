"""Policies for tasks of typing: texts, dates, numbers, what a paragraph or a table says."""

import re

from tests.outside.miniwob.case import Case, target

SUBMIT = ("button", "Submit")
_LETTERS = re.compile(r"[^a-zA-Z]+")
_COLORS = {
    "aqua": "00FFFF", "black": "000000", "blue": "0000FF", "brown": "A52A2A", "cyan": "00FFFF",
    "gray": "808080", "green": "008000", "grey": "808080", "lime": "00FF00", "magenta": "FF00FF",
    "maroon": "800000", "navy": "000080", "olive": "808000", "orange": "FFA500", "pink": "FFC0CB",
    "purple": "800080", "red": "FF0000", "silver": "C0C0C0", "teal": "008080", "violet": "EE82EE",
    "white": "FFFFFF", "yellow": "FFFF00",
}  # fmt: skip


def the_number(pattern: str, text: str) -> int:
    """Return the number that *pattern* finds in *text*."""
    found = re.search(pattern, text)
    assert found is not None, text
    return int(found[1])


async def quoted_text(case: Case) -> None:
    """Type what the goal quotes."""
    [text] = case.quoted()
    case.type("textbox", text)
    case.click(*SUBMIT)


async def cased_text(case: Case) -> None:
    """Type what the goal quotes, in capitals or in small letters."""
    [text] = case.quoted()
    case.type("textbox", text.upper() if "upper case" in case.goal else text.lower())
    case.click(*SUBMIT)


async def date(case: Case) -> None:
    """Type a date into a field made of parts."""
    found = re.search(r"(\d\d)/(\d\d)/(\d{4})", case.goal)
    assert found is not None
    case.type("textbox", f"{found[3]}-{found[1]}-{found[2]}")
    case.click(*SUBMIT)


async def time(case: Case) -> None:
    """Type a time of day into a field made of parts."""
    found = re.search(r"(\d+):(\d\d) ([AP])M", case.goal)
    assert found is not None
    hour = int(found[1]) % 12 + (12 if found[3] == "P" else 0)
    case.type("textbox", f"{hour:02}:{found[2]}")
    case.click(*SUBMIT)


async def focus(case: Case) -> None:
    """Put the focus into the only field, or into the one that the goal counts."""
    counted = re.search(r"(\d)(?:st|nd|rd)", case.goal)
    case.click("textbox", nth=int(counted[1]) if counted else 0)


async def nth_word(case: Case) -> None:
    """Type the word of the paragraph that the goal counts."""
    nth = the_number(r"the (\d+)(?:st|nd|rd|th) word", case.goal)
    paragraph = case.said()[0]
    case.type("textbox", _LETTERS.sub("", paragraph.split()[nth - 1]))
    case.click(*SUBMIT)


async def last_word(case: Case) -> None:
    """Type the last word of a text too long to be shown."""
    words = (await case.text("textbox", nth=1)).split()
    case.type("textbox", words[-1].rstrip("."), nth=2)
    case.click(*SUBMIT)


async def slanted_letters(case: Case) -> None:
    """Type the letters that stand aslant."""
    case.type("textbox", case.said()[0].replace(" ", ""))
    case.click(*SUBMIT)


async def arithmetic(case: Case) -> None:
    """Type the result of a sum, a difference or a product."""
    [left, sign, right, _] = case.said()[0].split()
    one, two = int(left), int(right)
    answer = {"+": one + two, "-": one - two, "x": one * two}[sign]
    case.type("textbox", str(answer))
    case.click(*SUBMIT)


async def algebra(case: Case) -> None:
    """Type what x must be."""
    [left, sign, right, _, result] = case.said()[0].split()
    if left == "x":
        answer = int(result) - int(right) if sign == "+" else int(result) + int(right)
    else:
        answer = int(result) - int(left) if sign == "+" else int(left) - int(result)
    case.type("textbox", str(answer))
    case.click(*SUBMIT)


def _table(case: Case) -> dict[str, str]:
    cells = case.names("cell")
    return dict(zip(cells[::2], cells[1::2], strict=True))


async def table_value(case: Case) -> None:
    """Type the value that stands beside a word in the table."""
    [key] = re.findall(r"the value of (.+) into", case.goal)
    case.type("textbox", _table(case)[key])
    case.click(*SUBMIT)


async def table_values(case: Case) -> None:
    """Fill in the fields whose labels stand in the table."""
    table = _table(case)
    labels = [name.rstrip(":") for name in case.names("text") if name.endswith(":")]
    for nth, label in enumerate(labels, start=1):
        case.type("textbox", table[label], nth=nth)
    case.click(*SUBMIT)


async def movie_search(case: Case) -> None:
    """Fill in a search form; the label of a field stands before it, or after."""
    found = re.search(r"for (.+) movies directed by (.+) from year (\d+)", case.goal)
    assert found is not None
    wanted = {"genre": found[1], "director": found[2], "year": found[3], "date": found[3]}
    labels = [
        word
        for node in case.nodes[1:]
        if node.role in ("text", "rowheader")
        for word in wanted
        if word in node.name.lower()
    ]
    for nth, label in enumerate(labels, start=1):
        case.type("textbox", wanted[label], nth=nth)
    press = next(n for n in case.nodes if n.ref and n.role != "textbox")
    case.click(press.role, press.name)


async def guess_number(case: Case) -> None:
    """Halve the range until the guess is right."""
    low, high = 0, 9
    while low <= high:
        guess = (low + high) // 2
        case.type("spinbutton", str(guess))
        case.click(*SUBMIT)
        await case.look()
        said = " ".join(case.said())
        if "higher than" in said:
            low = guess + 1
        elif "lower than" in said:
            high = guess - 1
        else:
            return


async def generate_number(case: Case) -> None:
    """Let numbers be made until one will do."""
    bound = re.search(r"(less|greater) than (\d)", case.goal)
    for _ in range(30):
        case.click("button", "Generate")
        await case.look()
        number = int(case.said()[0])
        if bound is None:
            good = number % 2 == (1 if "odd" in case.goal else 0)
        else:
            good = number < int(bound[2]) if bound[1] == "less" else number > int(bound[2])
        if good:
            break
    case.click(*SUBMIT)


async def odd_or_even(case: Case) -> None:
    """Mark each number."""
    numbers = [int(name) for name in case.names("text")[1:]]
    for nth, number in enumerate(numbers, start=1):
        case.click("button", "Odd" if number % 2 else "Even", nth=nth)
    case.click(*SUBMIT)


async def buy_ticket(case: Case) -> None:
    """Book the flight with the least or the most of time or money."""
    times = [re.fullmatch(r"(\d+)h (\d+)m", name) for name in case.names("text")]
    minutes = [int(found[1]) * 60 + int(found[2]) for found in times if found]
    books = case.names("button")
    prices = [int(name.rpartition("$")[2]) for name in books]
    measure = minutes if "duration" in case.goal else prices
    best = max if "longest" in case.goal or "most expensive" in case.goal else min
    case.click("button", books[measure.index(best(measure))])


async def spinner(case: Case) -> None:
    """Type the number into a field with a spinner."""
    number = the_number(r"Select (-?\d+) with", case.goal)
    case.type("spinbutton", str(number), "Select a value:")
    case.click(*SUBMIT)


async def color(case: Case) -> None:
    """Type the code of a color that the goal names."""
    [name] = re.findall(r"Select (\w+) with", case.goal)
    case.type("textbox", _COLORS[name])
    case.click(*SUBMIT)


async def copy_paste(case: Case) -> None:
    """Read a text to its last blank, and type it into the field."""
    boxes = [node for node in case.nodes if node.role == "textbox"]
    counted = re.search(r"(\d)(?:st|nd|rd) text area", case.goal)
    empty = next(nth for nth, box in enumerate(boxes, start=1) if not box.value)
    full = [nth for nth in range(1, len(boxes) + 1) if nth != empty]
    source = full[int(counted[1]) - 1] if counted else full[0]
    case.type("textbox", await case.text("textbox", nth=source), nth=empty)
    case.click(*SUBMIT)


async def scroll_text(case: Case) -> None:
    """Scroll a text to its end or its start with the keyboard."""
    case.keys(target("textbox"), "Control+End")
    if "top" in case.goal:
        case.keys(target("textbox"), "Control+Home")
    case.click(*SUBMIT)


TYPING = {
    "buy-ticket": buy_ticket,
    "copy-paste": copy_paste,
    "copy-paste-2": copy_paste,
    "enter-date": date,
    "enter-text": quoted_text,
    "enter-text-2": cased_text,
    "enter-text-dynamic": quoted_text,
    "enter-time": time,
    "find-word": nth_word,
    "focus-text": focus,
    "focus-text-2": focus,
    "generate-number": generate_number,
    "guess-number": guess_number,
    "multi-layouts": movie_search,
    "multi-orderings": movie_search,
    "odd-or-even": odd_or_even,
    "read-table": table_value,
    "read-table-2": table_values,
    "scroll-text": last_word,
    "scroll-text-2": scroll_text,
    "simple-algebra": algebra,
    "simple-arithmetic": arithmetic,
    "text-transform": slanted_letters,
    "use-colorwheel": color,
    "use-spinner": spinner,
}
