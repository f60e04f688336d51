"""A long table takes its share of the text, and every row that is not there can be asked for."""

import re
from typing import Any

import pytest

from actions.perception.aom import render, render_part
from states.page import AomNode, PageState

PAGE = PageState(url="https://erp.example.com/report", title="台账")


def node(role: str, name: str = "", *children: AomNode, **fields: Any) -> AomNode:
    return AomNode(role=role, name=name, children=children, **fields)


def row(number: int | None, cells: int = 8) -> AomNode:
    values = [node("cell", f"第 {number} 行 第 {n} 列 采购订单") for n in range(cells - 1)]
    control = node("cell", "", node("button", "查看", ref=f"@{number or 1}"))
    return node("row", "", *values, control, row=number)


def header(cells: int = 8) -> AomNode:
    return node("row", "", *(node("columnheader", f"列 {n}") for n in range(cells)), row=1)


def table(first: int, last: int, total: int = 200, **fields: Any) -> AomNode:
    rows = (row(number) for number in range(first, last + 1))
    return node("table", fields.pop("name", ""), header(), *rows, row_count=total, **fields)


def text_of(*nodes: AomNode, chars_max: int = 8_000, total: int = 0) -> list[str]:
    page = PAGE.model_copy(update={"total": total, "truncated": bool(total)})
    text = render(nodes, page, chars_max=chars_max)
    assert len(text) <= chars_max
    return text.split("\n")


def note_in(lines: list[str]) -> str:
    [note] = [line.strip() for line in lines if line.strip().startswith("…")]
    return note


def test_a_table_of_200_rows_fits_and_says_which_rows_are_not_there() -> None:
    lines = text_of(node("heading", "台账"), table(2, 200), node("button", "导出", ref="@900"))
    assert lines[3].startswith('  | "列 0" | "列 1"')
    shown = sum(line.startswith("  | ") for line in lines)
    assert shown > 30
    assert note_in(lines).startswith(f"… rows {shown + 1}-200 of 200 not shown")
    assert lines[-2] == '- button "导出" @900'


def test_rows_that_the_snapshot_left_out_are_told_too() -> None:
    lines = text_of(table(2, 30), total=2_000)
    assert note_in(lines) == (
        '… rows 31-200 of 200 not shown: getAomSnapshot filter="rows=31-58", '
        'or filter="words of the row"'
    )
    whole = text_of(table(2, 30, total=30))
    assert not any("not shown" in line for line in whole)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"ref": "@5"}, "selector=@5 "),
        ({"name": "台账"}, 'selector=table "台账" '),
        ({"name": '"x', "ref": "no ref"}, 'selector=table "\\"x" '),
        ({}, ""),
    ],
)
def test_the_call_names_the_table_when_it_can(fields: dict[str, Any], where: str) -> None:
    assert f': getAomSnapshot {where}filter="rows=31-58"' in note_in(
        text_of(table(2, 30, **fields))
    )


def test_rows_out_of_the_middle_are_told_by_their_numbers() -> None:
    text = render_part([table(100, 120)], 2_000, chars_max=8_000)
    assert "rows 2-99, 121-200 of 200 not shown" in text
    assert 'filter="rows=121-' in text


def test_rows_without_numbers_are_counted() -> None:
    rows = (row(None) for _ in range(20))
    lines = text_of(node("table", "", *rows, row_count=200))
    assert note_in(lines).startswith("… 180 of 200 rows not shown: getAomSnapshot")


def test_any_row_is_reached_by_the_calls_that_the_text_names() -> None:
    """Follow the text as a model would: the row is in one of at most two further answers."""
    for wanted in range(2, 201):
        lines = text_of(table(2, 30), total=2_000)
        if any(f'"第 {wanted} 行' in line for line in lines):
            continue
        step = re.search(r'"rows=(\d+)-(\d+)"', note_in(lines))
        assert step is not None
        size = int(step[2]) - int(step[1]) + 1
        first = max(2, min(wanted - size // 2, 200 - size + 1))
        answer = render_part([table(first, first + size - 1)], 2_000, chars_max=8_000)
        assert f'"第 {wanted} 行 第 6 列' in answer


def test_two_tables_share_the_room_and_a_short_one_keeps_all_of_its_rows() -> None:
    lines = text_of(table(2, 200), node("table", "小", row(2), row(3), row_count=2))
    assert sum("第 3 行" in line for line in lines) == 2
    assert lines[-1].startswith("(")
    at = next(n for n, line in enumerate(lines) if line.startswith('- table "小"'))
    assert [line.startswith("  | ") for line in lines[at + 1 : at + 3]] == [True, True]


def test_a_row_that_the_snapshot_cut_shows_that_it_goes_on() -> None:
    short = node("row", "", node("cell", "a"), node("cell", "b"), row=3)
    lines = text_of(node("table", "", header(), row(2), short, row_count=200), total=2_000)
    assert [line.endswith(" | …") for line in lines if line.startswith("  | ")] == [
        False,
        False,
        True,
    ]
    whole = text_of(node("table", "", header(), row(2), short, row_count=3))
    assert not any(line.endswith(" | …") for line in whole)


def test_a_table_in_a_small_text_still_shows_its_head() -> None:
    lines = text_of(*(node("text", "长" * 150) for _ in range(3)), table(2, 200), chars_max=1_200)
    assert any(line.startswith('  | "列 0"') for line in lines)
    assert "not shown" in note_in(lines)


def test_an_answer_without_nodes_says_so() -> None:
    assert "another filter" in render_part([], 0, chars_max=500)
    assert "filter" in render_part([], 0, chars_max=500, lang="zh-CN")
