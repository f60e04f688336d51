"""Mermaid stateDiagram-v2: every row an arrow, alternatives numbered in the order they are tried.

Internal rows stand in the state's note, because an arrow would say that the state is left. What a
state with children does stands in its title: some renderers fail on a note at a compound state.
"""

from engine.chart.declaration import Chart, Row, State
from engine.chart.export.labels import label_of, work_of
from states.catalogue import Lang

_INDENT = "    "


def mermaid(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as Mermaid source; *lang* chooses the descriptions."""
    title = chart.description.text(lang) or chart.id
    lines = ["---", f"title: {_quoted(f'{chart.id} v{chart.version}: {title}')}", "---"]
    lines += ["stateDiagram-v2", f"{_INDENT}[*] --> {_id(chart.initial)}"]
    for state in chart.states.values():
        if not state.parent:
            lines += _state(chart, state, lang, 1)
    lines += [_INDENT + _arrow(row, chart) for row in chart.rows() if row.target is not None]
    lines += [f"{_INDENT}{_id(s.path)} --> [*]" for s in chart.states.values() if s.final]
    for state in chart.states.values():
        lines += _note(chart, state)
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


def _arrow(row: Row, chart: Chart) -> str:
    return f"{_id(row.source)} --> {_id(row.target or row.source)} : {_text(label_of(row, chart))}"


def _note(chart: Chart, state: State) -> list[str]:
    lines = _does(chart, state)
    if state.children or not lines:
        return []
    note = [f"{_INDENT}note right of {_id(state.path)}"]
    note += [f"{_INDENT * 2}{_text(line)}" for line in lines]
    return [*note, f"{_INDENT}end note"]


def _does(chart: Chart, state: State) -> list[str]:
    internal = [row for row in state.rows if row.target is None]
    return [*work_of(state), *(f"internal {label_of(row, chart)}" for row in internal)]


def _id(path: str) -> str:
    # A dot is no identifier in Mermaid; names hold no double underscore.
    return path.replace(".", "__")


def _text(text: str) -> str:
    """Return *text* without what ends a label in Mermaid."""
    return text.replace('"', "'").replace(";", ",").replace("\n", " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''").replace("\n", " ") + "'"
