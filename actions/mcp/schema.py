"""JSON Schemas of a foreign server, applied so that none of them can fetch, hang or mislead.

References stay inside the document and are counted; a pattern that could take long is left to the
server (see `actions.mcp.patterns`). A schema that cannot be applied fits nothing. Strings that a
reader would not see are refused wherever they could decide something, and cleaned where they only
describe.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from actions.mcp.clean import clean, is_unseen, one_line
from actions.mcp.errors import McpArgumentsError, McpSchemaError
from actions.mcp.patterns import PatternBudget
from states.canonical import canonical_bytes

_REFERENCES_MAX = 2_000
# Together they keep jsonschema far from Python's recursion limit: its Rust part aborts there.
_REFERENCE_DEPTH_MAX, _DEPTH_MAX = 12, 32
_WHY_CHARS, _SHOWN_CHARS = 300, 80
_ALL = "(all)"
_PROSE = frozenset({"description", "title", "$comment"})
# Quadratic, or walked by jsonschema with references that are not counted.
_LEFT_TO_THE_SERVER = ("uniqueItems", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef",
                       "$recursiveRef")  # fmt: skip


class _TooManyReferencesError(Exception):
    """The schema takes more steps than anything honest does."""


class Wrong(NamedTuple):
    """Where a value breaks its schema, and how."""

    where: str
    value: str
    rule: str


def approvable(tool: str, schema: Mapping[str, Any], chars_max: int) -> dict[str, Any]:
    """Return *schema* of *tool* with its prose cleaned, as it may be approved and applied.

    Raises:
        McpSchemaError: it is too long, is none of an object, points elsewhere, or hides something.
    """
    tool = one_line(tool, _SHOWN_CHARS)
    if not _is_flat(schema):
        raise McpSchemaError("mcp_schema_invalid", tool=tool, why="nested too deep")
    cleaned: dict[str, Any] = _seen(dict(schema), tool, "")
    if len(json.dumps(cleaned, ensure_ascii=False)) > chars_max:
        raise McpSchemaError("mcp_schema_long", tool=tool, chars_max=chars_max)
    if cleaned.get("type") != "object":
        raise McpSchemaError("mcp_schema_type", tool=tool)
    _check_references(cleaned, tool)
    _check_form(cleaned, tool)
    return cleaned


def check_arguments(
    tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any], chars_max: int
) -> None:
    """Refuse *arguments* for *tool* unless they fit *schema*.

    Raises:
        McpArgumentsError: they do not; it names where, the value and the rule.
    """
    wrong = _unfit(arguments)
    if wrong is None:
        # As the host counts them before a person is asked.
        length = len(canonical_bytes(arguments).decode())
        if length > chars_max:
            raise McpArgumentsError(
                "mcp_arguments_long", tool=tool, chars=length, chars_max=chars_max
            )
        wrong = first_wrong(schema, arguments)
    if wrong is not None:
        raise McpArgumentsError("mcp_arguments_wrong", tool=tool, **wrong._asdict())


def first_wrong(schema: Mapping[str, Any], value: Any) -> Wrong | None:
    """Return the first place at which *value* breaks *schema*, None when it fits.

    It never raises: a schema that cannot be applied, for whatever reason, fits nothing.
    """
    if not (_is_flat(schema) and _is_flat(value)):
        return _nowhere(f"nested deeper than {_DEPTH_MAX}")
    try:
        return _first_wrong(schema, value)
    except _TooManyReferencesError:
        return _nowhere("the schema refers to itself without end")
    except Exception as error:  # noqa: BLE001 - foreign rules on foreign values: told, never lost
        why = f"the schema could not be applied: {type(error).__name__}: {error}"
        return _nowhere(one_line(why, _WHY_CHARS))


def _first_wrong(schema: Mapping[str, Any], value: Any) -> Wrong | None:
    from referencing import Registry

    # A root that names its draft would have jsonschema fall back to its own rules at each "#".
    rules = {key: rule for key, rule in schema.items() if key != "$schema"}
    # An empty registry: nothing is ever fetched.
    validator = _validator_class(_draft_of(schema), _Counter())(rules, registry=Registry())
    broken = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))
    if not broken:
        return None
    first = broken[0]
    where = ".".join(str(part) for part in first.absolute_path)
    rule = f"{first.validator}: {first.validator_value!r}"
    return Wrong(
        one_line(where, _SHOWN_CHARS) or _ALL,
        one_line(repr(first.instance), _SHOWN_CHARS),
        one_line(rule, _WHY_CHARS),
    )


def _unfit(arguments: Any) -> Wrong | None:
    """Return why *arguments* could be neither put to a person nor kept in a row, None if they can.

    What is no canonical JSON has no digest: no approval could be bound to it.
    """
    if not _is_flat(arguments):
        return _nowhere(f"nested deeper than {_DEPTH_MAX}")
    try:
        canonical_bytes(arguments)
    except (ValueError, TypeError) as error:
        return _nowhere(one_line(f"canonical JSON: {error}", _WHY_CHARS))
    return None


def _nowhere(rule: str) -> Wrong:
    return Wrong(_ALL, "…", rule)


class _Counter:
    """Counts the references that one check follows."""

    def __init__(self) -> None:
        self._left = _REFERENCES_MAX
        self._depth = 0

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Count a reference that is followed in the block.

        Raises:
            _TooManyReferencesError: that was one too many, or one too deep.
        """
        self._left -= 1
        self._depth += 1
        try:
            if self._left < 0 or self._depth > _REFERENCE_DEPTH_MAX:
                raise _TooManyReferencesError
            yield
        finally:
            self._depth -= 1


