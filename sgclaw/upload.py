"""Upload what is closed (A3): archived segments, rotated log files, new signed heads.

The rule: each object has one name and one content for ever, so that sending it again does no
harm; what a server confirmed is written down before the next is sent; nothing local is removed.
"""

import email.utils
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple

from sgclaw.install import heads_path
from sgclaw.log_files import log_dir, rotated_files
from sgclaw.upload_put import Body, put
from sgclaw.upload_state import Confirmed, UploadState
from sgclaw.upload_target import Target
from states.settings import AuditLimits

_ARCHIVED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}\.jsonl\.gz")
_HEADS_BYTES_MAX = 1_048_576
_BACKOFF_S = 0.5
_OK = range(200, 300)
_REDIRECTS = range(300, 400)
_AGAIN = frozenset({408, 429, *range(500, 600)})
# The door itself is closed: no other object would fare better.
_CLOSED = frozenset({401, 403, 407})
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Item(NamedTuple):
    """One object: the bytes from *start* to *end* of the file at *path*, sent as *name*."""

    name: str
    path: Path
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.end - self.start


class Sent(NamedTuple):
    """What came of one object: *code* is "" when the server has it, else why not."""

    name: str
    size: int
    sha256: str = ""
    code: str = ""
    why: str = ""


class Clocks(NamedTuple):
    """Time for the waits: *sleep* takes seconds, *jitter* gives 0 to 1, *now* is UTC."""

    sleep: Callable[[float], None]
    jitter: Callable[[], float]
    now: Callable[[], datetime]


def archive_dir(data: Path) -> Path:
    """Return the usual folder of archived segments."""
    return data / "archive"


def state_dir(data: Path) -> Path:
    """Return the folder in which it is kept what was confirmed."""
    return data / "upload"


def waiting(data: Path, confirmed: Confirmed) -> Iterator[Item | Sent]:
    """Yield what *confirmed* does not hold yet, or why something cannot be sent any more."""
    for folder, paths in (
        ("archive", _archived(archive_dir(data))),
        ("logs", rotated_files(log_dir(data))),
    ):
        for path in paths:
            name, size = f"{folder}/{path.name}", _size_of(path)
            before = confirmed.files.get(name)
            if before is None and size:
                yield Item(name, path, 0, size)
            elif before is not None and size not in (None, before):
                yield Sent(name, size or 0, code="upload_changed")
    yield from _heads(heads_path(data), confirmed)


