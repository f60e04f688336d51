"""The host keeps what the agent's ledger has come to, outside the agent's reach (M7)."""

from typing import Protocol

from browser.host.host_log import HostLog
from engine.pipe.errors import ProtocolViolationError
from states.ledger_head import Head
from states.wire import Init, LedgerHead


class HeadKeeper(Protocol):
    """Keeps heads outside the ledger."""

    def take(self, head: Head, trace_id: str) -> bool:
        """Keep *head*, signed; False when it does not follow the head before it."""


class _Ports(Protocol):
    @property
    def log(self) -> HostLog: ...

    @property
    def heads(self) -> HeadKeeper | None: ...


def keep_head(message: LedgerHead, init: Init, ports: _Ports) -> None:
    """Keep the head in *message*, and tell in the log whether it was taken.

    Raises:
        ProtocolViolationError: it is the head of another installation's ledger.
    """
    if message.install_id != init.ledger.install_id:
        raise ProtocolViolationError("message_unexpected", type=message.type)
    if ports.heads is None:
        return
    head = Head(message.install_id, message.stream, message.position, message.hash,
                message.algorithm)  # fmt: skip
    note = "LEDGER_HEAD" if ports.heads.take(head, init.trace_id) else "LEDGER_HEAD_REFUSED"
    ports.log.note(note, stream=head.stream, position=head.position, hash=head.hash)
