"""A Markdown table of every transition: the form an auditor can read line by line."""

from engine.chart.declaration import Chart, State
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
_KINDS = {
    "en": ("start", "final", "starts with"),
    "zh-CN": ("起点", "终点", "先进入"),
}
_READING = {
    "en": "The rows of one event are tried in this order: those of the innermost state first, then "
    "its parent's. The first row whose guard allows is taken. `#2` is the second alternative.",
    "zh-CN": "同一事件的各行按此顺序尝试：先试最内层状态，再试其上级状态；第一个守卫放行的行生效。"
    "`#2` 表示第二个备选行。",
}
_INTERNAL = {"en": "(stays)", "zh-CN": "（不离开）"}


def table(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as Markdown: its name and digest, the states, then every row in order."""
    title = chart.description.text(lang)
    lines = [f"# {chart.id} v{chart.version}", ""]
    lines += [title, ""] if title else []
    lines += [f"SHA-256 `{chart.sha256}`", "", *_header(_STATE_COLUMNS[lang])]
    for state in chart.states.values():
        does = "; ".join(work_of(state))
        lines.append(
            _line(state.path, _kind(chart, state, lang), does, state.description.text(lang))
        )
    lines += ["", _READING[lang], "", *_header(_COLUMNS[lang])]
    for row in chart.rows():
        guard = row.guard.text() if row.guard else ""
        target = row.target or _INTERNAL[lang]
        event = event_of(row, chart)
        description = row.description.text(lang)
        lines.append(_line(row.source, event, guard, actions_of(row), target, description))
    return "\n".join(lines) + "\n"


def _kind(chart: Chart, state: State, lang: Lang) -> str:
    start, final, first = _KINDS[lang]
    kinds = [start] if state.path == chart.initial else []
    kinds += [final] if state.final else []
    kinds += [f"{first} {state.initial.rpartition('.')[2]}"] if state.initial else []
    return ", ".join(kinds)


def _header(columns: tuple[str, ...]) -> list[str]:
    return [_line(*columns), "|" + " --- |" * len(columns)]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
