"""The parent's end of one skill child: spawn it, ask it one line at a time, end it.

The child speaks only when asked and answers each line with one line, so anything else that
arrives is a fault, and there is never more than one bounded line in memory.
"""

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, cast

from skills.errors import SkillStartError
from states.settings import SkillLimits

_CHILD = Path(__file__).parent / "child.py"
_COMPLAINT_BYTES_MAX = 8_192
_JS_LIMITS = {"calls_max", "log_lines_max", "log_chars_max", "timers_max", "timer_ms_max"}
_SHOWN_CHARS = 200


class ChildGoneError(Exception):
    """The child ended before it answered."""


class ChildFaultError(Exception):
    """The child broke the line protocol; *code* is a catalogue key. It has been killed."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ChildEnd(asyncio.SubprocessProtocol):
    """One child; see the module."""

    def __init__(self, line_bytes_max: int) -> None:
        self.killed = False
        self._line_bytes_max = line_bytes_max
        self._held = bytearray()
        self._complaint = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._pidfd = -1

    # --- asyncio calls these

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport, and a handle on the pid that no other process can inherit."""
        self._transport = cast("asyncio.SubprocessTransport", transport)
        if sys.platform == "linux":
            try:
                self._pidfd = os.pidfd_open(self.pid)
            except OSError:  # an old kernel, or a sandbox that hides it: kill by the transport
                self._pidfd = -1

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take output: one awaited line on 1, a bounded complaint on 2."""
        if fd != 1:
            room = _COMPLAINT_BYTES_MAX - len(self._complaint)
            self._complaint += data[:room]
            return
        self._held += data
        end = self._held.find(b"\n", len(self._held) - len(data))
        if end > self._line_bytes_max or (end < 0 and len(self._held) > self._line_bytes_max):
            self._fault("skill_message_too_long")
        elif end >= 0 and (end + 1 < len(self._held) or self._answer is None):
            self._fault("skill_message_unasked")
        elif end >= 0 and self._answer is not None:
            line, self._held = bytes(self._held[:end]), bytearray()
            if not self._answer.done():
                self._answer.set_result(line)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the child is reaped and its pipes are closed."""
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
        self._live_transport().close()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ChildGoneError())
        if not self._gone.done():
            self._gone.set_result(None)

    # --- the owner calls these

    @property
    def pid(self) -> int:
        """The process id."""
        return self._live_transport().get_pid()

    @property
    def gone(self) -> bool:
        """Whether the child is dead, reaped and its pipes closed."""
        return self._gone.done()

    @property
    def exit_code(self) -> int | None:
        """The exit code, negative for a signal, None while it runs."""
        return self._live_transport().get_returncode()

    @property
    def complaint(self) -> str:
        """The first part of what the child wrote on stderr."""
        return self._complaint.decode("utf-8", "replace")

    async def ask(self, line: bytes, seconds: float) -> bytes:
        """Send *line* and return the line that answers it.

        Whatever ends the wait early, cancellation included, kills the child: a turn that
        nobody waits for must not go on.

        Raises:
            TimeoutError: no answer within *seconds*.
            ChildGoneError: the child ended.
            ChildFaultError: the answer was too long, or there was more than one.
        """
        if self.gone or self.killed:
            raise ChildGoneError
        self._answer = asyncio.get_running_loop().create_future()
        stdin = cast("asyncio.WriteTransport", self._live_transport().get_pipe_transport(0))
        if line:
            stdin.write(line + b"\n")
        try:
            async with asyncio.timeout(seconds):
                return await self._answer
        except ChildGoneError:  # by itself: not to be mistaken for our own kill
            raise
        except BaseException:
            self.kill()
            raise
        finally:
            self._answer = None

    def kill(self) -> None:
        """End the child now; more than once does nothing."""
        if self.killed or self.gone:
            return
        self.killed = True
        transport = self._live_transport()
        if transport.get_returncode() is None:
            # Not transport.kill(): it may reap the child behind asyncio's back and log nonsense.
            if self._pidfd >= 0 and sys.platform == "linux":
                # It may have ended by itself a moment ago, before asyncio noticed.
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                transport.kill()
        for fd in (0, 1, 2):
            pipe = transport.get_pipe_transport(fd)
            if pipe is not None:
                pipe.close()

    async def closed(self, seconds: float | None = None) -> bool:
        """Wait until the child is gone, at most *seconds*; return whether it is."""
        await asyncio.wait({self._gone}, timeout=seconds)
        return self.gone

    def _fault(self, code: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ChildFaultError(code))
        self.kill()

    def _live_transport(self) -> asyncio.SubprocessTransport:
        if self._transport is None:
            raise RuntimeError("the child was not spawned")
        return self._transport


async def spawn_child(limits: SkillLimits) -> ChildEnd:
    """Spawn a child; it is not ready before `greet`.

    Raises:
        SkillStartError: the operating system refused.
    """
    loop = asyncio.get_running_loop()
    try:
        _, child = await loop.subprocess_exec(
            lambda: ChildEnd(limits.line_bytes_max),
            *(sys.executable, "-I", "-S", "-B", str(_CHILD), _options(limits)),
            env=_environment(),
            cwd=Path(sys.executable).anchor,
        )
    except OSError as error:
        raise SkillStartError("skill_start_failed", why=error.strerror or error) from error
    return child


async def greet(child: ChildEnd, limits: SkillLimits) -> None:
    """Wait until *child* is ready for a skill.

    Raises:
        SkillStartError: it did not come up, or its engine did not take the safety flags.
    """
    try:
        greeting = json.loads(await child.ask(b"", limits.start_seconds))
    except TimeoutError as error:
        raise SkillStartError("skill_start_timeout", seconds=limits.start_seconds) from error
    except (ChildGoneError, ChildFaultError, ValueError) as error:
        child.kill()
        raise SkillStartError("skill_start_failed", why=_last_line(child.complaint)) from error
    if greeting != {"t": "ready"}:
        child.kill()
        what = greeting.get("what", "?") if isinstance(greeting, dict) else "?"
        raise SkillStartError("skill_start_unsafe", what=str(what)[:_SHOWN_CHARS])


def _options(limits: SkillLimits) -> str:
    spec = importlib.util.find_spec("py_mini_racer")
    if spec is None or not spec.submodule_search_locations:
        raise SkillStartError("skill_start_failed", why="mini-racer is not installed")
    options: dict[str, Any] = {
        "parent_pid": os.getpid(),
        "racer": spec.submodule_search_locations[0],
        "memory_bytes_max": limits.memory_bytes_max,
        "cpu_seconds_max": limits.cpu_seconds_max,
        "limits": limits.model_dump(include=_JS_LIMITS),
    }
    return json.dumps(options)


def _environment() -> dict[str, str]:
    # Windows cannot load its own libraries without it; everything else stays with the parent.
    root = os.environ.get("SystemRoot") if sys.platform == "win32" else None  # noqa: SIM112
    return {"SystemRoot": root} if root else {}


def _last_line(complaint: str) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    return lines[-1][:_SHOWN_CHARS] if lines else "it ended without a word"
