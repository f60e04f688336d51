"""One command out, one answer in (P2): seq, seal, wait. It never sends a command twice."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from actions.errors import LinkClosedError, NoAnswerError
from engine.pipe.envelope import UNSEALED, Envelope
from states.wire import (
    Command,
    CommandSecurity,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    DialogResponse,
    Response,
)

Answer = Response | ConfirmationRequired | ConfirmResponse
Request = Command | ConfirmRequest | DialogResponse


class BrowserLink:
    """The agent's way to the browser.

    *send* takes a sealed message and must not block. Requests are answered in order by
    `deliver`; one request is in flight at a time, since the chart runs one step at a time.
    """

    def __init__(self, send: Callable[[BaseModel], None], envelope: Envelope) -> None:
        self._send = send
        self._envelope = envelope
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._given_up: set[int] = set()
        self._closed = False
        self.last_seq = 0

    async def command(
        self, action: str, params: Mapping[str, Any], expected_domain: str, seconds: float
    ) -> Answer:
        """Send one command and return the host's answer.

        Raises:
            NoAnswerError: none came within *seconds*.
            LinkClosedError: the host is gone.
        """
        seq = self._next_seq()
        message = Command(
            seq=seq, action=action, params=dict(params), security=_security(expected_domain)
        )
        return await self._exchange(message, seconds)

    async def dialog(self, accept: bool, text: str, domain: str, seconds: float) -> Answer:
        """Answer the page's open native dialog."""
        seq = self._next_seq()
        message = DialogResponse(seq=seq, accept=accept, text=text, security=_security(domain))
        return await self._exchange(message, seconds)

    async def confirm(self, request: ConfirmRequest, seconds: float) -> Answer:
        """Have the host ask the person *request* (its seq is set here)."""
        numbered = request.model_copy(update={"seq": self._next_seq()})
        return await self._exchange(numbered, seconds)

    def deliver(self, answer: Answer) -> None:
        """Hand an answer to who waits for it; one that nobody waits for is dropped."""
        future = self._waiting.pop(answer.seq, None)
        if future is not None and not future.done():
            future.set_result(answer)

    def is_late(self, seq: int) -> bool:
        """Tell whether *seq* answers a request whose wait ended before."""
        return seq in self._given_up

    def close(self) -> None:
        """End every wait: the host is gone."""
        self._closed = True
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(LinkClosedError("host_gone"))
        self._waiting.clear()

    def _next_seq(self) -> int:
        self.last_seq = self._envelope.seq.next()
        return self.last_seq

    async def _exchange(self, message: Request, seconds: float) -> Answer:
        if self._closed:
            raise LinkClosedError("host_gone")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[message.seq] = future
        try:
            self._send(self._envelope.seal(message))
            async with asyncio.timeout(seconds):
                return await future
        except TimeoutError:
            raise NoAnswerError("no_response", seconds=seconds, seq=message.seq) from None
        finally:
            if self._waiting.pop(message.seq, None) is not None:
                self._given_up.add(message.seq)


def no_security(expected_domain: str) -> CommandSecurity:
    """Return the unsealed security block of a request; the link seals it."""
    return _security(expected_domain)


def _security(expected_domain: str) -> CommandSecurity:
    return CommandSecurity(expected_domain=expected_domain, hmac=UNSEALED)
