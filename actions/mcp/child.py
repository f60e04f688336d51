"""The holder of one MCP server: its memory is limited, and its whole group dies with the agent.

Started as `python -I -S -B child.py <fd> <memory bytes> <command ...>` in a session of its own;
imports nothing but what is built in. It ends when the server ends or when the other end of the
pipe *fd* is closed, which happens even if the agent is killed, and takes all that is left of the
process group with it.
"""

import _thread
import os
import signal
import sys

# What this interpreter set for itself is not the server's: it starts with the system's own.
_OWN_SIGNALS = (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXFSZ)


def main(arguments: list[str]) -> None:
    """Start the server and wait for its end, or the agent's."""
    held, memory_bytes_max, *command = arguments
    _limit_resources(int(memory_bytes_max))
    os.set_inheritable(int(held), False)  # noqa: FBT003 - its only spelling
    for number in _OWN_SIGNALS[1:4]:
        signal.signal(number, signal.SIG_IGN)  # the server's to answer; this process waits for it
    try:
        pid = os.posix_spawnp(command[0], command, os.environ, setsigdef=_OWN_SIGNALS)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode("utf-8", "replace"))
        os._exit(127)
    for pipe in (0, 1):
        os.close(pipe)
    _thread.start_new_thread(_die_with_agent, (int(held),))
    _, status = os.waitpid(pid, 0)
    os.write(2, f"(ended: {os.waitstatus_to_exitcode(status)})\n".encode("ascii"))
    os.killpg(0, signal.SIGKILL)


def _die_with_agent(held: int) -> None:
    os.read(held, 1)
    os.killpg(0, signal.SIGKILL)


def _limit_resources(memory_bytes_max: int) -> None:
    import resource

    # Not RLIMIT_AS: Node reserves far more addresses than it ever uses.
    for which, value in ((resource.RLIMIT_DATA, memory_bytes_max), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(which)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (bound, bound))


if __name__ == "__main__":
    main(sys.argv[1:])
