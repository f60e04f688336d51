"""Mermaid stateDiagram-v2: every row a line at an arrow, alternatives numbered in their order.

Rows from one state to another share an arrow, or their labels would hide each other. What a state
does, and its internal rows, stand in the state. A state with children has that in its title, with
the rows that lead to a state inside, because Mermaid would draw those arrows under the states.
"""

from engine.chart.declaration import Chart, Row, State
from engine.chart.export.labels import label_of, printable, work_of
from states.catalogue import Lang

_INDENT = "    "
_BREAK = "<br/>"
_PLAIN = str.maketrans({'"': "'", ";": ",", "<": "‹", ">": "›"})


def mermaid(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as Mermaid source; *lang* chooses the descriptions."""
    title = chart.description.text(lang) or chart.id
    lines = ["---", f"title: {_quoted(f'{chart.id} v{chart.version}: {title}')}", "---"]
    lines += ["stateDiagram-v2", f"{_INDENT}[*] --> {_id(chart.initial)}"]
    for state in chart.states.values():
        if not state.parent:
            lines += _state(chart, state, lang, 1)
    lines += _arrows(chart)
    lines += [f"{_INDENT}{_id(s.path)} --> [*]" for s in chart.states.values() if s.final]
    return "\n".join(lines) + "\n"


def _state(chart: Chart, state: State, lang: Lang, depth: int) -> list[str]:
    pad = _INDENT * depth
    name = state.path.rpartition(".")[2]
    description = state.description.text(lang)
    title = f"{name}: {description}" if description else name
    if state.children:
        title = " · ".join([title, *_does(chart, state)])
    lines = [f'{pad}state "{_text(title)}" as {_id(state.path)}']
    if state.children and state.initial:
        lines.append(f"{pad}state {_id(state.path)} {{")
        lines.append(f"{pad}{_INDENT}[*] --> {_id(state.initial)}")
        for child in state.children:
            lines += _state(chart, chart.states[child], lang, depth + 1)
        lines.append(f"{pad}}}")
        return lines
    return lines + [f"{pad}{_id(state.path)} : {_text(line)}" for line in _does(chart, state)]


def _arrows(chart: Chart) -> list[str]:
    labels: dict[tuple[str, str], list[str]] = {}
    for row in chart.rows():
        if row.target is not None and not _is_inside(row):
            labels.setdefault((row.source, row.target), []).append(_text(label_of(row, chart)))
    return [
        f"{_INDENT}{_id(source)} --> {_id(target)} : {_BREAK.join(lines)}"
        for (source, target), lines in labels.items()
    ]


def _does(chart: Chart, state: State) -> list[str]:
    lines = work_of(state)
    for row in state.rows:
        if row.target is None:
            lines.append(f"internal {label_of(row, chart)}")
        elif _is_inside(row):
            lines.append(f"{label_of(row, chart)} → {row.target.rpartition('.')[2]}")
    return lines


def _is_inside(row: Row) -> bool:
    return row.target is not None and row.target.startswith(f"{row.source}.")


def _id(path: str) -> str:
    # A dot is no identifier in Mermaid; names hold no double underscore.
    return path.replace(".", "__")


def _text(text: str) -> str:
    """Return *text* without what ends a label, begins a comment or is taken for HTML in Mermaid."""
    return _one_line(text).translate(_PLAIN).replace("%%", "% %")


def _quoted(text: str) -> str:
    return "'" + _one_line(text).replace("'", "''") + "'"


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
