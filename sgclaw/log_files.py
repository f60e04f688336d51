"""Local log files with rotation (A3): JSON Lines that several hosts write at once.

Each line is one write at the end of the file, made under the file's own lock. Whoever finds the
file full, or of an earlier day, gives it a name that is never used again
(`operation-20260303-102305-1.jsonl`) while it holds that lock: a line that came later stands in
the new file, and what has a date in its name never changes again. A line that cannot be written
stops nothing; `failure` tells it.
"""

import contextlib
import errno
import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from memory.lock import lock_file
from states.settings import AuditLimits

OPERATION, PIPE = "operation", "pipe"
# Whoever stopped while it held the lock is waited for this long, and not by every line.
LOCK_SECONDS = 0.2
_PAUSE_S = 0.001
_TRIES_MAX = 100
_NAMES_MAX = 100
_ROTATED = re.compile(r"([a-z]+)-(\d{8})-(\d{6})-(\d{1,6})\.jsonl")
_OPEN = (
    os.O_RDWR | os.O_CREAT | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)  # fmt: skip
WallClock = Callable[[], datetime]


class LogBounds(NamedTuple):
    """How large one file gets, how many rotated ones stay beside it, how long a line may be."""

    file_bytes_max: int
    files_max: int
    line_bytes_max: int


def bounds_of(limits: AuditLimits) -> LogBounds:
    """Return what *limits* say about log files."""
    return LogBounds(limits.log_file_bytes_max, limits.log_files_max, limits.log_line_bytes_max)


def log_dir(data: Path) -> Path:
    """Return the folder of the operation log and the pipe record."""
    return data / "logs"


def rotated_files(folder: Path, name: str = "") -> list[Path]:
    """Return the rotated files of log *name* (of every log when ""), the oldest first."""
    found: list[tuple[str, str, int, str]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _ROTATED.fullmatch(entry.name)
            if match and name in ("", match[1]) and entry.is_file(follow_symlinks=False):
                found.append((match[2], match[3], int(match[4]), entry.name))
    return [folder / file for *_, file in sorted(found)]


class LogFile:
    """One log, `<folder>/<name>.jsonl`; `failure` is "" until a line is missing."""

    def __init__(self, folder: Path, name: str, bounds: LogBounds, clock: WallClock) -> None:
        self.path = folder / f"{name}.jsonl"
        self.failure = ""
        self._name, self._bounds, self._clock = name, bounds, clock
        self._fd = -1
        self._day = date.min
        self._patient = True

    def append(self, row: Mapping[str, Any]) -> None:
        """Write *row* as one line; never raises, whatever the disk or the row is."""
        try:
            self._append(self._line(row))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            self.failure = self.failure or getattr(error, "strerror", None) or str(error)

    def close(self) -> None:
        """Close the file; a line that comes later opens it again."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            try:
                os.close(fd)
            except OSError as error:
                self.failure = self.failure or error.strerror or str(error)

    def _line(self, row: Mapping[str, Any]) -> bytes:
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str)
        line = text.encode("utf-8", "backslashreplace")
        if len(line) > self._bounds.line_bytes_max:
            short = {k: v for k, v in row.items() if isinstance(v, str | int | float | bool | None)}
            kept = {k: v[:200] if isinstance(v, str) else v for k, v in short.items()}
            kept["cut_bytes"] = len(line)
            text = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
            line = text.encode("utf-8", "backslashreplace")
        return line + b"\n"

    def _append(self, line: bytes) -> None:
        with self._locked() as is_locked:
            size = os.fstat(self._fd).st_size
            if size and self._is_due(size + len(line)):
                if is_locked:
                    self._rotate()
                    self._open()
                    # Others wait for the old file's lock, or find the new one: it is locked too.
                    is_locked, size = lock_file(self._fd), 0
                elif size > 2 * self._bounds.file_bytes_max:
                    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
            self._write(line, size if is_locked else -1)

    def _write(self, line: bytes, size: int) -> None:
        """Write *line* whole or not at all; *size* is where it begins, -1 when nobody knows."""
        try:
            written = os.write(self._fd, line)
        except BlockingIOError as error:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        if written != len(line):
            if size >= 0:  # half a line would spoil the next one
                os.ftruncate(self._fd, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[bool]:
        """Hold the lock of the file that now has the name; False when somebody does not let go."""
        ends = time.monotonic() + (LOCK_SECONDS if self._patient else 0)
        for _ in range(_TRIES_MAX):
            if self._fd < 0:
                self._open()
            is_locked = self._lock(ends)
            if self._is_named():
                break
            self.close()  # it was rotated, or removed, since it was opened
        else:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        self._patient = is_locked
        try:
            yield is_locked
        finally:
            if is_locked and self._fd >= 0:
                _unlock(self._fd)

    def _lock(self, ends: float) -> bool:
        try:
            while not lock_file(self._fd):
                if time.monotonic() >= ends:
                    return False
                time.sleep(_PAUSE_S)
        except OSError:
            return False  # a file system without locks; a line is one write all the same
        return True

    def _is_named(self) -> bool:
        try:
            there = self.path.lstat()
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(self._fd))

    def _open(self) -> None:
        self.close()
        _own_folder(self.path.parent)
        self._fd = os.open(self.path, _OPEN, 0o600)
        found = os.fstat(self._fd)
        if not stat.S_ISREG(found.st_mode):
            self.close()
            raise OSError(errno.EINVAL, "is no regular file")
        last = datetime.fromtimestamp(found.st_mtime, UTC) if found.st_size else self._clock()
        self._day = last.date()

    def _is_due(self, size: int) -> bool:
        return size > self._bounds.file_bytes_max or self._day < self._clock().date()

    def _rotate(self) -> None:
        """Give the full file its own name; remove the oldest ones that are too many."""
        self.path.replace(self._reserved())
        old = rotated_files(self.path.parent, self._name)
        for path in old[: max(0, len(old) - self._bounds.files_max)]:
            path.unlink(missing_ok=True)

    def _reserved(self) -> Path:
        """Return an empty file with a name of its own: whatever has a name already stays."""
        folder = self.path.parent
        now = f"{self._clock():%Y%m%d-%H%M%S}"
        # Past the last one of this second: the first may be removed already.
        known = [_ROTATED.fullmatch(path.name) for path in rotated_files(folder, self._name)]
        numbers = [int(m[4]) for m in known if m is not None and f"{m[2]}-{m[3]}" == now]
        first = max(numbers, default=0) + 1
        for number in range(first, first + _NAMES_MAX):
            path = folder / f"{self._name}-{now}-{number}.jsonl"
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
                return path
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))


def _own_folder(folder: Path) -> None:
    """Make *folder* for this account alone; close it when it stood open."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not folder.is_symlink() and folder.stat().st_mode & 0o077:
        with contextlib.suppress(OSError):
            folder.chmod(0o700)


def _unlock(fd: int) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            return  # its lock goes with the file
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_UN)
