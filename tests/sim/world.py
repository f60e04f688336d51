"""The world of one episode: host, agent, pipe, site, person, model, ledger, all in one loop.

A process is a set of tasks with one name. To kill a process is to end its pipes first, so that
nothing it still does is heard, and then its tasks.
"""

import asyncio
import contextlib
import contextvars
import itertools
from collections.abc import Coroutine, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from browser.host.agent_link import AgentLink
from browser.host.answers import HostPorts
from browser.host.approver import Approver
from browser.host.task_host import TaskHost
from browser.host.task_memory import TaskMemory
from browser.host.task_run import Resumed
from engine.pipe.errors import PipeError
from engine.pipe.memory_pair import memory_end
from sgclaw.host_session import GOES_ON
from sgclaw.ledgers import ledger_rows
from states.policy import Policy
from states.settings import BrowserLimits, PipeLimits, Settings, TaskLimits
from states.wire import PROTOCOL_VERSION, Init, ProviderSpec, Shutdown
from tests.sim.evidence import End, Evidence
from tests.sim.faults import AgentKilledError, FaultyPipe
from tests.sim.lives import Parts, SimAgent, SimTaskRun
from tests.sim.loop import StuckEpisodeError, VirtualLoop
from tests.sim.plan import Plan, StopKind
from tests.sim.ports import SimHostLog, SimJournal, SimModel, SimPerson
from tests.sim.site import PASSWORD_CANARY, POLICY, SiteBrowser

SETTINGS = Settings(
    task=TaskLimits(
        steps_max=8, task_seconds=240, approval_seconds=20, model_seconds=10, command_seconds=10
    ),
    pipe=PipeLimits(exit_seconds=2, ready_seconds=10, ping_seconds=15),
    browser=BrowserLimits(cdp_seconds=5),
)
API_KEY_CANARY = "canary-api-key-51c9d0"
INSTRUCTION = "do what the page needs"
HOST, AGENT = "host", "agent"
_process: contextvars.ContextVar[str] = contextvars.ContextVar("process", default="world")


class SimLink(AgentLink):
    """The host's link to the agent of *world*: its kill ends that agent."""

    world: "World"

    async def close(self) -> None:
        """Ask the agent to end, wait as long as for a process, then kill what is left."""
        seconds = SETTINGS.pipe.exit_seconds
        with contextlib.suppress(PipeError, TimeoutError):
            async with asyncio.timeout(seconds):
                await self.writer.send(Shutdown())
        await self.writer.close(seconds)
        if left := self.world.running_agent():
            await asyncio.wait(left, timeout=seconds)
        await self.kill()

    async def kill(self) -> None:
        """Kill the agent."""
        if _process.get() == HOST:
            self.world.kill_agent()
        await super().kill()


