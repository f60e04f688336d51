"""Start a child with two pipes on its file descriptors 3 and 4, bound to our life.

No code runs between fork and exec in this process (`preexec_fn` is unsafe beside threads): a
tiny Python on the way moves the descriptors, asks the kernel to kill the child when we die, and
becomes the browser by exec, so the pid stays.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# argv: parent pid, fd to read from, fd to write to, program, its arguments.
_SHIM = """
import os, sys
parent, read_fd, write_fd = (int(word) for word in sys.argv[1:4])
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL; an exec keeps it
except (ImportError, OSError, AttributeError):
    pass  # not Linux: the end of the pipe must do
if os.getppid() != parent:
    sys.exit(1)
read_fd, write_fd = os.dup(read_fd), os.dup(write_fd)
while min(read_fd, write_fd) < 5:
    read_fd, write_fd = os.dup(read_fd), os.dup(write_fd)
os.dup2(read_fd, 3)
os.dup2(write_fd, 4)
os.closerange(5, 256)
os.execv(sys.argv[4], sys.argv[4:])
"""


class Child(NamedTuple):
    """A started child and our ends of its pipes."""

    popen: "subprocess.Popen[bytes]"
    read_fd: int
    write_fd: int
    stderr_fd: int


def spawn(program: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Child:
    """Start *program* in a session of its own; the caller owns what is returned."""
    child_reads, we_write = os.pipe()
    we_read, child_writes = os.pipe()
    stderr_read, stderr_write = os.pipe()
    theirs = (child_reads, child_writes, stderr_write)
    shim = [sys.executable, "-I", "-S", "-c", _SHIM]
    words = [str(os.getpid()), str(child_reads), str(child_writes), program, *arguments]
    try:
        popen = subprocess.Popen(  # noqa: S603 -- the browser the operator installed
            [*shim, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr_write,
            env=dict(environment),
            pass_fds=(child_reads, child_writes),
            start_new_session=True,
        )
    except OSError:
        for fd in (we_read, we_write, stderr_read):
            os.close(fd)
        raise
    finally:
        for fd in theirs:
            os.close(fd)
    return Child(popen, we_read, we_write, stderr_read)
