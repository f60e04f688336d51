"""The lives of one task: agents and browsers come and go, the task and its memory stay (L8).

The rule: an agent that died is followed by a new one with the ledger; a browser that died by a
new browser on the last allowed address, and a new agent. How often is a setting. Once the person
wants an end, no further life begins.
"""

import asyncio
import contextlib
import os
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from browser.host.agent_link import AgentLink, start_agent
from browser.host.answers import HostPorts
from browser.host.downloads import Download
from browser.host.errors import HostError
from browser.host.executor import Executor
from browser.host.gate import BlockedRequest
from browser.host.head_keeping import HeadKeeper
from browser.host.host_log import HostLog
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW
from browser.host.pipe_record import PipeRecord
from browser.host.task_host import TaskHost
from browser.host.task_memory import TaskMemory
from browser.host.task_run import Resumed
from browser.page import bundle_source
from guards.policy import domain_of, effect_of, url_verdict
from sgclaw.identity import ledger_spec
from sgclaw.keys import VARIABLES
from sgclaw.progress import Progress
from sgclaw.saved_plan import RunPlan
from states.catalogue import words
from states.mcp import McpServer
from states.policy import Effect, Policy
from states.wire import PROTOCOL_VERSION, Init, TaskCompleted

# After these ends the host goes on by itself; after others that leave a ledger open, a person may.
GOES_ON = frozenset({"agent_lost", "browser_lost"})
# Who kills both kills one first: that the browser is gone too is told a moment later.
_BOTH_LOST_S = 0.3


