"""One task in the agent: ports, chart, shell, and what the host is told on the way."""

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from actions.browser.link import BrowserLink
from actions.finish import completed_message
from actions.ports import Ports
from actions.resume import Browser, resumption
from engine.chart.core import Core, CoreBindings, Step
from engine.chart.shell import Shell
from engine.pipe.envelope import Envelope
from memory.errors import LedgerError
from memory.facts import FINAL_STATES
from memory.projection import ASKING, REFUSING
from sgclaw.charts import task_chart, task_table
from sgclaw.clock import MonotonicClock, utc_now
from sgclaw.journal import LedgerJournal
from sgclaw.ledger_heads import HeadWatch
from sgclaw.ledgers import open_ledger
from sgclaw.logs import log_for
from sgclaw.models import provider_of
from sgclaw.past_run import PREFIX, PastRun, resumable
from sgclaw.tool_desk import desk_of
from sgclaw.wiring import GUARDS, REDUCERS, bind_effects, bind_services, delays_of
from skills.errors import SkillError
from skills.registry import Library, load_library
from skills.sandbox import SkillSandbox
from states.errors import SgclawError
from states.events import Event
from states.task import Context
from states.wire import Init, LogEntry, StateChanged, SubmitTask, TaskCompleted

TASK_TIMER = "after.active.task_seconds"
Send = Callable[[BaseModel], None]


