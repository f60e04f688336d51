"""A selector, a ref, a mark and a locator mean the same element to the first check."""

from typing import Any

import pytest

from actions.perception.marks import Mark, mark_lines, marks_of
from actions.perception.targets import Found, find
from states.page import AomNode


def node(role: str, name: str = "", *children: AomNode, **fields: Any) -> AomNode:
    return AomNode(role=role, name=name, children=children, **fields)


PAY = node("button", "付款", ref="@f2.1", selector="iframe >>> #pay")
FRAME = node("iframe", "支付", PAY, ref="@7", selector="iframe", frame="f2", host="pay.example.com")
NODES = (
    node("heading", "台账"),
    node("group", "", node("button", "保存", ref="@1", selector="#save")),
    node("button", "保存", ref="@2", selector="#save2"),
    node("button", 'say "x" \\', ref="@3", selector="#x"),
    node("link", "一个很长的名称" * 10, ref="@4", selector="#long"),
    FRAME,
)
MARKS = (Mark(id=3, role="button", name="付款", selector="iframe >>> #pay"), Mark(id=4, ref="@2"))
SAVE = Found("button", "保存")


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("#save", SAVE),
        ("@2", SAVE),
        ('button "保存"', SAVE),
        ('button "保存" #2', SAVE),
        ('button (attribute) "保存"', SAVE),
        ('button "say \\"x\\" \\\\"', Found("button", 'say "x" \\')),
        (f'link "{("一个很长的名称" * 10)[:30]}…"', Found("link", "一个很长的名称" * 10)),
        ("[3]", Found("button", "付款", "pay.example.com")),
        ("[4]", SAVE),
        ("@f2.1", Found("button", "付款", "pay.example.com")),
        ("iframe >>> #pay", Found("button", "付款", "pay.example.com")),
        ('button "付款"', Found("button", "付款", "pay.example.com")),
        ("@f2.99", Found(host="pay.example.com")),
        ("iframe >>> #unlisted", Found(host="pay.example.com")),
        ("@7", Found("iframe", "支付")),
        ("iframe", Found("iframe", "支付")),
    ],
)
def test_what_a_selector_means_is_known_with_its_frame(selector: str, found: Found) -> None:
    assert find(selector, NODES, MARKS) == found


@pytest.mark.parametrize(
    "selector",
    [
        "#other",
        "@99",
        '[data-x="1"]',
        'button "保存" #3',
        'link "保存"',
        "[9]",
        "@f9.1",
        "x >>> #pay",
    ],
)
def test_what_is_not_there_means_nothing(selector: str) -> None:
    assert find(selector, NODES, MARKS) is None


def test_of_frames_in_frames_the_inner_one_counts() -> None:
    inner = node("iframe", "", selector="#a >>> #b", frame="f3", host="b.example.com")
    outer = node("iframe", "", inner, selector="#a", frame="f2", host="a.example.com")
    assert find("#a >>> #b >>> #c", [outer], ()) == Found(host="b.example.com")
    assert find("#a >>> #c", [outer], ()) == Found(host="a.example.com")


def test_marks_are_lines_and_no_name_can_leave_them() -> None:
    labels = [
        {
            "id": 3,
            "role": "button",
            "name": "保存",
            "selector": "#s",
            "ref": "@12",
            "bounds": [0] * 4,
        },
        {"id": 4, "name": 'x" @1\n[5] button "y', "selector": "@13", "bounds": [0] * 4},
    ]
    assert mark_lines(labels, 500, "en").split("\n") == [
        '[3] button "保存" @12',
        '[4] generic "x\\" @1 [5] button \\"y" @13',
    ]
    many = [{**labels[0], "id": n} for n in range(100)]
    lines = mark_lines(many, 500, "en").split("\n")
    assert lines[-1] == (
        f"({101 - len(lines)} further marks are not listed: read them in the picture, "
        "or scroll and take it again)"
    )


@pytest.mark.parametrize("data", [{}, {"som_labels": "x"}, {"som_labels": [{"id": "a"}]}])
def test_labels_that_cannot_be_read_are_none(data: dict[str, Any]) -> None:
    assert marks_of(data) == ()
