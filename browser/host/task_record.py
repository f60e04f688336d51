"""What the host itself saw of one task: the states it was told, the commands it answered.

The rule: of the end of a task the agent tells why and what it answers; what was done stands
here, and is complete. When it is full, nothing more is done.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from browser.host.outcome import DIALOG_RESPONSE
from browser.host.plain_text import length_of
from states.actions import PARAMS
from states.settings import TaskLimits
from states.wire import (
    Command,
    CommandReport,
    DialogResponse,
    Response,
    StateChanged,
    TaskCompleted,
)

# How a report calls a command that may have acted, and one that was cut short and wrote nothing.
UNKNOWN, INTERRUPTED = "unknown_outcome", "interrupted"
# What an agent may make the host remember of one task, per step of its budget.
_SEEN_PER_STEP = 20


class TaskRecord:
    """The record of one task within *limits*."""

    def __init__(self, limits: TaskLimits) -> None:
        self._limits = limits
        self._seen_max = limits.steps_max * _SEEN_PER_STEP
        self._path: deque[str] = deque(maxlen=self._seen_max)
        self._commands: list[CommandReport] = []
        self.seq_before = 0
        self.steps = 0

    @property
    def commands(self) -> tuple[CommandReport, ...]:
        """Every command so far, in order."""
        return tuple(self._commands)

    @property
    def next_seq(self) -> int:
        """The number after that of every command so far."""
        return max((report.seq for report in self._commands), default=0) + 1

    @property
    def full(self) -> bool:
        """True when no further command may be done."""
        return len(self._commands) >= self._seen_max

    def state(self, message: StateChanged) -> None:
        """Note a state that the agent says it is in."""
        self._path.append(message.state)
        self.steps = max(self.steps, message.step)

    def answered(
        self, request: Command | DialogResponse, answer: Response, approved_by: str | None
    ) -> CommandReport:
        """Note *request* with its *answer*."""
        error = answer.error.code if answer.error else ""
        return self._note(request, approved_by, success=answer.success, error=error)

    def unanswered(
        self, request: Command | DialogResponse, approved_by: str | None, *, unknown: bool
    ) -> CommandReport:
        """Note *request* that was cut short; *unknown* when it may have acted."""
        error = UNKNOWN if unknown else INTERRUPTED
        return self._note(request, approved_by, success=False, error=error)

    def refused(self, document: Mapping[str, Any], code: str) -> CommandReport | None:
        """Note the command in *document*, whose proof was right and which the policy refused."""
        if document.get("type") != "command" or self.full:
            return None
        request = Command.model_validate(document)
        return self._note(request, None, success=False, error=code)

    def add(self, report: CommandReport) -> None:
        """Note a command that an earlier host did."""
        self._commands.append(report)
        self.steps = max(self.steps, len(self._commands))

    def new_session(self) -> None:
        """A new agent counts its requests from 1: in the record they go on."""
        self.seq_before = self.next_seq - 1

    def walked(self, path: Iterable[str]) -> None:
        """Note the states of an earlier agent."""
        self._path.extend(path)

    def shown(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return *params* as a report holds them."""
        return {name: self._shortened(value) for name, value in params.items()}

    def end(self, trace_id: str, state: Any, reason: str, text: str) -> TaskCompleted:
        """Return an end that no agent told, with what was seen here."""
        told = TaskCompleted(
            trace_id=trace_id, state=state, reason=reason, reason_text=text, steps=self.steps
        )
        return self.mended(told)[0]

    def mended(self, told: TaskCompleted) -> tuple[TaskCompleted, tuple[str, ...]]:
        """Return *told* with what was seen here, and the names of what had to be replaced."""
        own: dict[str, Any] = {
            "commands": tuple(self._commands),
            "path": self._path_to(told.state),
            "steps": self._steps_of(told.steps),
        }
        replaced = tuple(name for name, seen in own.items() if getattr(told, name) != seen)
        return told.model_copy(update=own), replaced

    def _note(
        self,
        request: Command | DialogResponse,
        approved_by: str | None,
        *,
        success: bool,
        error: str,
    ) -> CommandReport:
        if isinstance(request, Command):
            action = request.action
            # Those of an action that does not exist were checked by nobody, and have no bound.
            params = dict(request.params) if action in PARAMS else {}
        else:
            action, params = DIALOG_RESPONSE, {"accept": request.accept, "text": request.text}
        if error == "password_field" and "text" in params:
            params["text"] = length_of(params["text"])
        report = CommandReport(
            seq=self.seq_before + request.seq,
            action=action,
            params=self.shown(params),
            success=success,
            approved_by=approved_by,
            error=error,
        )
        self._commands.append(report)
        return report

    def _shortened(self, value: object) -> object:
        chars_max = self._limits.report_chars_max
        if isinstance(value, str) and len(value) > chars_max:
            return value[:chars_max] + "…"
        return value

    def _path_to(self, end: str) -> tuple[str, ...]:
        path = ("idle", *self._path)
        return path if path[-1] == end else (*path, end)

    def _steps_of(self, told: int) -> int:
        """Return *told* when it can be true: the last answer may not have become a step yet."""
        done = len(self._commands)
        return told if done - 1 <= told <= self._limits.steps_max else done
