"""A Markdown table of every transition: the form an auditor can read line by line."""

from engine.chart.declaration import Chart
from engine.chart.export.labels import actions_of, event_of, work_of
from states.catalogue import Lang

_COLUMNS = {
    "en": ("State", "Event", "Guard", "Actions", "Target", "Description"),
    "zh-CN": ("状态", "事件", "守卫", "动作", "目标", "说明"),
}
_STATE_COLUMNS = {
    "en": ("State", "Kind", "Does", "Description"),
    "zh-CN": ("状态", "种类", "内容", "说明"),
}
_INTERNAL = {"en": "(stays)", "zh-CN": "（不离开）"}


def table(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as Markdown: its name and digest, the states, then every row in order."""
    title = chart.description.text(lang)
    lines = [f"# {chart.id} v{chart.version}", ""]
    lines += [title, ""] if title else []
    lines += [f"SHA-256 `{chart.sha256}`", "", *_header(_STATE_COLUMNS[lang])]
    for state in chart.states.values():
        kind = "final" if state.final else f"initial {state.initial}" if state.initial else ""
        kind = "start" if state.path == chart.initial else kind
        lines.append(
            _line(state.path, kind, "; ".join(work_of(state)), state.description.text(lang))
        )
    lines += ["", *_header(_COLUMNS[lang])]
    for row in chart.rows():
        guard = row.guard.text() if row.guard else ""
        target = row.target or _INTERNAL[lang]
        event = event_of(row, chart)
        description = row.description.text(lang)
        lines.append(_line(row.source, event, guard, actions_of(row), target, description))
    return "\n".join(lines) + "\n"


def _header(columns: tuple[str, ...]) -> list[str]:
    return [_line(*columns), "|" + " --- |" * len(columns)]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