class HostSession:
    """Runs the task of *plan* to its end, whoever dies on the way."""

    def __init__(
        self,
        plan: RunPlan,
        memory: TaskMemory,
        log: HostLog,
        progress: Progress,
        heads: HeadKeeper | None = None,
        record: PipeRecord | None = None,
    ) -> None:
        self._heads, self._pipe = heads, record
        self._plan, self._memory, self._log, self._progress = plan, memory, log, progress
        self._restarts = 0
        self._link: AgentLink | None = None
        self._work: asyncio.Task[Any] | None = None
        self._starts = False
        self._abort_reason: str | None = None
        self.host: TaskHost | None = None
        self.completed: TaskCompleted | None = None
        self.downloads: tuple[Download, ...] = ()
        self.picture: bytes | None = None

    async def run(self, options: LaunchOptions) -> TaskCompleted:
        """Return how the task ended; agent and browser are gone then."""
        resumed: Resumed = "new" if self._plan.resume else ""
        self._work = asyncio.current_task()
        try:
            while True:
                # The agent gets ready while the browser starts.
                self._link = await self._new_agent()
                async with self._browser(options, resumed) as opened:
                    completed = await self._in(opened, resumed)
                if not self._goes_on(completed):
                    return self._ended(completed)
                self._begin_again("browser_restarted")
                resumed = "new"
        finally:
            if self._link is not None:
                await self._link.kill()

    async def abort(self, reason: str) -> None:
        """End the task because of *reason*: what is served, what starts, and what would follow."""
        self._abort_reason = reason
        if self.host is not None:
            await self.host.abort(reason)
        elif self._starts and self._work is not None:
            self._work.cancel()
        # Otherwise something is being closed, which must not be cut short; then nothing begins.

    async def _in(self, opened: OpenBrowser, resumed: Resumed) -> TaskCompleted:
        """Serve one agent after another while this browser lives."""
        ports = HostPorts(
            opened.executor, self._plan.approver, self._log, time.monotonic, self._heads
        )
        host = TaskHost(ports, self._plan.policy, self._plan.settings)
        lost = opened.chromium.lost
        watch = asyncio.create_task(_watch(lost, host), name="browser-watch")
        try:
            while True:
                completed = await self._serve(host, resumed)
                if await self._is_over(completed, lost):
                    return completed
                self._begin_again("agent_restarted")
                self._link = await self._new_agent()
                if lost.is_set():
                    host.browser_lost()
                resumed = "same"
        finally:
            watch.cancel()
            await asyncio.wait([watch])

    async def _is_over(self, completed: TaskCompleted, lost: asyncio.Event) -> bool:
        """Tell whether nothing more is served in this browser after *completed*."""
        if self._goes_on(completed):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_BOTH_LOST_S):
                    await lost.wait()
        gone = lost.is_set() or completed.reason == "browser_lost"
        return gone or not self._goes_on(completed)

    async def _serve(self, host: TaskHost, resumed: Resumed) -> TaskCompleted:
        assert self._link is not None  # noqa: S101 - made by both callers
        self.host = host
        try:
            self.completed = await host.run_task(
                self._link,
                self._init(),
                self._plan.instruction,
                self._progress.event,
                resumed=resumed,
                memory=self._memory,
            )
        finally:
            self.host = None
        return self.completed

    def _could_go_on(self, completed: TaskCompleted) -> bool:
        ended = (completed.state, completed.reason in GOES_ON)
        return ended == ("failed", True) and self._restarts < self._plan.settings.task.restarts_max

    def _goes_on(self, completed: TaskCompleted) -> bool:
        return self._abort_reason is None and self._could_go_on(completed)

    def _ended(self, completed: TaskCompleted) -> TaskCompleted:
        """Return *completed*, or that the person ended what would have gone on."""
        if self._abort_reason is not None and self._could_go_on(completed):
            text = words("aborted", self._plan.language, why=self._abort_reason)
            trace, record = self._plan.trace_id, self._memory.record
            self.completed = record.end(trace, "aborted", "aborted", text)
        return self.completed or completed

    def _begin_again(self, why: str) -> None:
        self._restarts += 1
        self.completed = None  # the end of that life is not the end of the task
        self._log.note(why.upper(), number=self._restarts)
        self._progress.note(why)

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        """Let an abort cancel what the block waits for."""
        self._starts = True
        try:
            yield
        finally:
            self._starts = False

    async def _new_agent(self) -> AgentLink:
        plan = self._plan
        with self._starting():
            limits, on_line = plan.settings.pipe, self._log.agent_line
            return await start_agent(
                limits, os.environ, on_line, plan.agent_command, self._pipe, handed_on(plan.mcp)
            )

    def _init(self) -> Init:
        plan = self._plan
        return Init(
            protocol=PROTOCOL_VERSION,
            trace_id=plan.trace_id,
            session_id=secrets.token_hex(16),
            key=secrets.token_hex(32),
            policy=plan.policy,
            settings=plan.settings,
            provider=plan.provider,
            language=plan.language,
            step_mode=plan.step_mode,
            data_dir=str(plan.data_dir),
            ledger=ledger_spec(plan.data_dir),
            mcp=plan.mcp,
        )

    @contextlib.asynccontextmanager
    async def _browser(
        self, options: LaunchOptions, resumed: Resumed
    ) -> AsyncIterator[OpenBrowser]:
        plan = self._plan

        def blocked(request: BlockedRequest) -> None:
            self._log.note("GATE_BLOCK", url=request.url, type=request.resource_type,
                           why=request.verdict.reason)  # fmt: skip

        self._progress.note("browser_starting")
        with self._starting():
            opened = await open_browser(
                options,
                bundle_source(),
                downloads_to=plan.out_dir / "downloads",
                files=plan.files,
                on_block=blocked,
                lang=plan.language,
            )
        async with opened:
            executor, chromium = opened.executor, opened.chromium
            self._log.note("BROWSER_START", version=chromium.version, pid=chromium.pid)
            try:
                with self._starting():
                    await self._open_page(executor, resumed)
                yield opened
                with contextlib.suppress(HostError):
                    self.picture = await executor.last_picture() or self.picture
            finally:
                self.downloads += executor.downloads

    async def _open_page(self, executor: Executor, resumed: Resumed) -> None:
        """Open where the task begins, or the last allowed address when it goes on."""
        wanted = (self._memory.url or self._plan.url) if resumed else self._plan.url
        if not may_open(self._plan.policy, wanted, resumed):
            if wanted:
                self._log.note("PAGE_NOT_REOPENED", url=wanted)
            return
        opened = await executor.execute(
            "navigate", {"url": wanted}, domain_of(wanted), lambda _: ALLOW
        )
        if opened.success:
            return
        why = opened.error.message if opened.error else ""
        if not resumed:
            raise HostError("start_page_failed", url=wanted, why=why)
        # The task goes on all the same: its planner is told which page there is.
        self._log.note("PAGE_NOT_REOPENED", url=wanted, why=why)


def handed_on(servers: Sequence[McpServer]) -> frozenset[str]:
    """Return the variables that *servers* want; a model's key is never among them."""
    return frozenset(name for server in servers for name in server.env) - frozenset(
        VARIABLES.values()
    )


def may_open(policy: Policy, wanted: str, resumed: Resumed) -> bool:
    """Tell whether *wanted* may be opened; when it is done again, only with nobody's yes."""
    if not wanted or not url_verdict(policy, wanted):
        return False
    effect, _ = effect_of(policy, domain_of(wanted), "navigate", {"url": wanted})
    return not resumed or effect in (Effect.READ, Effect.ACT)


async def _watch(lost: asyncio.Event, host: TaskHost) -> None:
    await lost.wait()
    host.browser_lost()
