"""The process of one MCP server: a clean environment, bounded lines, and an end that is certain.

The rule: whatever happens, `stop` and `kill` leave nothing of the server's process group behind.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

from actions.mcp.clean import one_line
from actions.mcp.errors import McpStartError
from states.mcp import McpServer
from states.secrets import strike
from states.settings import McpLimits

Log = Callable[..., None]

CHILD = Path(__file__).parent / "child.py"
# The environment is full of other people's keys: these, and what the person named, pass.
PASSED_ON = ("PATH", "HOME", "LANG", "SYSTEMROOT", "USERPROFILE", "TEMP")
_CHUNK_BYTES = 1 << 16
_STDERR_LINE_BYTES = 2_000
_SHOWN_CHARS = 500
_ENDED = "(ended: "


def server_environment(server: McpServer, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the part of *environment* that *server* is handed."""
    names = (*PASSED_ON, *server.env)
    return {name: environment[name] for name in names if name in environment}


class ServerProcess:
    """One running server.

    *failure* is the catalogue key that says why its output is read no more, "" while it is.
    """

    def __init__(
        self,
        name: str,
        child: asyncio.subprocess.Process,
        held: int,
        limits: McpLimits,
        log: Log,
    ) -> None:
        self._name = name
        self._child = child
        self._held = held
        self.limits = limits
        self._log = log
        self._last_words = ""
        self._swept = False
        self._stderr = asyncio.create_task(self._drain_stderr(), name="mcp-stderr")
        self.failure = ""

    @property
    def pid(self) -> int:
        """The process, and group, of the server's holder."""
        return self._child.pid

    @property
    def last_words(self) -> str:
        """The last line that the server wrote on its stderr."""
        return self._last_words

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each line of the server's stdout; one that is too long ends it, and the server."""
        stdout = self._child.stdout
        assert stdout is not None  # noqa: S101 - asked for at its start
        held = bytearray()
        while chunk := await stdout.read(_CHUNK_BYTES):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                held += line
                if len(held) > self.limits.message_bytes_max:
                    break
                yield bytes(held)
                held.clear()
            else:
                held += rest
            if len(held) > self.limits.message_bytes_max:
                self.fail("mcp_message_long")
                return

    async def write(self, line: bytes) -> None:
        """Send *line* to the server.

        Raises:
            OSError: it is gone.
        """
        stdin = self._child.stdin
        assert stdin is not None  # noqa: S101 - asked for at its start
        stdin.write(line)
        await stdin.drain()

    def fail(self, code: str) -> None:
        """End the server for the reason *code*."""
        self.failure = self.failure or code
        self.kill()

    def kill(self) -> None:
        """Kill the server's process group now."""
        if not self._swept:
            # Once more after its end, as the group outlives a holder that the server killed; then
            # never again, as its number may be another's.
            self._swept = self._child.returncode is not None
            _signal_group(self._child, getattr(signal, "SIGKILL", signal.SIGTERM))

    async def stop(self) -> None:
        """Close the server's stdin, wait, ask it to end, wait, and kill what is left."""
        half = self.limits.stop_seconds / 2
        try:
            if self._child.stdin is not None:
                self._child.stdin.close()
            if not await self._ended(half):
                _signal_group(self._child, signal.SIGTERM)
                await self._ended(half)
        finally:
            self.kill()
            self._let_go()
        await self._ended(self.limits.stop_seconds)
        self._stderr.cancel()
        await asyncio.wait([self._stderr])
        # A descendant in a session of its own may still hold a pipe; closing is ours.
        transport: asyncio.SubprocessTransport = self._child._transport  # type: ignore[attr-defined]  # noqa: SLF001
        transport.close()

    def _let_go(self) -> None:
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    async def _ended(self, seconds: float) -> bool:
        waiting = asyncio.ensure_future(self._child.wait())
        try:
            done, _ = await asyncio.wait([waiting], timeout=seconds)
        finally:
            waiting.cancel()
        return bool(done)

    async def _drain_stderr(self) -> None:
        stderr = self._child.stderr
        assert stderr is not None  # noqa: S101 - asked for at its start
        left, held = self.limits.log_bytes_max, b""
        while chunk := await stderr.read(_CHUNK_BYTES):
            *lines, held = (held + chunk).split(b"\n")
            held = held[:_STDERR_LINE_BYTES]
            for line in filter(None, lines):
                text = line[:_STDERR_LINE_BYTES].decode("utf-8", "replace")
                said = strike(one_line(text, _SHOWN_CHARS))
                # The holder's line on how it ended follows what the server said last.
                is_end = text.startswith(_ENDED)
                self._last_words = f"{self._last_words} {said}".strip() if is_end else said
                if left > 0:
                    self._log("mcp_stderr", level="DEBUG", server=self._name, line=said)
                left -= len(line) + 1


async def start_process(
    server: McpServer, limits: McpLimits, log: Log, environment: Mapping[str, str]
) -> ServerProcess:
    """Start *server* in a session of its own and return its process.

    Raises:
        McpStartError: there is no such program or folder.
    """
    passed = server_environment(server, environment)
    folder = Path(server.cwd) if server.cwd else None
    if folder is not None and not folder.is_dir():
        raise McpStartError("mcp_no_folder", server=server.name, folder=server.cwd)
    program = str(folder / server.command[0]) if folder and _is_path(server) else server.command[0]
    if shutil.which(program, path=passed.get("PATH", os.defpath)) is None:
        raise McpStartError("mcp_no_program", server=server.name, program=server.command[0])
    theirs, ours = os.pipe()
    try:
        child = await asyncio.create_subprocess_exec(
            *_held_command(server, limits, theirs),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=passed,
            cwd=folder,
            pass_fds=() if sys.platform == "win32" else (theirs,),
            start_new_session=True,
        )
    except BaseException as error:
        os.close(ours)
        if isinstance(error, OSError):
            raise McpStartError("mcp_no_program", server=server.name, program=program) from error
        raise
    finally:
        os.close(theirs)
    return ServerProcess(server.name, child, ours, limits, log)


def _held_command(server: McpServer, limits: McpLimits, held: int) -> tuple[str, ...]:
    if sys.platform == "win32":
        return server.command
    holder = (sys.executable, "-I", "-S", "-B", str(CHILD), str(held))
    return (*holder, str(limits.memory_bytes_max), *server.command)


def _is_path(server: McpServer) -> bool:
    return os.sep in server.command[0]


def _signal_group(child: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            child.kill()
        else:
            os.killpg(child.pid, number)
