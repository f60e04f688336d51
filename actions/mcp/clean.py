"""Text of a foreign server: unseen characters left out for a model, made visible for a person.

The rule: what a server calls or says passes through here before anybody reads it.
"""

import unicodedata
from typing import Any

# Cc controls, Cf bidi and zero width, Cs lone surrogates, Co private, Cn unassigned, Zl Zp breaks.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters that show nothing, and the selectors that can carry a text of their own.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_DEPTH_MAX = 32


def is_unseen(char: str) -> bool:
    """Tell whether a reader would not see *char*; line breaks and tabs are seen."""
    if char in "\n\t":
        return False
    selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return unicodedata.category(char) in _UNSEEN or char in _FILLERS or selector


def clean(text: str) -> str:
    """Return *text* with unseen characters left out, a blank for each control character."""
    if text.isascii() and text.isprintable():
        return text
    plain = text.replace("\r\n", "\n")
    return "".join(_cleaned(char) if is_unseen(char) else char for char in plain)


def clean_all(document: Any, depth: int = 0) -> Any:
    """Return *document* with every key and text in it cleaned; what is nested too deep is cut."""
    if isinstance(document, str):
        return clean(document)
    if depth >= _DEPTH_MAX and isinstance(document, dict | list):
        return "…"
    if isinstance(document, dict):
        return {clean(str(key)): clean_all(value, depth + 1) for key, value in document.items()}
    if isinstance(document, list):
        return [clean_all(value, depth + 1) for value in document]
    return document


def visible(text: str) -> str:
    r"""Return *text* for a person: what is not seen as its escape (`\u200b`), lines kept."""
    return "".join(_escaped(char) if is_unseen(char) else char for char in text)


def one_line(text: str, chars_max: int) -> str:
    """Return *text* on one line, with what is not seen as its escape, cut to *chars_max*."""
    flat = visible(" ".join(text[: chars_max + 1].split("\n"))).replace("\t", " ")
    return flat if len(flat) <= chars_max else flat[: chars_max - 1] + "…"


def _cleaned(char: str) -> str:
    return " " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else ""


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
