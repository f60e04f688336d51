"""Compose the host for one run: browser, gate, executor, agent; and end all of it for sure."""

import asyncio
import contextlib
import os
import signal
import time
import traceback
from collections.abc import AsyncIterator

from browser.host.launch_flags import LaunchOptions
from browser.host.task_memory import TaskMemory
from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger
from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_ABORTED, EXIT_FAILED, EXIT_OK, CliError, RefusedError
from sgclaw.head_log import LedgerHeads, open_head_log
from sgclaw.host_session import HostSession
from sgclaw.ledgers import ledger_rows
from sgclaw.paths import host_journal_path, own_folders, private_files
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from sgclaw.result_folder import ResultFolder
from sgclaw.run_logs import RunLogs
from sgclaw.saved_plan import RunPlan, plan_row
from states.catalogue import words
from states.errors import SgclawError
from states.secrets import strike
from states.wire import TaskCompleted

# SIGHUP is not there on every system.
_STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_EXIT = {"completed": EXIT_OK, "failed": EXIT_FAILED, "aborted": EXIT_ABORTED}


async def run_plan(plan: RunPlan, printer: Printer) -> int:
    """Run the task; print progress and summary; return the exit code.

    Raises:
        RefusedError: another process runs this very task, or its journal cannot be written.
    """
    with private_files():
        own_folders(plan.data_dir)
        try:
            path = host_journal_path(plan.data_dir, plan.trace_id)
            journal = plan.journal or JsonLinesLedger(path)
        except LedgerError as error:
            raise RefusedError(error.code, **error.facts) from error
        try:
            memory = _memory_of(plan, journal)
            return await _Run(plan, printer, memory).to_the_end()
        finally:
            journal.close()


def _memory_of(plan: RunPlan, journal: JsonLinesLedger) -> TaskMemory:
    """Return what this host knows of the task: nothing yet, or what its journal tells.

    Raises:
        RefusedError: the journal cannot be read or written, so nothing is started.
    """
    memory = TaskMemory(plan.settings.task, time.monotonic, journal)
    try:
        if plan.resume:
            memory.restore(journal.rows())
            memory.record.walked(plan.past)
        else:
            journal.append(plan_row(plan), durable=True)
    except LedgerError as error:
        raise RefusedError(error.code, **error.facts) from error
    return memory


