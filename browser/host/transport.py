"""The one thing an executor needs of a browser: send a CDP command, hear CDP events.

Two transports satisfy it: the debugging pipe (`pipe_transport`) and, later, the extension's
relay. Sessions are flat: each command and event carries the id of its session, None being
the browser's own.
"""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from browser.host.errors import (
    CdpError,
    ContextGoneError,
    HostError,
    PageCrashedError,
    SessionGoneError,
)

_CONTEXT_GONE = (
    "Cannot find context",
    "uniqueContextId not found",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "Cannot find default execution context",
    "Promise was collected",
)
_SESSION_GONE = ("Session with given id not found", "Target closed", "No target with given id")


class CdpEvent(NamedTuple):
    """One event of the browser."""

    method: str
    params: Mapping[str, Any]
    session_id: str | None = None


Handler = Callable[[CdpEvent], None]
Unsubscribe = Callable[[], None]


class Transport(Protocol):
    """A way to the browser."""

    @property
    def lost(self) -> "asyncio.Event":
        """Set once the browser is gone."""

    async def send(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        timeout_s: float | None = None,
    ) -> dict[str, Any]:
        """Send one command and return its result; writing happens before the first await.

        Raises:
            CdpError: the browser refused it.
            CdpTimeoutError: no answer in time.
            PageCrashedError: the page of the session crashed meanwhile.
            BrowserLostError: the browser is gone.
        """

    def subscribe(self, handler: Handler) -> Unsubscribe:
        """Call *handler* with each event, in order; return how to stop that."""


class _Call(NamedTuple):
    method: str
    session_id: str | None
    answer: "asyncio.Future[dict[str, Any]]"


class PendingCalls:
    """The commands that wait for an answer; each ends exactly once, late answers are dropped."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}
        self._ids = itertools.count(1)

    def open(
        self, method: str, session_id: str | None
    ) -> "tuple[int, asyncio.Future[dict[str, Any]]]":
        """Return the id of a new command and the future of its answer."""
        call_id = next(self._ids)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._calls[call_id] = _Call(method, session_id, answer)
        return call_id, answer

    def drop(self, call_id: int) -> None:
        """Forget a command nobody waits for any more."""
        self._calls.pop(call_id, None)

    def answer(self, message: Mapping[str, Any]) -> None:
        """End the command that *message* answers."""
        call = self._calls.pop(message["id"], None)
        if call is None or call.answer.done():
            return
        if "error" in message:
            call.answer.set_exception(_refusal(call.method, message["error"]))
        else:
            call.answer.set_result(message.get("result", {}))

    def notice(self, event: CdpEvent) -> None:
        """Fail what can no longer be answered because of *event*."""
        if event.method == "Inspector.targetCrashed":
            self._fail(event.session_id, PageCrashedError())
        elif event.method == "Target.detachedFromTarget":
            session_id = event.params.get("sessionId")
            self._fail(session_id, SessionGoneError("Target", "the tab or frame was closed"))

    def fail_all(self, error: HostError) -> None:
        """End every command with *error*."""
        calls, self._calls = self._calls, {}
        for call in calls.values():
            if not call.answer.done():
                call.answer.set_exception(error)

    def _fail(self, session_id: str | None, error: HostError) -> None:
        gone = [i for i, call in self._calls.items() if call.session_id == session_id]
        for call_id in gone:
            call = self._calls.pop(call_id)
            if not call.answer.done():
                call.answer.set_exception(error)


def _refusal(method: str, error: Mapping[str, Any]) -> CdpError:
    why = str(error.get("message", "unknown error"))[:300]
    if any(sign in why for sign in _CONTEXT_GONE):
        return ContextGoneError(method, why)
    if any(sign in why for sign in _SESSION_GONE):
        return SessionGoneError(method, why)
    return CdpError(method, why)
