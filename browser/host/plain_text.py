"""Foreign text made safe for a log line or a terminal: one line, no control characters."""

import re
import unicodedata

# Cc: controls and ESC; Cf: bidi overrides, zero width; Cs: lone surrogates; Zl, Zp: line breaks.
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_SECRET = re.compile(
    r"(?i)\b(api[_-]?key|access[_-]?token|token|secret|password|passwd|pwd|authorization|session)"
    r"(\"?\s*[=:]\s*\"?)(?:bearer\s+)?[^\s&\"';,}]+"
)
_KEY_SHAPES = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+)")


def one_line(text: str, chars_max: int) -> str:
    """Return *text* with unsafe characters escaped, cut to *chars_max* with the cut told."""
    cut = text[:chars_max]
    safe = "".join(_escaped(char) for char in cut)
    left = len(text) - len(cut)
    return f"{safe}…(+{left})" if left else safe


def without_secrets(text: str) -> str:
    """Return *text* with what looks like a key, token or password replaced by ***."""
    return _KEY_SHAPES.sub("***", _SECRET.sub(r"\1\2***", text))


def _escaped(char: str) -> str:
    if unicodedata.category(char) in _UNSAFE_CATEGORIES:
        return char.encode("unicode_escape").decode("ascii")
    return char
