"""Every row of a chart is in each export, with its order, its guard and what it does."""

from engine.chart.declaration import Chart
from engine.chart.export.outline import outline
from engine.chart.export.table import table
from tests.engine.chart.sample import chart_of, sample

ODD = r"""
id: odd
version: 3
description: {en: "a; b # \"c\" | d", zh-CN: "第一行\n第二行"}
initial: one
events: {abort: {}, go: {}}
states:
  one: {description: "x | y; \"z\"", on: {abort: two, go: {actions: x, description: "p | q"}}}
  two: {type: final}
"""


def _moving(chart: Chart) -> int:
    return sum(row.target is not None for row in chart.rows())


def test_nothing_in_a_description_breaks_the_export() -> None:
    chart = chart_of(ODD)
    lines = table(chart).splitlines()
    assert "| one | go |  | x | (stays) | p \\| q |" in lines


def test_the_table_has_one_line_for_each_row_in_order() -> None:
    chart = sample("loan")
    text = table(chart)
    start = text.index("| State | Event |")
    lines = text[start:].splitlines()[2:]
    assert len(lines) == len(list(chart.rows()))
    assert lines[0] == "| idle | submit |  | start_count, log_task | active |  |"
    denied = next(line for line in lines if "done.invoke.plan #1" in line)
    assert "mac_denied and not is_done" in denied
    assert chart.sha256 in text
    assert "状态" in table(chart, "zh-CN")


def test_the_outline_shows_the_tree_and_each_row() -> None:
    chart = sample("errand")
    lines = outline(chart).splitlines()
    assert lines[0] == "errand v1"
    assert "  idle (start)" in lines
    assert "    confirm" in lines
    assert "      approve -> active.sending" in lines
    assert "  completed (final)" in lines
    arrows = sum(" -> " in line for line in lines)
    assert arrows == _moving(chart)
