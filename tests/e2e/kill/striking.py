"""Journals with one row that is somebody's last."""

import os
import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memory.ledger import JsonLinesLedger
from tests.e2e.kill.blow import Victim, strike

_BYTES_LEFT = 20


def striking(
    numbers: str, victim: Victim, host_pid: Callable[[], int], marker: str
) -> type[JsonLinesLedger]:
    """Return a journal after each of whose rows *numbers* (`13` or `13,14`) the *victim* dies.

    A blow leaves its *marker*, is dealt once, and only after the one before it.
    """
    rows = [int(word) for word in numbers.split(",")]
    markers = [Path(f"{marker}-{row}") for row in rows]

    class Striking(JsonLinesLedger):
        """A journal that kills."""

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*, then strike if its number is up."""
            super().append(row, durable=durable)
            if self._seq in rows and all(m.exists() for m in markers[: rows.index(self._seq)]):
                strike(victim, host_pid(), markers[rows.index(self._seq)])

    return Striking


def without_room(number: int) -> type[JsonLinesLedger]:
    """Return a journal whose file system is full when row *number* comes."""

    class Full(JsonLinesLedger):
        """A journal on a small disk."""

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*; for the row in question there are a few bytes left."""
            if self._seq + 1 != number:
                super().append(row, durable=durable)
                return
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            size = os.fstat(self._fd).st_size + _BYTES_LEFT
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
            try:
                super().append(row, durable=durable)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return Full
