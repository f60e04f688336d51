"""A ledger in a file: append-only JSON Lines, written before anything happens (L8).

A row is on disk (fsync) before `append` returns when it is durable: intents and outcomes of side
effects. The host's own journal is one, and so is the copy of a run that is handed out; the
agent's ledger stands in a database behind the same methods (`event_ledger`).
One writer at a time: the file is locked, and the lock ends with the process, also on a kill.
"""

import contextlib
import errno
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from memory.errors import LedgerError
from memory.lock import lock_file

FORMAT_VERSION = 1
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# A pipe in the place of a file would be waited for without end.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


class JsonLinesLedger:
    """One trace's ledger file; rows are numbered from 1."""

    def __init__(
        self, path: Path, sync: Callable[[int], None] = os.fsync, *, create: bool = True
    ) -> None:
        """Open and lock *path*; if *create*, it is made with its folder, for its owner only.

        Opening changes nothing in it. The rest of a row that a kill cut short is removed by the
        first append: nothing was done upon it.

        Raises:
            LedgerError: the file cannot be opened, is damaged, or another process writes it.
        """
        self.path = path
        self._sync = sync
        self._failure: LedgerError | None = None
        self._seq = self._end = 0
        flags = os.O_RDWR | os.O_APPEND | _NO_FOLLOW
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                flags |= os.O_CREAT
            self._fd = _opened(path, flags)
        except OSError as error:
            raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
        try:
            if not lock_file(self._fd):
                raise LedgerError("ledger_locked", path=path)
            self._check_place()
            for row, end in _rows_in(self._fd, path):
                self._seq, self._end = row["seq"], end
            self._is_torn = os.fstat(self._fd).st_size > self._end
        except OSError as error:
            self.close()
            raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
        except LedgerError:
            self.close()
            raise

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row* under the next number; return when it is written (and synced if *durable*).

        After a failure the file is as before, and every later row is refused: what the disk
        really holds is not known any more.

        Raises:
            LedgerError: it could not be written; the caller must not act.
        """
        if self._failure is not None:
            raise LedgerError(self._failure.code, **self._failure.facts)
        numbered = {"v": FORMAT_VERSION, "seq": self._seq + 1, **row}
        text = json.dumps(numbered, ensure_ascii=False, separators=(",", ":")) + "\n"
        line = text.encode("utf-8", "backslashreplace")
        try:
            if durable:
                self._check_place()
            if self._is_torn:
                os.ftruncate(self._fd, self._end)
                self._is_torn = False
            _write_all(self._fd, line)
            if durable:
                self._sync(self._fd)
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._give_up(LedgerError("ledger_unwritable", path=self.path, why=why), error)
        except LedgerError as error:
            self._give_up(error, None)
        self._seq += 1
        self._end += len(line)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the locked file itself, whatever stands at its path by now.

        Raises:
            LedgerError: the file is damaged.
        """
        try:
            return [row for row, _ in _rows_in(self._fd, self.path)]
        except OSError as error:
            raise LedgerError("ledger_not_read", path=self.path, why=error.strerror) from error

    def close(self) -> None:
        """Close the file; later appends fail."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _check_place(self) -> None:
        """Refuse to write into a file that is no longer the one at the path: nobody would read it.

        Raises:
            LedgerError: the file at the path is another one, or gone.
        """
        ours = os.fstat(self._fd)
        try:
            there = self.path.lstat()
        except FileNotFoundError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino):
            raise LedgerError("ledger_replaced", path=self.path)

    def _give_up(self, failure: LedgerError, cause: OSError | None) -> NoReturn:
        """Leave the file as it was before the row that failed, and refuse every later one."""
        self._failure = failure
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, self._end)
        raise failure from cause


def torn_bytes(path: Path) -> int:
    """Return how many bytes stand behind the last whole row of *path*: a write that a kill cut.

    Raises:
        LedgerError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LedgerError("ledger_not_read", path=path, why=error.strerror) from error
    return len(content) - (content.rfind(b"\n") + 1)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of *path* in order; a torn last line (a kill mid-write) ends the reading.

    Raises:
        LedgerError: it is no file that can be read, a whole line cannot be read, or a row is
            missing before it.
    """
    try:
        fd = _opened(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise LedgerError("ledger_not_read", path=path, why=error.strerror) from error
    try:
        for row, _ in _rows_in(fd, path):
            yield row
    except OSError as error:
        raise LedgerError("ledger_not_read", path=path, why=error.strerror) from error
    finally:
        os.close(fd)


def _opened(path: Path, flags: int) -> int:
    fd = os.open(path, flags | _NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file")
    return fd


def _rows_in(fd: int, path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each whole row of the open file *fd*, and where in the file it ends."""
    seq = end = 0
    with open(fd, "rb", closefd=False) as file:
        file.seek(0)
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                if _holds_a_row_and_more(line):
                    raise LedgerError("ledger_unreadable", path=path, line=number)
                return
            end += len(line)
            if line == b"\n":
                continue
            row = _row(line)
            if row is None:
                raise LedgerError("ledger_unreadable", path=path, line=number)
            found, expected = row["seq"], seq + 1
            if found != expected:
                raise LedgerError(
                    "ledger_gap", path=path, line=number, seq=found, expected=expected
                )
            seq = expected
            yield row, end


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and type(row.get("seq")) is int else None


def _holds_a_row_and_more(rest: bytes) -> bool:
    """Tell whether *rest* is more than one row without its end: no kill leaves that."""
    text = rest.decode("utf-8", "replace")
    try:
        row, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and bool(text[end:].strip())


def _write_all(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content) :]
