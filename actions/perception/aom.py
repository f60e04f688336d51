"""The text form of a snapshot (O2): one line a node, table rows as rows.

The rule: a page can fill the quotes but never leave them. Roles, refs, flags and indentation are
ours alone; every word of the page stands between quotes, on one line, without invisible characters.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from states.catalogue import Lang, words
from states.page import AomNode, PageState

INDENT_LEVELS_MAX = 12
# Tried in this order: long names are shortened before nodes are cut.
NAME_CHARS = (200, 60)
OPTIONS_MAX = 30

_ROLE = re.compile(r"[a-z]{1,30}")
_REF = re.compile(r"@[0-9]{1,9}")
_TABLES = frozenset({"table", "grid", "treegrid"})
_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
# Without a name these only group what stands in them.
_TRANSPARENT = frozenset({"generic", "group", "listitem", "list", "row", "rowgroup"})


class _Line(NamedTuple):
    """One line of text and how many nodes of the snapshot it tells of."""

    text: str
    nodes: int


def render(nodes: Sequence[AomNode], page: PageState, *, chars_max: int, lang: Lang = "en") -> str:
    """Return *nodes* of *page* as at most *chars_max* characters of text.

    When nodes are missing, by this bound or by the snapshot's own, the last line says how many.
    """
    total = max(page.total, sum(_size(node) for node in nodes))
    head = f"page {_quoted(page.title, NAME_CHARS[0])} {_quoted(page.url, NAME_CHARS[0])}"
    if not nodes:
        return f"{head}\n{words('page_text_empty', lang)}"[:chars_max]
    lines: list[_Line] = []
    for name_chars in NAME_CHARS:
        lines = [line for node in nodes for line in _lines(node, 0, name_chars)]
        whole = "\n".join([head, *(line.text for line in lines)])
        shown = sum(line.nodes for line in lines)
        note = "" if shown >= total else "\n" + _note(shown, total, lang)
        if len(whole) + len(note) <= chars_max:
            return whole + note
    return _cut(head, lines, total, chars_max, lang)


def _cut(head: str, lines: Sequence[_Line], total: int, chars_max: int, lang: Lang) -> str:
    """Return as many whole *lines* as fit, and how many nodes that leaves out."""
    room = chars_max - len(_note(total, total, lang)) - 1
    kept, shown, used = [head], 0, len(head)
    for line in lines:
        used += len(line.text) + 1
        if used > room:
            break
        kept.append(line.text)
        shown += line.nodes
    return "\n".join([*kept, _note(shown, total, lang)])[:chars_max]


def _note(shown: int, total: int, lang: Lang) -> str:
    return words("page_text_cut", lang, shown=shown, total=total, cut=total - shown)


def _size(node: AomNode) -> int:
    return 1 + sum(_size(child) for child in node.children)


def _lines(node: AomNode, level: int, name_chars: int) -> Iterator[_Line]:
    """Yield the lines of *node* and of what stands in it."""
    role = _role(node)
    if role == "row" and any(_role(child) in _CELLS for child in node.children):
        yield _Line(f"{_indent(level)}{_row(node, name_chars)}", _size(node))
        return
    if role in {"combobox", "listbox"}:
        options = [child for child in node.children if _role(child) == "option" and not child.ref]
        if len(options) == len(node.children) and options:
            words_of = f"{_said(node, name_chars)} {_options(options, name_chars)}"
            yield _Line(f"{_indent(level)}- {words_of}", _size(node))
            return
    folded = _folded(node)
    if folded is not None:
        yield _Line(f"{_indent(level)}- {role} {_quoted(folded, name_chars)}", _size(node))
        return
    if role in _TRANSPARENT and not _tells(node):
        first = True
        for child in node.children:
            for line in _lines(child, level, name_chars):
                yield line._replace(nodes=line.nodes + first)
                first = False
        if first:
            yield _Line(f"{_indent(level)}- {role}", 1)
        return
    yield _Line(f"{_indent(level)}- {_said(node, name_chars)}", 1)
    for child in node.children:
        yield from _lines(child, level + 1, name_chars)


def _folded(node: AomNode) -> str | None:
    """Return the text of a nameless node that holds one text and nothing else."""
    if node.name or node.ref or len(node.children) != 1 or _role(node) in _TABLES:
        return None
    [child] = node.children
    return child.name if child.role == "text" and not child.children else None


def _tells(node: AomNode) -> bool:
    """Return whether *node* says anything besides what stands in it."""
    return bool(node.name or node.value or node.ref or node.focused or node.checked is not None)


def _row(node: AomNode, name_chars: int) -> str:
    cells = " | ".join(_cell(child, name_chars) for child in node.children)
    return f"| {cells}{_flags(node)}"


def _cell(node: AomNode, name_chars: int) -> str:
    inner = list(_inline(node, name_chars))
    if not inner:
        return _quoted(node.name, name_chars) + _flags(node)
    names = "".join(child.name for child in node.children)
    told = re.sub(r"\s", "", node.name) in ("", re.sub(r"\s", "", names))
    own = [] if told else [_quoted(node.name, name_chars)]
    return " ".join([*own, *inner]) + _flags(node)


def _inline(node: AomNode, name_chars: int) -> Iterator[str]:
    """Yield what stands in *node*, flat."""
    for child in node.children:
        if _role(child) not in _TRANSPARENT or _tells(child):
            text = _quoted(child.name, name_chars)
            yield text if child.role == "text" else _said(child, name_chars)
        yield from _inline(child, name_chars)


def _options(options: Sequence[AomNode], name_chars: int) -> str:
    told = " / ".join(_quoted(option.name, name_chars) for option in options[:OPTIONS_MAX])
    more = len(options) - OPTIONS_MAX
    return f"options: {told}" + (f" (+{more})" if more > 0 else "")


def _said(node: AomNode, name_chars: int) -> str:
    """Return role, name, value and flags of *node*."""
    parts = [_role(node)]
    if node.name:
        parts.append(_quoted(node.name, name_chars))
    if node.value is not None:
        parts.append(f"value={_quoted(node.value, name_chars)}")
    if node.row_count is not None:
        parts.append(f"rows={node.row_count}")
    return " ".join(parts) + _flags(node)


def _flags(node: AomNode) -> str:
    flags = []
    if node.checked is not None:
        flags.append("checked" if node.checked else "unchecked")
    if node.disabled:
        flags.append("disabled")
    if node.focused:
        flags.append("focused")
    if node.ref and _REF.fullmatch(node.ref):
        flags.append(node.ref)
    return "".join(f" {flag}" for flag in flags)


def _role(node: AomNode) -> str:
    return node.role if _ROLE.fullmatch(node.role) else "generic"


def _indent(level: int) -> str:
    return "  " * min(level, INDENT_LEVELS_MAX)


def _quoted(text: str, chars: int) -> str:
    """Return *text* between quotes it cannot leave."""
    clean = text[: chars * 4]
    if not clean.isprintable():
        clean = "".join(char if char.isprintable() else _visible(char) for char in clean)
    clean = " ".join(clean.split())
    if len(clean) > chars or len(text) > chars * 4:
        clean = clean[: chars - 1] + "…"
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _visible(char: str) -> str:
    """Return a blank for what separates words, nothing for what only hides."""
    return " " if char.isspace() or char < " " or "\x7f" <= char <= "\x9f" else ""
