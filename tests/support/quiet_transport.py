"""A transport without a browser: it notes what is sent and answers as the test says."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from browser.host.transport import CdpEvent, Handler

Answer = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class QuietTransport:
    """`sent` lists each method with its params; `tell` is the browser speaking."""

    def __init__(self, answer: Answer = lambda _method, _params: {}) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self._answer = answer
        self._handlers: list[Handler] = []
        self._lost = asyncio.Event()

    @property
    def lost(self) -> asyncio.Event:
        """Set once the browser is gone."""
        return self._lost

    async def send(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        timeout_s: float | None = None,
    ) -> dict[str, Any]:
        """Note the command and answer it."""
        del session_id, timeout_s
        self.sent.append((method, dict(params or {})))
        return self._answer(method, params or {})

    def subscribe(self, handler: Handler) -> Callable[[], None]:
        """Call *handler* with each event that is told."""
        self._handlers.append(handler)
        return lambda: self._handlers.remove(handler)

    def tell(self, method: str, session_id: str | None = None, **params: Any) -> None:
        """Say that the browser told *method*."""
        for handler in tuple(self._handlers):
            handler(CdpEvent(method, params, session_id))

    def methods(self) -> list[str]:
        """Return the methods sent, in order."""
        return [method for method, _ in self.sent]
