"""Journals with one row that is somebody's last."""

import contextlib
import os
import resource
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.event_ledger import DatabaseLedger
from memory.ledger import JsonLinesLedger
from tests.e2e.kill.blow import Victim, strike

_BYTES_LEFT = 20


def striking(
    numbers: str, victim: Victim, host_pid: Callable[[], int], marker: str
) -> type[JsonLinesLedger]:
    """Return a journal after each of whose rows *numbers* (`13` or `13,14`) the *victim* dies."""
    blows = _Blows(numbers, victim, host_pid, marker)

    class Striking(JsonLinesLedger):
        """A journal that kills."""

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*, then strike if its number is up."""
            super().append(row, durable=durable)
            blows.deal(self._seq)

    return Striking


def striking_ledger(
    numbers: str, victim: Victim, host_pid: Callable[[], int], marker: str
) -> type[DatabaseLedger]:
    """Return a ledger after each of whose rows *numbers* the *victim* dies."""
    blows = _Blows(numbers, victim, host_pid, marker)

    class Striking(DatabaseLedger):
        """A ledger that kills."""

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*, then strike if its number is up."""
            super().append(row, durable=durable)
            blows.deal(self.seq)

    return Striking


class _Blows:
    """Kills the victim after some rows: each leaves its marker, once, after the one before it."""

    def __init__(
        self, numbers: str, victim: Victim, host_pid: Callable[[], int], marker: str
    ) -> None:
        self._rows = [int(word) for word in numbers.split(",")]
        self._markers = [Path(f"{marker}-{row}") for row in self._rows]
        self._victim, self._host_pid = victim, host_pid

    def deal(self, seq: int) -> None:
        """Strike if the number *seq* is up."""
        if seq not in self._rows:
            return
        turn = self._rows.index(seq)
        if all(marker.exists() for marker in self._markers[:turn]):
            strike(self._victim, self._host_pid(), self._markers[turn])


@contextlib.contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def without_room(number: int) -> type[JsonLinesLedger]:
    """Return a journal whose file system is full when row *number* comes."""

    class Full(JsonLinesLedger):
        """A journal on a small disk."""

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*; for the row in question there are a few bytes left."""
            if self._seq + 1 != number:
                super().append(row, durable=durable)
                return
            with _files_of_at_most(os.fstat(self._fd).st_size + _BYTES_LEFT):
                super().append(row, durable=durable)

    return Full


def ledger_without_room(number: int) -> type[DatabaseLedger]:
    """Return a ledger whose file system is full when row *number* comes."""

    class Full(DatabaseLedger):
        """A ledger on a small disk."""

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*; for the row in question there are a few bytes left."""
            if self.seq + 1 != number:
                super().append(row, durable=durable)
                return
            size = Path(f"{self.path}-wal").stat().st_size
            with _files_of_at_most(size + _BYTES_LEFT):
                super().append(row, durable=durable)

    return Full
