"""Archives: a closed segment as one compressed JSON Lines file that can be verified by itself.

The rule: a segment counts as archived only when its file was read back and every link of it holds;
nothing that exists is ever written over.
"""

import contextlib
import errno
import gzip
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from memory.chain import Owner, Place
from memory.database import Store
from memory.errors import LedgerError
from memory.segments import (
    ARCHIVED,
    CLOSED,
    Link,
    Segment,
    checked,
    links_of,
    segments_of,
)

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
# What a line has beside its text: names, hashes, numbers. JSON may write a character as six.
_LINE_BYTES_BESIDE = 8_192
_BYTES_PER_CHARACTER = 6
_STATE = """UPDATE segment SET state = ?, archive = ?
    WHERE install_id = ? AND stream = ? AND number = ? AND state = ?"""


def archive_name(segment: Segment) -> str:
    """Return the name of the file of *segment*."""
    return f"{segment.stream}-{segment.number}.jsonl.gz"


def archive_path(folder: Path, segment: Segment) -> Path:
    """Return where *segment* was archived; *folder* is the usual place."""
    return folder / (segment.archive or archive_name(segment))


def archive_segments(
    store: Store, install_id: str, folder: Path, usual: Path, sync: Callable[[int], None] = os.fsync
) -> list[Segment]:
    """Archive every closed segment of the installation into *folder*; return them.

    The segment remembers the name of its file, with the whole path if *folder* is not the *usual*
    one. A file that a killed archiving left is taken if it holds exactly the segment.

    Raises:
        LedgerError: a segment's links do not hold, another file has its name, or it cannot be
            written; that segment stays closed, those before it are archived.
    """
    done: list[Segment] = []
    for segment in segments_of(store, install_id):
        if segment.state != CLOSED:
            continue
        path = _private(folder) / archive_name(segment)
        _check_rows(store, install_id, segment)
        if os.path.lexists(path):
            _adopt(path, install_id, segment)
        else:
            _write(path, links_of(store, install_id, segment), sync)
            try:
                check_archive(path, install_id, segment)
            except LedgerError:
                path.unlink(missing_ok=True)
                raise
        kept = path.name if folder == usual else str(path.absolute())
        with store.writing(durable=True):
            store.run(_STATE, (ARCHIVED, kept, install_id, segment.stream, segment.number, CLOSED))
        done.append(segment._replace(state=ARCHIVED, archive=kept))
    return done


def check_archive(path: Path, install_id: str, segment: Segment) -> None:
    """Read the archive at *path* and hold every link of it against *segment*.

    Raises:
        LedgerError: it is gone, cannot be read, is a link, or does not hold the segment.
    """
    try:
        for _ in checked(read_archive(path, segment), install_id, segment):
            pass
    except LedgerError as error:
        if error.code != "ledger_segment_broken":
            raise
        raise LedgerError("ledger_archive_broken", path=path, why=error) from error


def read_archive(path: Path, segment: Segment) -> Iterator[Link]:
    """Yield the events that stand in *path*, as they stand there; of no more than *segment* says.

    Raises:
        LedgerError: it cannot be read, or a line of it is no event.
    """
    longest = segment.bytes * _BYTES_PER_CHARACTER + _LINE_BYTES_BESIDE
    try:
        with _opened(path) as raw, gzip.GzipFile(fileobj=raw, mode="rb") as file:
            for _ in range(segment.events + 1):
                line = file.readline(longest)
                if not line:
                    return
                yield _link(line, path)
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise LedgerError("ledger_archive_unreadable", path=path, why=why) from error


def remove_archive(path: Path) -> None:
    """Remove the archive at *path*; one that is gone already is none to remove.

    Raises:
        LedgerError: it cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError("archive_unwritten", path=path, why=error.strerror) from error


def _check_rows(store: Store, install_id: str, segment: Segment) -> None:
    for _ in checked(links_of(store, install_id, segment), install_id, segment):
        pass


def _adopt(path: Path, install_id: str, segment: Segment) -> None:
    """Take the file that has the segment's name, if it is the segment's.

    Raises:
        LedgerError: it is not.
    """
    try:
        check_archive(path, install_id, segment)
    except LedgerError as error:
        raise LedgerError("archive_exists", path=path, why=error) from error


def _private(folder: Path) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise LedgerError("archive_unwritten", path=folder, why=error.strerror) from error
    if not stat.S_ISDIR(found.st_mode):
        raise LedgerError("archive_unwritten", path=folder, why=os.strerror(errno.ENOTDIR))
    return folder


def _write(path: Path, links: Iterator[Link], sync: Callable[[int], None]) -> None:
    """Write *links* beside *path*, and give the file its name when it is on the disk."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
        try:
            with os.fdopen(fd, "wb") as raw:
                # No name and no time in it: the same events are the same file.
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
                    for link in links:
                        file.write(_line(link))
                raw.flush()
                sync(fd)
            _name(beside, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                beside.unlink()
        _sync_folder(path.parent, sync)
    except OSError as error:
        why = error.strerror or str(error)
        raise LedgerError("archive_unwritten", path=path, why=why) from error


def _name(beside: Path, path: Path) -> None:
    """Give the file *beside* the name *path*, which nothing has."""
    try:
        os.link(beside, path)
    except OSError as error:
        # Some file systems know one name a file only.
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS) or os.path.lexists(path):
            raise
        beside.rename(path)


def _sync_folder(folder: Path, sync: Callable[[int], None]) -> None:
    if os.name != "posix":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        sync(fd)
    finally:
        os.close(fd)


def _opened(path: Path) -> BinaryIO:
    fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(fd, "rb")


def _line(link: Link) -> bytes:
    document = {
        **link.owner._asdict(),
        **link.place._asdict(),
        "algorithm": link.algorithm,
        "prev": link.prev,
        "hash": link.hash,
        "text": link.text,
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"
    return text.encode("utf-8", "surrogatepass")


def _link(line: bytes, path: Path) -> Link:
    try:
        document: Any = json.loads(line)
        owner = Owner(*(document.pop(name) for name in Owner._fields))
        place = Place(*(document.pop(name) for name in Place._fields))
        link = Link(owner, place, **document)
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise LedgerError("ledger_archive_unreadable", path=path, why="no event") from error
    words = (*owner, place.stream, place.trace_id, *link[2:])
    are_words = all(isinstance(word, str) for word in words)
    if not are_words or type(place.position) is not int or type(place.seq) is not int:
        raise LedgerError("ledger_archive_unreadable", path=path, why="no event")
    return link
