"""One tab, frame or worker: the transport, narrowed to its session."""

from collections.abc import Mapping
from typing import Any

from browser.host.transport import CdpEvent, Handler, Transport, Unsubscribe


class TargetSession:
    """The attached target *target_id* of type *kind*, spoken to under *session_id*."""

    def __init__(self, transport: Transport, session_id: str, target_id: str, kind: str) -> None:
        self.transport = transport
        self.session_id = session_id
        self.target_id = target_id
        self.kind = kind

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, timeout_s: float | None = None
    ) -> dict[str, Any]:
        """Send one command to this target (see `Transport.send`)."""
        return await self.transport.send(method, params, self.session_id, timeout_s)

    def subscribe(self, handler: Handler) -> Unsubscribe:
        """Call *handler* with each event of this target."""

        def mine(event: CdpEvent) -> None:
            if event.session_id == self.session_id:
                handler(event)

        return self.transport.subscribe(mine)
