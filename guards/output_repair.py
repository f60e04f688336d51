"""Make sense of broken output without another call of the model, or leave it alone (R5).

The one rule: a repair changes how a thing is spelled, never what it says. What is cut off stays
cut off, of two different objects none is taken, and no character inside a string is touched. Even
so the judge uses a repair for calls that only read; for others the model gets `why_broken`.
"""

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from guards.loose_json import Reading, read_object, strict_object, strict_value
from guards.output import output_is_sound
from states.actions import PARAMS
from states.messages import ModelTurn, ToolCall
from states.settings import TaskLimits

_LIMITS = TaskLimits()
_OPENING = re.compile(r"[{｛]")
_CODE_FENCE = re.compile(r"(?:```|~~~)[\w-]*|`")
_TAG = re.compile(r"</?\w+>|<[|｜][^<>\n]{0,80}[|｜]>|\[TOOL_CALLS\]")
# The rest of an object whose head or tail was lost, beside an inner object that is whole.
_KEY_OUTSIDE = re.compile(r"""["'“”＂‘’]\s*[:：]""")
_BARE_HEAD = re.compile(
    r"^[ \t]*\w+[ \t]*:[ \t]*[^\s,]+[ \t]*,[ \t]*\w+[ \t]*:\s*\Z|\bparams\s*[:：]\s*\Z",
    re.MULTILINE,
)
_TAIL = re.compile(r"\s*[,，]")
_BRACKETS = str.maketrans("［］｝", "[]}")
# What others wrote, as the prompt fences it, and what the model only thought.
_QUOTE_OPENS = re.compile(r"<<<(?P<label>\w+ \w+)|<(?P<tag>think|thinking)>")
_QUOTE_LEFT = re.compile(r"<<<|>>>|[‹›]|</?think|^[ \t]*>.*[{｛]", re.MULTILINE)
# No blank character of JSON, so a string that went over the quote cannot be read.
_GAP = "\0"
_CALL_MARK = re.compile(
    r"<tool_calls?>|<function_calls?>|<function=|\[TOOL_CALLS\]|<[|｜]tool|<\|python_tag\|>"
)
_CALL_KEY = re.compile(r"""["'“＂](?:name|action)["'”＂]\s*[:：]\s*["'“＂]([\w-]{1,200})["'”＂]""")


class Repaired(NamedTuple):
    """The object that broken text stands for, and what was repaired; nothing when it was JSON."""

    value: dict[str, Any]
    how: tuple[str, ...]


class RepairedCall(NamedTuple):
    """The call that a reply wrote into its text instead of making it."""

    name: str
    value: dict[str, Any]
    how: tuple[str, ...]


class _Only(NamedTuple):
    repaired: Repaired
    outside: str


def repair_arguments(raw: str, limits: TaskLimits = _LIMITS) -> Repaired | None:
    """Return the object that *raw*, arguments of a call, stands for; None if that is unclear."""
    if len(raw) > limits.model_text_chars_max:
        return None
    strict = strict_object(raw)
    if strict is not None:
        return _if_sound(Repaired(strict, ()), limits)
    inner = strict_object(_text_of(raw))
    if inner is not None:
        return _if_sound(Repaired(inner, ("encoded_twice",)), limits)
    only = _only_object(raw, limits)
    return _if_sound(only.repaired, limits) if only else None


def call_in_text(
    text: str, tools: Collection[str], limits: TaskLimits = _LIMITS
) -> RepairedCall | None:
    """Return the one call of one of *tools* that *text* holds as JSON, None if that is unclear.

    What *text* quotes of a page or of recalled memory never counts, nor what the model thought.
    """
    own = _own_words(text) if len(text) <= limits.model_text_chars_max else None
    only = _only_object(own, limits) if own is not None else None
    if only is None:
        return None
    call = _named_call(only.repaired.value, tools) or _browser_call(only, tools)
    if call is None:
        return None
    name, value = call
    sound = _if_sound(Repaired(value, ("in_text", *only.repaired.how)), limits)
    return RepairedCall(name, *sound) if sound else None


def meant_as_call(text: str, tools: Collection[str]) -> bool:
    """Tell whether *text* is written as a call, well or badly: no answer to a person."""
    own = _own_words(text)
    if own is None:
        return False
    named = {*tools, *PARAMS}
    return bool(_CALL_MARK.search(own)) or any(
        found[1] in named for found in _CALL_KEY.finditer(own)
    )


