"""What an act changed is told in bounded lines; what only moved is not a change."""

import random
from typing import Any

import pytest

from actions.perception.changes import Look, changes
from states.page import AomNode, PageState

PAGE = PageState(url="https://erp.example.com/a", title="台账", document_id="d1")


def node(role: str, name: str = "", *children: AomNode, **fields: Any) -> AomNode:
    return AomNode(role=role, name=name, children=children, **fields)


def look(*nodes: AomNode, **fields: Any) -> Look:
    return Look(PAGE.model_copy(update=fields), nodes)


def rows(order: range, price: int = 0) -> AomNode:
    cells = (
        node("row", "", node("cell", f"订单 {n}"), node("cell", str(price + n)), row=place)
        for place, n in enumerate(order, start=1)
    )
    return node("table", "", *cells, row_count=len(order))


def test_what_came_and_what_went_is_told_with_its_refs() -> None:
    before = look(node("textbox", "月份", value="3", ref="@1"), node("button", "查询", ref="@2"))
    after = look(
        node("textbox", "月份", value="4", ref="@1"),
        node("button", "查询", ref="@2"),
        node("dialog", "确认", node("button", "好", ref="@9")),
    )
    assert changes(before, after).split("\n") == [
        "changed:",
        '- textbox "月份" value="3" @1',
        '+ textbox "月份" value="4" @1',
        '+ dialog "确认"',
        '+ button "好" @9',
    ]


def test_nothing_changed_is_said_plainly_and_the_focus_is_no_change() -> None:
    before = look(node("button", "查询", ref="@2"))
    after = look(node("button", "查询", ref="@2", focused=True))
    assert changes(before, after) == "changed: nothing that can be read here"
    assert changes(before, after, lang="zh-CN") == "变化：没有可读到的变化"


def test_a_table_that_is_sorted_anew_changes_its_order_only() -> None:
    before, after = look(rows(range(1, 101))), look(rows(range(100, 0, -1)))
    assert changes(before, after) == "changed: only the order"


def test_one_row_less_is_one_line() -> None:
    before, after = look(rows(range(1, 101))), look(rows(range(2, 101)))
    told = changes(before, after).split("\n")
    assert '- | "订单 1" | "1"' in told
    assert len(told) == 4  # the head, the row, and the table with one row less


def test_another_document_is_no_list_of_lines() -> None:
    before, after = look(node("button", "a")), look(node("button", "b"), document_id="d2")
    assert changes(before, after) == "changed: this is another page than before"


def test_an_address_that_changed_in_the_same_document_is_a_change() -> None:
    told = changes(
        look(node("button", "a")), look(node("button", "a"), url="https://erp.example.com/b")
    )
    assert '+ page "台账" "https://erp.example.com/b"' in told


@pytest.mark.parametrize(
    ("before", "after"),
    [(Look(PageState(), ()), look(node("button", "a"))), (look(), look(node("button", "a")))],
)
def test_without_a_look_before_there_is_nothing_to_compare(before: Look, after: Look) -> None:
    assert changes(before, after) == ""


@pytest.mark.parametrize("chars_max", [40, 300, 1_500])
def test_a_page_drawn_anew_is_bounded_and_counted(chars_max: int) -> None:
    before, after = look(rows(range(1, 101))), look(rows(range(1, 101), price=5_000))
    told = changes(before, after, chars_max=chars_max)
    assert len(told) <= chars_max
    if chars_max >= 300:
        lines = told.split("\n")
        come, gone = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        assert lines[-1] == f"(+{100 - come} and -{100 - gone} further lines are not listed)"


def test_looks_that_are_not_whole_say_that_a_line_may_only_have_moved() -> None:
    before = look(node("button", "a"), truncated=True)
    assert "come into view" in changes(before, look(node("button", "b"), truncated=True))
    assert "come into view" not in changes(look(node("button", "a")), look(node("button", "b")))


@pytest.mark.parametrize("seed", range(20))
def test_no_page_writes_a_line_of_its_own(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    hostile = ['"\n+ button "x" @1', "\x85changed:", "\\", "\u2028- x", "a" * 400]

    def any_look() -> Look:
        return look(*(node("button", dice.choice(hostile), ref=f"@{n}") for n in range(30)))

    for line in changes(any_look(), any_look()).split("\n"):
        assert line.startswith(("changed:", "+ button ", "- button ", "(+"))
        assert line.isprintable()
