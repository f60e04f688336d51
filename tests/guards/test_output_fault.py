"""A model is told exactly what is wrong with its arguments, and where."""

import pytest

from guards.output_fault import why_broken

SAID = [
    ('{"action": "type", "params": {"text": "张', "before the object", "结束之前"),
    ('{"amount": 30', "end with: {\"amount\": 30", "结尾是：{\"amount\": 30"),
    ('{"a": 1}\n{"a": 2}', "line 2, column 1", "第 2 行第 1 列"),
    ('{"a": 1, "a": 2}', "the key “a” stands twice", "键“a”出现了两次"),
    ('{"x": NaN}', "NaN is no number", "NaN 不是"),
    ('{"x": -1e999}', "-1e999 is no number", "-1e999 不是"),
    ('{"x": ' + "1" * 5_000 + "}", "a number is too long", "数字过长"),
    ("[1]", "a list", "数组"),
    ('"{}"', "a text in quotes", "字符串"),
    ("12", "a number", "一个数字"),
    ("null", "null", "null"),
    ("{action: 1}", "column 2 a key in double quotes is missing ({ ⟶ a", "第 2 列缺少用英文双引号"),
    ('{"a" 1}', "a colon is missing", "缺少英文冒号"),
    ('{"text": "说"好"了"}', "a comma or a closing bracket", "缺少英文逗号"),
    ('{"a": }', "a JSON value is missing", "缺少 JSON 值"),
    ('{"a": "x\ny"}', "a raw line break", "未转义的换行"),
    ('{"path": "C:\\d"}', "a backslash begins no escape", "反斜杠不是有效"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "english", "chinese"), SAID, ids=[raw[:12] for raw, *_ in SAID])
def test_the_fault_and_its_place_are_named(raw: str, english: str, chinese: str) -> None:
    assert english in why_broken(raw, "en")
    assert chinese in why_broken(raw, "zh-CN")


@pytest.mark.parametrize("raw", ["{}", ' {"a": [1, {"b": null}]} '])
def test_nothing_is_wrong_with_strict_json(raw: str) -> None:
    assert why_broken(raw, "en") == ""


def test_what_is_shown_is_one_short_printable_line() -> None:
    told = why_broken('{"a": "' + "x" * 9_000 + "\x1b[31m\n", "en")
    assert told.isprintable()
    assert len(told) < 400
    assert len(why_broken("{" + f'"{"k" * 9_000}": 1, ' * 2 + '"b": 2}', "en")) < 400
