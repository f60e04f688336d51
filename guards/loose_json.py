"""Read one object that is nearly JSON: only where it has one reading, never by making anything up.

The text is cut into tokens, each token is spelled as JSON spells it, and a strict parser reads the
result. So an object that is not closed, a key that stands twice or half a number stays what it
is: not readable.
"""

import json
import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

_BODY = r"(?:[^{ends}\\\x00-\x1f]|\\.)*+"
_DOUBLE, _SINGLE = _BODY.format(ends='"'), _BODY.format(ends="'")
# Between the quotes of a Chinese keyboard no other double quote: it would have two readings.
_WIDE = _BODY.format(ends='"“”＂')
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n]+)"
    r"|(?P<wide_blank>[\u3000\u00a0\ufeff]+)"
    # A blank must follow: //host and #id are values that lost their quotes.
    r"|(?P<comment>(?://|#)(?=[ \t\r\n]|\Z)[^\r\n]*+|/\*[\s\S]*?\*/)"
    rf'|(?P<string>"{_DOUBLE}")'
    rf"|(?P<single>'{_SINGLE}')"
    rf"|(?P<wide>“{_WIDE}”|＂{_WIDE}＂)"
    r"|(?P<mark>[{}\[\]:,])"
    r"|(?P<wide_mark>[｛｝［］：，])"
    r"|(?P<atom>[\w$+.\-]+)"
)
_ASCII = str.maketrans("｛｝［］：，", "{}[]:,")
_CLOSER = {"{": "}", "[": "]"}
_LITERALS: Mapping[str, str] = MappingProxyType({"True": "true", "False": "false", "None": "null"})
_NO_KEYS = frozenset({*_LITERALS, *_LITERALS.values(), "undefined", "NaN", "Infinity"})
# What a string or comment holds when its end was taken for a part of it, or the other way round.
_SEAM = re.compile(r"""["'“”＂‘’＇]\s*(?:[:：]|[,，]\s*["'“”＂‘’＇])""")
# With these the ends of strings are not where strict JSON has them.
_MOVES_ENDS = frozenset({"full_width", "single_quotes", "bare_keys", "comments"})


class Reading(NamedTuple):
    """An object, where its text ends, and what in it was not JSON."""

    value: dict[str, Any]
    end: int
    how: tuple[str, ...]


def strict_object(text: str) -> dict[str, Any] | None:
    """Return the object that *text* is, None when it is not exactly one strict JSON object."""
    try:
        value = strict_value(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def strict_value(text: str) -> Any:
    """Return what *text* is as strict JSON: no key twice, no number without end.

    Raises:
        KeyTwiceError: a key stands twice in one object.
        NotFiniteError: a number is NaN, infinite or beyond all bounds.
        ValueError: *text* is not JSON; a JSONDecodeError says where.
    """
    return json.loads(
        text, object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_finite
    )


class KeyTwiceError(ValueError):
    """One object names *key* twice, and only its writer knows which value was meant."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key {key!r} stands twice")
        self.key = key


class NotFiniteError(ValueError):
    """*number* is NaN or infinite, or becomes so."""

    def __init__(self, number: str) -> None:
        super().__init__(f"{number} is not a finite number")
        self.number = number


def read_object(text: str, start: int) -> Reading | None:
    """Read the object that opens at *start*; None when it has no reading, or more than one."""
    tokens = _Tokens()
    at = start
    while not tokens.closed():
        found = _TOKEN.match(text, at)
        if found is None or not tokens.take(str(found.lastgroup), found[0]):
            return None
        at = found.end()
    if _MOVES_ENDS & tokens.how.keys() and any(map(_SEAM.search, tokens.contents)):
        return None
    # A blank between all tokens: two of them never become one.
    value = strict_object(" ".join(tokens.pieces))
    return None if value is None else Reading(value, at, tuple(tokens.how))


class _Tokens:
    """The tokens so far, as JSON spells them, and which brackets are open."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.contents: list[str] = []
        self.how: dict[str, None] = {}
        self._closers: list[str] = []

    def closed(self) -> bool:
        """Tell whether the object is complete."""
        return bool(self.pieces) and not self._closers

    def take(self, kind: str, token: str) -> bool:
        """Take the next token; False when nothing can be made of it."""
        if kind in ("blank", "wide_blank", "comment"):
            return self._skip(kind, token)
        if kind in ("mark", "wide_mark"):
            return self._mark(token, kind)
        if kind == "atom":
            return self._atom(token)
        return self._string(kind, token)

    def _skip(self, kind: str, token: str) -> bool:
        if kind == "comment":
            self.contents.append(token)
            self.how["comments"] = None
        elif kind == "wide_blank":
            self.how["full_width"] = None
        return True

    def _mark(self, token: str, kind: str) -> bool:
        mark = token.translate(_ASCII)
        if kind == "wide_mark":
            self.how["full_width"] = None
        if mark in _CLOSER:
            self._closers.append(_CLOSER[mark])
        elif mark in "}]":
            # Whether it is the right one is for the strict parser to say.
            self._closers.pop()
            if not self._no_comma_before():
                return False
        self.pieces.append(mark)
        return True

    def _no_comma_before(self) -> bool:
        """Drop the comma after the last member; False when no member stands before it."""
        if self.pieces[-1] == ",":
            self.pieces.pop()
            self.how["trailing_comma"] = None
            return self.pieces[-1] not in ("{", "[")
        return True

    def _atom(self, token: str) -> bool:
        if self._at_key():
            return self._bare_key(token)
        # Anything but a literal or a number is refused by the strict parser.
        if token in _LITERALS:
            self.how["literals"] = None
        self.pieces.append(_LITERALS.get(token, token))
        return True

    def _at_key(self) -> bool:
        return self._closers[-1] == "}" and self.pieces[-1] in ("{", ",")

    def _bare_key(self, token: str) -> bool:
        if token in _NO_KEYS or not token.isidentifier():
            return False
        self.how["bare_keys"] = None
        self.pieces.append(f'"{token}"')
        return True

    def _string(self, kind: str, token: str) -> bool:
        content = token[1:-1]
        self.contents.append(content)
        if kind == "single":
            self.how["single_quotes"] = None
            content = re.sub(r'\\.|"', _with_double_quotes, content)
        elif kind == "wide":
            self.how["full_width"] = None
        self.pieces.append(f'"{content}"')
        return True


def _with_double_quotes(found: re.Match[str]) -> str:
    return {"\\'": "'", '"': '\\"'}.get(found[0], found[0])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for key, value in pairs:
        if key in document:
            raise KeyTwiceError(key)
        document[key] = value
    return document


def _not_finite(name: str) -> NoReturn:
    raise NotFiniteError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotFiniteError(digits)
    return number
