"""Foreign text made safe for a log line or a terminal: no control characters, no secret."""

import re
import unicodedata
from urllib.parse import unquote

# Parameters that hold what a person or page keeps to itself: their length says enough.
TYPED = frozenset({"text", "value"})

# Cc: controls and ESC; Cf: bidi overrides, zero width; Cs: lone surrogates; Zl, Zp: line breaks.
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_SECRET = re.compile(
    r"(?i)\b(api[_-]?key|access[_-]?token|token|secret|password|passwd|pwd|authorization|session"
    r"|cookie|hmac)"
    r"(\"?\s*[=:]\s*\"?)(?:bearer\s+)?[^\s&\"';,}]+"
)
# One parameter of an address (query, fragment or path parameter), and whose value is nobody's.
_URL_PARAMETER = re.compile(r"([?&;#])([^=&;#?\s\"']{1,200})=([^&;#\s\"']*)")
_SECRET_NAME = re.compile(
    r"(?i)token|secret|passw|credential|session|sess?id|jwt|signature|api_?key"
    r"|(?:^|[^a-z])(?:sid|key|pwd|pass|pw|auth|sig|otp|pin|code|ticket)(?:[^a-z]|$)"
)
_USER_IN_URL = re.compile(r"(://)[^/?#@\s]+@")
_KEY_SHAPES = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+)")


def one_line(text: str, chars_max: int) -> str:
    """Return *text* with unsafe characters escaped, cut to *chars_max* with the cut told."""
    cut = text[:chars_max]
    safe = "".join(_escaped(char) for char in cut)
    left = len(text) - len(cut)
    return f"{safe}…(+{left})" if left else safe


def plain_lines(text: str, chars_max: int) -> str:
    """Return *text* as `one_line` does, but with its own line breaks."""
    cut = text[:chars_max]
    safe = "\n".join(one_line(line, chars_max) for line in cut.replace("\r\n", "\n").split("\n"))
    left = len(text) - len(cut)
    return f"{safe}…(+{left})" if left else safe


def without_secrets(text: str) -> str:
    """Return *text* with what looks like a key, token or password replaced by ***."""
    plain = _URL_PARAMETER.sub(_without_value, _USER_IN_URL.sub(r"\1***@", text))
    return _KEY_SHAPES.sub("***", _SECRET.sub(r"\1\2***", plain))


def length_of(value: object) -> str:
    """Return what stands for a text that is nobody's business: how long it is."""
    return f"<{len(str(value))} chars>"


def _without_value(parameter: re.Match[str]) -> str:
    mark, name, value = parameter.groups()
    return f"{mark}{name}={'***' if _SECRET_NAME.search(unquote(name)) else value}"


def _escaped(char: str) -> str:
    if unicodedata.category(char) in _UNSAFE_CATEGORIES:
        return char.encode("unicode_escape").decode("ascii")
    return char
