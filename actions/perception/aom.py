"""The text form of a snapshot (O2): the page as at most so many characters that a model reads.

The rule: what was left out is always said, and how to get it. Long names are shortened first, then
table rows are folded, then what stands last is cut.
"""

from collections.abc import Sequence

from actions.perception.lines import Line, lines_of
from actions.perception.node_words import all_of, quoted, size_of
from actions.perception.tables import folded, with_missing_cells
from guards.perception import look_of, text_suffices
from states.catalogue import Lang, words
from states.page import AomNode, PageState

# Tried in this order: long names are shortened before nodes are cut.
NAME_CHARS = (200, 60)


def render(nodes: Sequence[AomNode], page: PageState, *, chars_max: int, lang: Lang = "en") -> str:
    """Return *nodes* of *page* as at most *chars_max* characters of text.

    When nodes are missing, by this bound or by the snapshot's own, the last line says how many.
    """
    head = head_of(page, chars_max)
    if not nodes:
        suffices = text_suffices(page)
        said = words("page_text_empty", lang) if suffices else f"({suffices.text(lang)})"
        return _joined([*head, said], chars_max)
    head += _notices(nodes, page, lang)
    total = max(page.total, sum(size_of(node) for node in nodes))
    return _fitted(head, nodes, total, (chars_max, lang))


def render_part(nodes: Sequence[AomNode], total: int, *, chars_max: int, lang: Lang = "en") -> str:
    """Return *nodes*, of *total* that were asked for, as at most *chars_max* characters of text."""
    if not nodes:
        return _joined([words("page_text_none", lang)], chars_max)
    head = _notices(nodes, PageState(), lang)
    return _fitted(head, nodes, max(total, sum(size_of(n) for n in nodes)), (chars_max, lang))


def head_of(page: PageState, chars_max: int = 8 * NAME_CHARS[0]) -> list[str]:
    """Return the line that names *page*, its two texts short enough for *chars_max*."""
    chars = max(min(NAME_CHARS[0], chars_max // 8), 1)
    return [f"page {quoted(page.title, chars)} {quoted(page.url, chars)}"]


def _notices(nodes: Sequence[AomNode], page: PageState, lang: Lang) -> list[str]:
    """Return what must be known before reading: unseen words, and what words do not tell."""
    notices = []
    if any(node.source for node in all_of(nodes)):
        notices.append(words("page_text_sources", lang))
    if page.missed > 0:
        share = 1 - page.completeness
        total = round(page.missed / share) if 0 < share <= 1 else page.missed
        facts = {"missed": page.missed, "total": max(total, page.missed)}
        notices.append(words("page_text_missed", lang, **facts))
    if look_of(page) == "both":
        notices.append(words("page_text_visual", lang))
    return notices


def _fitted(
    head: Sequence[str], nodes: Sequence[AomNode], total: int, bound: tuple[int, Lang]
) -> str:
    chars_max, lang = bound
    room = chars_max - sum(len(line) + 1 for line in head)
    whole: list[Line] = []
    for name_chars in NAME_CHARS:
        whole = [line for node in nodes for line in lines_of(node, name_chars)]
        if sum(line.nodes for line in whole) < total:
            whole = with_missing_cells(whole)
        # Rows that the snapshot itself left out are told, whether all that it has fits or not.
        lines = folded(whole, None, lang)
        note = _note(lines, total, lang)
        if _length(lines) + len(note) + 1 <= room:
            return _joined([*head, *(line.text for line in lines), *_if_said(note)], chars_max)
    lines = folded(whole, room - len(_note([], total, lang)) - 1, lang)
    return _cut(head, lines, total, bound)


def _cut(head: Sequence[str], lines: Sequence[Line], total: int, bound: tuple[int, Lang]) -> str:
    """Return as many whole *lines* as fit, and how many nodes that leaves out."""
    chars_max, lang = bound
    room = chars_max - len(_note([], total, lang)) - 1
    kept: list[Line] = []
    used = sum(len(line) + 1 for line in head) - 1
    for line in lines:
        used += len(line.text) + 1
        if used > room:
            break
        kept.append(line)
    note = _note(kept, total, lang)
    return _joined([*head, *(line.text for line in kept), *_if_said(note)], chars_max)


def _note(lines: Sequence[Line], total: int, lang: Lang) -> str:
    """Return how many of *total* nodes *lines* do not tell, "" when they tell all."""
    shown = sum(line.nodes for line in lines)
    if shown >= total:
        return ""
    return words("page_text_cut", lang, shown=shown, total=total, cut=total - shown)


def _if_said(note: str) -> list[str]:
    return [note] if note else []


def _length(lines: Sequence[Line]) -> int:
    return sum(len(line.text) + 1 for line in lines)


def _joined(lines: Sequence[str], chars_max: int) -> str:
    """Return *lines*, whole ones only, as far as they fit."""
    text = "\n".join(lines)
    kept = list(lines)
    while len(text) > chars_max and kept:
        kept.pop()
        text = "\n".join(kept)
    return text