class World:
    """One episode; `run` is the whole of it.

    What a mutant exchanges stands in attributes of the class and in `make_` methods.
    """

    run_class: type[SimTaskRun] = SimTaskRun
    policy: Policy = POLICY

    def __init__(self, plan: Plan, loop: VirtualLoop, folder: Path) -> None:
        self.plan = plan
        self.loop = loop
        self.evidence = Evidence(plan, loop.time)
        self.trace_id = f"sgclaw-20260301-{plan.seed:08x}"
        self.key = f"{plan.seed:08x}" + "ca9a57" * 9 + "00"
        self.evidence.canaries = {
            "init key": self.key, "model key": API_KEY_CANARY, "password": PASSWORD_CANARY,
        }  # fmt: skip
        self.folder = folder
        self.lives = 0
        self.agent: SimAgent | None = None
        self.host: TaskHost | None = None
        self._model = SimModel(self.evidence)
        self._log = SimHostLog(self.evidence)
        self.journal = SimJournal(self.evidence)
        self._tasks: dict[str, list[asyncio.Task[Any]]] = {}
        self._pipes: list[FaultyPipe] = []
        self._site = SiteBrowser(self.evidence, self.trace_id, self._browser_lost)

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """Return the ledger's rows."""
        return ledger_rows(self.folder, self.trace_id, "local")

    # --- the processes

    def factory(
        self, loop: asyncio.AbstractEventLoop, coro: Generator[Any, None, Any], **kwargs: Any
    ) -> "asyncio.Task[Any]":
        """Make a task and note whose it is; the loop's task factory."""
        context: contextvars.Context | None = kwargs.get("context")
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, **kwargs)
        owner = context.get(_process, "world") if context is not None else _process.get()
        self._tasks.setdefault(owner, []).append(task)
        return task

    def spawn(self, process: str, body: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Start *body* as the main task of *process*."""
        context = contextvars.copy_context()
        context.run(_process.set, process)
        return self.loop.create_task(body, context=context, name=process)

    def running(self, process: str) -> list["asyncio.Task[Any]"]:
        """Return the tasks of *process* that have not ended."""
        return [task for task in self._tasks.get(process, ()) if not task.done()]

    def running_agent(self) -> list["asyncio.Task[Any]"]:
        """Return the tasks of the agent's present life."""
        return self.running(f"{AGENT}-{self.lives}")

    def unheard(self) -> list[str]:
        """Return the errors that ended a task and that nobody asked for."""
        found = []
        for task in itertools.chain.from_iterable(self._tasks.values()):
            if task.done() and not task.cancelled():
                is_news = task._log_traceback
                error = task.exception()
                if is_news and not isinstance(error, AgentKilledError | StuckEpisodeError):
                    found.append(f"{task.get_name()}: {error!r}")
        return found

    def kill(self, process: str) -> None:
        """End the tasks of *process*; the one that runs now ends itself."""
        here = asyncio.current_task(self.loop)
        for task in self.running(process):
            if task is not here:
                task.cancel()

    def start_agent(self) -> SimLink:
        """Start the next life of the agent and return the host's link to it."""
        self.lives += 1
        limits = SETTINGS.pipe
        down = FaultyPipe(self.evidence, "down", self.lives)
        up = FaultyPipe(self.evidence, "up", self.lives)
        self._pipes = [down, up]
        name = f"{AGENT}-{self.lives}"
        link = SimLink(memory_end(up, down, limits, host=True), limits)
        link.world = self
        parts = Parts(
            self.evidence, self.loop, self._model, self.lives, self.kill_agent, self.run_class
        )
        end = memory_end(down, up, limits, host=False)
        self.evidence.tell("agent", f"starts (life {self.lives})")
        self.spawn(name, self._live(end, parts))
        return link

    async def _live(self, end: Any, parts: Parts) -> None:
        """Be the agent's process: what `sgclaw.agent._serve` does, over this pipe."""
        agent = self.agent = SimAgent(end, SETTINGS.pipe, parts)
        try:
            try:
                await agent.serve()
            except PipeError as error:
                agent.log("pipe_failed", level="ERROR", why=str(error))
            code = await agent.close()
            await end.close(SETTINGS.pipe.exit_seconds)
            self.evidence.tell("agent", "ends", {"exit": code})
        except AgentKilledError:
            return
        finally:
            if agent.run is not None:
                self.evidence.snapshots[parts.life] = agent.run.snapshot

    def kill_agent(self) -> None:
        """End the agent's process, wherever it is."""
        life, agent = self.lives, self.agent
        if not self.running_agent():
            return
        self.evidence.stops.append((self.evidence.tell("agent", "is killed"), "agent_killed"))
        if agent is not None and agent.run is not None:
            self.evidence.snapshots[life] = agent.run.snapshot
            ledger: Any = agent.run.ledger
            ledger.is_dead = True
            ledger.close()
        down, up = self._pipes
        up.close()
        down.close()
        up.is_dead = True
        self.kill(f"{AGENT}-{life}")

    # --- the episode

    async def run(self) -> None:
        """Run the task to its end, and both processes to theirs."""
        await self._until_host_left("")
        if self.evidence.stopped("host_killed") and self.plan.resumes:
            self._site.renew(_last_url(self.journal.rows))
            await self._until_host_left("new")
        self.evidence.over_when = self.evidence.tell("world", "over")

    async def _until_host_left(self, resumed: Resumed) -> None:
        """Be a host's process to its end, and wait for its agent's."""
        main = self.spawn(HOST, self._hosted(resumed))
        await asyncio.wait([main])
        host_left = self.loop.time()
        await self._until_agent_left()
        self.evidence.agent_left_s = self.loop.time() - host_left
        if not main.cancelled() and (error := main.exception()) is not None:
            self.evidence.stuck = f"the host raised {error!r}"

    async def _hosted(self, resumed: Resumed) -> None:
        """Be the host's process: one task, and a new agent for it when one died."""
        ports = HostPorts(self._site, self.make_person(), self._log, self.loop.time)
        self.host = TaskHost(ports, self.policy, SETTINGS)
        memory = self.make_memory()
        if resumed:
            memory.restore(tuple(self.journal.rows))
        while True:
            link = self.start_agent()
            end = await self.host.run_task(
                link, self._init(), INSTRUCTION, lambda _: None, resumed=resumed, memory=memory
            )
            facts = {"state": end.state, "reason": end.reason, "steps": end.steps}
            place = self.evidence.tell("host", "task ends", facts)
            self.evidence.ends.append(End(place, self.lives, end))
            resumed = self._resumed_after(end.reason, memory.url)
            if not resumed:
                return

    def make_person(self) -> Approver:
        """Return who answers the host's questions."""
        return SimPerson(self.evidence)

    def make_memory(self) -> TaskMemory:
        """Return what the host keeps of the task."""
        return TaskMemory(SETTINGS.task, self.loop.time, self.journal)

    def _resumed_after(self, reason: str, url: str) -> Resumed:
        """Return how the task goes on after *reason*, "" when it does not."""
        if not self.plan.resumes or self.lives > SETTINGS.task.restarts_max:
            return ""
        if reason == "browser_lost":
            self._site.renew(url)
            return "new"
        return "same" if reason in GOES_ON else ""

    async def _until_agent_left(self) -> None:
        """Wait until the agent's process is gone, not longer than it may take."""
        deadline = self.loop.time() + 6 * SETTINGS.pipe.exit_seconds
        while left := self.running_agent():
            if self.loop.time() >= deadline:
                self.evidence.leaked += sorted(task.get_name() for task in left)
                return
            await asyncio.wait(left, timeout=deadline - self.loop.time() + 0.001)

    def _init(self) -> Init:
        return Init(
            protocol=PROTOCOL_VERSION,
            trace_id=self.trace_id,
            session_id=f"session-{self.lives}",
            key=self.key,
            policy=self.policy,
            settings=SETTINGS,
            provider=ProviderSpec(api_key=API_KEY_CANARY),
            step_mode=self.plan.step_mode,
            data_dir=str(self.folder),
        )

    # --- what is done to it

    def on_turn(self, turn: int) -> None:
        """Do what the plan has for *turn* of the loop."""
        for jump in self.plan.jumps:
            if jump.turn == turn:
                place = self.evidence.tell("fault", f"clock jumps {jump.seconds:g} s")
                self.evidence.faults.append((place, "jump"))
                self.loop.advance(jump.seconds)
        for stop in self.plan.stops:
            if stop.turn == turn:
                self._stop(stop.kind)

    def _stop(self, kind: StopKind) -> None:
        if not self.running(HOST):
            return
        if kind == "kill_agent":
            self.kill_agent()
        elif kind == "kill_host":
            self._kill_host()
        elif self.host is not None:
            place = self.evidence.tell("person" if kind == "abort" else "browser", kind)
            self.evidence.stops.append((place, kind))
            if kind == "abort":
                self.spawn("world", self.host.abort("enough"))
            else:
                self._site.is_gone = True
                self.host.browser_lost()

    def _kill_host(self) -> None:
        self.evidence.stops.append((self.evidence.tell("host", "is killed"), "host_killed"))
        for pipe in self._pipes:
            pipe.close()
        self._site.is_gone = True
        self.kill(HOST)

    def _browser_lost(self) -> None:
        """The browser's end is seen by the host at once, as by its transport's watch."""
        self.evidence.stops.append((self.evidence.tell("browser", "ended"), "browser_lost"))
        if self.host is not None:
            self.loop.call_soon(self.host.browser_lost)


def _last_url(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the last page that a host's journal names."""
    pages = [row for row in rows if row["kind"] == "page" and row["reopen"]]
    return str(pages[-1]["url"]) if pages else ""
