"""A stage for the host's loop: a page in memory, a person, and an agent that a test scripts."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from browser.host.agent_link import AgentLink
from browser.host.answers import HostPorts
from browser.host.approver import ApprovalCard, Decision
from browser.host.host_log import MemoryHostLog
from browser.host.memory_executor import MemoryExecutor
from browser.host.task_host import TaskHost
from browser.host.task_memory import TaskMemory
from engine.pipe.memory_pair import MemoryPipe, memory_end
from states.page import PageState
from states.policy import HostRule, Policy, Target
from states.settings import PipeLimits, Settings, TaskLimits
from states.wire import (
    PROTOCOL_VERSION,
    Init,
    LogEntry,
    StateChanged,
    TaskCompleted,
)
from tests.browser.host.scripted_agent import ScriptedAgent
from tests.support.until import until

POLICY = Policy(version=1, hosts=(HostRule(host="erp.example.com", allow=("*",)),))
PAGE = PageState(
    url="https://erp.example.com/r", origin="https://erp.example.com", document_id="d1"
)
ELEMENTS = {
    "#export": Target(role="button", name="Export"),
    "#void": Target(role="button", name="作废"),
    "#delete": Target(role="button", name="Delete"),
}
Script = Callable[[ScriptedAgent], Awaitable[None]]


class Person:
    """An approver that answers with what the test says, and remembers what it was asked."""

    def __init__(self, *decisions: Any) -> None:
        self.decisions = list(decisions)
        self.asked: list[ApprovalCard] = []
        self.waiting = asyncio.Event()
        self.later: asyncio.Queue[Any] = asyncio.Queue()

    async def ask(self, card: ApprovalCard) -> Decision:
        self.asked.append(card)
        self.waiting.set()
        decision = self.decisions.pop(0) if self.decisions else await self.later.get()
        if isinstance(decision, Exception):
            raise decision
        return Decision(decision, "person")


class Clock:
    offset = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.offset


class BreakableLog(MemoryHostLog):
    """A log in memory; at a line that begins with *breaks_at* the disk is full."""

    breaks_at = "\0"

    def note(self, event: str, **facts: object) -> None:
        if event.startswith(self.breaks_at):
            raise OSError(28, "No space left on device")
        super().note(event, **facts)


class Stage:
    """A host, a page in memory, a person, and an agent that a test scripts."""

    def __init__(self, *decisions: Any, task: TaskLimits | None = None, **pipe: Any) -> None:
        self.person = Person(*decisions)
        self.executor = MemoryExecutor(POLICY, PAGE, ELEMENTS)
        self.log = BreakableLog()
        self.clock = Clock()
        self.events: list[LogEntry | StateChanged] = []
        limits = PipeLimits(**{"exit_seconds": 0.2, **pipe})
        self.settings = Settings(pipe=limits, task=task or TaskLimits())
        self._down, self.up = MemoryPipe(), MemoryPipe()
        self.agent = ScriptedAgent(memory_end(self._down, self.up, limits, host=False), self.up)
        self.link: AgentLink = AgentLink(memory_end(self.up, self._down, limits, host=True), limits)
        self.host = self.new_host()
        self.memory: TaskMemory | None = None
        self.init = Init(
            protocol=PROTOCOL_VERSION,
            trace_id="sgclaw-20260303-a1b2c3d4",
            session_id="session-1",
            key="ab" * 32,
            policy=POLICY,
        )

    def new_host(self) -> TaskHost:
        """Return a host on the page, with the settings as they are now."""
        ports = HostPorts(self.executor, self.person, self.log, self.clock)
        return TaskHost(ports, POLICY, self.settings)

    def start(self) -> "asyncio.Task[TaskCompleted]":
        run = self.host.run_task(
            self.link, self.init, "export it", self.events.append, memory=self.memory
        )
        return asyncio.create_task(run)

    async def until_noted(self, event: str) -> None:
        """Return when the host's log has *event*."""
        await until(lambda: any(line.startswith(event) for line in self.log.lines))

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[ScriptedAgent]:
        """Start the task; the agent is greeted inside, and everything is over afterwards."""
        async with asyncio.timeout(30):
            running = self.start()
            await self.agent.start()
            yield self.agent
            self.completed = await running
            await self.agent.end.close(1)
