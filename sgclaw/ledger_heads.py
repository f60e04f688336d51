"""When the agent tells its host what the ledger has come to (M7): every N rows or T seconds.

What lies behind the last head told is the tail that nothing anchors yet; a task's end tells all.
A head is told of rows that are on the disk only: else a power cut would make the ledger shorter
than what the host signed.
"""

from collections.abc import Callable

from pydantic import BaseModel

from states.ledger_head import Head
from states.settings import AuditLimits
from states.wire import LedgerHead


class HeadWatch:
    """Counts rows and seconds (of *now*), and sends the heads when either is up."""

    def __init__(
        self,
        heads: Callable[[], tuple[Head, ...]],
        send: Callable[[BaseModel], None],
        now: Callable[[], float],
        limits: AuditLimits,
    ) -> None:
        self._heads, self._send, self._now, self._limits = heads, send, now, limits
        self._rows = 0
        self._since = now()
        self._told: set[Head] = set()

    def is_due(self) -> bool:
        """Tell whether the next row is one to tell the heads after; a task's first row is."""
        if not self._told:
            return True
        late = self._now() - self._since >= self._limits.head_seconds_max
        return late or self._rows + 1 >= self._limits.head_events_max

    def appended(self, *, durable: bool) -> None:
        """Count a row; tell the heads if it is time, and the row is on the disk."""
        due = self.is_due()
        self._rows += 1
        if due and durable:
            self.tell()

    def tell(self) -> None:
        """Send what each chain has come to, unless that was sent before."""
        self._rows, self._since = 0, self._now()
        for head in self._heads():
            if head not in self._told:
                self._send(LedgerHead.model_validate(head._asdict()))
        self._told = set(self._heads())
