"""Read a file of the library once: a plain file, within the bound, no link on the way."""

import errno
import os
import stat
from pathlib import Path

from skills.errors import SkillTrustError

_OPEN = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# A FIFO must not hold the reader up until someone writes into it.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_BY_FOLDER = os.open in os.supports_dir_fd


def read_once(root: Path, file: str, bytes_max: int) -> bytes:
    """Return the content of *file*, a path of plain names separated by `/` below *root*.

    Raises:
        SkillTrustError: it is missing, no plain file, behind a link, or too large.
    """
    try:
        opened = _open_below(root, file)
    except OSError as error:
        # ELOOP: the last part is a link; ENOTDIR: a folder on the way is one.
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise SkillTrustError("skill_file_link", file=file) from error
        raise SkillTrustError("skill_file_missing", file=file, why=error.strerror) from error
    with os.fdopen(opened, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise SkillTrustError("skill_file_irregular", file=file)
        content = stream.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise SkillTrustError("skill_file_too_large", file=file, bytes_max=bytes_max)
    return content


def _open_below(root: Path, file: str) -> int:
    *folders, name = file.split("/")
    if not _BY_FOLDER:  # Windows: compare where the path really leads
        path = root.joinpath(*folders, name)
        if path.resolve() != root.resolve().joinpath(*folders, name):
            raise SkillTrustError("skill_file_link", file=file)
        return os.open(path, _OPEN)
    here = os.open(root, os.O_RDONLY | _FOLDER)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | _FOLDER | _NO_LINK, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, _OPEN | _NO_LINK | _NO_WAIT, dir_fd=here)
    finally:
        os.close(here)