class _Run:
    def __init__(self, plan: RunPlan, printer: Printer, memory: TaskMemory) -> None:
        self._plan = plan
        self._printer = printer
        self._memory = memory
        self._logs: RunLogs | None = None
        self._heads: LedgerHeads | None = None
        self._progress = Progress(printer, plan.language, time.monotonic)
        self._session: HostSession | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._why_stopped = ""

    async def to_the_end(self) -> int:
        """Run, catching the person's Ctrl-C at any moment; nothing stays behind."""
        plan = self._plan
        earlier = plan.trace_id if plan.resume else ""
        folder = ResultFolder(plan.out_dir, plan.data_dir, plan.language, goes_on=earlier)
        self._progress.starts(plan.instruction, plan.trace_id, plan.model_told)
        work = asyncio.create_task(self._whole(), name="run")
        self._catch_signals(work)
        started = time.monotonic()
        try:
            completed = await work
        except asyncio.CancelledError:
            why = words("aborted", plan.language, why=self._why_stopped)
            completed = self._ended("aborted", "aborted", why)
        except CliError:
            raise
        except SgclawError as error:
            completed = self._ended("failed", error.code, error.text(plan.language))
        except Exception as error:  # noqa: BLE001 - the edge of a run: it ends with a result too
            completed = self._ended("failed", "internal_error", self._defect(error))
        finally:
            self._ignore_signals()
        duration_s = round(time.monotonic() - started, 3)
        completed = completed.model_copy(update={"duration_s": duration_s})
        goes_on = not self._is_over(completed)
        if not goes_on:
            self._note_end(completed)
        session = self._session
        downloads = session.downloads if session else ()
        written = folder.write(completed, session.picture if session else None, downloads)
        self._progress.ends(completed, folder.path, (*folder.kept, *downloads), goes_on=goes_on)
        self._tell_missing_lines()
        self._tell_missing_heads()
        if folder.failure:
            self._printer.error(words("results_unwritable", plan.language, folder=folder.path,
                                      why=folder.failure))  # fmt: skip
        if self._printer.as_json:
            self._printer.document(written)
        contradicted = self._heads is not None and self._heads.refused is not None
        wrong = bool(folder.failure) or contradicted
        return _EXIT[completed.state] or (EXIT_FAILED if wrong else EXIT_OK)

    def _tell_missing_lines(self) -> None:
        """Say once of each kind of log that a line is missing in it."""
        if self._logs is None:
            return
        host, log = self._logs.host, self._logs.incomplete
        if host.failure:
            self._printer.error(words("host_log_incomplete", self._plan.language, path=host.path,
                                      why=host.failure))  # fmt: skip
        if log is not None:
            self._printer.error(words("log_file_incomplete", self._plan.language, path=log.path,
                                      why=log.failure))  # fmt: skip

    def _tell_missing_heads(self) -> None:
        """Say that the ledger's head could not be kept, or that the ledger contradicts it."""
        heads = self._heads
        if heads is not None and heads.refused is not None:
            self._printer.error(words("ledger_head_refused", self._plan.language,
                                      stream=heads.refused.stream,
                                      position=heads.refused.position))  # fmt: skip
        if heads is not None and heads.failure:
            self._printer.error(words("ledger_head_missing", self._plan.language, path=heads.path,
                                      why=heads.failure))  # fmt: skip

    def _is_over(self, completed: TaskCompleted) -> bool:
        """Tell whether nothing goes on from here: the person stopped it, or the ledger ends."""
        if completed.state != "failed":
            return True
        try:
            rows = ledger_rows(self._plan.data_dir, self._plan.trace_id)
        except SgclawError:
            return False
        return bool(rows) and rows[-1].get("state") in _EXIT

    def _note_end(self, completed: TaskCompleted) -> None:
        """Have the journal tell that the task ended; it ended all the same if it cannot."""
        try:
            self._memory.ended(completed)
        except LedgerError as error:
            self._printer.error(error.text(self._plan.language))

    def _ended(self, state: str, code: str, text: str) -> TaskCompleted:
        """Return the end that no agent told; a task that had ended keeps its own."""
        if self._session is not None and self._session.completed is not None:
            return self._session.completed
        return self._memory.record.end(self._plan.trace_id, state, code, text)

    def _defect(self, error: Exception) -> str:
        if os.environ.get("SGCLAW_DEBUG"):
            traceback.print_exception(error)
        name = type(error).__name__
        return words("internal_error", self._plan.language, error=name, text=strike(str(error)))

    def _catch_signals(self, work: "asyncio.Task[TaskCompleted]") -> None:
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            if self._why_stopped:
                return  # one is enough: ending takes seconds, and must not be cut short
            name = "aborted_by_key" if number == signal.SIGINT else "aborted_by_signal"
            self._why_stopped = words(name, self._plan.language, name=signal.Signals(number).name)
            self._printer.error(words("run_aborting", self._plan.language))
            if self._session is None:
                work.cancel()
            else:
                self._stopping = asyncio.create_task(self._session.abort(self._why_stopped))

        for number in _STOP_SIGNALS:
            with contextlib.suppress(NotImplementedError, RuntimeError):
                loop.add_signal_handler(number, stop, number)

    def _ignore_signals(self) -> None:
        """Everything is ended; what is left is to write it down, which takes no time."""
        loop = asyncio.get_running_loop()
        for number in _STOP_SIGNALS:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_IGN)

    async def _whole(self) -> TaskCompleted:
        plan = self._plan
        self._heads = open_head_log(plan.data_dir)
        logs = self._logs = RunLogs(plan)
        try:
            async with self._site() as options:
                self._session = HostSession(
                    plan, self._memory, logs.log, self._progress, self._heads, logs.record
                )
                return await self._session.run(options)
        finally:
            logs.close()

    @contextlib.asynccontextmanager
    async def _site(self) -> AsyncIterator[LaunchOptions]:
        """Yield how the browser is launched; with `--demo` the demo company runs meanwhile."""
        plan = self._plan
        options = LaunchOptions(
            policy=plan.policy,
            profiles_root=plan.data_dir / "profiles",
            headed=plan.headed,
            limits=plan.settings.browser,
        )
        if not plan.demo:
            yield options
            return
        from browser.demo import HOST
        from browser.demo.certificate import ensure_certificate
        from browser.demo.server import DemoCompany

        now = utc_now()
        certificate = ensure_certificate(plan.data_dir / "demo", now)
        async with DemoCompany(certificate, today=now.astimezone().date()) as company:
            yield options.model_copy(
                update={
                    "host_map": {HOST: f"127.0.0.1:{company.port}"},
                    "spki": (certificate.spki_sha256_base64,),
                }
            )
