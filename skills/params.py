"""Parameters against @params (S6): checked before a skill runs, defaults filled in."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from skills.errors import SkillParamsError
from skills.schema import python_pattern
from states.skill import SkillHeader

_SHOWN_CHARS = 80
_CODES = {
    "required": "skill_params_missing",
    "additionalProperties": "skill_params_unknown",
    "type": "skill_params_type",
    "enum": "skill_params_enum",
    "pattern": "skill_params_pattern",
}


def check_params(header: SkillHeader, params: Any) -> dict[str, Any]:
    """Return *params* with the defaults of @params filled in.

    Raises:
        SkillParamsError: they break the schema; it names the key, the value and what is expected.
    """
    if not isinstance(params, Mapping):
        raise SkillParamsError("skill_params_not_object", skill=header.skill, value=_shown(params))
    properties = header.params.get("properties", {})
    filled = dict(params)
    for key, rule in properties.items():
        if isinstance(rule, dict) and "default" in rule:
            filled.setdefault(key, rule["default"])
    broken = sorted(
        _validator_class()(header.params).iter_errors(filled), key=lambda e: list(map(str, e.path))
    )
    if broken:
        raise _params_error(header, broken[0])
    return filled


@cache
def _validator_class() -> Any:
    import jsonschema  # 60 ms that a run without skills need not pay

    def pattern(_: Any, rule: str, instance: Any, __: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not re.search(python_pattern(rule), instance, re.ASCII):
            yield jsonschema.ValidationError(f"does not match {rule!r}")

    extend: Any = jsonschema.validators.extend
    return extend(jsonschema.Draft202012Validator, {"pattern": pattern})


def _params_error(header: SkillHeader, error: Any) -> SkillParamsError:
    keyword = str(error.validator)
    path = [str(part) for part in error.absolute_path]
    schema = error.schema if isinstance(error.schema, dict) else {}
    value, expected = error.instance, _expected(schema)
    properties = schema.get("properties", {})
    if keyword == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        path.append(missing)
        expected = _expected(properties.get(missing, {}))
    elif keyword == "additionalProperties":
        unknown = next(key for key in error.instance if key not in properties)
        path.append(unknown)
        value, expected = error.instance[unknown], ", ".join(properties)
    return SkillParamsError(
        _CODES.get(keyword, "skill_params_invalid"),
        skill=header.skill,
        param=".".join(path) or "params",
        value=_shown(value),
        rule=f"{keyword}: {_shown(error.validator_value)}",
        expected=expected,
    )


def _expected(rule: Any) -> str:
    """Return in a few words what *rule* accepts, with the author's own description."""
    if not isinstance(rule, dict):
        return "?"
    if "enum" in rule:
        said = ", ".join(str(value) for value in rule["enum"])
    elif "pattern" in rule:
        said = f"{rule.get('type', 'string')} {rule['pattern']}"
    else:
        kind = rule.get("type", "any")
        said = " | ".join(kind) if isinstance(kind, list) else str(kind)
    described = str(rule.get("description", ""))[:_SHOWN_CHARS]
    return f"{said} ({described})" if described else said


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"
