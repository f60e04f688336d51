"""Kill one of a run's processes, found from the host's pid, and wait until it is gone."""

import os
import signal
import time
from pathlib import Path
from typing import Literal

Victim = Literal["agent", "host", "browser", "skill"]
GONE_SECONDS = 5.0
_PAUSE_S = 0.0005
_WORDS = {
    "agent": (" agent", "tests.e2e.kill.agent"),
    "browser": ("--remote-debugging-pipe",),
    "skill": ("sandbox/child.py",),
}


def strike(victim: Victim, host_pid: int, marker: Path | None = None) -> bool:
    """Kill *victim* with SIGKILL, once for one *marker*; tell whether there was one to kill."""
    if marker is not None and not _first(marker):
        return False
    pids = victims(victim, host_pid)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    ends = time.monotonic() + GONE_SECONDS
    while any(_runs(pid) for pid in pids) and time.monotonic() < ends:
        time.sleep(_PAUSE_S)
    return bool(pids)


def victims(victim: Victim, host_pid: int) -> list[int]:
    """Return the pids that *victim* names in the run whose host is *host_pid*."""
    if victim == "host":
        return [host_pid]
    if victim == "skill":
        agents = victims("agent", host_pid)
        return [pid for agent in agents for pid in _children(agent) if _is(pid, "skill")]
    return [pid for pid in _children(host_pid) if _is(pid, victim)]


def _first(marker: Path) -> bool:
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in path.read_text().split()]
        except OSError:
            continue
    return found


def _is(pid: int, victim: str) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return False
    return any(word in command for word in _WORDS[victim])


def _runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")
