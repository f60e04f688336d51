"""The host's link to one agent process: start it, greet it, end it with all it started.

The rule: the link owns the process group. Whatever happens, `close` returns with the agent gone;
if this host is killed instead, the agent reads the end of its stdin and ends by itself.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from browser.host.agent_errors import AgentLostError, AgentMissingError, AgentNotReadyError
from browser.host.pipe_record import PipeRecord, RecordedReader, RecordedSink
from engine.pipe.errors import PipeClosedError, PipeError, ProtocolViolationError
from engine.pipe.framing import ByteSink, LineReader, LineWriter, PipeEnd
from engine.pipe.parse import parse_agent_message
from states.settings import PipeLimits, variable_names
from states.wire import PROTOCOL_VERSION, Init, LogEntry, ProtocolError, Ready, Shutdown

StderrLine = Callable[[str], None]

# The whole environment of a browser is full of other people's keys: only these pass (and ours).
PASSED_ON = (
    "PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "TZ", "LANG", "LC_ALL",
    "XDG_DATA_HOME", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE",
)  # fmt: skip
# Of our own: where and how to speak, and the bounds. A key is none of them: it goes in init.
OWN = frozenset({"SGCLAW_DATA_DIR", "SGCLAW_LANG", "SGCLAW_DEBUG", *variable_names()})


def agent_program() -> Path:
    """Return the `sgclaw` console script that stands beside this Python.

    Raises:
        AgentMissingError: it is not installed there.
    """
    name = "sgclaw.exe" if sys.platform == "win32" else "sgclaw"
    path = Path(sys.executable).parent / name
    if not path.is_file():
        raise AgentMissingError(str(path))
    return path


def agent_environment(environment: Mapping[str, str], also: Collection[str] = ()) -> dict[str, str]:
    """Return the part of *environment* that an agent needs, and UTF-8 for its text.

    *also* are names that the person wants handed on to MCP servers.
    """
    named = {*PASSED_ON, *OWN, *also}
    passed = {name: value for name, value in environment.items() if name in named}
    return {"LANG": "C.UTF-8", **passed, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}


class AgentLink:
    """One end of the pipe and, unless it is in memory, the process at the other end."""

    def __init__(
        self, end: PipeEnd, limits: PipeLimits, child: "asyncio.subprocess.Process | None" = None
    ) -> None:
        self.reader = end.reader
        self.writer = end.writer
        self._end = end
        self._limits = limits
        self._child = child
        self._stderr: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The agent's process id, None for one in memory."""
        return self._child.pid if self._child else None

    @property
    def exit_code(self) -> int | None:
        """How the agent ended, None while it runs."""
        return self._child.returncode if self._child else None

    def drain_stderr(self, on_line: StderrLine) -> None:
        """Read the agent's stderr from now on: an undrained one would block it."""
        if self._child is not None and self._child.stderr is not None and self._stderr is None:
            stderr = LineReader(self._child.stderr, self._limits, self._limits.agent_log_chars_max)
            self._stderr = asyncio.create_task(_drain(stderr, on_line), name="agent-stderr")

    async def greet(self, init: Init) -> Ready:
        """Send *init* and return the agent's ready.

        Raises:
            AgentNotReadyError: no ready in time, or another protocol.
            AgentLostError: the agent ended instead.
        """
        seconds = self._limits.ready_seconds
        try:
            async with asyncio.timeout(seconds):
                await self.writer.send(init)
                ready = await self._next_ready()
        except TimeoutError:
            raise AgentNotReadyError("agent_not_ready", seconds=seconds) from None
        except PipeClosedError:
            raise AgentLostError("agent_lost") from None
        if ready.protocol != PROTOCOL_VERSION:
            raise AgentNotReadyError("agent_protocol", theirs=ready.protocol, ours=PROTOCOL_VERSION)
        return ready

    async def close(self) -> None:
        """End the agent: ask it, wait as long as the settings say, then kill what is left."""
        seconds = self._limits.exit_seconds
        with contextlib.suppress(PipeError, TimeoutError):
            async with asyncio.timeout(seconds):
                await self.writer.send(Shutdown())
        await self.writer.close(seconds)  # its end tells the agent as well
        if self._child is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._child.wait()
        await self.kill()

    async def kill(self) -> None:
        """Kill the agent's process group and wait for its end."""
        if self._child is None:
            await self._end.close(0)
            return
        _kill_group(self._child.pid)
        await self._child.wait()
        await self._end.close(0)
        await self._finish_stderr()
        # The transport alone knows whether a grandchild still holds a pipe; closing is ours.
        transport: asyncio.SubprocessTransport = self._child._transport  # type: ignore[attr-defined]  # noqa: SLF001
        transport.close()

    async def _next_ready(self) -> Ready:
        while True:
            document = await self.reader.read_document()
            if document is None:
                raise AgentLostError("agent_lost")
            message = parse_agent_message(document)
            if isinstance(message, Ready):
                return message
            if isinstance(message, ProtocolError):
                raise AgentNotReadyError("message_schema", why=message.message)
            if not isinstance(message, LogEntry):
                raise ProtocolViolationError("message_unexpected", type=message.type)

    async def _finish_stderr(self) -> None:
        if self._stderr is None:
            return
        await asyncio.wait([self._stderr], timeout=self._limits.exit_seconds)
        self._stderr.cancel()
        await asyncio.wait([self._stderr])


async def start_agent(
    limits: PipeLimits,
    environment: Mapping[str, str],
    on_stderr: StderrLine,
    command: tuple[str, ...] = (),
    record: PipeRecord | None = None,
    also: Collection[str] = (),
) -> AgentLink:
    """Start `sgclaw agent` (or *command*) in a group of its own and return the link to it.

    *record* is told each line that passes (A3); *also* are names of variables to hand on.

    Raises:
        AgentMissingError: there is no such program.
    """
    words = command or (str(agent_program()), "agent")
    try:
        child = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=agent_environment(environment, also),
            close_fds=True,
            start_new_session=True,
        )
    except OSError as error:
        raise AgentMissingError(words[0]) from error
    assert child.stdin is not None  # noqa: S101 - asked for above
    assert child.stdout is not None  # noqa: S101
    reader = LineReader(child.stdout, limits, limits.line_bytes_max)
    sink: ByteSink = child.stdin
    if record is not None:
        reader = RecordedReader(child.stdout, limits, limits.line_bytes_max, record)
        sink = RecordedSink(child.stdin, record)
    end = PipeEnd(reader, LineWriter(sink, limits, limits.response_bytes_max))
    link = AgentLink(end, limits, child)
    link.drain_stderr(on_stderr)
    return link


async def _drain(stderr: LineReader, on_line: StderrLine) -> None:
    while True:
        try:
            line = await stderr.read_line()
        except ProtocolViolationError as error:
            on_line(f"({error.code})")
            continue
        if line is None:
            return
        on_line(line.decode("utf-8", "replace"))


def _kill_group(pid: int) -> None:
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGTERM)
        return
    # The group outlives its leader: children of an agent that ended already go here too.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
