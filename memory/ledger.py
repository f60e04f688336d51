"""The ledger: append-only JSON Lines, one file a trace, written before anything happens (L8).

A row is on disk (fsync) before `append` returns when it is durable: intents and outcomes of side
effects. The class is the ledger port; a database stands behind the same two methods later.
One writer at a time: the file is locked, and the lock ends with the process, also on a kill.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.errors import LedgerError
from memory.lock import lock_file

FORMAT_VERSION = 1


class JsonLinesLedger:
    """One trace's ledger file; rows are numbered from 1."""

    def __init__(self, path: Path, sync: Callable[[int], None] = os.fsync) -> None:
        """Open *path* for appending; it is made with its folder, readable by its owner only.

        The rest of a row that a kill cut short is removed: nothing was done upon it.

        Raises:
            LedgerError: the file cannot be opened, is damaged, or another process writes it.
        """
        self.path = path
        self._sync = sync
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            self._fd = os.open(path, flags, 0o600)
        except OSError as error:
            raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
        try:
            if not lock_file(self._fd):
                raise LedgerError("ledger_locked", path=path)
            self._seq = sum(1 for _ in read_rows(path))
            _cut_torn_row(self._fd)
        except OSError as error:
            self.close()
            raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
        except LedgerError:
            self.close()
            raise

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row* under the next number; return when it is written (and synced if *durable*).

        Raises:
            LedgerError: it could not be written; the caller must not act.
        """
        numbered = {"v": FORMAT_VERSION, "seq": self._seq + 1, **row}
        line = json.dumps(numbered, ensure_ascii=False, separators=(",", ":")) + "\n"
        try:
            _write_all(self._fd, line.encode("utf-8", "backslashreplace"))
            if durable:
                self._sync(self._fd)
        except OSError as error:
            with contextlib.suppress(OSError):
                _cut_torn_row(self._fd)
            raise LedgerError("ledger_unwritable", path=self.path, why=error.strerror) from error
        self._seq += 1

    def close(self) -> None:
        """Close the file; later appends fail."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of *path* in order; a torn last line (a kill mid-write) ends the reading.

    Raises:
        LedgerError: a whole line cannot be read, or a row is missing before it.
    """
    if not path.exists():
        return
    *whole, _torn = path.read_bytes().split(b"\n")
    seq = 0
    for number, line in enumerate(whole, start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
            found = row["seq"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise LedgerError("ledger_unreadable", path=path, line=number) from error
        if found != seq + 1:
            raise LedgerError("ledger_gap", path=path, line=number, seq=found, expected=seq + 1)
        seq = found
        yield row


def _cut_torn_row(fd: int) -> None:
    size = os.fstat(fd).st_size
    end = size
    while end and os.pread(fd, 1, end - 1) != b"\n":
        end -= 1
    if end < size:
        os.ftruncate(fd, end)


def _write_all(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content) :]
