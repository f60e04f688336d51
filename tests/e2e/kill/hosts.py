"""The hosts of the harness, forked by one process that has imported the product."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
HOST = "tests.e2e.kill.host"
RUN_SECONDS = 90


class Hosts:
    """Starts hosts and tells how they ended."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child
        self._told: dict[str, asyncio.Queue[int]] = {}

    async def run(self, job: dict[str, Any], on_start: Callable[[int], None]) -> int:
        """Run *job* (see the host program) and return its exit code; *on_start* gets the pid."""
        number = str(len(self._told))
        told = self._told[number] = asyncio.Queue()
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps({"id": number, **job}).encode() + b"\n")
        pid = await told.get()
        on_start(pid)
        try:
            async with asyncio.timeout(RUN_SECONDS):
                return await told.get()
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            await told.get()
            return 97  # it never ended by itself

    async def listen(self) -> None:
        """Hear what becomes of the hosts."""
        assert self._child.stdout is not None
        async for line in self._child.stdout:
            said = json.loads(line)
            self._told[said["id"]].put_nowait(said.get("pid", said.get("code")))


@asynccontextmanager
async def hosts() -> AsyncIterator[Hosts]:
    """Start the process that forks, and end it."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", HOST, cwd=ROOT,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    found = Hosts(child)
    listening = asyncio.create_task(found.listen())
    try:
        yield found
    finally:
        assert child.stdin is not None
        child.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            await child.wait()
        await listening