class Upload:
    """Sends what waits in *data* to *target*, one object after another."""

    def __init__(self, data: Path, target: Target, limits: AuditLimits, clocks: Clocks) -> None:
        self._data, self._target, self._limits, self._clocks = data, target, limits, clocks
        self.already = 0

    def run(self, prefix: str, on_sent: Callable[[Sent], None]) -> list[Sent]:
        """Send everything; *prefix* stands before each name, *on_sent* hears of each at once.

        It stops at the first object that shows that no other would get through.

        Raises:
            UsageError: another upload to the same place runs.
            RefusedError: what was confirmed cannot be written down.
        """
        done: list[Sent] = []
        with UploadState(state_dir(self._data), self._target.id) as state:
            self.already = len(state.confirmed.files)
            for item in waiting(self._data, state.confirmed):
                if isinstance(item, Sent):
                    sent, goes_on = item, True
                else:
                    self._begin(state, item)
                    sent, goes_on = self._send(prefix, item)
                    if not sent.code:
                        _confirm(state, item)
                done.append(sent)
                on_sent(sent)
                if not goes_on:
                    break
        return done

    def _begin(self, state: UploadState, item: Item) -> None:
        if item.path == heads_path(self._data) and state.confirmed.heads_begun != item.end:
            state.confirmed.heads_begun = item.end
            state.save()

    def _send(self, prefix: str, item: Item) -> tuple[Sent, bool]:
        """Return what came of *item*, and whether others may be tried."""
        try:
            file = _opened(item.path)
        except OSError as error:
            return _failed(item, "upload_unreadable", error.strerror or str(error)), True
        with file:
            try:
                sha256 = _sha256_of(file, item)
            except OSError as error:
                return _failed(item, "upload_unreadable", error.strerror or str(error)), True
            is_heads = item.name.startswith("heads/") or item.path.suffix == ".jsonl"
            kind = "application/x-ndjson" if is_heads else "application/gzip"
            body = Body(file, item.start, item.end, sha256, kind)
            return self._put(f"{prefix}/{item.name}", item, body)

    def _put(self, name: str, item: Item, body: Body) -> tuple[Sent, bool]:
        """Send *body*, again while that may help."""
        limits, why, status = self._limits, "", 0
        for attempt in range(limits.upload_attempts_max):
            retry_after = ""
            try:
                status, retry_after = put(self._target, name, body, limits.upload_seconds)
            except OSError as error:
                status, why = 0, error.strerror or str(error) or type(error).__name__
            if status in _OK:
                return Sent(item.name, item.size, body.sha256), True
            if status and status not in _AGAIN:
                code = "upload_redirected" if status in _REDIRECTS else "upload_refused"
                goes_on = status not in _CLOSED and status not in _REDIRECTS
                return _failed(item, code, str(status)), goes_on
            if attempt + 1 < limits.upload_attempts_max:
                self._clocks.sleep(self._pause(attempt, retry_after))
        if status:
            return _failed(item, "upload_busy", str(status)), False
        return _failed(item, "upload_unreachable", why), False

    def _pause(self, attempt: int, retry_after: str) -> float:
        """Return how many seconds to wait: as the server said, else longer each time."""
        most = self._limits.upload_wait_seconds_max
        asked = seconds_asked(retry_after, self._clocks.now())
        if asked is not None:
            return min(asked, most)
        return float(min(_BACKOFF_S * 2**attempt, most) * (0.5 + self._clocks.jitter() / 2))


def seconds_asked(retry_after: str, now: datetime) -> float | None:
    """Return the seconds that *retry_after* asks for, None when it asks for nothing readable."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = email.utils.parsedate_to_datetime(text)
        return max(0.0, (at - now).total_seconds())
    except (ValueError, TypeError, OverflowError):  # TypeError: a date without a zone
        return None


def _archived(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if e.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if _ARCHIVED.fullmatch(name)]


def _heads(path: Path, confirmed: Confirmed) -> Iterator[Item | Sent]:
    """Yield the whole lines of the heads that are new, in pieces; a begun piece keeps its end."""
    start, begun = confirmed.heads_end, confirmed.heads_begun
    size = _size_of(path) or 0
    if size < max(start, begun):
        yield Sent("heads", size, code="upload_changed")
        return
    if size == start:
        return
    try:
        with _opened(path) as file:
            while True:
                end = begun if begun > start else _lines_end(file, start)
                if end <= start:
                    return
                yield Item(f"heads/{start:012d}-{end:012d}.jsonl", path, start, end)
                start = end
    except OSError as error:
        yield Sent("heads", size, code="upload_unreadable", why=error.strerror or str(error))


def _lines_end(file: IO[bytes], start: int) -> int:
    """Return where the last whole line of a piece from *start* on ends; *start* without any."""
    file.seek(start)
    return start + file.read(_HEADS_BYTES_MAX).rfind(b"\n") + 1


def _confirm(state: UploadState, item: Item) -> None:
    if item.name.startswith("heads/"):
        state.confirmed.heads_end = item.end
    else:
        state.confirmed.files[item.name] = item.size
    state.save()


def _opened(path: Path) -> IO[bytes]:
    fd = os.open(path, _READ)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError("is no regular file")
    return os.fdopen(fd, "rb")


def _size_of(path: Path) -> int | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _sha256_of(file: IO[bytes], item: Item) -> str:
    digest = hashlib.sha256()
    file.seek(item.start)
    left = item.size
    while left:
        chunk = file.read(min(left, 1_048_576))
        if not chunk:
            raise OSError("the file got shorter")
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()


def _failed(item: Item, code: str, why: str) -> Sent:
    return Sent(item.name, item.size, code=code, why=why)