def _draft_of(schema: Mapping[str, Any]) -> Any:
    import jsonschema  # 60 ms that a run without tools need not pay

    named = {"$schema": schema.get("$schema", "")}
    return jsonschema.validators.validator_for(named, default=jsonschema.Draft202012Validator)


def _validator_class(draft: Any, counter: _Counter) -> Any:
    import jsonschema

    own, budget = draft.VALIDATORS, PatternBudget()

    def reference(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
        with counter.one():
            yield from own["$ref"](validator, rule, instance, schema)

    def pattern(_: Any, rule: Any, instance: Any, __: Any) -> Iterator[Any]:
        if isinstance(instance, str) and budget.found(rule, instance) is False:
            yield jsonschema.ValidationError(f"does not match {rule!r}")

    def by_pattern(keyword: str) -> Any:
        def checked(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
            patterns = schema.get("patternProperties", {})
            if not isinstance(instance, dict) or budget.affords(patterns, instance):
                yield from own[keyword](validator, rule, instance, schema) or ()

        return checked

    def nothing(*_: Any) -> tuple[()]:
        return ()

    rules = {"$ref": reference, "pattern": pattern, **dict.fromkeys(_LEFT_TO_THE_SERVER, nothing)}
    rules |= {word: by_pattern(word) for word in ("patternProperties", "additionalProperties")}
    extend: Any = jsonschema.validators.extend
    return extend(draft, rules)


def _is_flat(document: Any) -> bool:
    """Tell whether *document* is nested no deeper than the bound."""
    level: list[Any] = [document]
    for _ in range(_DEPTH_MAX):
        level = [
            value
            for node in level
            if isinstance(node, dict | list)
            for value in (node.values() if isinstance(node, dict) else node)
        ]
    return not level


def _seen(node: Any, tool: str, key: str) -> Any:
    """Return a copy of *node* with prose cleaned; refuse unseen characters anywhere else."""
    if isinstance(node, dict):
        return {_seen(name, tool, ""): _seen(value, tool, name) for name, value in node.items()}
    if isinstance(node, list):
        return [_seen(value, tool, "") for value in node]
    if not isinstance(node, str):
        return node
    if key in _PROSE:
        return clean(node)
    if any(map(is_unseen, node)):
        raise McpSchemaError("mcp_schema_unseen", tool=tool, text=one_line(node, _SHOWN_CHARS))
    return node


def _check_references(schema: dict[str, Any], tool: str) -> None:
    for depth, key, value in _members(schema):
        if not isinstance(value, str):
            continue
        elsewhere = key == "$ref" and not value.startswith("#")
        if elsewhere or (key == "$schema" and depth):
            shown = one_line(f"{key}: {value}", _SHOWN_CHARS)
            raise McpSchemaError("mcp_schema_reference", tool=tool, text=shown)


def _check_form(schema: dict[str, Any], tool: str) -> None:
    import jsonschema

    try:
        _draft_of(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        where = "/".join(str(part) for part in error.absolute_path)
        why = one_line(f"{where}: {error.message}", _WHY_CHARS)
        raise McpSchemaError("mcp_schema_invalid", tool=tool, why=why) from None


def _members(node: Any, depth: int = 0) -> Iterator[tuple[int, str, Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield depth, key, value
            yield from _members(value, depth + 1)
    elif isinstance(node, list):
        for value in node:
            yield from _members(value, depth + 1)
