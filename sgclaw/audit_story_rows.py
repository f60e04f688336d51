"""What a story is told from: the agent's ledger, the host's log and the host's own journal.

The rule: a side that is not there is None, not an empty one; rows that are missing between others
are left missing, so that the story can say so. Nothing here is believed or judged.
"""

import errno
import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memory.errors import LedgerError

Row = Mapping[str, Any]
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Rows(NamedTuple):
    """The rows of one file or store, and where they stand.

    *torn* when the last one was cut short; *changed* are those that are not what was written.
    """

    place: str
    rows: tuple[Row, ...]
    torn: bool = False
    changed: tuple[int, ...] = ()


class LogText(NamedTuple):
    """The host's log as it stands."""

    place: str
    lines: tuple[str, ...]


class Sources(NamedTuple):
    """The three sides of *trace_id*; None for one that is not there.

    A *copy* is a ledger by itself: that nothing of the host lies beside it is told, and no fault.
    """

    trace_id: str
    ledger: Rows | None
    log: LogText | None
    journal: Rows | None
    copy: bool = False


def rows_of_text(place: str, content: bytes) -> Rows:
    """Return the rows of the JSON Lines in *content*, whatever their numbers.

    Raises:
        LedgerError: a whole line is no row.
    """
    rows: list[Row] = []
    *whole, rest = content.split(b"\n")
    for number, line in enumerate(whole, start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise LedgerError("ledger_unreadable", path=place, line=number)
        rows.append(row)
    return Rows(place, tuple(rows), torn=bool(rest.strip()))


def rows_in(path: Path) -> Rows | None:
    """Return the rows of the file *path*, None when there is none.

    Raises:
        LedgerError: it cannot be read, or a whole line of it is no row.
    """
    content = _content(path)
    return None if content is None else rows_of_text(str(path), content)


def log_in(path: Path) -> LogText | None:
    """Return the host's log *path*, None when there is none.

    Raises:
        LedgerError: it cannot be read.
    """
    content = _content(path)
    return None if content is None else log_of_text(str(path), content)


def log_of_text(place: str, content: bytes) -> LogText:
    """Return the host's log that *content* is."""
    # Only "\n" ends a line of it; other breaks were escaped when it was written.
    lines = content.decode("utf-8", "replace").split("\n")
    return LogText(place, tuple(line for line in lines if line))


def trace_of(rows: Iterable[Row]) -> str:
    """Return the trace that the first of *rows* names, "" when none does."""
    return next((t for row in rows if isinstance(t := row.get("trace_id"), str)), "")


def mapping_in(document: Row, key: str) -> dict[str, Any]:
    """Return the object *key* of *document*, an empty one when it is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def text_in(document: Row, key: str) -> str:
    """Return the text *key* of *document*, "" when it is none."""
    value = document.get(key)
    return value if isinstance(value, str) else ""


def number_in(document: Row, key: str) -> int:
    """Return the whole number *key* of *document*, 0 when it is none."""
    value = document.get(key)
    return value if type(value) is int else 0


def _content(path: Path) -> bytes | None:
    try:
        fd = os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LedgerError("ledger_not_read", path=path, why=error.strerror) from error
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            why = os.strerror(errno.EINVAL)
            raise LedgerError("ledger_not_read", path=path, why=why)
        try:
            return file.read()
        except OSError as error:
            raise LedgerError("ledger_not_read", path=path, why=error.strerror) from error
