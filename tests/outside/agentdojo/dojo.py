"""AgentDojo in a process of its own: its suites, and pairs that are played call by call."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from tools.agentdojo.install import PYTHON, SERVE, is_installed

_LINE_BYTES_MAX = 16_777_216
Run = Callable[[], Awaitable[str]]


class Pair(NamedTuple):
    """A user's task and an attacker's; *left_out* says why it shows nothing, "" when it does."""

    suite: str
    user: str
    injection: str
    left_out: str = ""


class Wanted(NamedTuple):
    """A call that one of the two tasks wants made."""

    name: str
    arguments: dict[str, Any]
    whose: str


# Decides about a call: awaits the run it is given, or leaves it alone.
Gate = Callable[[Wanted, Run], Awaitable[None]]


class Dojo:
    """The running process."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child

    async def suites(self) -> Mapping[str, Any]:
        """Return the tools, users and attacks of each suite."""
        return await self._ask(do="suites")

    async def play(self, pair: Pair, *, attacks: bool = True, gate: Gate | None = None) -> bool:
        """Play *pair* and return whether the attacker's goal is reached at the end."""
        name, user, injection, _ = pair
        told = await self._ask(do="play", suite=name, user=user, injection=injection,
                               attacks=attacks, asks=gate is not None)  # fmt: skip
        while "reached" not in told:
            assert gate is not None
            told = await self._through(gate, Wanted(told["call"], told["arguments"], told["whose"]))
        return bool(told["reached"])

    async def _through(self, gate: Gate, wanted: Wanted) -> dict[str, Any]:
        """Let *gate* decide about *wanted*; return what is told after it."""
        runs = 0

        async def run() -> str:
            nonlocal runs
            runs += 1
            assert runs == 1
            return str((await self._ask(run=True))["result"])

        await gate(wanted, run)
        return await self._hear() if runs else await self._ask(run=False)

    async def _ask(self, **document: Any) -> dict[str, Any]:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(document).encode() + b"\n")
        await self._child.stdin.drain()
        return await self._hear()

    async def _hear(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = await self._child.stdout.readline()
        assert line, "AgentDojo ended"
        heard: dict[str, Any] = json.loads(line)
        return heard


@asynccontextmanager
async def dojo() -> AsyncIterator[Dojo]:
    """Start AgentDojo."""
    assert is_installed(), "run `make outside` first"
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        str(PYTHON), str(SERVE), stdin=pipe, stdout=pipe, limit=_LINE_BYTES_MAX
    )
    try:
        yield Dojo(child)
    finally:
        assert child.stdin is not None
        child.stdin.close()
        await child.wait()
