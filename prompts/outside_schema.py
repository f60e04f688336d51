"""The schema of an outside tool as both vendors' APIs take it: one they refuse fails each call.

What is told may be looser than what was approved, never wrong: the arguments of a call are checked
against the approved schema by code.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from prompts.fence import one_line
from states.settings import McpLimits

_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_NAME_CHARS, _NAMES_CHARS_MAX = 64, 400
_REFERENCES_MAX = 12
# Keywords whose values are schemas by a name of the tool's own, and those that only talk.
_NAMED_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
_VALUES = frozenset({"enum", "const", "default", "required", "dependentRequired"})
_TALK = frozenset({"$comment", "examples", "example"})
_SPOKEN = frozenset({"description", "title"})
# What no API takes at the root; the last two only say where it is from.
_CHOICES = ("oneOf", "anyOf", "allOf")
_NOT_AT_ROOT = frozenset({*_CHOICES, "not", "enum", "const", "$ref"})
_ORIGIN = frozenset({"$schema", "$id", "id"})


class ToldSchema(NamedTuple):
    """A schema that every API takes; *left_out* are names of arguments when rules are missing."""

    schema: dict[str, Any]
    is_whole: bool
    left_out: str = ""


def told_schema(schema: Mapping[str, Any], limits: McpLimits) -> ToldSchema:
    """Return *schema* as it is told to a model, an open object when it cannot be told at all."""
    plain = _plain_schema(schema, limits.description_chars_max)
    root = {key: rule for key, rule in plain.items() if key not in _NOT_AT_ROOT | _ORIGIN}
    if not isinstance(root.get("properties"), Mapping):
        root["properties"] = {}
    root["type"] = "object"
    text = _spelled(root)
    if text is None or len(text) > limits.schema_chars_max or not _is_taken(root):
        return ToldSchema({"type": "object", "properties": {}}, is_whole=False,
                          left_out=_names(schema))  # fmt: skip
    stable: dict[str, Any] = json.loads(text)
    if plain.keys() & _NOT_AT_ROOT:
        return ToldSchema(stable, is_whole=False, left_out=_names(schema))
    return ToldSchema(stable, is_whole=True)


def _spelled(schema: dict[str, Any]) -> str | None:
    try:
        return json.dumps(schema, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        return None


def _is_taken(root: dict[str, Any]) -> bool:
    """Tell whether the APIs take *root*: Draft 2020-12, plain names, references that lead there."""
    for schema in _schemas(root):
        properties = schema.get("properties", {})
        if not isinstance(properties, Mapping) or not all(map(_PROPERTY.fullmatch, properties)):
            return False
        if "$ref" in schema and not _leads(schema["$ref"], root):
            return False
        if schema.keys() & {"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"}:
            return False
        if schema is not root and schema.keys() & {"$schema", "$id"}:
            return False
    from jsonschema import Draft202012Validator, SchemaError  # a run without tools need not pay

    try:
        Draft202012Validator.check_schema(root)
    except (SchemaError, RecursionError, Warning):
        return False
    return True


def _leads(reference: Any, root: dict[str, Any]) -> bool:
    """Tell whether *reference* leads to a schema inside *root*, and not round in a circle."""
    node: Any = root
    for _ in range(_REFERENCES_MAX):
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return False
        node = root
        for part in reference[2:].split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, Mapping) or name not in node:
                return False
            node = node[name]
        if not isinstance(node, Mapping):
            return isinstance(node, bool)
        if "$ref" not in node:
            return True
        reference = node["$ref"]
    return False


def _schemas(node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every schema in *node*; what is a value and no schema is passed over."""
    if isinstance(node, list | tuple):
        for each in node:
            yield from _schemas(each)
    if not isinstance(node, Mapping):
        return
    yield node
    for key, rule in node.items():
        if key in _NAMED_SCHEMAS and isinstance(rule, Mapping):
            yield from _schemas(list(rule.values()))
        elif key not in _VALUES:
            yield from _schemas(rule)


def _names(schema: Mapping[str, Any]) -> str:
    """Return the names of the arguments at the root as a JSON list, as many as there is room for.

    They are the server's words: a name that would have to be stripped is not told.
    """
    choices = [schema.get(word) for word in _CHOICES]
    branches = [schema, *(each for choice in choices if isinstance(choice, list | tuple)
                          for each in choice)]  # fmt: skip
    found: dict[str, None] = {}
    for branch in branches:
        properties = branch.get("properties") if isinstance(branch, Mapping) else None
        found |= dict.fromkeys(properties) if isinstance(properties, Mapping) else {}
    told: list[str] = []
    for name in sorted(found):
        if one_line(name, _NAME_CHARS) == name:
            told.append(name)
        if len(json.dumps(told, ensure_ascii=False)) > _NAMES_CHARS_MAX:
            return json.dumps([*told[:-1], "…"], ensure_ascii=False)
    return json.dumps(told, ensure_ascii=False)


def _plain_schema(schema: Mapping[str, Any], chars_max: int) -> dict[str, Any]:
    """Return *schema* with its sentences stripped; what arguments must match stays as it is."""
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _TALK:
            continue
        if key in _SPOKEN:
            plain[key] = one_line(str(value), chars_max)
        elif key in _VALUES:
            plain[key] = value
        elif key in _NAMED_SCHEMAS and isinstance(value, Mapping):
            plain[key] = {name: _plain_value(each, chars_max) for name, each in value.items()}
        else:
            plain[key] = _plain_value(value, chars_max)
    return plain


def _plain_value(value: Any, chars_max: int) -> Any:
    if isinstance(value, Mapping):
        return _plain_schema(value, chars_max)
    if isinstance(value, list | tuple):
        return [_plain_value(each, chars_max) for each in value]
    return value
