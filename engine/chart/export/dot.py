"""Graphviz DOT: each state a table of what it does and its rows, in the order they are tried.

An edge starts at its row's line of the table and bears no label, so the order of alternatives
survives. A state with children is a cluster; its own rows stand in a table at the cluster's
head, since they count in every state inside: a dashed edge leads on to the child it starts with,
and an edge to the cluster ends at its border. Edges to a final state are grey.
"""

from html import escape
from textwrap import wrap

from engine.chart.declaration import Chart, Row, State, is_within
from engine.chart.export.labels import label_of, printable, work_of
from states.catalogue import Lang

# The first that is there is taken; each holds Chinese and Latin.
FONTS = "Noto Sans CJK SC, Source Han Sans SC, Microsoft YaHei, PingFang SC, sans-serif"
LINE_CHARS_MAX = 52
_INDENT = "  "
_INK = "#1f2933"
_RULE = "#9aa5b1"
_HEAD, _HEAD_FINAL, _HEAD_COMPOUND = "#e4e7eb", "#c6e0c4", "#dbe4f3"


def dot(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as DOT; *lang* chooses the descriptions. Draw it with `dot -Tsvg`."""
    title = f"{chart.id} v{chart.version}"
    if text := chart.description.text(lang):
        title = f"{title}: {text}"
    look = f'fontname="{FONTS}", fontsize=10, fontcolor="{_INK}"'
    lines = [
        f"digraph {_quoted(chart.id)} {{",
        f"{_INDENT}graph [{look}, rankdir=LR, compound=true, newrank=true, nodesep=0.3, "
        f'ranksep=1.3, labelloc=t, label={_quoted(title)}, color="{_RULE}", style=rounded];',
        f"{_INDENT}node [{look}, shape=plain];",
        f'{_INDENT}edge [color="{_INK}", arrowsize=0.7];',
        f'{_INDENT}"start" [shape=circle, style=filled, fillcolor="{_INK}", label="", width=0.15];',
        f'{_INDENT}"start" -> {_end(chart, chart.initial)};',
    ]
    for state in chart.states.values():
        if not state.parent:
            lines += _state(chart, state, lang, 1)
    moving = [row for row in chart.rows() if row.target not in (None, row.source)]
    lines += [_INDENT + _edge(chart, row) for row in moving]
    return "\n".join([*lines, "}"]) + "\n"


def _state(chart: Chart, state: State, lang: Lang, depth: int) -> list[str]:
    pad = _INDENT * depth
    node = f"{_quoted(state.path)} [label=<{_table(chart, state, lang)}>];"
    if not state.children:
        return [pad + node]
    lines = [f"{pad}subgraph {_quoted(f'cluster_{state.path}')} {{", f'{pad}{_INDENT}label="";']
    lines.append(pad + _INDENT + node)
    for child in state.children:
        lines += _state(chart, chart.states[child], lang, depth + 1)
    if state.initial:
        begin = f"{_quoted(state.path)}:head:e"
        lines.append(f"{pad}{_INDENT}{begin} -> {_quoted(state.initial)}:head [style=dashed];")
    return [*lines, f"{pad}}}"]


def _table(chart: Chart, state: State, lang: Lang) -> str:
    name = state.path.rpartition(".")[2]
    colour = _HEAD_FINAL if state.final else _HEAD_COMPOUND if state.children else _HEAD
    head = f"<B>{escape(name)}</B>"
    if text := state.description.text(lang):
        head += f"<BR/>{_lines(text)}"
    cells = [f'<TR><TD PORT="head" BGCOLOR="{colour}">{head}</TD></TR>']
    cells += [_cell(text) for text in work_of(state)]
    for at, row in enumerate(state.rows):
        # Graphviz draws a loop of a table across its neighbour, so a word says it.
        mark = " (internal)" if row.target is None else ""
        mark = " (to itself)" if row.target == row.source else mark
        cells.append(_cell(label_of(row, chart) + mark, port=f"r{at}"))
    rows = "".join(cells)
    border = f'BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="4" COLOR="{_RULE}"'
    return f"<TABLE {border}>{rows}</TABLE>"


def _cell(text: str, port: str = "") -> str:
    named = f' PORT="{port}"' if port else ""
    return f'<TR><TD{named} ALIGN="LEFT" BALIGN="LEFT">{_lines(text)}</TD></TR>'


def _edge(chart: Chart, row: Row) -> str:
    target = row.target or row.source
    begin = f"{_quoted(row.source)}:r{chart.states[row.source].rows.index(row)}:e"
    colour = f' [color="{_RULE}"]' if chart.states[target].final else ""
    end = _head(target) if is_within(row.source, target) else _end(chart, target)
    return f"{begin} -> {end}{colour};"


def _end(chart: Chart, target: str) -> str:
    """Return the end of an edge from outside *target*: its table, or the border of its cluster."""
    if not chart.states[target].children:
        return _head(target)
    return f"{_head(target)} [lhead={_quoted(f'cluster_{target}')}]"


def _head(target: str) -> str:
    return f"{_quoted(target)}:head"


def _lines(text: str) -> str:
    wrapped = wrap(_one_line(text), LINE_CHARS_MAX, break_on_hyphens=False)
    # A backslash would begin one of Graphviz' own escapes: \N is the name of the node.
    lines = [escape(line).replace("\\", "\\\\") for line in wrapped]
    return '<BR ALIGN="LEFT"/>'.join(lines)


def _quoted(text: str) -> str:
    return '"' + _one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
