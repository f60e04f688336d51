"""The lines of a snapshot: one a node, one a table row, indented as they stand in each other."""

from collections.abc import Iterator
from typing import NamedTuple

from actions.perception.node_words import (
    CELLS,
    TABLES,
    TRANSPARENT,
    all_of,
    labelled,
    only_text,
    options,
    options_of,
    quoted,
    role_of,
    row,
    said,
    size_of,
    tells,
)
from states.page import AomNode

INDENT_LEVELS_MAX = 12
# A cell with more in it is layout, not a value: its row is told as a tree.
_CELL_NODES_MAX = 20


class Line(NamedTuple):
    """One line, how many nodes it tells of, and the *table* whose row it is."""

    text: str
    nodes: int
    table: AomNode | None = None
    row: AomNode | None = None


def lines_of(
    node: AomNode, name_chars: int, level: int = 0, table: AomNode | None = None
) -> Iterator[Line]:
    """Yield the lines of *node*, and of what stands in it, below *level* others in *table*."""
    role = role_of(node)
    if role == "row" and _is_plain(node):
        yield Line(f"{_indent(level)}{row(node, name_chars)}", size_of(node), table, node)
        return
    choices = options_of(node)
    if choices:
        text = f"{said(node, name_chars)} {options(choices, name_chars)}"
        yield Line(f"{_indent(level)}- {text}", size_of(node))
        return
    text_node = only_text(node)
    if text_node is not None:
        told = f"{labelled(role, text_node)} {quoted(text_node.name, name_chars)}"
        yield Line(f"{_indent(level)}- {told}", size_of(node))
        return
    table = node if role in TABLES else table
    if (role in TRANSPARENT or role in CELLS) and not tells(node):
        yield from _group(node, name_chars, level, table)
        return
    yield Line(f"{_indent(level)}- {said(node, name_chars)}", 1, node if table is node else None)
    for child in node.children:
        yield from lines_of(child, name_chars, level + 1, table)


def _group(node: AomNode, name_chars: int, level: int, table: AomNode | None) -> Iterator[Line]:
    """Yield the lines of what stands in *node*; the first counts for *node* too."""
    first = True
    for child in node.children:
        for line in lines_of(child, name_chars, level, table):
            yield line._replace(nodes=line.nodes + first)
            first = False
    if first:
        yield Line(f"{_indent(level)}- {role_of(node)}", 1)


def _is_plain(node: AomNode) -> bool:
    """Return whether the row *node* holds cells with values, and no page of its own."""
    if not any(role_of(child) in CELLS for child in node.children):
        return False
    held = size_of(node) <= 1 + _CELL_NODES_MAX * len(node.children)
    inner = all_of(node.children)
    return held and not any(each.host or role_of(each) in TABLES for each in inner)


def _indent(level: int) -> str:
    return "  " * min(level, INDENT_LEVELS_MAX)
