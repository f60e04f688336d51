"""What looks like a secret, and how it is struck out: one list for ledger, logs and results.

A key says what stands under it (`password`, `token`); a pattern knows a secret by its form.
"""

import re
from collections.abc import Mapping
from typing import Any

REDACTED = "[redacted]"

_KEY = re.compile(
    r"pass(word|wd)?$|secret|token|api_?key|^key$|hmac|authorization|cookie|session_?id$|密码|口令",
    re.IGNORECASE,
)
# Counts of tokens are no secrets, whatever their key is called.
_NOT_SECRET = frozenset(
    {
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
        "thinking_tokens", "estimated_tokens",
    }
)  # fmt: skip
_VALUE = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{12,}|gh[pousr]_[A-Za-z0-9]{20,}|xox[abp]-[A-Za-z0-9-]{10,}"
    r"|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/@\s:]+:[^/@\s]+(?=@)"
)

# A name and its value: in an address, in a log line, or in a document that is shown as text.
_NAMED = re.compile(r"""(^|[^\w.%\[-])([\w.%-]{1,64})=(["']?)([^&;#\s"'<>\\]+)""")
_QUOTED = re.compile(r"""(\\?"([\w.-]{1,64})\\?"\s{0,8}:\s{0,8}\\?")[^"\\]+""")
_NAME = re.compile(
    r"passw|^pw?d$|secret|token(?!s)|api_?key|^key$|hmac|^auth$|authorization|cookie|credential"
    r"|^session$|sess(ion)?_?id$|^sid$|jwt|signature|^sig$",
    re.IGNORECASE,
)
# A shorter word after `password=` in running text is part of a sentence about passwords.
_WORD_MIN = 6

_MARKS = ("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xoxa", "xoxb", "xoxp", "AKIA", "eyJ",
          "Bearer ", "://")  # fmt: skip


def strike(text: str) -> str:
    """Return *text* with what has the form of a secret replaced; doing it again changes nothing."""
    # Each form has a mark of its own; a text without any is not searched through.
    if any(mark in text for mark in _MARKS):
        text = _VALUE.sub(REDACTED, text)
    if "=" in text:
        text = _NAMED.sub(_without_value, text)
    return _QUOTED.sub(_without_quoted, text) if '":' in text else text


def _without_value(found: re.Match[str]) -> str:
    before, name, quote, value = found.groups()
    in_address = before in ("?", "&", ";", "#")
    if not _NAME.search(name) or (not in_address and (len(value) < _WORD_MIN or name == "key")):
        return found[0]
    return f"{before}{name}={quote}{REDACTED}"


def _without_quoted(found: re.Match[str]) -> str:
    return f"{found[1]}{REDACTED}" if _NAME.search(found[2]) else found[0]


def is_secret_key(key: str) -> bool:
    """Tell whether what stands under *key* is a secret by its name."""
    return key not in _NOT_SECRET and _KEY.search(key) is not None


def strike_all(document: Any, *, by_key: bool = True) -> Any:
    """Return *document* with every secret in it replaced, by form and, if *by_key*, by name."""
    if isinstance(document, Mapping):
        return {
            key: REDACTED
            if by_key and isinstance(key, str) and is_secret_key(key) and value not in ("", None)
            else strike_all(value, by_key=by_key)
            for key, value in document.items()
        }
    if isinstance(document, list | tuple):
        return [strike_all(item, by_key=by_key) for item in document]
    return strike(document) if isinstance(document, str) else document
