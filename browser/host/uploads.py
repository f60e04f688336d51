"""The files that a person handed to the task, and the copies of them that a page is given.

The rule: a file is copied into a private folder first, what was hashed is the copy, and the page
gets the copy: nothing can be put in its place between the card and the upload. Only plain names of
regular files are taken, of the handed folder or of this very task's downloads, never a link.
"""

import asyncio
import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from browser.host.downloads import Download
from browser.host.errors import CommandError
from states.settings import BrowserLimits

_CHUNK_BYTES = 1_048_576
_NAMES_TOLD_MAX = 20
_NAMES_LOOKED_MAX = 1_000
_SHOWN_CHARS = 120
# What a system does not have (Windows) is asked another way below.
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class HandedFile(NamedTuple):
    """One copy, by its own name, in a folder of its own."""

    name: str
    size: int
    sha256: str
    path: Path

    def as_data(self) -> dict[str, str | int]:
        """Return what an approval of it is bound to."""
        return {"name": self.name, "size": self.size, "sha256": self.sha256}


class Uploads:
    """What may be uploaded: files of *folder* (None: none was handed over) and *downloaded* ones.

    *private* is the folder for the copies; it is made when it is needed and removed by `close`.
    """

    def __init__(
        self,
        folder: Path | None,
        private: Path,
        limits: BrowserLimits,
        downloaded: Callable[[], Iterable[Download]] = tuple,
    ) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._private = private
        self._limits = limits
        self._downloaded = downloaded
        self._taken = 0

    async def take(self, names: Sequence[str]) -> tuple[HandedFile, ...]:
        """Return copies of the files *names*, hashed.

        Raises:
            CommandError: one of them may not or cannot be taken; then none is.
        """
        if len(names) > self._limits.upload_files_max:
            most = self._limits.upload_files_max
            raise CommandError("upload_too_many", count=len(names), most=most)
        sources = [self._source(name) for name in names]
        copies: list[HandedFile] = []
        left = self._limits.upload_bytes_max
        try:
            for source in sources:
                copies.append(await asyncio.to_thread(self._copied, source, left))
                left -= copies[-1].size
        except BaseException:
            self.drop(copies)
            raise
        return tuple(copies)

    def drop(self, copies: Iterable[HandedFile]) -> None:
        """Remove *copies*: they are not given to any page."""
        for copy in copies:
            shutil.rmtree(copy.path.parent, ignore_errors=True)

    def close(self) -> None:
        """Remove every copy."""
        shutil.rmtree(self._private, ignore_errors=True)

    # --- from a name to a file

    def _source(self, name: str) -> Path:
        if not _is_plain(name):
            raise CommandError("upload_name", name=_shown(name))
        downloads = [each.path for each in self._downloaded() if each.name == name]
        places = list(downloads)
        if self._folder is not None and _stands(self._folder / name):
            places.append(self._folder / name)
        if not places:
            raise CommandError("upload_not_there", name=_shown(name), names=self._names())
        if len(places) > 1:
            raise CommandError("upload_twice", name=_shown(name))
        return places[0]

    def _names(self) -> str:
        found = {each.name for each in self._downloaded()}
        with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
            # A folder that is gone by now has no names.
            if self._folder is not None:
                entries = opened.enter_context(os.scandir(self._folder))
                for _, entry in zip(range(_NAMES_LOOKED_MAX), entries, strict=False):
                    if _is_plain(entry.name) and entry.is_file(follow_symlinks=False):
                        found.add(entry.name)
        first = sorted(found)[:_NAMES_TOLD_MAX]
        return (" | ".join(_shown(name) for name in first) or "-") + (
            f" ({len(found)})" if len(found) > len(first) else ""
        )

    def _copied(self, source: Path, bytes_max: int) -> HandedFile:
        """Copy *source* and return what was copied; it blocks, so a thread does it."""
        self._taken += 1
        target = self._private / str(self._taken) / source.name
        try:
            self._private.mkdir(mode=0o700, exist_ok=True)
            target.parent.mkdir(mode=0o700)
            reading = _opened(source)
            try:
                size, sha256 = _copy(reading, target, bytes_max)
            finally:
                os.close(reading)
        except OSError as error:
            shutil.rmtree(target.parent, ignore_errors=True)
            why = error.strerror or type(error).__name__
            raise CommandError("upload_no_file", name=_shown(source.name), why=why) from error
        if size > bytes_max:
            shutil.rmtree(target.parent, ignore_errors=True)
            most = self._limits.upload_bytes_max
            raise CommandError("upload_too_large", name=_shown(source.name), most=most)
        return HandedFile(source.name, size, sha256, target)


def _copy(reading: int, target: Path, bytes_max: int) -> tuple[int, str]:
    """Copy *reading* to *target*, at most a little more than *bytes_max*; return size and SHA-256.

    Raises:
        OSError: it is no regular file, or cannot be read or written.
    """
    if not stat.S_ISREG(os.fstat(reading).st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as copy:
        while size <= bytes_max and (chunk := os.read(reading, _CHUNK_BYTES)):
            size += len(chunk)
            digest.update(chunk)
            copy.write(chunk)
    target.chmod(0o400)
    return size, digest.hexdigest()


def _opened(source: Path) -> int:
    """Open *source* itself, never what it links to."""
    if not hasattr(os, "O_NOFOLLOW") and source.is_symlink():
        raise OSError(errno.ELOOP, "it is a link")
    return os.open(source, _OPEN)


def _is_plain(name: str) -> bool:
    """Tell whether *name* is one file's name: no path, nothing hidden, nothing unprintable."""
    is_path = "/" in name or "\\" in name or ":" in name
    return bool(name) and not is_path and not name.startswith(".") and name.isprintable()


def _stands(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def _shown(name: str) -> str:
    safe = "".join(char if char.isprintable() else "?" for char in name)
    return safe[:_SHOWN_CHARS]
