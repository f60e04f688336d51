"""One writer a file: an advisory lock that the operating system frees when its holder ends."""

import sys

_LOCKED_BYTE = 1 << 30


def lock_file(fd: int) -> bool:
    """Lock the open file *fd* for this process; tell whether nobody else holds it.

    Raises:
        OSError: the file system cannot lock.
    """
    if sys.platform == "win32":
        import msvcrt
        import os

        try:
            os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)  # a locked byte cannot be read by others
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
