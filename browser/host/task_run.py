"""One run of one task at the host: the reading, the answering and the watching.

The rule: the run ends exactly once, with the first of: the agent's task_completed, its loss, too
many violations, silence, time, an abort. What comes after that is not acted upon.
"""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, Literal

from browser.host.agent_errors import AgentBrokeProtocolError, AgentLostError
from browser.host.agent_link import AgentLink
from browser.host.answers import Answers, HostPorts
from browser.host.channel import Channel
from browser.host.errors import BrowserLostError, CommandError, HostError, PolicyRefusedError
from browser.host.head_keeping import keep_head
from browser.host.held_events import HeldEvents, OnEvent
from browser.host.host_log import note_request
from browser.host.plain_answers import Answer, Request, refusal_of, tells_loss, unknown_outcome
from browser.host.task_memory import TaskMemory
from engine.pipe.envelope import Envelope
from engine.pipe.errors import (
    EnvelopeError,
    PipeClosedError,
    PipeError,
    ProtocolViolationError,
    UnsendableMessageError,
)
from engine.pipe.strict_json import readable_seq
from guards.policy import url_verdict
from states.errors import SgclawError
from states.policy import Policy
from states.settings import Settings
from states.wire import (
    Abort,
    AgentMessage,
    Command,
    ConfirmRequest,
    DialogResponse,
    Init,
    LedgerHead,
    LogEntry,
    Ping,
    Pong,
    ProtocolError,
    Response,
    StateChanged,
    SubmitTask,
    TaskCompleted,
)

Resumed = Literal["", "same", "new"]
_REQUEST_TYPES = frozenset({"command", "confirm_request", "dialog_response"})
# Errors of a command that came to no end of its own.
_NO_END = frozenset({"command_over_time", "host_fault"})


