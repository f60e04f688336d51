"""The agent process (P1): one line in, one line out, one task; it ends when its host does.

Imports that a task needs and a greeting does not stand inside functions: spawn to ready is a
budget (design section 7).
"""

import asyncio
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from engine.pipe.envelope import Envelope
from engine.pipe.errors import EnvelopeError, PipeClosedError, PipeError, ProtocolViolationError
from engine.pipe.framing import PipeEnd
from engine.pipe.parse import parse_host_message
from engine.pipe.stdio import open_stdio
from sgclaw import __version__
from sgclaw.errors import EXIT_ABORTED, EXIT_FAILED, EXIT_OK
from sgclaw.logs import Log, log_for, start_logs
from states.errors import SgclawError
from states.settings import PipeLimits
from states.wire import (
    PROTOCOL_VERSION,
    Abort,
    ConfirmationRequired,
    ConfirmResponse,
    Init,
    Ping,
    Pong,
    ProtocolError,
    Ready,
    Response,
    Shutdown,
    SubmitTask,
    TaskCompleted,
)

if TYPE_CHECKING:
    from sgclaw.task_run import TaskRun

_EXIT_OF_STATE = {"completed": EXIT_OK, "failed": EXIT_FAILED, "aborted": EXIT_ABORTED}
_OUTBOX_MAX = 4096


def run_agent(fds: tuple[int, int]) -> int:
    """Serve one host over the captured *fds* until it goes; return the exit code."""
    start_logs("sgclaw-00000000-00000000")
    return asyncio.run(_serve(fds))


async def _serve(fds: tuple[int, int]) -> int:
    limits = PipeLimits()
    end = await open_stdio(fds, limits)
    agent = Agent(end, limits)
    try:
        await agent.serve()
    except PipeError as error:
        agent.log("pipe_failed", level="ERROR", why=str(error))
    code = await agent.close()
    await end.close(limits.exit_seconds)
    return code


class Agent:
    """One session with one host over *end*."""

    def __init__(self, end: PipeEnd, limits: PipeLimits) -> None:
        self.log: Log = log_for("agent")
        self._end = end
        self._limits = limits
        self._init: Init | None = None
        self._answers: Envelope | None = None
        self._task: TaskRun | None = None
        self._violations = 0
        self._preload: asyncio.Future[None] | None = None
        self._outbox: asyncio.Queue[BaseModel] = asyncio.Queue(_OUTBOX_MAX)
        self._sender = asyncio.create_task(self._send_all(), name="agent-outbox")

    async def serve(self) -> None:
        """Take messages until the host closes the pipe, asks for the end, or breaks the rules."""
        while self._violations < self._limits.protocol_errors_max:
            try:
                document = await self._end.reader.read_document()
                if document is None:
                    self.log("host_gone")
                    return
                if not await self._take(document):
                    return
            except (ProtocolViolationError, EnvelopeError) as error:
                self._violations += 1
                self._refuse(error, error.seq)
        self.log("too_many_violations", level="ERROR", count=self._violations)

    async def close(self) -> int:
        """End the task, stop everything, and return the exit code."""
        state = ""
        if self._task is not None:
            state = await self._task.close(self._limits.exit_seconds)
        if not self._sender.done():
            try:
                async with asyncio.timeout(self._limits.exit_seconds / 2):
                    await self._outbox.join()
            except TimeoutError:
                self.log("outbox_not_empty", level="WARNING", left=self._outbox.qsize())
        self._sender.cancel()
        await asyncio.wait([self._sender])
        if self._violations and state != "aborted":
            return EXIT_FAILED
        return _EXIT_OF_STATE.get(state, EXIT_OK)

    def send(self, message: BaseModel) -> None:
        """Queue *message* for the host; never blocks."""
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self.log("outbox_full", level="ERROR", type=type(message).__name__)

    async def _send_all(self) -> None:
        try:
            while True:
                message = await self._outbox.get()
                try:
                    await self._end.writer.send(message)
                except PipeClosedError:
                    return
                except PipeError as error:
                    self.log("message_not_sent", level="ERROR", why=str(error))
                    if isinstance(message, TaskCompleted):
                        # The host waits for the end above all: say at least that.
                        await self._end.writer.send(shortened(message))
                finally:
                    self._outbox.task_done()
        finally:
            while not self._outbox.empty():
                self._outbox.get_nowait()
                self._outbox.task_done()

    async def _take(self, document: dict[str, Any]) -> bool:
        """Act on one message; False ends the session."""
        message = parse_host_message(document)
        if isinstance(message, Init):
            await self._greet(message)
        elif isinstance(message, SubmitTask):
            await self._submit(message)
        elif isinstance(message, Response | ConfirmationRequired | ConfirmResponse):
            self._answer(document, message)
        elif isinstance(message, Abort):
            if self._task is not None:
                self._task.abort(message.reason)
        elif isinstance(message, Ping):
            self.send(Pong(nonce=message.nonce))
        elif isinstance(message, Shutdown):
            return False
        return True

    async def _greet(self, init: Init) -> None:
        if self._init is not None:
            raise ProtocolViolationError("init_twice")
        if init.protocol != PROTOCOL_VERSION:
            raise ProtocolViolationError(
                "protocol_version", theirs=init.protocol, ours=PROTOCOL_VERSION
            )
        start_logs(init.trace_id)
        self._init = init
        self._answers = Envelope(bytes.fromhex(init.key), init.session_id, "host>agent")
        self.log("ready", protocol=PROTOCOL_VERSION, provider=init.provider.kind)
        self.send(
            Ready(
                protocol=PROTOCOL_VERSION,
                version=__version__,
                pid=os.getpid(),
                trace_id=init.trace_id,
            )
        )
        # What a task needs is imported while the host opens its page; never before the greeting.
        self._preload = asyncio.get_running_loop().run_in_executor(None, _preload)

    async def _submit(self, task: SubmitTask) -> None:
        if self._init is None or self._preload is None:
            raise ProtocolViolationError("init_missing")
        if self._task is not None:
            raise ProtocolViolationError("task_twice")
        await self._preload
        try:
            self._task = self._new_run(self._init, task)
        except SgclawError as error:
            self.log("task_refused", level="ERROR", why=str(error))
            from sgclaw.task_run import refused_task

            self.send(refused_task(self._init, error))
            self._violations += 1
            return
        self._task.start()

    def _new_run(self, init: Init, task: SubmitTask) -> "TaskRun":
        """Return the run of *task*; a simulation gives it other ports."""
        from sgclaw.task_run import TaskRun

        return TaskRun(init, task, self.send, time.monotonic)

    def _answer(self, document: Mapping[str, Any], message: Any) -> None:
        if self._answers is None or self._task is None:
            raise ProtocolViolationError("message_unexpected", message.seq, type=message.type)
        link = self._task.link
        late = link.is_late(message.seq)
        self._answers.verify_answer(dict(document), message.seq if late else link.last_seq)
        if late:
            # The wait ended before: what came is not to be acted upon.
            self.log("late_answer", level="WARNING", seq=message.seq)
            return
        link.deliver(message)

    def _refuse(self, error: SgclawError, seq: int | None) -> None:
        language = self._init.language if self._init else "en"
        self.log("protocol_error", level="ERROR", code=error.code, why=str(error))
        self.send(ProtocolError(seq=seq, code=error.code, message=error.text(language)))


def shortened(message: TaskCompleted) -> TaskCompleted:
    """Return *message* without what may not fit on a line; the ledger has it all."""
    return message.model_copy(update={"commands": (), "answer": "", "path": message.path[-20:]})


def _preload() -> None:
    from sgclaw.task_run import preload

    preload()
