"""The operation log (A2, A3): what both sides noted, in the seed's one shape, for every run.

The host writes it, since the agent's stderr is the host's: an agent row is taken as it is told,
but struck and cut once more, and it never speaks for another trace. What was typed is its length.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from browser.host.host_log import HostLog
from browser.host.plain_text import TYPED, length_of, one_line, without_secrets
from sgclaw.logs import redact

HOST_MODULE, AGENT_MODULE = "browser.host", "agent.stderr"
LEVELS = frozenset({"TRACE", "DEBUG", "INFO", "SUCCESS", "WARNING", "ERROR", "CRITICAL"})
_NAME_CHARS_MAX = 120
_VALUE_CHARS_MAX = 2_000
_PARAMS_SHOWN = 20
_DEPTH_MAX = 8
Write = Callable[[Mapping[str, Any]], None]


class OperationLog:
    """A host's log that also gives each line, as a row, to *write*."""

    def __init__(
        self, log: HostLog, trace_id: str, clock: Callable[[], datetime], write: Write
    ) -> None:
        self._log, self._trace_id, self._clock, self._write = log, trace_id, clock, write

    def note(self, event: str, **facts: object) -> None:
        """Write *event* and its facts."""
        self._log.note(event, **facts)
        self._host_row(event, facts)

    def command(self, seq: int, action: str, params: Mapping[str, Any], domain: str) -> None:
        """Write the command as it came."""
        self._log.command(seq, action, params, domain)
        shown = {
            name: length_of(value) if name in TYPED else value
            for name, value in list(params.items())[:_PARAMS_SHOWN]
        }
        facts = {"seq": seq, "action": action, "params": shown, "domain": domain}
        self._host_row("PIPE_CMD", facts)

    def agent_line(self, line: str) -> None:
        """Write one line of the agent's stderr: its row, or the text when it is none."""
        self._log.agent_line(line)
        told = _document(line)
        if told is None:
            self._write(self._row("WARNING", AGENT_MODULE, "line", {"text": line}))
            return
        level = told.get("level")
        fields = told.get("data")
        row = self._row(
            level if isinstance(level, str) and level in LEVELS else "INFO",
            str(told.get("module", AGENT_MODULE)),
            str(told.get("event", "line")),
            fields if isinstance(fields, dict) else {"told": fields},
        )
        at = told.get("timestamp")
        if isinstance(at, str) and _is_time(at):
            row["timestamp"] = at
        self._write(row)

    def close(self) -> None:
        """Close the host's own log; the operation log is another's to close."""
        self._log.close()

    def _host_row(self, event: str, facts: Mapping[str, object]) -> None:
        level = "WARNING" if "DENY" in event or "FAIL" in event or "FAULT" in event else "INFO"
        self._write(self._row(level, HOST_MODULE, event, facts))

    def _row(
        self, level: str, module: str, event: str, facts: Mapping[str, object]
    ) -> dict[str, Any]:
        return {
            "timestamp": self._clock().isoformat(timespec="milliseconds"),
            "level": level,
            "trace_id": self._trace_id,
            "module": safe_text(module, _NAME_CHARS_MAX),
            "event": safe_text(event, _NAME_CHARS_MAX),
            "data": safe(facts),
        }


def safe(value: Any) -> Any:
    """Return *value* as JSON without secrets, control characters, long texts or deep nests."""
    return _safe(redact(value), _DEPTH_MAX)


def safe_text(text: str, chars_max: int = _VALUE_CHARS_MAX) -> str:
    """Return *text* on one line, without what looks like a secret."""
    return one_line(without_secrets(text), chars_max)


def _safe(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return safe_text(value)
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        return {
            safe_text(str(key), _NAME_CHARS_MAX): _safe(item, depth - 1)
            for key, item in value.items()
        }
    return [_safe(item, depth - 1) for item in value]


def _document(line: str) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
