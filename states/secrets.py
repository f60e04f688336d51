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
_NOT_SECRET = frozenset({"input_tokens", "output_tokens"})
_VALUE = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{12,}|gh[pousr]_[A-Za-z0-9]{20,}|xox[abp]-[A-Za-z0-9-]{10,}"
    r"|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/@\s:]+:[^/@\s]+(?=@)"
)

_MARKS = ("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xoxa", "xoxb", "xoxp", "AKIA", "eyJ",
          "Bearer ", "://")  # fmt: skip


def strike(text: str) -> str:
    """Return *text* with what has the form of a secret replaced."""
    # Each form has a mark of its own; a text without any is not searched through.
    return _VALUE.sub(REDACTED, text) if any(mark in text for mark in _MARKS) else text


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
