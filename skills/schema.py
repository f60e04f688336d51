"""What @params may say: JSON Schema Draft 2020-12 without references or slow patterns."""

import re
from collections.abc import Iterator
from typing import Any

from skills.errors import SkillHeaderError

PATTERN_CHARS_MAX = 200
# A schema that points elsewhere would be read together with something nobody signed.
_REFUSED_KEYWORDS = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"}
)
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
# A repeated group that itself holds a repetition: `(a+)+` takes exponential time to fail.
_NESTED_REPEAT = re.compile(r"\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)[*+{]")
_WHY_CHARS = 200


def check_schema(schema: dict[str, Any]) -> None:
    """Refuse *schema* unless it is an object schema that is safe to apply.

    Raises:
        SkillHeaderError: it is not.
    """
    import jsonschema  # 60 ms that a run without skills need not pay

    if schema.get("type") != "object":
        raise SkillHeaderError("skill_header_schema_type")
    if schema.get("$schema", _DRAFT) != _DRAFT:
        raise SkillHeaderError("skill_header_schema_keyword", keyword="$schema")
    for key, value in _members(schema):
        if key in _REFUSED_KEYWORDS:
            raise SkillHeaderError("skill_header_schema_keyword", keyword=key)
        if key == "pattern" and isinstance(value, str):
            _check_pattern(value)
        if key == "patternProperties" and isinstance(value, dict):
            for pattern in value:
                _check_pattern(pattern)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        where = "/".join(str(part) for part in error.absolute_path)
        why = f"{where}: {error.message}"[:_WHY_CHARS]
        raise SkillHeaderError("skill_header_schema", why=why) from None


def python_pattern(pattern: str) -> str:
    r"""Return *pattern* as JSON Schema means it: `$` is the very end, `\d` and `\w` are ASCII.

    Python's `$` also matches before a final line break, so "2026-03\n" would pass for a month.
    """
    out, in_class, escaped = [], False, False
    for char in pattern:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char in "[]":
            in_class = char == "["
        elif char == "$" and not in_class:
            out.append(r"\Z")
            continue
        out.append(char)
    return "".join(out)


def _check_pattern(pattern: str) -> None:
    bad = len(pattern) > PATTERN_CHARS_MAX or _NESTED_REPEAT.search(pattern) is not None
    try:
        re.compile(python_pattern(pattern), re.ASCII)
    except (re.error, RecursionError, OverflowError):
        bad = True
    if bad:
        shown = repr(pattern[:PATTERN_CHARS_MAX])
        raise SkillHeaderError(
            "skill_header_schema_pattern", pattern=shown, length_max=PATTERN_CHARS_MAX
        )


def _members(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key and value of *node*, at any depth (bounded by the strict reader)."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key, value
            yield from _members(value)
    elif isinstance(node, list):
        for value in node:
            yield from _members(value)
