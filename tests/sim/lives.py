"""One life of the agent: the product's own Agent and TaskRun, with this episode's ports in hand.

`SimTaskRun` exchanges the ports after the product made its own, `SimAgent` makes a `SimTaskRun`.
Nothing of what they do is written here anew.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pydantic import BaseModel

from actions.browser.link import BrowserLink
from engine.pipe.framing import PipeEnd
from memory.event_ledger import DatabaseLedger
from sgclaw.agent import Agent
from sgclaw.journal import LedgerJournal
from sgclaw.ledger_heads import HeadWatch
from sgclaw.task_run import TaskRun
from states.settings import PipeLimits
from states.wire import Command, ConfirmRequest, DialogResponse, Init, SubmitTask
from tests.sim.evidence import Asked, Evidence
from tests.sim.faults import FaultyLedger
from tests.sim.loop import VirtualLoop
from tests.sim.ports import LoopClock, SimModel, SimSandbox

_EPOCH = datetime(2026, 3, 1, tzinfo=UTC)


class Parts(NamedTuple):
    """What one life of the agent is given."""

    evidence: Evidence
    loop: VirtualLoop
    model: SimModel
    life: int
    kill: Callable[[], None]
    run_class: "type[SimTaskRun]"


class SimTaskRun(TaskRun):
    """The product's task run over the ports of *parts*."""

    def __init__(self, init: Init, task: SubmitTask, send: Callable[[BaseModel], None],
                 parts: Parts) -> None:  # fmt: skip
        super().__init__(init, task, send, parts.loop.time)
        ports: Any = self._ports
        ports.provider, ports.clock = parts.model, LoopClock()
        ports.sandbox = SimSandbox(parts.evidence)
        ports.mark = lambda: "0" * 8
        self.ledger.close()
        self.ledger: DatabaseLedger = FaultyLedger(
            init, parts.evidence, parts.loop, parts.life, parts.kill
        )
        self._heads = HeadWatch(self.ledger.heads, send, parts.loop.time, init.settings.audit)
        self._shell._journal = LedgerJournal(
            self.ledger,
            init.trace_id,
            lambda: _EPOCH + timedelta(seconds=parts.loop.time()),
            self._heads,
        )

    @property
    def snapshot(self) -> Any:
        """Return where the chart stands."""
        return self._shell.snapshot

    def exchange_link(self, link: BrowserLink) -> None:
        """Go over *link* to the browser from now on."""
        self.link = self._ports.link = link


class SimAgent(Agent):
    """The product's agent; its tasks are simulated ones."""

    def __init__(self, end: PipeEnd, limits: PipeLimits, parts: Parts) -> None:
        super().__init__(end, limits)
        self._parts = parts

    @property
    def run(self) -> SimTaskRun | None:
        """Return the task, None before it was submitted."""
        return self._task if isinstance(self._task, SimTaskRun) else None

    def send(self, message: BaseModel) -> None:
        """Queue *message*, and note when it asks for something."""
        if isinstance(message, Command | ConfirmRequest | DialogResponse):
            seen = self._parts.evidence
            seen.asked.append(Asked(seen.place(), self._parts.life, message.type))
        super().send(message)

    def _new_run(self, init: Init, task: SubmitTask) -> TaskRun:
        """Return the task's run over this episode's ports."""
        return self._parts.run_class(init, task, self.send, self._parts)
