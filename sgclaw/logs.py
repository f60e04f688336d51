"""Logs (A1, A2): JSON lines on stderr in one shape, secrets redacted by key and by pattern.

Page text and model text are data here: they are never used as a format string, and a line is
always one line.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from loguru import logger

from states.secrets import strike_all

if TYPE_CHECKING:
    from loguru import Record

VALUE_CHARS_MAX = 2_000

Log = Callable[..., None]


Take = Callable[[dict[str, Any]], None]


def start_logs(trace_id: str, level: str = "INFO", take: "Take | None" = None) -> None:
    """Send every log row to *take*, else to stderr as one JSON object; call once per process."""
    wanted = take or _to_stderr

    def write(message: "Any") -> None:
        wanted(_row_of(message.record))

    logger.remove()
    logger.configure(extra={"trace_id": trace_id, "event": "", "fields": {}})
    logger.add(write, level=level, format="{message}", catch=True, backtrace=False, diagnose=False)


def log_for(module: str) -> Log:
    """Return a function `log(event, **fields)` that writes lines of *module*."""

    def log(event: str, *, level: str = "INFO", **fields: object) -> None:
        # `event` is bound, never formatted: text of a page must not act as a template.
        logger.bind(module_name=module, event=event, fields=fields).log(level, "")

    return log


def redact(value: Any) -> Any:
    """Return *value* with secrets replaced, long text cut, and what is no JSON as text."""
    return _cut(strike_all(value))


def _cut(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    if isinstance(value, str):
        return value if len(value) <= VALUE_CHARS_MAX else value[:VALUE_CHARS_MAX] + "…"
    if isinstance(value, int | float | bool) or value is None:
        return value
    return _cut(strike_all(str(value)))


def _row_of(record: "Record") -> dict[str, Any]:
    extra = record["extra"]
    row: dict[str, Any] = {
        "timestamp": record["time"].astimezone().isoformat(timespec="milliseconds"),
        "level": record["level"].name,
        "trace_id": extra["trace_id"],
        "module": extra.get("module_name", record["name"]),
        "event": extra["event"] or "message",
        "data": redact(extra["fields"]),
    }
    if record["message"]:
        row["data"]["message"] = redact(record["message"])
    return row


def _to_stderr(row: dict[str, Any]) -> None:
    sys.stderr.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stderr.flush()
