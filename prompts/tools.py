"""The tools a model is given, in one fixed order, as byte-stable JSON Schemas (R5, R6).

The schema of browser_action is compact: all parameters of all actions side by side. Which of them
an action takes stands in its description, and code checks each call against `states.actions`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from prompts.fence import one_line
from prompts.outside_schema import told_schema
from prompts.prompt import ToolDefinition
from prompts.tool_words import said
from states.actions import PARAMS, Params
from states.catalogue import Lang
from states.settings import McpLimits
from states.wire import OPTIONS_MAX, QUESTION_CHARS_MAX

OWN_TOOLS = ("browser_action", "run_skill", "use_skill", "answer_dialog", "ask_person", "finish")

# What both vendors take as the name of a tool.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def own_tools(lang: Lang) -> tuple[ToolDefinition, ...]:
    """Return sgclaw's own tools, described in *lang*."""
    schemas = {
        "browser_action": _browser_schema(lang),
        "run_skill": _object(
            {"name": _text("skill_name", lang),
             "params": {**_OPEN, **_about("skill_params", lang)}},
            ("name", "params"),
        ),
        "use_skill": _object({"name": _text("skill_name", lang)}, ("name",)),
        "answer_dialog": _object(
            {"accept": {"type": "boolean", **_about("accept", lang)},
             "text": _text("dialog_text", lang)},
            ("accept",),
        ),
        "ask_person": _object(
            {"question": {**_text("question", lang), "maxLength": QUESTION_CHARS_MAX},
             "options": {**_list_of("string"), "maxItems": OPTIONS_MAX, **_about("options", lang)}},
            ("question",),
        ),
        "finish": _object(
            {"summary": _text("summary", lang),
             "citations": {**_list_of("integer"), **_about("citations", lang)}},
            ("summary", "citations"),
        ),
    }  # fmt: skip
    return tuple(
        ToolDefinition(
            name, _actions_told(lang) if name == "browser_action" else said(name, lang), schema
        )
        for name, schema in schemas.items()
    )


def outside_tools(
    tools: Iterable[ToolDefinition], limits: McpLimits, lang: Lang
) -> tuple[ToolDefinition, ...]:
    """Return the tools of MCP servers by name, their words cut and stripped, their keys sorted.

    What the APIs would refuse of a schema is left out; a line in *lang* then says so.

    Raises:
        ValueError: a name is no tool's name, stands twice, or is one of sgclaw's own.
    """
    taken = set(OWN_TOOLS)
    given: list[ToolDefinition] = []
    for tool in sorted(tools, key=lambda each: each.name):
        if not _NAME.fullmatch(tool.name) or tool.name in taken:
            raise ValueError(f"{tool.name!r} is no free name of a tool; approve it anew")
        taken.add(tool.name)
        words = one_line(tool.description, limits.description_chars_max)
        told = told_schema(tool.schema, limits)
        if not told.is_whole:
            # A line of our own: the server's words are one line, and cannot begin another.
            words = f"{words}\n{said('outside_open', lang).format(names=told.left_out)}".lstrip()
        given.append(ToolDefinition(tool.name, words, told.schema))
    return tuple(given)


def _actions_told(lang: Lang) -> str:
    lines = [said("browser_action", lang)]
    lines += [f"{name} {_signature(model)}: {said(name, lang)}" for name, model in PARAMS.items()]
    return "\n".join(lines)


def _signature(model: type[Params]) -> str:
    fields = model.model_fields.items()
    names = [name if field.is_required() else f"{name}?" for name, field in fields]
    return "{" + ", ".join(names) + "}"


def _browser_schema(lang: Lang) -> dict[str, Any]:
    merged = _merged_params()
    merged["selector"] |= _about("selector", lang)
    params = {**_object(merged, ()), **_about("params", lang)}
    return _object(
        {
            "action": {"type": "string", "enum": list(PARAMS), **_about("action", lang)},
            "params": params,
            "expected_domain": _text("expected_domain", lang),
        },
        ("action", "params"),
    )


def _merged_params() -> dict[str, dict[str, Any]]:
    """Return every parameter of every action: the types it may have, and its few values."""
    merged: dict[str, dict[str, Any]] = {}
    for model in PARAMS.values():
        for name, schema in model.model_json_schema()["properties"].items():
            merged[name] = _joined(merged.get(name, {"type": []}), schema)
    for schema in merged.values():
        if len(schema["type"]) == 1:
            schema["type"] = schema["type"][0]
    return merged


def _joined(known: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    for choice in schema.get("anyOf", [schema]):
        # Leaving a parameter out says the same as null, in fewer words.
        needless = choice["type"] == "null" and "default" in schema
        if not needless and choice["type"] not in known["type"]:
            known["type"].append(choice["type"])
        if "enum" in choice:
            known["enum"] = [*dict.fromkeys([*known.get("enum", []), *choice["enum"]])]
        if "items" in choice:
            known["items"] = {"type": choice["items"]["type"]}
    return known


_OPEN: Mapping[str, Any] = {"type": "object"}


def _object(properties: dict[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return {**schema, "additionalProperties": False}


def _list_of(kind: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": kind}}


def _text(key: str, lang: Lang) -> dict[str, Any]:
    return {"type": "string", **_about(key, lang)}


def _about(key: str, lang: Lang) -> dict[str, str]:
    return {"description": said(key, lang)}
