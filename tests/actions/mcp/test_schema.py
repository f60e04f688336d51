"""A foreign schema is applied within bounds, and approved only if it hides and fetches nothing."""

import time
from typing import Any

import pytest

from actions.mcp.errors import McpArgumentsError, McpSchemaError
from actions.mcp.schema import approvable, check_arguments, first_wrong

CHARS_MAX = 8_000


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


BOMB = {
    "type": "object",
    "$defs": {
        **{f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)},
        "a40": {"type": "object"},
    },
    "$ref": "#/$defs/a0",
}


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        (of(a={"$ref": "https://evil.example/s.json"}), "mcp_schema_reference"),
        (of(a={"$ref": "file:///etc/passwd"}), "mcp_schema_reference"),
        (of(a={"$ref": "other.json#/a"}), "mcp_schema_reference"),
        (of(a={"$schema": "http://json-schema.org/draft-04/schema#"}), "mcp_schema_reference"),
        ({"type": "array"}, "mcp_schema_type"),
        ({}, "mcp_schema_type"),
        (of(a={"type": "strin"}), "mcp_schema_invalid"),
        (of(a={"enum": ["x" * CHARS_MAX]}), "mcp_schema_long"),
        (of(**{"a\u200b": {}}), "mcp_schema_unseen"),
        (of(a={"enum": ["pay\u202e"]}), "mcp_schema_unseen"),
        (of(a={"const": "\x1b[2J"}), "mcp_schema_unseen"),
        (of(a={"default": "\U000e0041"}), "mcp_schema_unseen"),
    ],
)
def test_a_schema_that_cannot_be_approved_is_told(schema: dict[str, Any], code: str) -> None:
    with pytest.raises(McpSchemaError) as caught:
        approvable("t", schema, CHARS_MAX)
    assert caught.value.code == code


def test_a_schema_nested_without_end_is_told() -> None:
    schema: dict[str, Any] = of()
    for _ in range(2_000):
        schema = of(a=schema)
    with pytest.raises(McpSchemaError):
        approvable("t", schema, 10**9)


@pytest.mark.parametrize(
    "schema",
    [
        of(a={"$ref": "#/$defs/b"}) | {"$defs": {"b": {"type": "integer"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", **of(a={"type": "integer"})},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **of(a={"type": "integer"})},
        {"$schema": "https://unknown.example/schema", **of(a={"type": "integer"})},
        of(a={"type": "integer"}) | {"additionalProperties": False},
    ],
)
def test_a_schema_as_servers_really_write_them_is_applied(schema: dict[str, Any]) -> None:
    schema = approvable("t", schema, CHARS_MAX)
    assert first_wrong(schema, {"a": 1}) is None
    wrong = first_wrong(schema, {"a": "1"})
    assert wrong is not None
    assert wrong.where == "a"


@pytest.mark.parametrize("word", ["allOf", "properties", "items"])
def test_the_deepest_schema_is_applied_without_coming_near_the_recursion_limit(word: str) -> None:
    inner: dict[str, Any] = {"$ref": "#"}
    for _ in range(14):
        inner = {word: {"allOf": [inner], "properties": {"a": inner}, "items": inner}[word]}
    schema = {"type": "object", "$defs": {"a": inner}, "allOf": [{"$ref": "#/$defs/a"}]}
    value: Any = {}
    for _ in range(30):
        value = {"a": value} if word != "items" else [value]
    first_wrong(approvable("t", schema, CHARS_MAX), value)


def test_prose_is_cleaned_and_a_property_of_that_name_is_not() -> None:
    schema = approvable("t", of(a={"description": "b\u200bc"}, description={"enum": ["d"]}), 999)
    assert schema["properties"] == {"a": {"description": "bc"}, "description": {"enum": ["d"]}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (BOMB, {}),
        ({"type": "object", "$ref": "#"}, {}),
        (of(a={"$ref": "#/properties/a"}), {"a": 1}),
        (of(a={"$ref": "#/nowhere"}), {"a": 1}),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "allOf": [{"$ref": "#"}] * 2}, {}),
    ],
)
def test_a_schema_that_leads_nowhere_fits_nothing(schema: dict[str, Any], value: object) -> None:
    began = time.process_time()
    assert first_wrong(schema, value) is not None
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (of(a={"pattern": "^(a+)+$"}), {"a": "a" * 40 + "!"}),
        ({"type": "object", "patternProperties": {"^(a+)+$": {}}}, {"a" * 40 + "!": 1}),
        (
            {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
            {"a" * 40 + "!": 1},
        ),
        (of(a={"pattern": "^(([a-z0-9]+)-?)+$"}), {"a": "a" * 60 + "!"}),
        (of(a={"pattern": "^(a|a)*$"}), {"a": "a" * 60 + "!"}),
        (of(a={"pattern": "^.*.*.*=.*$"}), {"a": "a" * 9_000}),
        (of(a={"pattern": r"^\s*(.*?)\s*,\s*(.*?)\s*$"}), {"a": " " * 9_000}),
        (of(a={"pattern": "a?" * 40 + "a" * 40}), {"a": "a" * 39}),
        (of(a={"pattern": "a*a{5000}b"}), {"a": "a" * 9_000}),
        (of(a={"pattern": "a{0,200}a{0,200}a{0,200}b"}), {"a": "a" * 9_000}),
        (of(a={"pattern": "a*b"}), {"a": "a" * 9_999}),
        (of(a={"pattern": "[]()]*a*b*"}), {"a": "a" * 9_999}),
        (of(a={"pattern": r"(a)\1"}), {"a": "b"}),
        (of(a={"pattern": "^a$"}), {"a": "b" * 10_001}),
        ({"patternProperties": {"a*a*a*=": False}}, {"a" * 9_000: 1}),
        (of(a={"uniqueItems": True}), {"a": [{"n": n} for n in range(5_000)]}),
    ],
)
def test_what_would_take_for_ever_is_left_to_the_server(
    schema: dict[str, Any], value: object
) -> None:
    began = time.process_time()
    assert first_wrong(schema, value) is None
    assert time.process_time() - began < 5


