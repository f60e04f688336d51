"""Compose the host for one run: browser, gate, executor, agent; and end all of it for sure."""

import asyncio
import contextlib
import os
import secrets
import signal
import time
import traceback
from collections.abc import AsyncIterator
from datetime import datetime

from browser.host.host_log import FileHostLog
from browser.host.launch_flags import LaunchOptions
from browser.host.task_memory import TaskMemory
from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows
from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_ABORTED, EXIT_FAILED, EXIT_OK, CliError, RefusedError
from sgclaw.host_session import HostSession
from sgclaw.paths import host_journal_path, host_log_dir, own_folders, private_files
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from sgclaw.result_folder import ResultFolder
from sgclaw.saved_plan import RunPlan, plan_row
from states.catalogue import words
from states.errors import SgclawError
from states.wire import TaskCompleted

# SIGHUP is not there on every system.
_STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_EXIT = {"completed": EXIT_OK, "failed": EXIT_FAILED, "aborted": EXIT_ABORTED}


def new_trace_id(now: datetime) -> str:
    """Return a trace id of the form `sgclaw-{date}-{random}` (A1)."""
    return f"sgclaw-{now:%Y%m%d}-{secrets.token_hex(8)}"


async def run_plan(plan: RunPlan, printer: Printer) -> int:
    """Run the task; print progress and summary; return the exit code.

    Raises:
        RefusedError: another process runs this very task, or its journal cannot be written.
    """
    with private_files():
        own_folders(plan.data_dir)
        try:
            journal = JsonLinesLedger(host_journal_path(plan.data_dir, plan.trace_id))
        except LedgerError as error:
            raise RefusedError(error.code, **error.facts) from error
        try:
            return await _Run(plan, printer, journal).to_the_end()
        finally:
            journal.close()


class _Run:
    def __init__(self, plan: RunPlan, printer: Printer, journal: JsonLinesLedger) -> None:
        self._plan = plan
        self._printer = printer
        self._journal = journal
        self._progress = Progress(printer, plan.language, time.monotonic)
        self._session: HostSession | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._why_stopped = ""

    async def to_the_end(self) -> int:
        """Run, catching the person's Ctrl-C at any moment; nothing stays behind."""
        folder = ResultFolder(self._plan.out_dir, self._plan.data_dir, self._plan.language)
        self._progress.starts(self._plan.instruction, self._plan.trace_id)
        work = asyncio.create_task(self._whole(), name="run")
        self._catch_signals(work)
        started = time.monotonic()
        try:
            completed = await work
        except asyncio.CancelledError:
            completed = self._ended("aborted", "aborted", self._why_stopped)
        except CliError:
            raise
        except SgclawError as error:
            completed = self._ended("failed", error.code, error.text(self._plan.language))
        except Exception as error:  # noqa: BLE001 - the edge of a run: it ends with a result too
            completed = self._ended("failed", "internal_error", self._defect(error))
        finally:
            self._ignore_signals()
        duration_s = round(time.monotonic() - started, 3)
        completed = completed.model_copy(update={"duration_s": duration_s})
        session = self._session
        downloads = session.downloads if session else ()
        written = folder.write(completed, session.picture if session else None, downloads)
        self._progress.ends(completed, folder.path, downloads)
        if self._printer.as_json:
            self._printer.document(written)
        return _EXIT[completed.state]

    def _ended(self, state: str, code: str, text: str) -> TaskCompleted:
        """Return the end that no agent told; a task that had ended keeps its own."""
        if self._session is not None and self._session.completed is not None:
            return self._session.completed
        return TaskCompleted.model_validate(
            {"trace_id": self._plan.trace_id, "state": state, "reason": code, "reason_text": text,
             "path": ("idle", state)}
        )  # fmt: skip

    def _defect(self, error: Exception) -> str:
        if os.environ.get("SGCLAW_DEBUG"):
            traceback.print_exception(error)
        name = type(error).__name__
        return words("internal_error", self._plan.language, error=name, text=str(error))

    def _catch_signals(self, work: "asyncio.Task[TaskCompleted]") -> None:
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            if self._why_stopped:
                return  # one is enough: ending takes seconds, and must not be cut short
            name = "aborted_by_key" if number == signal.SIGINT else "aborted_by_signal"
            self._why_stopped = words(name, self._plan.language, name=signal.Signals(number).name)
            self._printer.error(words("run_aborting", self._plan.language))
            host = self._session.host if self._session else None
            if host is None:
                work.cancel()
            else:
                self._stopping = asyncio.create_task(host.abort(self._why_stopped))

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
        memory = self._memory()
        log = FileHostLog(host_log_dir(plan.data_dir), plan.trace_id, utc_now, plan.settings.pipe)
        try:
            async with self._site() as options:
                self._session = HostSession(plan, memory, log, self._progress)
                return await self._session.run(options)
        finally:
            log.close()

    def _memory(self) -> TaskMemory:
        """Return what this host knows of the task: nothing yet, or what its journal tells."""
        plan = self._plan
        memory = TaskMemory(plan.settings.task, time.monotonic, self._journal)
        if plan.resume:
            memory.restore(list(read_rows(self._journal.path)))
            memory.record.walked(plan.past)
        else:
            self._journal.append(plan_row(plan), durable=True)
        return memory

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
