"""Temporary browser profiles: each named after its owner, each removed, at the latest next time.

A profile's folder is `<owner pid>-<owner start time>-<random>`. The start time tells a living
owner from a stranger that was given the same pid later.
"""

import asyncio
import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import stat
from pathlib import Path

from browser.host.errors import ProfilesFolderError

FOLDER = "sgclaw-profiles"
# 2 = never load ahead: speculation rules would fetch past the gate.
_PREFERENCES = {"net": {"network_prediction_options": 2}}
_NAME = re.compile(r"([0-9]+)-([0-9]+)-[0-9a-f]{12}")
_START_TIME_FIELD = 19  # the 22nd of the line, of which two stand before the last parenthesis
_REMOVE_TRIES = 20
_REMOVE_PAUSE_S = 0.1


def new_profile(root: Path) -> Path:
    """Make and return an empty profile of this very process under *root*.

    Raises:
        ProfilesFolderError: the folder of the profiles is not our own.
    """
    pid = os.getpid()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = root / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(folder):
        raise ProfilesFolderError(str(folder))
    profile = folder / f"{pid}-{start_time(pid)}-{secrets.token_hex(6)}"
    profile.mkdir(mode=0o700)
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_text(json.dumps(_PREFERENCES), encoding="utf-8")
    return profile


def start_time(pid: int) -> int:
    """Return when *pid* started, in the kernel's ticks since boot; 0 when that is unknown."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0
    # The name in parentheses may hold blanks and parentheses: count from the last one.
    fields = line[line.rfind(b")") + 2 :].split()
    return int(fields[_START_TIME_FIELD]) if len(fields) > _START_TIME_FIELD else 0


async def sweep_profiles(root: Path) -> list[str]:
    """Remove the profiles under *root* whose owner is gone, and end what still uses them.

    Returns the names of the removed profiles. Nothing else is touched: no link is followed,
    and what has no profile's name or another owner stays.
    """
    swept = []
    for profile in _left_behind(root / FOLDER):
        for pid in users_of(profile):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if await remove_profile(profile):
            swept.append(profile.name)
    return swept


def _left_behind(folder: Path) -> list[Path]:
    if not _is_ours(folder):
        return []
    return [entry for entry in sorted(folder.iterdir()) if _is_orphan(entry)]


def _is_orphan(entry: Path) -> bool:
    named = _NAME.fullmatch(entry.name)
    return named is not None and _is_ours(entry) and not _runs(int(named[1]), int(named[2]))


def _is_ours(folder: Path) -> bool:
    """Tell whether *folder* is a folder itself, not a link to one, and belongs to us."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


async def remove_profile(profile: Path) -> bool:
    """Remove *profile*, waiting for a dying browser to stop writing; tell whether it is gone."""
    for _ in range(_REMOVE_TRIES):
        if _removed(profile):
            return True
        await asyncio.sleep(_REMOVE_PAUSE_S)
    return False


def _removed(profile: Path) -> bool:
    shutil.rmtree(profile, ignore_errors=True)
    return not profile.exists()


def users_of(profile: Path) -> list[int]:
    """Return the pids of the processes started with *profile* as their user-data-dir."""
    wanted = f"--user-data-dir={profile}".encode()
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command_line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # A browser rewrites its command line with blanks for NULs in its children.
        if wanted in command_line.replace(b" ", b"\0").split(b"\0"):
            pids.append(int(entry.name))
    return pids


def _runs(pid: int, started: int) -> bool:
    """Tell whether the process *pid* that began at *started* (0: unknown) still runs."""
    return start_time(pid) == started if started else _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
