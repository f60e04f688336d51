"""The ledger: append-only JSON Lines, one file a trace, written before anything happens (L8).

A row is on disk (fsync) before `append` returns when it is durable: intents and outcomes of side
effects. The class is the ledger port; a database stands behind the same two methods later.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.errors import LedgerError

FORMAT_VERSION = 1


class JsonLinesLedger:
    """One trace's ledger file; rows are numbered from 1."""

    def __init__(self, path: Path, sync: Callable[[int], None] = os.fsync) -> None:
        """Open *path* for appending; it is made with its folder, readable by its owner only.

        Raises:
            LedgerError: the file cannot be opened.
        """
        self.path = path
        self._sync = sync
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            self._fd = os.open(path, flags, 0o600)
        except OSError as error:
            raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
        self._seq = sum(1 for _ in read_rows(path))

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row* under the next number; return when it is written (and synced if *durable*).

        Raises:
            LedgerError: it could not be written; the caller must not act.
        """
        self._seq += 1
        numbered = {"v": FORMAT_VERSION, "seq": self._seq, **row}
        line = json.dumps(numbered, ensure_ascii=False, separators=(",", ":")) + "\n"
        try:
            _write_all(self._fd, line.encode("utf-8", "backslashreplace"))
            if durable:
                self._sync(self._fd)
        except OSError as error:
            raise LedgerError("ledger_unwritable", path=self.path, why=error.strerror) from error

    def close(self) -> None:
        """Close the file; later appends fail."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of *path* in order; a torn last line (a kill mid-write) ends the reading.

    Raises:
        LedgerError: a line before the last cannot be read.
    """
    if not path.exists():
        return
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            if number >= len(lines):
                return
            raise LedgerError("ledger_unreadable", path=path, line=number) from error
        yield row


def _write_all(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content) :]
