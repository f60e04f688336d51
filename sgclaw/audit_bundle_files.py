"""The files of a bundle: written beside the place where they are to be, then put there at once.

The rule: at the place itself there is the whole bundle or nothing, and nothing that was there
before is touched. Files are for this account alone.
"""

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sgclaw.errors import CliError, UsageError
from sgclaw.paths import private_folder

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# The oldest moment that a zip can tell: the same content is the same file.
_ZIP_MOMENT = (1980, 1, 1, 0, 0, 0)


class Written(NamedTuple):
    """One file of the bundle."""

    sha256: str
    bytes: int


class BundleFolder:
    """A folder that is being filled; `files` is what is in it so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, Written] = {}

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write the file *name* (below the folder, with `/`) as *parts* one after the other.

        Raises:
            OSError: it cannot be written.
        """
        path = self.path / name
        private_folder(path.parent)
        digest, size = hashlib.sha256(), 0
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for part in parts:
                file.write(part)
                digest.update(part)
                size += len(part)
        self.files[name] = Written(digest.hexdigest(), size)


@contextlib.contextmanager
def new_bundle(out: Path) -> Iterator[BundleFolder]:
    """Give a folder to fill; at the end of the block it is at *out*, as a zip if *out* says so.

    Raises:
        UsageError: *out* is there already, or nothing can be written beside it.
        CliError: it could not be written to its end, as on a full disk; nothing is left of it.
    """
    if os.path.lexists(out):
        raise UsageError("export_exists", out=out)
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise UsageError("export_unwritable", out=out, why=error.strerror) from error
    try:
        folder = BundleFolder(beside / "bundle")
        yield folder
        if out.suffix == ".zip":
            _zip(folder, beside / "zip")
            _put_file(beside / "zip", out)
        elif os.path.lexists(out):
            raise UsageError("export_exists", out=out)
        else:
            folder.path.rename(out)
    except FileExistsError as error:
        raise UsageError("export_exists", out=out) from error
    except OSError as error:
        raise CliError("export_unwritable", out=out, why=error.strerror) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def parts_of(path: Path) -> Iterator[bytes]:
    """Return the content of *path* in parts.

    Raises:
        OSError: it is not there, is a link or no regular file, or cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file")
    return _read(fd)


def _read(fd: int) -> Iterator[bytes]:
    with os.fdopen(fd, "rb") as file:
        while part := file.read(1 << 20):
            yield part


def _zip(folder: BundleFolder, path: Path) -> None:
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(folder.files):
            entry = zipfile.ZipInfo(name, _ZIP_MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100600 << 16
            with (folder.path / name).open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)
    path.chmod(0o600)


def _put_file(path: Path, out: Path) -> None:
    """Move *path* to *out*, which nobody else may have made meanwhile."""
    os.close(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        path.replace(out)
    except OSError:
        out.unlink()  # it is the empty one that was made above
        raise
