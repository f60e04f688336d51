"""Logs (A1, A2): JSON lines on stderr in one shape, secrets redacted by key and by pattern.

Page text and model text are data here: they are never used as a format string, and a line is
always one line.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from loguru import logger

if TYPE_CHECKING:
    from loguru import Record

REDACTED = "[redacted]"
VALUE_CHARS_MAX = 2_000
_SECRET_KEY = re.compile(
    r"pass(word|wd)?$|secret|token|api_?key|^key$|hmac|authorization|cookie|密码", re.I
)
_SECRET_VALUE = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{12,}|ghp_[A-Za-z0-9]{20,}|xox[abp]-[A-Za-z0-9-]{10,}"
    r"|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/@\s:]+:[^/@\s]+(?=@)"
)
# Counts of tokens are no secrets, whatever their key is called.
_NOT_SECRET = frozenset({"input_tokens", "output_tokens"})

Log = Callable[..., None]


def start_logs(trace_id: str, level: str = "INFO") -> None:
    """Send every log line to stderr as one JSON object; call once per process."""
    logger.remove()
    logger.configure(extra={"trace_id": trace_id, "event": "", "fields": {}})
    logger.add(_write, level=level, format="{message}", catch=True, backtrace=False, diagnose=False)


def log_for(module: str) -> Log:
    """Return a function `log(event, **fields)` that writes lines of *module*."""

    def log(event: str, *, level: str = "INFO", **fields: object) -> None:
        # `event` is bound, never formatted: text of a page must not act as a template.
        logger.bind(module_name=module, event=event, fields=fields).log(level, "")

    return log


def redact(value: Any, key: str = "") -> Any:
    """Return *value* with secrets replaced and long text cut."""
    if key and key not in _NOT_SECRET and _SECRET_KEY.search(key) and value not in ("", None):
        return REDACTED
    if isinstance(value, Mapping):
        return {str(k): redact(v, str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item) for item in value]
    if isinstance(value, str):
        cut = value if len(value) <= VALUE_CHARS_MAX else value[:VALUE_CHARS_MAX] + "…"
        return _SECRET_VALUE.sub(REDACTED, cut)
    if isinstance(value, int | float | bool) or value is None:
        return value
    return redact(str(value))


def _write(message: "Any") -> None:
    record: Record = message.record
    extra = record["extra"]
    row = {
        "timestamp": record["time"].astimezone().isoformat(timespec="milliseconds"),
        "level": record["level"].name,
        "trace_id": extra["trace_id"],
        "module": extra.get("module_name", record["name"]),
        "event": extra["event"] or "message",
        "data": redact(extra["fields"]),
    }
    if record["message"]:
        row["data"]["message"] = redact(record["message"])
    sys.stderr.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stderr.flush()
