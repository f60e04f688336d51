"""An indented outline of a chart: what `chart show` prints."""

from engine.chart.declaration import Chart, State
from engine.chart.export.labels import label_of, work_of
from states.catalogue import Lang


def outline(chart: Chart, lang: Lang = "en") -> str:
    """Return the states as a tree, each with what it does and its rows in order."""
    title = chart.description.text(lang)
    lines = [f"{chart.id} v{chart.version}" + (f": {title}" if title else "")]
    for state in chart.states.values():
        if not state.parent:
            lines += _state(chart, state, lang, 1)
    return "\n".join(lines) + "\n"


def _state(chart: Chart, state: State, lang: Lang, depth: int) -> list[str]:
    pad = "  " * depth
    marks = ["start"] if state.path == chart.initial else []
    marks += ["final"] if state.final else []
    mark = f" ({', '.join(marks)})" if marks else ""
    description = state.description.text(lang)
    name = state.path.rpartition(".")[2]
    lines = [f"{pad}{name}{mark}" + (f": {description}" if description else "")]
    lines += [f"{pad}  {line}" for line in work_of(state)]
    for row in state.rows:
        target = f" -> {row.target}" if row.target else ""
        lines.append(f"{pad}  {label_of(row, chart)}{target}")
    for child in state.children:
        lines += _state(chart, chart.states[child], lang, depth + 1)
    return lines
