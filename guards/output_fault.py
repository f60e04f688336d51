"""Say exactly what is wrong with the arguments of a call, so that the model can mend them (R5)."""

import json
from typing import Any

from guards.loose_json import KeyTwiceError, NotFiniteError, strict_value
from states.catalogue import Lang, words

_AROUND_CHARS = 24
_KEY_CHARS_MAX = 80
# What Python's parser says, by how it begins, and the sentence of ours. Other releases of it add
# words ("Illegal trailing comma before end of object"): those fall to the last entry.
_WANTED = (
    ("Expecting property name", "json_want_key"),
    ("Expecting ':'", "json_want_colon"),
    ("Expecting ','", "json_want_comma"),
    ("Expecting value", "json_want_value"),
    ("Invalid control character", "json_control"),
    ("Invalid \\", "json_escape"),
    ("Illegal trailing comma", "json_trailing_comma"),
)
_KINDS = {list: "json_list", str: "json_text", int: "json_number", float: "json_number"}


def why_broken(raw: str, lang: Lang) -> str:
    """Return in *lang* why *raw* cannot be the arguments of a call, "" when it can."""
    try:
        value = strict_value(raw)
    except KeyTwiceError as error:
        return _told("json_key_twice", lang, key=_shown(error.key[:_KEY_CHARS_MAX]))
    except NotFiniteError as error:
        return _told("json_not_finite", lang, number=error.number[:_KEY_CHARS_MAX])
    except json.JSONDecodeError as error:
        return _where(error, lang)
    except (ValueError, RecursionError):
        return _told("json_bounds", lang)
    return "" if isinstance(value, dict) else _told(_kind(value), lang)


def _where(error: json.JSONDecodeError, lang: Lang) -> str:
    raw, at = error.doc, error.pos
    unclosed = error.msg.startswith("Unterminated string")
    if unclosed or at >= len(raw.rstrip()):
        return _told("json_cut", lang, around=_shown(raw.rstrip()[-_AROUND_CHARS:]))
    place = {"line": error.lineno, "column": error.colno, "around": _around(raw, at)}
    if error.msg.startswith("Extra data"):
        return _told("json_more", lang, **place)
    keys = (key for start, key in _WANTED if error.msg.startswith(start))
    return _told("json_at", lang, what=words(next(keys, "json_other"), lang), **place)


def _told(key: str, lang: Lang, /, **facts: object) -> str:
    return words("arguments_broken", lang, why=words(key, lang, **facts))


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "json_no_object")


def _around(raw: str, at: int) -> str:
    before = raw[max(0, at - _AROUND_CHARS) : at]
    return f"{_shown(before)} ⟶ {_shown(raw[at : at + _AROUND_CHARS])}"


def _shown(piece: str) -> str:
    return "".join(char if char.isprintable() else " " for char in piece)
