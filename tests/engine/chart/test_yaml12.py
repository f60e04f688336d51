"""Charts are read as YAML 1.2: nothing in a file changes its meaning or vanishes unseen."""

import pytest

from engine.chart.yaml12 import DEPTH_MAX, DIGITS_MAX, parse, plain


def _plain(text: str) -> object:
    node, problems = parse(text, "f.yaml")
    assert node is not None
    assert problems == []
    return plain(node)


def _codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text, "f.yaml")[1]]


def test_the_key_on_stays_a_word() -> None:
    assert _plain("{on: {yes: no, off: y}}") == {"on": {"yes": "no", "off": "y"}}


def test_only_true_and_false_are_booleans() -> None:
    text = "[true, false, True, yes, 'true', null, ~, 12, 010, 1.5, 1:30, 2026-01-01, 0x1f]"
    expected = [True, False, "True", "yes", "true", None, None, 12, 10, 1.5, "1:30", "2026-01-01"]
    assert _plain(text) == [*expected, "0x1f"]


def test_a_number_as_key_keeps_its_spelling() -> None:
    assert _plain("{300: a, 0.50: b}") == {"300": "a", "0.50": "b"}


def test_every_value_knows_its_line() -> None:
    node, _ = parse("a:\n  b: 1\n  c:\n    - 2\n", "f.yaml")
    assert node is not None
    assert isinstance(node.value, dict)
    inner = node.value["a"][1].value
    assert isinstance(inner, dict)
    assert {key: line for key, (line, _) in inner.items()} == {"b": 2, "c": 3}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: 1\nb: 2\na: 3", "chart_duplicate_key"),
        ("a: &x 1\nb: 2", "chart_alias"),
        ("<<: {a: 1}", "chart_alias"),
        ("a: !!str 1", "chart_tag"),
        ("? [a]\n: 1", "chart_key_not_text"),
        ("a: 1\n---\nb: 2", "chart_two_documents"),
        ("a: [", "chart_not_yaml"),
        ("a: " + "1" * 5000, "chart_number_too_long"),
        ("a: 1." + "1" * 5000, "chart_number_too_long"),
        ("a: \x00", "chart_not_yaml"),
        ("[" * (DEPTH_MAX + 2) + "]" * (DEPTH_MAX + 2), "chart_not_yaml"),
    ],
)
def test_what_could_surprise_is_a_problem(text: str, code: str) -> None:
    assert _codes(text) == [code]


def test_an_alias_is_reported_where_it_stands_and_where_it_points() -> None:
    problems = parse("a: &x 1\nb: *x", "f.yaml")[1]
    assert [(problem.code, problem.line) for problem in problems] == [
        ("chart_alias", 1),
        ("chart_alias", 2),
    ]


def test_a_number_too_long_is_reported_at_its_line_and_as_text_it_may_stand() -> None:
    [problem] = parse(f"a: 1\nb:\n  - -{'7' * 5000}", "f.yaml")[1]
    assert problem.line == 3
    assert _plain(f"'{'7' * 5000}'") == "7" * 5000
    assert _plain("7" * DIGITS_MAX) == int("7" * DIGITS_MAX)


def test_an_empty_file_is_an_empty_document() -> None:
    assert _plain("") is None
