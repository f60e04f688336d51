"""What changed on a page between two looks (O2): the lines that came, and those that went.

The rule: a line is the same line wherever it stands, so a table sorted anew changes its order and
nothing else. The list is bounded, and says how much it leaves out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from actions.perception.aom import NAME_CHARS, head_of
from actions.perception.lines import lines_of
from states.catalogue import Lang, words
from states.page import AomNode, PageState

CHARS_MAX = 1_500
_LINE_CHARS_MAX = 300


class Look(NamedTuple):
    """One look at a page."""

    page: PageState
    nodes: tuple[AomNode, ...]


def changes(before: Look, after: Look, *, chars_max: int = CHARS_MAX, lang: Lang = "en") -> str:
    """Return what *after* shows and *before* did not, and the other way round.

    It is empty when there was no page, or nothing of one, to compare with.
    """
    if not before.page.document_id or not after.page.document_id:
        return ""
    if before.page.document_id != after.page.document_id:
        return words("page_change_document", lang)[:chars_max]
    if not before.nodes or not after.nodes:
        return ""
    old, new = _told(before), _told(after)
    gone, come = _without(old, new), _without(new, old)
    if not gone and not come:
        key = "page_change_not" if old == new else "page_change_order"
        return words(key, lang)[:chars_max]
    signed = [*(f"- {line}" for line in gone), *(f"+ {line}" for line in come)]
    whole = not before.page.truncated and not after.page.truncated
    return _listed(signed, chars_max, lang, whole=whole)


def _told(look: Look) -> list[str]:
    """Return the lines of *look*, without where they stand and where the focus is."""
    unfocused = [_unfocused(node) for node in look.nodes]
    lines = [line.text for node in unfocused for line in lines_of(node, NAME_CHARS[0])]
    return [*head_of(look.page), *(line.lstrip(" ").removeprefix("- ") for line in lines)]


def _unfocused(node: AomNode) -> AomNode:
    """Return *node* without its focus, which comes and goes with every click."""
    children = tuple(_unfocused(child) for child in node.children)
    return node.model_copy(update={"focused": None, "children": children})


def _without(lines: Sequence[str], others: Iterable[str]) -> list[str]:
    """Return those of *lines* that *others* do not have as often."""
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            kept.append(line)
    return kept


def _listed(signed: Sequence[str], chars_max: int, lang: Lang, *, whole: bool) -> str:
    """Return as many of the *signed* lines as fit, those that came before those that went."""
    head = words("page_changes", lang)
    tail = [] if whole else [words("page_change_bounds", lang)]
    fixed = len(head) + sum(len(line) + 1 for line in tail)
    room = chars_max - fixed - len(_more(signed, lang)) - 1
    chosen: set[int] = set()
    # What came is what the next step can use.
    for place in sorted(range(len(signed)), key=lambda place: signed[place][0] != "+"):
        length = len(signed[place]) + 1
        if length - 1 > _LINE_CHARS_MAX or length > room:
            continue
        room -= length
        chosen.add(place)
    left = [line for place, line in enumerate(signed) if place not in chosen]
    shown = [line for place, line in enumerate(signed) if place in chosen]
    text = "\n".join([head, *shown, *([_more(left, lang)] if left else []), *tail])
    return text if len(text) <= chars_max else head[:chars_max]


def _more(lines: Sequence[str], lang: Lang) -> str:
    come = sum(line[0] == "+" for line in lines)
    return words("page_change_more", lang, more=come, less=len(lines) - come)
