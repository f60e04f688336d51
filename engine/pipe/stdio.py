"""The agent's stdin and stdout as a pipe, taken before anything else can print on them.

This module imports `os` and `sys` alone, so that `capture_stdio` can run before every other
import: after it a stray `print` of any library ends on stderr and never inside a message.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.pipe.framing import PipeEnd
    from states.settings import PipeLimits


def capture_stdio() -> tuple[int, int]:
    """Return private copies of fd 0 and fd 1; point fd 0 at nothing and fd 1 at stderr."""
    # A closed 0, 1 or 2 is filled first, else a copy made below would land on it.
    nothing = os.open(os.devnull, os.O_RDWR)
    while nothing <= 2:  # noqa: PLR2004 - stdin, stdout, stderr
        nothing = os.open(os.devnull, os.O_RDWR)
    # os.dup gives ends that no child inherits: a leaked one would hide the host's EOF.
    private_in, private_out = os.dup(0), os.dup(1)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(private_in, os.O_BINARY)
        msvcrt.setmode(private_out, os.O_BINARY)
    return private_in, private_out


async def open_stdio(fds: tuple[int, int], limits: "PipeLimits") -> "PipeEnd":
    """Return the agent's end of the pipe over the two captured *fds*."""
    from engine.pipe.fd_streams import open_sink, open_source
    from engine.pipe.framing import LineReader, LineWriter, PipeEnd

    reader = LineReader(await open_source(fds[0]), limits, limits.response_bytes_max)
    writer = LineWriter(await open_sink(fds[1]), limits, limits.line_bytes_max)
    return PipeEnd(reader, writer)