def _only_object(text: str, limits: TaskLimits) -> _Only | None:
    """Read every object of *text*: all must be readable and say the same, the rest be prose."""
    outside: list[str] = []
    readings: list[Reading] = []
    at = 0
    while opening := _OPENING.search(text, at):
        reading = read_object(text, opening.start())
        if reading is None or len(readings) >= limits.calls_per_turn_max:
            return None
        outside.append(text[at : opening.start()])
        readings.append(reading)
        at = reading.end
    outside.append(text[at:])
    if not _same(readings) or not _is_prose(outside):
        return None
    around = "".join(outside)
    how = dict.fromkeys((*_how_around(around), *(name for each in readings for name in each.how)))
    if len(readings) > 1:
        how["doubled"] = None
    return _Only(Repaired(readings[0].value, tuple(how)), around)


def _same(readings: Sequence[Reading]) -> bool:
    # As text, since 1, 1.0 and True are equal in Python and are not the same argument.
    return len({json.dumps(each.value, sort_keys=True) for each in readings}) == 1


def _is_prose(outside: Sequence[str]) -> bool:
    """Tell whether what stands around the objects is no part of a larger one."""
    return (
        all(_is_closed(part) and not _KEY_OUTSIDE.search(part) for part in outside)
        and not any(_BARE_HEAD.search(part) for part in outside[:-1])
        and not any(_TAIL.match(part) for part in outside[1:])
    )


def _is_closed(part: str) -> bool:
    """Tell whether each square bracket of *part* is closed in it, and no object ends there."""
    depth = 0
    for mark in re.findall(r"[\[\]}]", part.translate(_BRACKETS)):
        depth += {"[": 1, "]": -1}.get(mark, 0)
        if depth < 0 or mark == "}":
            return False
    return depth == 0


def _how_around(around: str) -> tuple[str, ...]:
    unfenced = _CODE_FENCE.sub("", around)
    prose = _TAG.sub("", unfenced)
    seen = (
        ("fence", unfenced != around),
        ("tag", prose != unfenced),
        ("prose", bool(prose.strip())),
    )
    return tuple(name for name, is_there in seen if is_there)


def _own_words(text: str) -> str | None:
    """Return *text* with a gap for each quote in it, None when a quote is not closed."""
    kept: list[str] = []
    at = 0
    while opening := _QUOTE_OPENS.search(text, at):
        closing = f"{opening['label']}>>>" if opening["label"] else f"</{opening['tag']}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return None
        kept += (text[at : opening.start()], _GAP)
        at = end + len(closing)
    own = "".join((*kept, text[at:]))
    return None if _QUOTE_LEFT.search(own) else own


def _named_call(value: dict[str, Any], tools: Collection[str]) -> tuple[str, dict[str, Any]] | None:
    function = value.get("function")
    if isinstance(function, dict):
        if value.keys() - {"function", "type", "id"} or value.get("type", "function") != "function":
            return None
        value = function
    given = value.keys() - {"name", "type", "id"}
    name = value.get("name")
    if given not in ({"arguments"}, {"parameters"}) or not isinstance(name, str):
        return None
    arguments = value[given.pop()]
    if isinstance(arguments, str):
        # The form that the API itself has: JSON within JSON.
        arguments = strict_object(arguments)
    return (name, arguments) if name in tools and isinstance(arguments, dict) else None


def _browser_call(only: _Only, tools: Collection[str]) -> tuple[str, dict[str, Any]] | None:
    value = only.repaired.value
    if "browser_action" not in tools or value.keys() - {"expected_domain"} != {"action", "params"}:
        return None
    if str(value["action"]) not in PARAMS or not isinstance(value["params"], dict):
        return None
    others = (name for name in tools if "_" in name and name != "browser_action")
    # Written beside the name of another tool it may be that one's input.
    return None if any(name in only.outside for name in others) else ("browser_action", value)


def _text_of(raw: str) -> str:
    """Return the text that *raw* is as one JSON string, "" when it is none."""
    try:
        value = strict_value(raw)
    except (ValueError, RecursionError):
        return ""
    return value if isinstance(value, str) else ""


def _if_sound(repaired: Repaired, limits: TaskLimits) -> Repaired | None:
    turn = ModelTurn(tool_calls=(ToolCall(id="1", name="", input=repaired.value),))
    return repaired if output_is_sound(turn, limits) else None
