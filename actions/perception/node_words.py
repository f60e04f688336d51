"""The words of one node: what it is, what it is called, what can be said of it.

The rule: a page can fill the quotes but never leave them. Roles, refs, flags and labels are ours
alone; every word of the page stands between quotes, on one line, without invisible characters.
"""

import re
from collections.abc import Iterator, Sequence

from states.page import AomNode

OPTIONS_MAX = 30
TABLES = frozenset({"table", "grid", "treegrid"})
CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
# Without a name these only group what stands in them.
TRANSPARENT = frozenset({"generic", "group", "listitem", "list", "row", "rowgroup"})

_ROLE = re.compile(r"[a-z]{1,30}")
_REF = re.compile(r"@(?:f[0-9]{1,6}\.)?[0-9]{1,9}")


def role_of(node: AomNode) -> str:
    """Return the role of *node*, or generic when it has none that can be written."""
    return node.role if _ROLE.fullmatch(node.role) else "generic"


def ref_of(node: AomNode) -> str:
    """Return the ref of *node*, or "" when it has none."""
    return node.ref if node.ref and _REF.fullmatch(node.ref) else ""


def size_of(node: AomNode) -> int:
    """Return how many nodes *node* is, with all that stands in it."""
    return 1 + sum(size_of(child) for child in node.children)


def all_of(nodes: Sequence[AomNode]) -> Iterator[AomNode]:
    """Yield *nodes* and what stands in them, in reading order."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.children))
        yield node


def tells(node: AomNode) -> bool:
    """Return whether *node* says anything besides what stands in it."""
    said = node.name or node.value or node.ref or node.focused or node.host
    return bool(said or node.checked is not None)


def said(node: AomNode, name_chars: int) -> str:
    """Return role, source, name, value and flags of *node*."""
    parts = [labelled(role_of(node), node)]
    if node.name:
        parts.append(quoted(node.name, name_chars))
    if node.host:
        parts.append(f"host={quoted(node.host, name_chars)}")
    if node.value is not None:
        parts.append(f"value={quoted(node.value, name_chars)}")
    if node.row_count is not None:
        parts.append(f"rows={node.row_count}")
    return " ".join(parts) + flags(node)


def labelled(role: str, node: AomNode) -> str:
    """Return *role*, with where the words of *node* come from when nobody sees them."""
    return f"{role} ({node.source})" if node.source else role


def flags(node: AomNode) -> str:
    """Return the states and the ref of *node*, each after a blank."""
    named = []
    if node.checked is not None:
        named.append("checked" if node.checked else "unchecked")
    if node.disabled:
        named.append("disabled")
    if node.focused:
        named.append("focused")
    if ref := ref_of(node):
        named.append(ref)
    return "".join(f" {flag}" for flag in named)


def row(node: AomNode, name_chars: int) -> str:
    """Return the row *node* on one line."""
    cells = " | ".join(_cell(child, name_chars) for child in node.children)
    return f"| {cells}{flags(node)}"


def options_of(node: AomNode) -> list[AomNode]:
    """Return the options of the list *node* when it holds nothing else, else none."""
    if role_of(node) not in {"combobox", "listbox"}:
        return []
    options = [child for child in node.children if role_of(child) == "option" and not child.ref]
    return options if len(options) == len(node.children) else []


def options(nodes: Sequence[AomNode], name_chars: int) -> str:
    """Return what can be chosen, as far as it is worth a line."""
    told = " / ".join(quoted(option.name, name_chars) for option in nodes[:OPTIONS_MAX])
    more = len(nodes) - OPTIONS_MAX
    return f"options: {told}" + (f" (+{more})" if more > 0 else "")


def only_text(node: AomNode) -> AomNode | None:
    """Return the one text that a nameless *node* holds, None when it holds anything else."""
    if node.name or node.ref or node.host or len(node.children) != 1 or role_of(node) in TABLES:
        return None
    [child] = node.children
    return child if child.role == "text" and not child.children else None


def quoted(text: str, chars: int) -> str:
    """Return *text* between quotes it cannot leave."""
    clean = text[: chars * 4]
    if not clean.isprintable():
        clean = "".join(char if char.isprintable() else _visible(char) for char in clean)
    clean = " ".join(clean.split())
    if len(clean) > chars or len(text) > chars * 4:
        clean = clean[: chars - 1] + "…"
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _cell(node: AomNode, name_chars: int) -> str:
    inner = list(_inline(node, name_chars))
    if not inner:
        return _own_words(node, name_chars) + flags(node)
    names = "".join(child.name for child in node.children)
    told = re.sub(r"\s", "", node.name) in ("", re.sub(r"\s", "", names))
    own = [] if told else [_own_words(node, name_chars)]
    return " ".join([*own, *inner]) + flags(node)


def _own_words(node: AomNode, name_chars: int) -> str:
    words = quoted(node.name, name_chars)
    return f"{labelled(role_of(node), node)} {words}" if node.source else words


def _inline(node: AomNode, name_chars: int) -> Iterator[str]:
    """Yield what stands in *node*, flat."""
    for child in node.children:
        if role_of(child) not in TRANSPARENT or tells(child):
            plain = child.role == "text" and not child.source
            yield quoted(child.name, name_chars) if plain else said(child, name_chars)
        yield from _inline(child, name_chars)


def _visible(char: str) -> str:
    """Return a blank for what separates words, nothing for what only hides."""
    return " " if char.isspace() or char < " " or "\x7f" <= char <= "\x9f" else ""
