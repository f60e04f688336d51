"""What a ledger's row says, made fit to be an attribute of a span: whatever it says, no fault."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

Value = str | int | float | bool | tuple[str, ...]
COUNT_MAX = 1 << 62
_NOTHING: Mapping[str, Any] = {}
# A code, or a name of a tool, skill, host or model: what free text hardly ever is.
_WORD = re.compile(r"[A-Za-z0-9][\w.:@/-]{0,99}", re.ASCII)


def mapping_in(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object *key* of *document*, an empty one when it is none."""
    value = document.get(key)
    return value if isinstance(value, Mapping) else _NOTHING


def count_in(document: Mapping[str, Any], key: str) -> int:
    """Return the count *key* of *document*, 0 when it is none."""
    value = document.get(key)
    return value if type(value) is int and 0 <= value < COUNT_MAX else 0


def items(value: Any) -> Iterable[Any]:
    """Return the items of *value*, none when it is no list."""
    return value if isinstance(value, list | tuple) else ()


def text(value: Any) -> str:
    """Return *value* as UTF-8 text, "" when it is no text."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def word(value: Any) -> str:
    """Return *value* if it is one word, as codes and names are; "" for anything else."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


def as_json(value: Any) -> str:
    """Return *value* as JSON text."""
    return text(json.dumps(value, ensure_ascii=False, default=str))
