"""Strict JSON of a tool call's arguments: one object, as it stands, or an exact refusal (R5).

What Python's parser lets through is refused here: duplicate keys (the last would win), NaN and
infinities, a half surrogate pair, anything after the object. Nothing is completed or repaired.
"""

import json
import math
import re
from typing import Any, NoReturn

_DIGITS_MAX = 1_000
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_CONSTANTS = frozenset({"NaN", "Infinity", "-Infinity"})


class StrictJsonError(ValueError):
    """*what* is wrong, and where: *line* and *column* count from 1."""

    def __init__(self, what: str, text: str, position: int) -> None:
        self.what = what
        self.position = position
        self.line = text.count("\n", 0, position) + 1
        self.column = position - text.rfind("\n", 0, position)
        super().__init__(f"{what}: line {self.line} column {self.column}")


class _UnfitError(Exception):
    """The text parses, but holds *what*, which is no strict JSON; *piece* is where to look."""

    def __init__(self, what: str, piece: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.piece = piece


def strict_object(text: str) -> dict[str, Any]:
    """Return the one JSON object that *text* is; "" is an object without members.

    Raises:
        StrictJsonError: *text* is anything else.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_short,
        )
        # A half surrogate pair could be kept, but never be sent or written as UTF-8.
        json.dumps(value, ensure_ascii=False).encode()
    except _UnfitError as unfit:
        raise StrictJsonError(unfit.what, text, _position(text, unfit)) from None
    except json.JSONDecodeError as broken:
        raise StrictJsonError(broken.msg, text, broken.pos) from None
    except RecursionError:
        raise StrictJsonError("nested too deeply", text, 0) from None
    except UnicodeEncodeError:
        found = re.search(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]", text)
        at = found.start() if found else 0
        raise StrictJsonError("half a surrogate pair", text, at) from None
    if not isinstance(value, dict):
        start = len(text) - len(text.lstrip())
        raise StrictJsonError("not an object", text, start)
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _UnfitError(f"duplicate key {key[:80]!r}")
            seen.add(key)
    return members


def _no_constant(token: str) -> NoReturn:
    raise _UnfitError(f"{token} is no JSON number", token)


def _finite(token: str) -> float:
    number = float(token)
    if not math.isfinite(number):
        raise _UnfitError(f"number {token[:40]} is too large", token)
    return number


def _short(token: str) -> int:
    # Python itself refuses to turn very long ones into text again.
    if len(token) > _DIGITS_MAX:
        raise _UnfitError("number has too many digits", token)
    return int(token)


def _position(text: str, unfit: _UnfitError) -> int:
    """Return where the first piece stands that *unfit* is about."""
    keys: list[set[str]] = []
    pieces = list(_TOKEN.finditer(text))
    for found, after in zip(pieces, [*pieces[1:], None], strict=True):
        piece = found[0]
        if unfit.piece:
            if piece == unfit.piece:
                return found.start()
        elif piece in "{[":
            keys.append(set())
        elif piece in "}]":
            keys = keys[:-1]
        elif piece[0] == '"' and after is not None and after[0] == ":" and keys:
            key = json.loads(piece)
            if key in keys[-1]:
                return found.start()
            keys[-1].add(key)
    return 0