class TaskRun:
    """One task, from its instruction to its end."""

    def __init__(self, init: Init, task: SubmitTask, send: Send, now: Callable[[], float]) -> None:
        """Prepare everything; nothing is started yet.

        Raises:
            SgclawError: skills, chart, provider or ledger do not verify.
        """
        self._init, self._task, self._send, self._now = init, task, send, now
        self._started = now()
        self._path: list[str] = ["idle"]
        self._log = log_for("task")
        self.link = BrowserLink(
            send, Envelope(bytes.fromhex(init.key), init.session_id, "agent>host")
        )
        self._ports = Ports(
            trace_id=init.trace_id,
            policy=init.policy,
            settings=init.settings,
            language=init.language,
            link=self.link,
            provider=provider_of(init, library()),
            library=library(),
            sandbox=SkillSandbox(init.settings.skill),
            clock=MonotonicClock(),
            log=self._note,
            desk=desk_of(init.mcp, init.settings.mcp, log_for("mcp"), init.language),
        )
        self._ports.view.page, self._ports.view.nodes = task.page, task.aom_snapshot
        data, limits = Path(init.data_dir), init.settings.audit
        self.ledger = open_ledger(data, init.trace_id, init.ledger, limits)
        self._heads = HeadWatch(self.ledger.heads, send, now, limits)
        try:
            if self.ledger.seq and not task.resumed:
                raise LedgerError("ledger_trace_taken", trace=init.trace_id)
            self._past = (
                resumable(self.ledger.rows(), init.trace_id, init.settings)
                if task.resumed
                else None
            )
            self._shell = self._shell_of(init)
        except SgclawError:
            self.ledger.close()
            raise
        self._running: asyncio.Task[None] | None = None
        self._ending = False

    def start(self) -> None:
        """Begin: the chart takes the instruction, or goes on where the ledger ends."""
        if self._past is not None and self._past.records:
            self._go_on(self._past)
        else:
            self._shell.post("submit_task", self._submitted())
        self._running = asyncio.create_task(self._run(), name="task")

    def _submitted(self) -> dict[str, object]:
        return {
            "step_mode": self._init.step_mode,
            "record": {
                "instruction": self._task.instruction,
                "page": self._task.page.model_dump(mode="json"),
                "language": self._init.language,
            },
        }

    def _go_on(self, past: PastRun) -> None:
        snapshot = past.replayed.snapshot
        self._path = [leaf.removeprefix(PREFIX) for leaf in past.replayed.path]
        self._started -= past.seconds
        self._ports.provider.skip(snapshot.context.record.model_calls)
        if past.is_over:  # killed after its end, before it could tell
            self._report(snapshot.context, Event("resumed"))
            return
        live = frozenset(name for name, _ in snapshot.live)
        browser: Browser = "new" if self._task.resumed == "new" else "same"
        payload = resumption(snapshot.context, live, browser, self._ports)
        self._shell.post("resumed", payload)

    def abort(self, reason: str) -> None:
        """Stop the task now."""
        self._shell.post("abort", {"record": {"reason": reason}})

    async def close(self, seconds: float) -> str:
        """End the task; one that still runs is left as it is, for another agent to go on with.

        Return the final state, or failed when it did not reach one.
        """
        if self._running is None:
            return ""
        self.link.close()
        if not self._ending:  # a cancelled clean-up would leave a skill child behind
            self._running.cancel()
        await asyncio.wait([self._running], timeout=seconds)
        return self._path[-1] if self._path[-1] in FINAL_STATES else "failed"

    async def _run(self) -> None:
        spare = asyncio.create_task(self._warm(), name="skill-spare")
        try:
            await self._shell.run(on_step=self._on_step, timers=self._timers())
            if self._shell.failure is not None:
                self._log("effect_failed", level="ERROR", why=repr(self._shell.failure))
        except Exception as error:  # noqa: BLE001 - the task's edge: the host must be told
            # The ledger or the chart itself failed, so nothing more may be done.
            self._break(error)
        finally:
            self._ending = True
            spare.cancel()
            await asyncio.wait([spare])
            await self._ports.sandbox.close()
            await self._ports.desk.close()
            await self._ports.provider.close()
            self.ledger.close()

    def _break(self, error: Exception) -> None:
        told = error
        if not isinstance(told, SgclawError):
            told = SgclawError("internal_error", error=type(error).__name__, text=str(error))
        self._log("task_broken", level="ERROR", code=told.code, why=str(told))
        self._path.append("failed")
        self._send(refused_task(self._init, told, tuple(self._path)))

    async def _warm(self) -> None:
        """Have a V8 child ready while the model thinks; `open` tells if there can be none."""
        try:
            await self._ports.sandbox.warm()
        except SkillError as error:
            self._log("skill_spare_failed", level="WARNING", code=error.code, why=str(error))

    def _shell_of(self, init: Init) -> Shell:
        bindings = CoreBindings(guards=GUARDS, reducers=REDUCERS, delays=delays_of(init.settings))
        core = Core(task_chart(), task_table(), bindings)
        journal = LedgerJournal(self.ledger, init.trace_id, utc_now, self._heads)
        past = self._past
        return Shell(
            core,
            core.initial(Context()) if past is None else past.replayed.snapshot,
            services=bind_services(self._ports),
            effects=bind_effects(self._ports, self._report),
            journal=journal,
        )

    def _timers(self) -> dict[str, float]:
        """Return what is left of the task's time: what ran before a kill counts."""
        if self._past is None:
            return {}
        left = self._init.settings.task.task_seconds - self._past.seconds
        return {TASK_TIMER: max(left, 0.0)}

    def _on_step(self, step: Step, event: Event) -> None:
        record = step.snapshot.context.record
        for number, leaf in enumerate(step.path, start=1):
            state = leaf.removeprefix(PREFIX)
            self._path.append(state)
            self._send(
                StateChanged(
                    state=state,
                    event=event.type,
                    step=record.steps,
                    action=record.request.action or record.request.tool,
                    elapsed_ms=round(1000 * (self._now() - self._started)),
                    reason=self._refusals(step) if number == len(step.path) else "",
                )
            )

    def _refusals(self, step: Step) -> str:
        """Return why the policy stopped the call of this step, for the person's panel."""
        shown = REFUSING | {ASKING}
        said = [v.text(self._init.language) for name, v in step.verdicts if name in shown and not v]
        return said[0] if said else ""

    def _report(self, context: Context, event: Event) -> None:
        del event
        took_s = self._now() - self._started
        done = completed_message(
            context,
            self._init.trace_id,
            self._path,
            took_s,
            self._init.settings.task.report_chars_max,
            self._init.language,
        )
        self._heads.tell()
        self._log("task_completed", state=done.state, reason=done.reason, steps=done.steps)
        self._send(done)

    def _note(self, event: str, **fields: object) -> None:
        self._log(event, **fields)
        self._send(LogEntry(event=event, data={k: v for k, v in fields.items() if _plain(v)}))


@cache
def library() -> Library:
    """Return the verified skills; read and verified once per process."""
    return load_library()


def preload() -> None:
    """Do what every task needs and no task changes: load the chart and the library."""
    task_table()
    library()


def refused_task(
    init: Init, error: SgclawError, path: tuple[str, ...] = ("idle", "failed")
) -> TaskCompleted:
    """Return the end of a task that could not begin, or could not go on, because of *error*."""
    return TaskCompleted(
        trace_id=init.trace_id,
        state="failed",
        reason=error.code,
        reason_text=error.text(init.language),
        path=path,
    )


def _plain(value: object) -> bool:
    return isinstance(value, str | int | float | bool | dict | list) or value is None
