"""A foreign schema is applied within bounds, and approved only if it hides and fetches nothing."""

import time
from typing import Any

import pytest

from actions.mcp.errors import McpSchemaError
from actions.mcp.schema import approvable, first_wrong

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
        (of(a={"uniqueItems": True}), {"a": [{"n": n} for n in range(5_000)]}),
    ],
)
def test_what_would_take_for_ever_is_left_to_the_server(
    schema: dict[str, Any], value: object
) -> None:
    began = time.process_time()
    assert first_wrong(schema, value) is None
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
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
