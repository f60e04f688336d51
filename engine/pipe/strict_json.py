"""Strict JSON: one document, one meaning; what two parsers could read differently is refused."""

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

from engine.pipe.errors import ProtocolViolationError

INT_MAX = 2**53 - 1
_INT_DIGITS_MAX = 17
# Strict UTF-8 bars raw surrogates, so a lone one can only come from an escape.
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN_CHARS = 60


def parse_object(text: str, depth_max: int) -> dict[str, Any]:
    """Return the JSON object that *text* is.

    Raises:
        ProtocolViolationError: *text* is not exactly one plain JSON object.
    """
    try:
        document = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_not_finite,
            parse_int=_bounded_int,
            parse_float=_finite,
        )
    except RecursionError:
        raise ProtocolViolationError("line_too_deep", depth_max=depth_max) from None
    except json.JSONDecodeError as error:
        why = f"{error.msg} (character {error.pos})"
        raise ProtocolViolationError("line_not_json", why=why) from None
    if not isinstance(document, dict):
        raise ProtocolViolationError("line_not_object")
    seq = readable_seq(document)
    if survey(document, depth_max).depth > depth_max:
        raise ProtocolViolationError("line_too_deep", seq, depth_max=depth_max)
    if _SURROGATE_ESCAPE.search(text) and _has_lone_surrogate(document):
        raise ProtocolViolationError("line_lone_surrogate", seq)
    return document


def readable_seq(document: dict[str, Any]) -> int | None:
    """Return the `seq` of *document* when it holds one that can be a number, else None."""
    seq = document.get("seq")
    return seq if type(seq) is int else None


class Survey(NamedTuple):
    """What one walk over a document tells.

    *depth* is counted no further than one past the bound that was given. *plain* means that
    every key is ASCII and no number is a float, so that sorting keys by code point and Python's
    own spelling of strings and integers are RFC 8785's.
    """

    depth: int
    ints_fit: bool
    plain: bool


def survey(document: Any, depth_max: int) -> Survey:
    """Walk over *document* once, at most one level past *depth_max*."""
    depth, ints_fit, plain = 0, True, True
    level: list[Any] = [document]
    while level and depth <= depth_max:
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                plain = plain and all(key.isascii() for key in node)
                values: Iterable[Any] = node.values()
            else:
                values = node
            for value in values:
                kind = type(value)
                if kind is dict or kind is list:
                    below.append(value)
                elif kind is int:
                    ints_fit = ints_fit and -INT_MAX <= value <= INT_MAX
                elif kind is float:
                    plain = False
        level = below
        depth += 1
    return Survey(depth, ints_fit, plain)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ProtocolViolationError("line_duplicate_key", name=ascii(twice)[1:-1][:_SHOWN_CHARS])
    return document


def _not_finite(name: str) -> NoReturn:
    raise ProtocolViolationError("line_not_finite", number=name)


def _bounded_int(digits: str) -> int:
    # The length is looked at first: int() of thousands of digits is slow or raises by itself.
    if len(digits) > _INT_DIGITS_MAX or abs(number := int(digits)) > INT_MAX:
        raise ProtocolViolationError("line_int_out_of_range")
    return number


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ProtocolViolationError("line_not_finite", number=digits[:_SHOWN_CHARS])
    return number


def _has_lone_surrogate(document: dict[str, Any]) -> bool:
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
