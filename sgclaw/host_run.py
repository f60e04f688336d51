"""Compose the host for one run: browser, gate, executor, agent; and end all of it for sure."""

import asyncio
import contextlib
import os
import secrets
import signal
import time
import traceback
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from browser.host.agent_link import start_agent
from browser.host.answers import HostPorts
from browser.host.approver import Approver
from browser.host.downloads import Download
from browser.host.errors import HostError
from browser.host.executor import Executor
from browser.host.gate import BlockedRequest
from browser.host.host_log import FileHostLog
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW
from browser.host.task_host import TaskHost
from browser.page import bundle_source
from guards.policy import domain_of
from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_ABORTED, EXIT_FAILED, EXIT_OK, CliError
from sgclaw.paths import host_log_dir, own_folders, private_files
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from sgclaw.result_folder import ResultFolder
from states.catalogue import Lang, words
from states.errors import SgclawError
from states.policy import Policy
from states.settings import Settings
from states.wire import PROTOCOL_VERSION, Init, ProviderSpec, TaskCompleted

# SIGHUP is not there on every system.
_STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_EXIT = {"completed": EXIT_OK, "failed": EXIT_FAILED, "aborted": EXIT_ABORTED}


@dataclass(frozen=True)
class RunPlan:
    """Everything that a run needs, checked."""

    instruction: str
    trace_id: str
    policy: Policy
    settings: Settings
    provider: ProviderSpec
    approver: Approver
    language: Lang
    url: str
    demo: bool
    headed: bool
    step_mode: bool
    data_dir: Path
    out_dir: Path


def new_trace_id(now: datetime) -> str:
    """Return a trace id of the form `sgclaw-{date}-{random}` (A1)."""
    return f"sgclaw-{now:%Y%m%d}-{secrets.token_hex(8)}"


async def run_plan(plan: RunPlan, printer: Printer) -> int:
    """Run the task; print progress and summary; return the exit code."""
    run = _Run(plan, printer)
    with private_files():
        return await run.to_the_end()


class _Run:
    def __init__(self, plan: RunPlan, printer: Printer) -> None:
        self._plan = plan
        self._printer = printer
        self._progress = Progress(printer, plan.language, time.monotonic)
        self._host: TaskHost | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._why_stopped = ""
        self._completed: TaskCompleted | None = None
        self._downloads: tuple[Download, ...] = ()
        self._picture: bytes | None = None

    async def to_the_end(self) -> int:
        """Run, catching the person's Ctrl-C at any moment; nothing stays behind."""
        folder = ResultFolder(self._plan.out_dir, self._plan.data_dir)
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
        written = folder.write(completed, self._picture, self._downloads)
        self._progress.ends(completed, folder.path, self._downloads)
        if self._printer.as_json:
            self._printer.document(written)
        return _EXIT[completed.state]

    def _ended(self, state: str, code: str, text: str) -> TaskCompleted:
        """Return the end that no agent told; a task that had ended keeps its own."""
        if self._completed is not None:
            return self._completed
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
            if self._host is None:
                work.cancel()
            else:
                self._stopping = asyncio.create_task(self._host.abort(self._why_stopped))

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
        own_folders(plan.data_dir)
        log = FileHostLog(
            host_log_dir(plan.data_dir),
            plan.trace_id,
            utc_now,
            plan.settings.pipe,
        )
        # The agent gets ready while the browser starts.
        link = await start_agent(plan.settings.pipe, os.environ, log.agent_line)
        try:
            async with self._site() as options, self._browser(options, log) as opened:
                ports = HostPorts(opened.executor, plan.approver, log, time.monotonic)
                self._host = TaskHost(ports, plan.policy, plan.settings)
                watch = asyncio.create_task(self._watch(opened.chromium.lost, self._host))
                try:
                    self._completed = await self._host.run_task(
                        link, self._init(), plan.instruction, self._progress.event
                    )
                finally:
                    watch.cancel()
                    await asyncio.wait([watch])
            return self._completed
        finally:
            self._host = None
            await link.kill()
            log.close()

    async def _watch(self, lost: asyncio.Event, host: TaskHost) -> None:
        """End the task when the browser ends while the agent asks nothing of it."""
        await lost.wait()
        # A command under way is answered with the loss, and the agent ends the task by itself.
        await asyncio.sleep(self._plan.settings.pipe.exit_seconds)
        await host.browser_lost()

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
        )

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

    @contextlib.asynccontextmanager
    async def _browser(
        self, options: LaunchOptions, log: FileHostLog
    ) -> AsyncIterator[OpenBrowser]:
        plan = self._plan

        def blocked(request: BlockedRequest) -> None:
            log.note("GATE_BLOCK", url=request.url, type=request.resource_type,
                     why=request.verdict.reason)  # fmt: skip

        self._progress.note("browser_starting")
        opened = await open_browser(
            options,
            bundle_source(),
            downloads_to=plan.out_dir / "downloads",
            on_block=blocked,
            lang=plan.language,
        )
        async with opened:
            executor = opened.executor
            log.note("BROWSER_START", version=opened.chromium.version, pid=opened.chromium.pid)
            try:
                await self._open_start_page(executor)
                yield opened
                with contextlib.suppress(HostError):
                    self._picture = await executor.last_picture()
            finally:
                self._downloads = executor.downloads

    async def _open_start_page(self, executor: Executor) -> None:
        url = self._plan.url
        if not url:
            return
        opened = await executor.execute("navigate", {"url": url}, domain_of(url), lambda _: ALLOW)
        if not opened.success:
            why = opened.error.message if opened.error else ""
            raise HostError("start_page_failed", url=url, why=why)
