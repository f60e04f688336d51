"""Folded tables: as many rows as there is room for, and one line that says where the others are.

The rule: a row that is not shown is told, by its number where the snapshot numbers rows, with the
call that shows it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from actions.perception.lines import Line
from actions.perception.node_words import quoted, ref_of, role_of
from states.catalogue import Lang, words
from states.page import AomNode

ROWS_A_CALL = 40
# A snapshot holds 300 nodes; the table and its header take some.
_NODES_A_CALL = 280
_MORE_CELLS = " | …"
_ALL = 1 << 40
_RANGES_MAX = 4
_NAME_CHARS = 60


class _Table(NamedTuple):
    node: AomNode
    at: int
    rows: list[int]

    @property
    def total(self) -> int:
        return max(self.node.row_count or 0, len(self.rows))


def folded(lines: Sequence[Line], chars_max: int | None, lang: Lang) -> list[Line]:
    """Return *lines* with table rows left out until they fit *chars_max*; with None, with all rows.

    What else stands there is not shortened: with rows alone left out it may still be too long.
    """
    tables = _tables_of(lines)
    if not tables:
        return list(lines)
    notes = sum(len(_note(table, (), lang)) + 1 for table in tables)
    in_tables = {place for table in tables for place in table.rows}
    others = sum(len(line.text) + 1 for n, line in enumerate(lines) if n not in in_tables)
    # A page full of other things still gets to show what its tables are about.
    room = _ALL
    if chars_max is not None:
        room = max(chars_max - others - notes, chars_max // 2 - notes)
    kept = set(range(len(lines))) - in_tables
    said: dict[int, Line] = {}
    for count, table in enumerate(sorted(tables, key=lambda table: _length(lines, table))):
        share = room // (len(tables) - count)
        shown = _rows_within(lines, table, share)
        room -= sum(len(lines[place].text) + 1 for place in shown)
        kept |= set(shown)
        if len(shown) < table.total:
            after = shown[-1] if shown else table.at
            said[after] = Line(_note(table, [lines[place] for place in shown], lang), 0)
    result = []
    for place, line in enumerate(lines):
        if place in kept:
            result.append(line)
        if place in said:
            indent = line.text[: len(line.text) - len(line.text.lstrip(" "))]
            deeper = "" if line.row is not None else "  "
            result.append(said[place]._replace(text=indent + deeper + said[place].text))
    return result


def with_missing_cells(lines: Sequence[Line]) -> list[Line]:
    """Return *lines*, of a snapshot that is not whole, with rows marked that lack cells."""
    width: dict[int, int] = {}
    for line in lines:
        if line.row is not None:
            width[id(line.table)] = max(width.get(id(line.table), 0), len(line.row.children))
    return [
        line._replace(text=line.text + _MORE_CELLS)
        if line.row is not None and len(line.row.children) < width[id(line.table)]
        else line
        for line in lines
    ]


def _tables_of(lines: Sequence[Line]) -> list[_Table]:
    """Return the tables of *lines* that have rows, or say that they have some."""
    found: dict[int, _Table] = {}
    for place, line in enumerate(lines):
        if line.table is None:
            continue
        table = found.setdefault(id(line.table), _Table(line.table, place, []))
        if line.row is not None:
            table.rows.append(place)
    return [table for table in found.values() if table.total]


def _length(lines: Sequence[Line], table: _Table) -> int:
    return sum(len(lines[place].text) + 1 for place in table.rows)


def _rows_within(lines: Sequence[Line], table: _Table, chars: int) -> list[int]:
    shown = []
    for place in table.rows:
        chars -= len(lines[place].text) + 1
        if chars < 0:
            break
        shown.append(place)
    return shown


def _note(table: _Table, shown: Sequence[Line], lang: Lang) -> str:
    """Return the line that stands for the rows of *table* besides *shown*."""
    ranges = _missing(table, shown)
    if ranges is None:
        rows = str(table.total - len(shown))
        first = min(len(shown) + 1, table.total)
        said = words("page_text_rows_left", lang, rows=rows, total=table.total)
    else:
        told = [_range(a, b) for a, b in ranges[:_RANGES_MAX]]
        rows = ", ".join(told) + (", …" if len(ranges) > _RANGES_MAX else "")
        first = _next(ranges, shown)
        said = words("page_text_rows", lang, rows=rows, total=table.total)
    nodes = max((line.nodes for line in shown), default=1)
    step = max(1, min(ROWS_A_CALL, _NODES_A_CALL // nodes))
    following = _range(first, min(first + step - 1, table.total))
    how = words("page_text_rows_how", lang, where=_where(table.node), next=following)
    return f"… {said}{how}"


def _missing(table: _Table, shown: Sequence[Line]) -> list[tuple[int, int]] | None:
    """Return the ranges of rows that are not shown, None when the snapshot numbers none."""
    numbers = [line.row.row for line in shown if line.row is not None]
    if None in numbers or not numbers:
        return None if numbers else [(1, table.total)]
    seen = {number for number in numbers if number is not None}
    ranges: list[tuple[int, int]] = []
    for number in range(1, table.total + 1):
        if number in seen:
            continue
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def _range(first: int, last: int) -> str:
    return f"{first}-{last}" if first < last else str(first)


def _next(ranges: Sequence[tuple[int, int]], shown: Sequence[Line]) -> int:
    """Return the first row that is not shown after those that are."""
    last = max((line.row.row or 0 for line in shown if line.row is not None), default=0)
    return next((a for a, _ in ranges if a > last), ranges[0][0] if ranges else 1)


def _where(table: AomNode) -> str:
    """Return how a call names *table*, with a blank after it; "" when it cannot."""
    if ref := ref_of(table):
        return f"selector={ref} "
    if table.name:
        return f"selector={role_of(table)} {quoted(table.name, _NAME_CHARS)} "
    return ""
