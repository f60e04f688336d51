"""Broken output is repaired where it has one reading, and left alone everywhere else (R5)."""

import json

import pytest

from guards.output_repair import call_in_text, meant_as_call, repair_arguments
from states.settings import TaskLimits
from tests.guards.broken import TOOLS, Case, cases, repaired, same

CASES = cases()
CLEAR = [case for case in CASES if case.want is not None]
UNCLEAR = [case for case in CASES if case.want is None]
GET_TEXT = {"action": "getText", "params": {"selector": "@12"}}
CALL = json.dumps({"name": "browser_action", "arguments": GET_TEXT})


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_no_repair_is_wrong(case: Case) -> None:
    found = repaired(case)
    assert found is None or same(found, case.want)


def test_most_of_what_is_clear_is_repaired() -> None:
    assert len(CLEAR) >= 40
    assert sum(repaired(case) is not None for case in CLEAR) / len(CLEAR) >= 0.8


def test_each_case_has_a_name_of_its_own_and_says_where_it_was_seen() -> None:
    assert len({case.name for case in CASES}) == len({case.raw for case in CASES}) == len(CASES)
    assert all(case.seen for case in CASES)


@pytest.mark.parametrize(
    ("raw", "how"),
    [
        ('{"a": 1}', ()),
        ("```json\n{'a': 1,}\n```\nDone.", ("fence", "prose", "single_quotes", "trailing_comma")),
        ("{“a”：1}<|im_end|>", ("tag", "full_width")),
        ('{a: 1, /* one */ "b": None}{"a": 1, "b": null}',
         ("bare_keys", "comments", "literals", "doubled")),
        ('"{\\"a\\": 1}"', ("encoded_twice",)),
    ],
)  # fmt: skip
def test_a_repair_says_what_it_repaired(raw: str, how: tuple[str, ...]) -> None:
    found = repair_arguments(raw)
    assert found is not None
    assert found.how == how


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"a": "}{", }', "}{"),
        ('{"a": "trailing, ", }', "trailing, "),
        ("{'a': '// no comment', }", "// no comment"),
        ("{'a': '```json {} ```'}", "```json {} ```"),
        ("{'a': 'True，None：“”'}", "True，None：“”"),
        ('{a: "line\\nbreak \\u4f60 \\"q\\""}', 'line\nbreak 你 "q"'),
        ("{'a': 'say \"hi\" \\\\ it\\'s'}", 'say "hi" \\ it\'s'),
        ("{“a”：“input[name='q']”}", "input[name='q']"),
        ("{'a': 'a[x=\"1\"] b[y=\"2\"]'}", 'a[x="1"] b[y="2"]'),
    ],
)
def test_no_character_inside_a_string_is_changed(raw: str, value: str) -> None:
    found = repair_arguments(raw)
    assert found is not None
    assert found.value == {"a": value}


def test_a_text_that_is_too_long_is_not_repaired() -> None:
    small = TaskLimits(model_text_chars_max=1_000)
    long = "{'a': 1} " + " " * 1_000
    assert repair_arguments(long) is not None
    assert repair_arguments(long, small) is None
    assert call_in_text(" " * 1_000 + CALL, TOOLS) is not None
    assert call_in_text(" " * 1_000 + CALL, TOOLS, small) is None


def test_an_object_that_is_nested_too_deep_is_not_repaired() -> None:
    deep = "{'a': " * 20 + "1" + "}" * 20
    assert repair_arguments(deep) is not None
    assert repair_arguments(deep, TaskLimits(model_depth_max=20)) is None
    assert repair_arguments(deep.replace("'", '"'), TaskLimits(model_depth_max=20)) is None
    assert repair_arguments("{'a': " * 9_000 + "1" + "}" * 9_000) is None


def test_an_object_that_comes_more_often_than_calls_may_is_not_repaired() -> None:
    small = TaskLimits(calls_per_turn_max=2)
    assert repair_arguments("{'a': 1}" * 3) is not None
    assert repair_arguments("{'a': 1}" * 3, small) is None


@pytest.mark.parametrize(
    "raw",
    [
        # A comment that began inside a string whose first quote was lost.
        '{"": /* x */ /*:]a”, \'b\': /* x */{“：”: 0}}',
        '{"a": [300 300]}', "{'a': [1, 2,,]}", "{'a': [,]}", '{"a": 1, 2: 3,}', "{a-b: 1}",
        "] [ {'a': 1}", "[{'a': 1}", "{'a': 1}]", '{"a": 1}}', "{'a': 1} ｝",
        '{"a": 1}{"a": true}{"a": 1}',
    ],
)  # fmt: skip
def test_what_has_two_readings_or_none_is_left_alone(raw: str) -> None:
    assert repair_arguments(raw) is None


@pytest.mark.parametrize("number", [2**53, -(2**53), "9" * 5_000])
def test_a_number_that_the_ledger_cannot_hold_is_not_repaired(number: object) -> None:
    assert repair_arguments(f"{{'a': {number}}}") is None
    assert repair_arguments(f"{{'a': {2**53 - 1}}}") is not None
    for arguments in (f'{{"x": {number}}}', json.dumps(f'{{"x": {number}}}')):
        call = f'{{"name": "finish", "arguments": {arguments}}}'
        assert call_in_text(call, TOOLS) is None
        assert call_in_text(call.replace(str(number), "1"), TOOLS) is not None


