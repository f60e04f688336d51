"""The host's own log: one file per trace, in the format of the browser side (A2).

    [2026-03-03 10:23:05.123] [sgclaw] [trace:…] PIPE_CMD seq=3 action=click … domain=…
    [2026-03-03 10:23:05.124] [sgclaw] [trace:…] MAC_CHECK: ALLOW seq=3
    [2026-03-03 10:23:05.368] [sgclaw] [trace:…] CMD_EXEC: OK (245ms) seq=3

Every line is one event with the same head; each line of a request has its seq, so that it joins
the agent's ledger by (trace_id, seq). An agent counts from 1: `TASK_START` begins a new count,
and says with seq_before how many there were before. Times are UTC. What was typed is logged as
its length only; what looks like a secret is struck out. A line that cannot be written stops
nothing: what must be on disk before anything acts stands in the host's journal.
"""

import errno
import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from browser.host.agent_errors import HostLogError
from browser.host.plain_text import TYPED, length_of, one_line, without_secrets
from states.settings import PipeLimits
from states.wire import Command, ConfirmRequest, DialogResponse

_PARAMS_SHOWN = 20
WallClock = Callable[[], datetime]


class HostLog(Protocol):
    """Where the host notes what it was asked, what it allowed and what it did."""

    def note(self, event: str, **facts: object) -> None:
        """Write one line: *event* and its facts."""

    def command(self, seq: int, action: str, params: Mapping[str, Any], domain: str) -> None:
        """Write the command as it came."""

    def agent_line(self, line: str) -> None:
        """Write one line of the agent's stderr."""

    def close(self) -> None:
        """Close the log."""


class FileHostLog:
    """The log as a file of the person's own, bounded: agent lines give way first.

    `failure` says why the first line that is missing could not be written, "" when none is.
    """

    def __init__(self, folder: Path, trace_id: str, clock: WallClock, limits: PipeLimits) -> None:
        """Open the log of *trace_id* in *folder*.

        Raises:
            HostLogError: it cannot be written, or a link stands in its place.
        """
        self.path = folder / f"{trace_id}.log"
        self._trace_id = trace_id
        self._clock = clock
        self._limits = limits
        self._left = limits.host_log_bytes_max
        self.failure = ""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd = os.open(self.path, flags, 0o600)
        except OSError as error:
            raise HostLogError(str(self.path), error.strerror or str(error)) from error
        self._file = os.fdopen(fd, "wb", buffering=0)

    def note(self, event: str, **facts: object) -> None:
        """Write one line: *event* and its facts, each on this one line."""
        self._write(" ".join([event, *self._words(facts)]))

    def command(self, seq: int, action: str, params: Mapping[str, Any], domain: str) -> None:
        """Write `PIPE_CMD seq=… action=… <params> domain=…`."""
        shown = {name: length_of(v) if name in TYPED else v for name, v in params.items()}
        head = self._words({"seq": seq, "action": action})
        params_words = self._words(dict(list(shown.items())[:_PARAMS_SHOWN]))
        self._write(" ".join(["PIPE_CMD", *head, *params_words, *self._words({"domain": domain})]))

    def agent_line(self, line: str) -> None:
        """Write one line of the agent's stderr, until the file's bound is reached."""
        safe = one_line(without_secrets(line), self._limits.agent_log_chars_max)
        if len(safe) * 4 < self._left:
            self._write(f"AGENT_LOG {safe}")

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError as error:
            self._failed(error)

    def _words(self, facts: Mapping[str, object]) -> list[str]:
        # Names are foreign too: an agent chooses those of a command's parameters.
        return [f"{self._shown(name)}={self._shown(value)}" for name, value in facts.items()]

    def _shown(self, value: object) -> str:
        return one_line(without_secrets(str(value)), self._limits.host_log_value_chars_max)

    def _write(self, words: str) -> None:
        if self._file.closed:  # a late line of a child that outlived its task
            return
        stamp = self._clock().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        line = f"[{stamp}] [sgclaw] [trace:{self._trace_id}] {words}\n".encode("utf-8", "replace")
        self._left -= len(line)
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        self.failure = self.failure or error.strerror or str(error)


class NumberedLog:
    """The lines of *log* that are about request *seq*: each of them ends with its number."""

    def __init__(self, log: HostLog, seq: int) -> None:
        self._log = log
        self._seq = seq

    def note(self, event: str, **facts: object) -> None:
        """Write one line: *event*, its facts, and the request's number if there is one."""
        # Last, where nothing that a page says (the name of a target) can stand in its place.
        self._log.note(event, **facts, **({"seq": self._seq} if self._seq else {}))


class MemoryHostLog:
    """The log as a list of lines, for those who keep no file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, event: str, **facts: object) -> None:
        """Keep one line."""
        self.lines.append(" ".join([event, *(f"{k}={v}" for k, v in facts.items())]))

    def command(self, seq: int, action: str, params: Mapping[str, Any], domain: str) -> None:
        """Keep the command without its parameters."""
        del params
        self.note("PIPE_CMD", seq=seq, action=action, domain=domain)

    def agent_line(self, line: str) -> None:
        """Keep one line of the agent."""
        self.lines.append(f"AGENT_LOG {line}")

    def close(self) -> None:
        """Nothing to close."""


def note_request(log: HostLog, request: Command | ConfirmRequest | DialogResponse) -> None:
    """Note in *log* what the agent asked for."""
    domain = request.security.expected_domain
    if isinstance(request, Command):
        log.command(request.seq, request.action, request.params, domain)
        return
    what = (
        {"purpose": request.purpose, "action": request.action}
        if isinstance(request, ConfirmRequest)
        else {"accept": request.accept, "text": length_of(request.text)}
    )
    log.note(f"PIPE_{request.type.upper()}", seq=request.seq, **what, domain=domain)
