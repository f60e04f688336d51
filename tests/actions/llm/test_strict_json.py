"""Arguments are one strict JSON object or an exact refusal: nothing is completed or guessed."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.llm.strict_json import StrictJsonError, strict_object

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
OBJECTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), VALUES, max_size=5)

REFUSED: dict[str, tuple[str, int, int]] = {
    '{"a":1,"a":2}': ("duplicate key 'a'", 1, 8),
    '{"a":{"b":1,\n "b":2}}': ("duplicate key 'b'", 2, 2),
    '{"b":{"a":1},"a":0,\n"x":[{"k":1},{"k":2,"k":3}]}': ("duplicate key 'k'", 2, 21),
    '{"a":1,"\\u0061":2}': ("duplicate key 'a'", 1, 8),
    '{"a":NaN}': ("NaN is no JSON number", 1, 6),
    '{"a":"NaN","b":-Infinity}': ("-Infinity is no JSON number", 1, 16),
    '{"a":1e999}': ("number 1e999 is too large", 1, 6),
    '{"a":' + "9" * 5_000 + "}": ("number has too many digits", 1, 6),
    '{"a":1}{"a":1}': ("Extra data", 1, 8),
    '{"a":1} x': ("Extra data", 1, 9),
    '{"a":1': ("Expecting ',' delimiter", 1, 7),
    '{"a":"x': ("Unterminated string starting at", 1, 6),
    "{'a':1}": ("Expecting property name enclosed in double quotes", 1, 2),
    '{"a":"x\ny"}': ("Invalid control character at", 1, 8),
    "｛“a”：1｝": ("Expecting value", 1, 1),
    "\ufeff{}": ("Unexpected UTF-8 BOM (decode using utf-8-sig)", 1, 1),
    "[1,2]": ("not an object", 1, 1),
    '\n "x"': ("not an object", 2, 2),
    "null": ("not an object", 1, 1),
    "3000": ("not an object", 1, 1),
    '{"a":"\\ud800"}': ("half a surrogate pair", 1, 7),
    '{"a":' + "[" * 100_000: ("nested too deeply", 1, 1),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_what_is_no_strict_object_is_refused_with_its_place(text: str) -> None:
    what, line, column = REFUSED[text]
    with pytest.raises(StrictJsonError) as caught:
        strict_object(text)
    error = caught.value
    assert (error.what, error.line, error.column) == (what, line, column)
    assert str(error) == f"{what}: line {line} column {column}"


# Whose words and place differ between versions of Python.
@pytest.mark.parametrize("text", ['{"a":1,}', '{"a":[1,]}'])
def test_a_trailing_comma_is_refused(text: str) -> None:
    with pytest.raises(StrictJsonError):
        strict_object(text)


# Without the gate each of these would have run: Python's own parser takes them.
@pytest.mark.parametrize(
    ("text", "loose"),
    [('{"a":1,"a":2}', {"a": 2}), ('{"a":1e999}', {"a": float("inf")}),
     ('{"a":"\\ud800"}', {"a": "\ud800"}), ('{"a":-Infinity}', {"a": float("-inf")})],
)  # fmt: skip
def test_a_loose_parser_takes_what_is_refused_here(text: str, loose: dict[str, Any]) -> None:
    assert json.loads(text) == loose
    with pytest.raises(StrictJsonError):
        strict_object(text)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "{}", " { } "])
def test_nothing_is_an_object_without_members(text: str) -> None:
    assert strict_object(text) == {}


def test_numbers_and_pairs_of_surrogates_come_through() -> None:
    assert strict_object('{"a":-0.5e3,"b":12345678901234567890,"c":"\\ud83e\\uddfe"}') == {
        "a": -500.0, "b": 12345678901234567890, "c": "🧾",
    }  # fmt: skip


@given(OBJECTS)
def test_strict_json_comes_out_as_it_was_meant(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert strict_object(text) == value


@given(OBJECTS, st.data())
def test_no_beginning_of_an_object_is_an_object(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    with pytest.raises(StrictJsonError):
        strict_object(cut)


@given(st.text(max_size=40))
def test_any_text_is_an_object_or_a_refusal(text: str) -> None:
    with suppress(StrictJsonError):
        assert isinstance(strict_object(text), dict)
