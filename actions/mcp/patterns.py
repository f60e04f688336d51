"""Which patterns of a foreign schema are applied: those that are known beforehand to end soon.

The rule: no group, choice, look-around or back-reference, at most one repetition without a bound;
then the steps that a search can take are a product, counted before it begins. Every other pattern
is left to the server, which checks what it is sent as well.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from skills.schema import python_pattern

SUBJECT_CHARS_MAX = 10_000
_PATTERN_CHARS_MAX = 200
# What one check may spend on patterns in all; a search does some ten million steps a second.
_STEPS_MAX = 10_000_000
# A search that fails at once still has to be begun, a pattern that is new to be read.
_SEARCH_STEPS, _READING_STEPS = 50, 2_000
# In Python's own grammar, as that is what runs. A "[" in a class would draw a warning.
_ATOM = re.compile(
    r"\\(?:[dDwWsSbBZnrtfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^0-9A-Za-z])"
    r"|\[\^?\]?(?:\\.|[^\[\]\\])*\]"
    r"|[^\\\[(|)*+?]",
    re.DOTALL,
)
_REPEAT = re.compile(r"(?P<sign>[*+?])\??|\{(?P<low>\d*)(?P<comma>,?)(?P<high>\d*)\}\??")
_REPEAT_MAX = 10_000


class _Plain(NamedTuple):
    """A pattern that can be counted: how many ways it may try, how many characters each reads."""

    compiled: re.Pattern[str]
    ways: int
    width: int
    is_open: bool
    is_anchored: bool

    def steps(self, length: int) -> int:
        """Return how many steps a search in *length* characters takes at most."""
        tails = length + 1 if self.is_open else 1
        starts = 1 if self.is_anchored else length + 1
        return _SEARCH_STEPS + length + starts * tails * self.ways * min(self.width, length + 2)


class PatternBudget:
    """What is left of the steps that the patterns of one check may take."""

    def __init__(self) -> None:
        self._left = _STEPS_MAX

    def found(self, pattern: Any, subject: str) -> bool | None:
        """Tell whether *pattern* is in *subject*, None when it is left to the server."""
        plain = _plain(pattern) if isinstance(pattern, str) else None
        if plain is None or not self._spend(plain, [subject]):
            return None
        return plain.compiled.search(subject) is not None

    def affords(self, patterns: Mapping[str, Any], subjects: Mapping[str, Any]) -> bool:
        """Tell whether each of *patterns* may be searched in each of *subjects*; it is paid."""
        for pattern in patterns:
            plain = _plain(pattern)
            if plain is None or not self._spend(plain, subjects):
                return False
        return True

    def _spend(self, plain: _Plain, subjects: Any) -> bool:
        self._left -= _READING_STEPS
        for subject in subjects:
            if len(subject) > SUBJECT_CHARS_MAX:
                return False
            steps = plain.steps(len(subject))
            if steps > self._left:
                return False
            self._left -= steps
        return self._left >= 0


@lru_cache(maxsize=1_024)
def _plain(pattern: str) -> _Plain | None:
    """Return *pattern* ready for use, None for one that cannot be counted or is not Python's."""
    if len(pattern) > _PATTERN_CHARS_MAX:
        return None
    text = python_pattern(pattern)
    counted = _counted(text)
    if counted is None:
        return None
    try:
        compiled = re.compile(text, re.ASCII)
    except (re.error, RecursionError, OverflowError):
        return None
    return _Plain(compiled, *counted, is_anchored=text.startswith("^"))


def _counted(text: str) -> tuple[int, int, bool] | None:
    """Return ways, width and whether one repetition has no bound; None for what has a group."""
    at, ways, width, is_open = 0, 1, 0, False
    while at < len(text):
        atom = _ATOM.match(text, at)
        if atom is None:
            return None
        at = atom.end()
        low, high = 1, 1
        repeat = _REPEAT.match(text, at)
        if repeat is not None:
            at = repeat.end()
            low, high = _bounds(repeat)
        if high > _REPEAT_MAX:
            if is_open or low > _REPEAT_MAX:
                return None
            is_open, high = True, low
        ways *= high - low + 1
        width += max(high, 1)
    return ways, width, is_open


def _bounds(repeat: re.Match[str]) -> tuple[int, int]:
    sign = repeat["sign"]
    if sign is not None:
        return {"*": (0, _REPEAT_MAX + 1), "+": (1, _REPEAT_MAX + 1), "?": (0, 1)}[sign]
    if not (repeat["low"] or repeat["comma"] or repeat["high"]):
        return 1, 1  # "{}" is two letters
    low = int(repeat["low"] or 0)
    if not repeat["comma"]:
        return low, low
    return low, int(repeat["high"] or _REPEAT_MAX + 1)