class TaskRun:
    """The run of *init*'s task with the agent at *link*."""

    def __init__(
        self,
        link: AgentLink,
        init: Init,
        host: tuple[HostPorts, Policy, Settings],
        on_event: OnEvent,
        memory: TaskMemory,
    ) -> None:
        self._ports, self._policy, self._settings = host
        self._link = link
        self._init = init
        self._events = HeldEvents(on_event, self._settings.pipe.held_events_max)
        self._memory, self._record = memory, memory.record
        memory.approvals.void()
        memory.record.new_session()
        key = bytes.fromhex(init.key)
        self._channel = Channel(Envelope(key, init.session_id, "agent>host"), self._policy)
        self._seals = Envelope(key, init.session_id, "host>agent")
        during = self._events.during_question
        self._answers = Answers(self._ports, self._settings, init, during, memory)
        self._requests: asyncio.Queue[Request | Answer] = asyncio.Queue(
            self._settings.pipe.queue_lines_max
        )
        self._in_flight: asyncio.Task[Any] | None = None
        self._ended: asyncio.Future[TaskCompleted] = asyncio.get_running_loop().create_future()
        self._abort_reason: str | None = None
        self._heard = self._orderly = False
        self._violations = 0
        self._started = self._ports.clock()

    async def run(self, instruction: str, resumed: Resumed = "") -> TaskCompleted:
        """Run the task and return how it ended; the agent is gone then.

        *resumed* tells the agent to go on from its ledger, in the same or in a new browser. What
        was done is told from the host's own record, whatever the agent reported.
        """
        self._ports.log.note("TASK_START", session=self._init.session_id, pid=self._link.pid,
                             seq_before=self._record.seq_before)  # fmt: skip
        try:
            await self._until_greeted(instruction, resumed)
            completed = await self._until_ended()
        finally:
            if self._in_flight is not None:
                self._in_flight.cancel()
                await asyncio.wait([self._in_flight])
            # Only an agent that ended its task itself is asked to leave; others are not trusted to.
            await (self._link.close() if self._orderly else self._link.kill())
        failed = completed.state == "failed" and not self._orderly
        if self._abort_reason is not None and failed:
            completed = self._aborted()  # whoever was lost, the person ended it meanwhile
        completed, replaced = self._record.mended(completed)
        if replaced and self._orderly:
            self._ports.log.note("REPORT_MENDED", fields=",".join(replaced))
        self._ports.log.note("TASK_END", state=completed.state, reason=completed.reason)
        return completed

    def abort_at_once(self, reason: str) -> None:
        """End the run before anything is sent."""
        self._abort_reason = reason
        self._end_aborted()

    async def abort(self, reason: str) -> None:
        """Cancel what runs, tell the agent, and end the run even if it does not listen.

        A task that could go on after the end it met already does not go on.
        """
        self._abort_reason = reason
        if self._ended.done():
            return
        self._ports.log.note("ABORT", reason=reason)
        await self._stop(Abort(reason=reason))
        self._end_aborted()

    def browser_lost(self) -> None:
        """End the run because the browser is gone.

        The agent is not told: its ledger stays open, so that the task can go on in a new browser.
        """
        if not self._ended.done():
            self._ports.log.note("BROWSER_LOST")
            self._end_failed(BrowserLostError("it ended"))

    async def _stop(self, wanted: Abort) -> None:
        if self._in_flight is not None:
            self._in_flight.cancel()
        seconds = self._settings.pipe.exit_seconds
        with contextlib.suppress(TimeoutError, PipeError):
            async with asyncio.timeout(seconds):
                await self._link.writer.send(wanted)
        await asyncio.wait([self._ended], timeout=seconds)

    # --- how it goes

    async def _until_greeted(self, instruction: str, resumed: Resumed) -> None:
        if self._ended.done():
            return
        self._in_flight = asyncio.create_task(self._greet(instruction, resumed), name="host-greet")
        await asyncio.wait([self._in_flight])
        if self._in_flight.cancelled():
            self._end_aborted()
        elif (error := self._in_flight.exception()) is not None:
            if not isinstance(error, SgclawError):
                self._ports.log.note("HOST_FAULT", why=repr(error))
                error = CommandError("host_fault", why=type(error).__name__)
            gone = isinstance(error, PipeClosedError)
            self._end_failed(AgentLostError("agent_lost") if gone else error)
        self._in_flight = None

    async def _greet(self, instruction: str, resumed: Resumed) -> None:
        ready = await self._link.greet(self._init)
        self._ports.log.note("AGENT_READY", version=ready.version, pid=ready.pid)
        page = await self._ports.executor.page_state()
        task = SubmitTask(instruction=instruction, page=page, resumed=resumed)
        # What a killed agent knew of the page is gone with it: the new one is shown it.
        seen = await self._answers.look(page) if resumed else None
        if seen is not None:
            task = task.model_copy(update={"page": seen.page, "aom_snapshot": seen.snapshot})
        await self._link.writer.send(task)

    async def _until_ended(self) -> TaskCompleted:
        if self._ended.done():
            return self._ended.result()
        tasks = [
            self._guarded(self._read(), "host-read"),
            self._guarded(self._answer(), "host-answer"),
            self._guarded(self._watch(), "host-watch"),
        ]
        try:
            return await asyncio.shield(self._ended)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def _guarded(self, body: Coroutine[Any, Any, None], name: str) -> "asyncio.Task[None]":
        """Start *body*; a fault in it ends the run instead of leaving it waiting."""

        def finished(task: "asyncio.Task[None]") -> None:
            if task.cancelled() or (error := task.exception()) is None:
                return
            if isinstance(error, SgclawError):
                self._end_failed(error)
            elif not self._ended.done():
                self._ended.set_exception(error)

        task = asyncio.create_task(body, name=name)
        task.add_done_callback(finished)
        return task

    # --- reading

    async def _read(self) -> None:
        while True:
            document: dict[str, Any] = {}
            try:
                taken = await self._link.reader.read_document()
                self._heard = True
                if taken is None:
                    raise AgentLostError("agent_lost")
                document = taken
                await self._take(self._channel.check(document))
            except PolicyRefusedError as error:
                report = self._record.refused(document, error.code)
                if report is not None:
                    self._memory.noted(report)
                await self._refuse(document, error)
            except (ProtocolViolationError, EnvelopeError) as error:
                await self._violated(document, error)

    async def _take(self, message: AgentMessage) -> None:
        match message:
            case Command() | ConfirmRequest() | DialogResponse():
                note_request(self._ports.log, message)
                self._ports.log.note("MAC_CHECK: ALLOW", seq=message.seq)
                await self._requests.put(message)
            case LogEntry() | StateChanged():
                if isinstance(message, StateChanged):
                    self._record.state(message)
                self._events.tell(message)
            case LedgerHead():
                keep_head(message, self._init, self._ports)
            case TaskCompleted():
                if message.trace_id != self._init.trace_id:
                    raise ProtocolViolationError("message_unexpected", type=message.type)
                self._orderly = not self._ended.done()
                self._end(message)
            case ProtocolError():
                self._ports.log.note("AGENT_PROTOCOL_ERROR", code=message.code, seq=message.seq)
            case _ if not isinstance(message, Pong):
                raise ProtocolViolationError("message_unexpected", type=message.type)

    async def _violated(
        self, document: dict[str, Any], error: ProtocolViolationError | EnvelopeError
    ) -> None:
        self._violations += 1
        errors_max = self._settings.pipe.protocol_errors_max
        is_last = self._violations > errors_max
        self._ports.log.note("PROTOCOL_ERROR", code=error.code, seq=error.seq, last=is_last)
        if is_last:
            raise AgentBrokeProtocolError(errors_max, error.code)
        await self._refuse(document, error)

    async def _refuse(self, document: dict[str, Any], error: SgclawError) -> None:
        """Answer what *document* asked for with *error*, if it asked with a number."""
        seq = readable_seq(document)
        kind = document.get("type")
        action, why = document.get("action", ""), error.text("en")
        note = self._ports.log.note
        note(f"MAC_CHECK: DENY {error.code}", seq=seq, type=kind, action=action, why=why)
        if seq is not None and seq >= 1 and isinstance(kind, str) and kind in _REQUEST_TYPES:
            await self._requests.put(self._refusal(kind, seq, error))

    # --- answering

    async def _answer(self) -> None:
        while True:
            item = await self._requests.get()
            if self._abort_reason is not None:
                continue  # the task is being stopped: nothing more is begun
            if isinstance(item, Command | ConfirmRequest | DialogResponse):
                answer = await self._answer_to(item)
            else:
                answer = item
            if tells_loss(answer):
                self.browser_lost()
                return
            if answer is not None:
                await self._send(answer)

    async def _answer_to(self, request: Request) -> Answer | None:
        """Return the answer, or None when it was cancelled by an abort."""
        if self._record.full and not isinstance(request, ConfirmRequest):
            self._ports.log.note("CMD_EXEC: FAILED commands_spent (0ms)", seq=request.seq)
            return self._refusal(request.type, request.seq, CommandError("commands_spent"))
        self._in_flight = asyncio.create_task(self._answers.to(request), name="host-command")
        try:
            await asyncio.wait([self._in_flight])
        except asyncio.CancelledError:  # the run ends: what it had begun ends with it
            self._in_flight.cancel()
            await asyncio.wait([self._in_flight])
            self._note_answer(request, self._in_flight)
            raise
        done, self._in_flight = self._in_flight, None
        return self._note_answer(request, done)

    def _note_answer(self, request: Request, done: "asyncio.Task[Answer]") -> Answer | None:
        """Return what *done* answered, None when it was cancelled; the record knows it then."""
        broken = None if done.cancelled() else done.exception()
        answer = None if done.cancelled() or broken else done.result()
        if done.cancelled():
            self._ports.log.note("CMD_EXEC: CANCELLED", seq=request.seq)
        if not isinstance(request, ConfirmRequest):
            answer = self._settled(request, answer)
        if broken:
            raise broken
        return answer

    def _settled(self, request: Command | DialogResponse, answer: Answer | None) -> Answer | None:
        """Note what came of *request*; return *answer*, or that nobody knows what it did."""
        approved_by, wrote = self._answers.approved_by, self._memory.may_have_written
        error = answer.error if isinstance(answer, Response) else None
        no_end = error is not None and error.code in _NO_END and wrote
        if answer is None or no_end or (tells_loss(answer) and self._memory.intends):
            report = self._record.unanswered(request, approved_by, unknown=wrote)
            self._memory.settled(report)
        elif isinstance(answer, Response):
            report = self._record.answered(request, answer, approved_by)
            url = answer.page.url
            self._memory.settled(report, url if url_verdict(self._policy, url) else "")
        if error is None or not no_end:
            return answer
        return unknown_outcome(request, error, self._init.language)

    async def _send(self, answer: Answer) -> None:
        try:
            try:
                await self._link.writer.send(self._seals.seal(answer))
            except UnsendableMessageError as error:
                self._ports.log.note("ANSWER_UNSENDABLE", code=error.code, seq=answer.seq)
                kind = "command" if isinstance(answer, Response) else "confirm_request"
                await self._link.writer.send(
                    self._seals.seal(self._refusal(kind, answer.seq, error))
                )
        except PipeClosedError:  # whether it ended its task first, the reader will tell
            self._ports.log.note("AGENT_GONE", seq=answer.seq)

    def _refusal(self, kind: str, seq: int, error: SgclawError) -> Answer:
        return refusal_of(kind, seq, error, self._init.language)

    # --- watching

    async def _watch(self) -> None:
        """Ping an agent that says nothing; end the run when it stays silent or goes on too long."""
        seconds = self._settings.pipe.ping_seconds
        bound = self._settings.task.task_seconds + self._settings.pipe.ready_seconds
        pinged = False
        while True:
            await asyncio.sleep(seconds)
            if self._ports.clock() - self._started > bound:
                raise AgentLostError("agent_over_time", seconds=round(bound))
            if self._heard:
                self._heard = pinged = False
            elif pinged:
                raise AgentLostError("agent_silent", seconds=round(2 * seconds))
            else:
                pinged = True
                with contextlib.suppress(PipeClosedError):
                    await self._link.writer.send(Ping())

    # --- ending

    def _end(self, completed: TaskCompleted) -> None:
        if not self._ended.done():
            self._ended.set_result(completed)

    def _end_failed(self, error: SgclawError) -> None:
        if self._abort_reason is not None:
            self._end_aborted()
        else:
            self._end(self._completed("failed", error))

    def _end_aborted(self) -> None:
        self._end(self._aborted())

    def _aborted(self) -> TaskCompleted:
        return self._completed("aborted", HostError("aborted", why=self._abort_reason or ""))

    def _completed(self, state: Any, error: SgclawError) -> TaskCompleted:
        """Return the end as the host saw it, when the agent cannot tell it."""
        lang = self._init.language
        told = self._record.end(self._init.trace_id, state, error.code, error.text(lang))
        return told.model_copy(update={"duration_s": round(self._ports.clock() - self._started, 3)})
