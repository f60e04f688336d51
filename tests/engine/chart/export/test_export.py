"""Every row of a chart is in each export, with its order, its guard and what it does."""

import re

from engine.chart.declaration import Chart
from engine.chart.export.mermaid import mermaid
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


def _arrows(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if " --> " in line and "[*]" not in line]


def _moving(chart: Chart) -> int:
    return sum(row.target is not None for row in chart.rows())


def test_mermaid_draws_every_row_that_moves_and_numbers_the_alternatives() -> None:
    chart = sample("loan")
    text = mermaid(chart)
    assert len(_arrows(text)) == _moving(chart)
    assert (
        "active__evaluate --> active__confirm : "
        "done.invoke.critic #4 [risky and (is_next or is_retry)]"
    ) in text
    assert "active__confirm --> active__executing : approve / approve_step" in text
    assert text.splitlines()[3:5] == ["stateDiagram-v2", "    [*] --> idle"]
    assert "    completed --> [*]" in text


def test_mermaid_says_what_a_state_does() -> None:
    text = mermaid(sample("loan"))
    note = text.split("note right of active__confirm\n")[1].split("end note")[0]
    assert [line.strip() for line in note.strip().splitlines()] == [
        "entry / show_card",
        "exit / hide_card",
        "after 300 s",
        "internal note [loud] / count_failure, ring",
    ]
    title = next(line for line in text.splitlines() if line.endswith("as active"))
    assert "the task is under way · entry / show_progress" in title
    assert "spawn reader (read_aloud), emits asked" in title


def test_mermaid_knows_every_name_it_uses_and_closes_what_it_opens() -> None:
    text = mermaid(sample("deep"))
    declared = set(re.findall(r'state ".*" as (\w+)', text))
    used = {end for arrow in _arrows(text) for end in arrow.split(" : ")[0].split(" --> ")}
    assert used <= declared
    assert text.count("{\n") == len(re.findall(r"^\s*}$", text, re.M)) == 3


def test_mermaid_speaks_the_readers_language() -> None:
    assert "title: 'loan v1: 借出一本书'" in mermaid(sample("loan"), "zh-CN")
    assert "任务进行中" in mermaid(sample("loan"), "zh-CN")


def test_nothing_in_a_description_breaks_the_export() -> None:
    chart = chart_of(ODD)
    text = mermaid(chart)
    assert "title: 'odd v3: a; b # \"c\" | d'" in text
    assert "state \"one: x | y, 'z'\" as one" in text
    lines = table(chart).splitlines()
    assert "| one | go |  | x | (stays) | p \\| q |" in lines
    assert "title: 'odd v3: 第一行 第二行'" in mermaid(chart, "zh-CN")


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