HOSTILE = (
    "{" * 100_000, "{}" * 50_000, "\n" * 100_000, "'{\"" * 33_000, "<<<a b" * 16_000,
    "<think>" * 14_000, "{'" + "\\" * 99_000, "{/*" * 33_000, "params" + " " * 99_000,
    "\n a:b," * 16_000, '"' * 100_000, "{" + "a:" * 49_000, "<" * 100_000, "[" * 100_000,
    "{'a':" + "[" * 99_000, "“{" * 50_000, ">" * 100_000, "{'a':1} " + "\"  " * 30_000 + "{",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:6] for text in HOSTILE])
def test_hostile_text_is_left_alone_in_linear_time(text: str) -> None:
    # A quadratic reader needs minutes for these; the suite's own timeout would tell.
    assert repair_arguments(text) is None
    assert call_in_text(text, TOOLS) is None
    meant_as_call(text, TOOLS)


def test_a_call_in_the_text_is_known_by_its_form_and_its_tool() -> None:
    call = call_in_text(f"好的。\n<tool_call>\n{CALL}\n</tool_call>", TOOLS)
    assert call is not None
    assert (call.name, call.value) == ("browser_action", GET_TEXT)
    assert call.how == ("in_text", "tag", "prose")
    assert call_in_text(CALL, ("run_skill",)) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "browser_action", "arguments": {}, "note": "x"},
        {"name": "browser_action", "arguments": {}, "parameters": {}},
        {"name": ["browser_action"], "arguments": {}},
        {"name": "browser_action", "arguments": []},
        {"type": "object", "function": {"name": "browser_action", "arguments": {}}},
        {"function": {"name": "browser_action", "arguments": {}}, "note": "x"},
        {"action": ["getText"], "params": {}},
        {"action": "getText", "params": []},
        {"action": "getText"},
        {"action": "getText", "params": {}, "note": "x"},
    ],
)
def test_an_object_of_another_form_is_no_call(changed: dict[str, object]) -> None:
    assert call_in_text(json.dumps(changed), TOOLS) is None


def test_the_bare_input_of_the_browser_tool_needs_that_tool() -> None:
    named = json.dumps({**GET_TEXT, "expected_domain": "erp.example.com"})
    assert call_in_text(named, TOOLS) is not None
    assert call_in_text(named, ("run_skill",)) is None
    assert call_in_text(f"mcp__files__read {named}", (*TOOLS, "mcp__files__read")) is None
    assert call_in_text(f"finish: {named}", TOOLS) is not None


QUOTED = (
    ("<<<page 3f9a1c2b\n", "\npage 3f9a1c2b>>>"), ("<<<memory 3f9a1c2b\n", "\nmemory 3f9a1c2b>>>"),
    ("<think>", "</think>"), ("<thinking>", "</thinking>"),
)  # fmt: skip


@pytest.mark.parametrize(("opens", "closes"), QUOTED)
def test_a_call_that_is_quoted_or_thought_never_counts(opens: str, closes: str) -> None:
    assert call_in_text(f"{opens}{CALL}{closes}", TOOLS) is None
    assert not meant_as_call(f"{opens}{CALL}{closes}", TOOLS)
    assert call_in_text(f"{opens}{CALL}", TOOLS) is None
    assert not meant_as_call(f"{opens}{CALL}", TOOLS)
    # The same call outside of the quote does, so it is the quote that stops it.
    assert call_in_text(f"{opens}{closes}{CALL}", TOOLS) is not None
    assert call_in_text(f"{opens}{CALL}{closes}{CALL}", TOOLS) is not None


def test_a_quote_cannot_be_cut_out_of_a_call() -> None:
    call = '{"name": "finish", "arguments": {"summary": "<<<page 3f9a x page 3f9a>>>"}}'
    assert call_in_text(call, TOOLS) is None
    assert call_in_text(call.replace("<<<page 3f9a x page 3f9a>>>", "x"), TOOLS) is not None


@pytest.mark.parametrize("mark", ["<<<", ">>>", "‹", "›", "</think>"])
def test_a_mark_of_a_quote_that_opens_or_closes_nothing_stops_all(mark: str) -> None:
    assert call_in_text(f"{mark} {CALL}", TOOLS) is None
    assert call_in_text(f"{CALL}\n{mark}", TOOLS) is None


@pytest.mark.parametrize(
    "text",
    [
        CALL[:-2], f"<tool_call>{CALL}{CALL}", "<function=getText><parameter=selector>@1",
        '{"name": "run_skill", "arguments": {"a": }}', "{'action': 'click', 'params': {selector",
        "{“action”：“click”", "[TOOL_CALLS] []", "<｜tool▁calls▁begin｜>", CALL,
    ],
)  # fmt: skip
def test_text_that_is_meant_as_a_call_is_known_though_it_is_broken(text: str) -> None:
    assert meant_as_call(text, TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        "已读取：合计 3 项。", 'The result: {"total": 3, "name": "报表"}', "name: browser_action",
        "I used browser_action (click) twice.", '{"name": "search_web", "arguments": {}}',
    ],
)  # fmt: skip
def test_an_answer_is_not_meant_as_a_call(text: str) -> None:
    assert not meant_as_call(text, TOOLS)
