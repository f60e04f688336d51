"""One task at the host: greet the agent, answer its requests, tell the person, end it for sure.

Three tasks run beside each other: one reads (and never waits for the page), one answers requests
in the order they came, one watches that the agent is there. Whichever way a task ends, the agent
process is gone when `run_task` returns.
"""

from browser.host.agent_link import AgentLink
from browser.host.answers import HostPorts
from browser.host.held_events import OnEvent
from browser.host.task_memory import NoJournal, TaskMemory
from browser.host.task_run import Resumed, TaskRun
from states.policy import Policy
from states.settings import Settings
from states.wire import Init, TaskCompleted


class TaskHost:
    """Runs one task after another over *ports*; *policy* has the last word on every command."""

    def __init__(self, ports: HostPorts, policy: Policy, settings: Settings) -> None:
        self._ports = ports
        self._policy = policy
        self._settings = settings
        self._run: TaskRun | None = None
        self._abort_reason: str | None = None
        self._is_browser_lost = False

    async def run_task(
        self,
        link: AgentLink,
        init: Init,
        instruction: str,
        on_event: OnEvent,
        *,
        resumed: Resumed = "",
        memory: TaskMemory | None = None,
    ) -> TaskCompleted:
        """Run *instruction* with the agent at *link* and return how it ended.

        Failures of the agent are an end as well (`failed`, with the reason); the link is closed
        whatever happens, cancellation included. With *resumed* the agent goes on from its ledger,
        and *memory* is that of the run before.
        """
        if memory is None:
            memory = TaskMemory(self._settings.task, self._ports.clock, NoJournal())
        host = (self._ports, self._policy, self._settings)
        run = TaskRun(link, init, host, on_event, memory)
        self._run = run
        if self._abort_reason is not None:
            run.abort_at_once(self._abort_reason)
        elif self._is_browser_lost:
            run.browser_lost()
        try:
            return await run.run(instruction, resumed)
        finally:
            self._run = None
            self._abort_reason = None
            self._is_browser_lost = False

    def browser_lost(self) -> None:
        """End the running task, or the next one if none runs yet: the browser is gone."""
        if self._run is None:
            self._is_browser_lost = True
            return
        self._run.browser_lost()

    async def abort(self, reason: str = "") -> None:
        """Stop the running task, or the next one if none runs yet; never raises.

        What runs in the page is cancelled now; an agent that does not end by itself within the
        settings' time is killed.
        """
        if self._run is None:
            self._abort_reason = reason
            return
        await self._run.abort(reason)