def test_many_patterns_on_many_strings_are_counted_together() -> None:
    word = "a" * 400
    schema = of(a={"items": {"allOf": [{"pattern": f"a*{n}"} for n in range(200)]}})
    named: dict[str, Any] = {f"a{n}*b": {} for n in range(600)}
    keys = {"items": {"patternProperties": named, "additionalProperties": False}}
    began = time.process_time()
    first_wrong(schema, {"a": [word] * 200})
    first_wrong(keys, [{word: 1}] * 200)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("number", [10**400, 2**53, float("nan"), float("inf")])
def test_a_number_that_no_row_can_hold_is_not_sent(number: float) -> None:
    for schema in (of(), of(a={"multipleOf": 0.01})):
        with pytest.raises(McpArgumentsError) as caught:
            check_arguments("t", schema, {"a": number}, CHARS_MAX)
        assert caught.value.code == "mcp_arguments_wrong"
    check_arguments("t", of(a={"multipleOf": 0.01}), {"a": 2**53 - 1}, CHARS_MAX)


def test_a_schema_that_cannot_be_applied_fits_nothing() -> None:
    wrong = first_wrong(of(a={"multipleOf": 0.01}), {"a": 10**400})
    assert wrong is not None
    assert "could not be applied: OverflowError" in wrong.rule


def test_arguments_are_counted_in_characters_of_their_canonical_form() -> None:
    check_arguments("t", of(), {"a": "金额", "b": 1.0}, len('{"a":"金额","b":1}'))
    with pytest.raises(McpArgumentsError) as caught:
        check_arguments("t", of(), {"a": "金额额", "b": 1.0}, len('{"a":"金额","b":1}'))
    assert caught.value.code == "mcp_arguments_long"


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        ({"pattern": r"^\d{4}-\d{2}-\d{2}$"}, "2026-1-1", "2026-01-01"),
        ({"pattern": "^-?[0-9.]+$"}, "--1", "-1.5"),
        ({"pattern": "^[^@ ]+@x$"}, "a b@x", "a@x"),
        ({"pattern": "a{2,3}"}, "a", "aaa"),
        ({"pattern": r"\.pdf$"}, "a.txt", "a.pdf"),
        ({"pattern": "^x{}$"}, "x", "x{}"),
        ({"pattern": "^[a-z]+$"}, "ab\n", "ab"),
        ({"enum": [1, 2]}, 3, 2),
        ({"maxLength": 2}, "abc", "ab"),
        ({"type": ["string", "null"]}, 1, None),
    ],
)
def test_an_honest_rule_is_applied(rule: dict[str, Any], bad: object, good: object) -> None:
    assert first_wrong(of(a=rule), {"a": bad}) is not None
    assert first_wrong(of(a=rule), {"a": good}) is None


def test_a_property_that_no_pattern_allows_is_wrong() -> None:
    schema = {"patternProperties": {"^x-": {}}, "additionalProperties": False}
    assert first_wrong(schema, {"x-a": 1}) is None
    assert first_wrong(schema, {"y": 1}) is not None
