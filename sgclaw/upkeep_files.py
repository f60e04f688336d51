"""The files beside the ledger that have days of their own: logs, host files, locks (A3).

The rule: a file that somebody holds, or that a task needs to go on, stays; links are never
followed, and what has another name than ours is never touched.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from memory.errors import LedgerError
from memory.lock import lock_file
from sgclaw.log_files import OPERATION, PIPE, log_dir, rotated_files
from sgclaw.paths import database_path, host_journal_path, host_log_dir, ledger_lock_path
from sgclaw.trace import is_trace

_HOST = re.compile(r"(sgclaw-[0-9a-f-]+)\.(?:log|jsonl)")
_LOCK = re.compile(r"(sgclaw-[0-9a-f-]+)\.lock")
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
FileClass = Literal["operation", "pipe"]
FILE_CLASSES: tuple[FileClass, ...] = ("operation", "pipe")


class KeptFile(NamedTuple):
    """One file, its class, the time it was last written, and the trace it belongs to, if one."""

    of: FileClass
    path: Path
    at: datetime
    bytes: int
    trace: str = ""


def kept_files(data: Path) -> list[KeptFile]:
    """Return every file of *data* that retention is for, the oldest first.

    Raises:
        LedgerError: a folder cannot be read.
    """
    found: list[KeptFile] = []
    logs = log_dir(data)
    _names(logs)  # a folder that cannot be read is told, not taken for an empty one
    for of in FILE_CLASSES:
        for path in (*rotated_files(logs, of), logs / f"{of}.jsonl"):
            found += _file(of, path)
    for path, trace in _of_traces(host_log_dir(data), _HOST):
        found += _file(PIPE, path, trace)
    for path, trace in _of_traces(database_path(data).parent, _LOCK):
        found += _file(OPERATION, path, trace)
    return sorted(found, key=lambda file: file.at)


def is_running(data: Path, trace: str) -> bool:
    """Tell whether a process holds the ledger or the host's journal of *trace*.

    One that cannot be looked at counts as held.
    """
    paths = (ledger_lock_path(data, trace), host_journal_path(data, trace))
    return any(_is_held(path) for path in paths)


def remove(file: KeptFile) -> bool:
    """Remove *file* unless somebody holds it, or it was written again; tell whether it is gone.

    Raises:
        LedgerError: it cannot be removed.
    """
    try:
        with _locked(file.path) as fd:
            # Both as whole microseconds: a file's own time is finer.
            if fd is None or datetime.fromtimestamp(os.fstat(fd).st_mtime, UTC) > file.at:
                return False
            file.path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise LedgerError("upkeep_file_kept", path=file.path, why=error.strerror) from error
    return True


def _file(of: str, path: Path, trace: str = "") -> Iterator[KeptFile]:
    try:
        found = path.lstat()
    except OSError:
        return
    if stat.S_ISREG(found.st_mode):
        at = datetime.fromtimestamp(found.st_mtime, UTC)
        yield KeptFile("pipe" if of == PIPE else "operation", path, at, found.st_size, trace)


def _of_traces(folder: Path, form: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    for name in _names(folder):
        match = form.fullmatch(name)
        if match and is_trace(match[1]):
            yield folder / name, match[1]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LedgerError("upkeep_folder_unreadable", path=folder, why=error.strerror) from error


def _is_held(path: Path) -> bool:
    try:
        with _locked(path) as fd:
            return fd is None
    except FileNotFoundError:
        return False
    except OSError:
        return True


@contextmanager
def _locked(path: Path) -> Iterator[int | None]:
    """Have *path* open and locked in the block; None when another process holds it."""
    fd = os.open(path, os.O_RDWR | _NO_FOLLOW | _NO_WAIT)
    try:
        yield fd if lock_file(fd) else None
    finally:
        os.close(fd)


@contextmanager
def upkeep_lock(data: Path) -> Iterator[None]:
    """Be the only one who archives or prunes the ledger of *data* in the block.

    Raises:
        LedgerError: another process is at it, or the lock cannot be taken.
    """
    path = database_path(data).parent / "upkeep.lock"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
    except OSError as error:
        raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
    try:
        if not lock_file(fd):
            raise LedgerError("ledger_upkeep_busy", path=path)
        yield
    finally:
        os.close(fd)
