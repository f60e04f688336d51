"""An agent whose every line a test writes: real framing and real proofs over a memory pair."""

import asyncio
from typing import Any

from engine.pipe.envelope import UNSEALED, Envelope
from engine.pipe.framing import ByteSink, PipeEnd
from engine.pipe.parse import parse_host_message
from states.wire import (
    PROTOCOL_VERSION,
    Abort,
    Command,
    CommandSecurity,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    DialogResponse,
    HostMessage,
    Init,
    Ping,
    Pong,
    Ready,
    Response,
    Shutdown,
    SubmitTask,
    TaskCompleted,
)

DOMAIN = "erp.example.com"


class ScriptedAgent:
    """The agent's end: each method says one thing, `next` hears one thing."""

    def __init__(self, end: PipeEnd, sink: ByteSink) -> None:
        self.end = end
        self.sink = sink  # below the writer: for lines no writer would send
        self.answers_pings = True
        self.init: Init
        self.task: SubmitTask
        self.sealing = Envelope(b"", "", "agent>host")
        self.verifying = Envelope(b"", "", "host>agent")
        self._security = CommandSecurity(hmac=UNSEALED, expected_domain=DOMAIN)

    async def start(self, protocol: int = PROTOCOL_VERSION) -> None:
        """Take init, say ready, take the task."""
        init = await self.next()
        assert isinstance(init, Init)
        self.init = init
        key = bytes.fromhex(init.key)
        self.sealing = Envelope(key, init.session_id, "agent>host")
        self.verifying = Envelope(key, init.session_id, "host>agent")
        ready = Ready(protocol=protocol, version="0.1.0", pid=1, trace_id=init.trace_id)
        await self.end.writer.send(ready)
        if protocol != PROTOCOL_VERSION:
            return
        task = await self.next()
        assert isinstance(task, SubmitTask)
        self.task = task

    async def next(self) -> HostMessage | None:
        """Return the next message that is no ping, its proof verified; None at the end."""
        while (document := await self.end.reader.read_document()) is not None:
            message = parse_host_message(document)
            if isinstance(message, Response | ConfirmationRequired | ConfirmResponse):
                self.verifying.verify_answer(document, message.seq)
            if not isinstance(message, Ping):
                return message
            if self.answers_pings:
                await self.end.writer.send(Pong(nonce=message.nonce))
        return None

    async def until_told_to_stop(self) -> str:
        """Return the reason of the abort, or "shutdown"."""
        while not isinstance(message := await self.next(), Abort | Shutdown | None):
            continue
        return message.reason if isinstance(message, Abort) else "shutdown"

    def command(self, action: str, domain: str = DOMAIN, **params: Any) -> Command:
        """Return the next command, sealed."""
        security = self._security.model_copy(update={"expected_domain": domain})
        seq = self.sealing.seq.next()
        return self.sealing.seal(Command(seq=seq, action=action, params=params, security=security))

    async def do(self, action: str, domain: str = DOMAIN, **params: Any) -> Any:
        """Send a command and return the answer."""
        await self.end.writer.send(self.command(action, domain, **params))
        return await self.next()

    async def ask(self, action: str, digest: str = "", **params: Any) -> ConfirmResponse:
        """Ask the person about a command and return what was said."""
        return await self._confirmed(self.question(action, digest, **params))

    def question(self, action: str, digest: str = "", **params: Any) -> ConfirmRequest:
        """Return the next question about a command, not yet sealed."""
        return ConfirmRequest(
            seq=self.sealing.seq.next(),
            action=action,
            params=params,
            digest=digest,
            security=self._security,
        )

    async def ask_to_go_on(self, action: str = "") -> ConfirmResponse:
        """Ask whether to go on with the next step."""
        seq = self.sealing.seq.next()
        request = ConfirmRequest(seq=seq, purpose="step", action=action, security=self._security)
        return await self._confirmed(request)

    async def ask_of(self, purpose: Any, **said: Any) -> ConfirmResponse:
        """Ask a question of *purpose* with whatever is *said*, fitting or not."""
        seq = self.sealing.seq.next()
        request = ConfirmRequest(seq=seq, purpose=purpose, **said, security=self._security)
        return await self._confirmed(request)

    async def answer_dialog(self, *, accept: bool, text: str = "") -> Any:
        """Answer the page's dialog."""
        seq = self.sealing.seq.next()
        message = DialogResponse(seq=seq, accept=accept, text=text, security=self._security)
        await self.end.writer.send(self.sealing.seal(message))
        return await self.next()

    async def complete(self, state: Any = "completed", reason: str = "", **claims: Any) -> None:
        """End the task, claiming what the test says, and wait to be told to leave."""
        completed = TaskCompleted(
            trace_id=self.init.trace_id, state=state, reason=reason, answer="done", **claims
        )
        await self.end.writer.send(completed)
        await self.until_told_to_stop()

    async def write(self, line: bytes) -> None:
        """Write *line* as it is."""
        self.sink.write(line)
        await asyncio.sleep(0)

    async def _confirmed(self, request: ConfirmRequest) -> ConfirmResponse:
        await self.end.writer.send(self.sealing.seal(request))
        answer = await self.next()
        assert isinstance(answer, ConfirmResponse)
        return answer
