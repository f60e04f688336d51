"""Temporary browser profiles: each named after its owner, each removed, at the latest next time.

A profile's folder is `<owner pid>-<owner start time>-<random>`. The start time tells a living
owner from a stranger that was given the same pid later.
"""

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
from pathlib import Path

FOLDER = "sgclaw-profiles"
# 2 = never load ahead: speculation rules would fetch past the gate.
_PREFERENCES = {"net": {"network_prediction_options": 2}}
_START_TIME_FIELD = 19  # the 22nd of the line, of which two stand before the last parenthesis
_REMOVE_TRIES = 20
_REMOVE_PAUSE_S = 0.1


def new_profile(root: Path) -> Path:
    """Make and return an empty profile of this very process under *root*."""
    pid = os.getpid()
    profile = root / FOLDER / f"{pid}-{start_time(pid)}-{secrets.token_hex(6)}"
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.mkdir(mode=0o700)
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_text(json.dumps(_PREFERENCES), encoding="utf-8")
    return profile


def start_time(pid: int) -> int:
    """Return when *pid* started, in the kernel's ticks since boot; 0 when that is unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0
    # The name in parentheses may hold blanks and parentheses: count from the last one.
    fields = stat[stat.rfind(b")") + 2 :].split()
    return int(fields[_START_TIME_FIELD]) if len(fields) > _START_TIME_FIELD else 0


async def sweep_profiles(root: Path) -> list[str]:
    """Remove the profiles under *root* whose owner is gone, and end what still uses them.

    Returns the names of the removed profiles.
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
    if not folder.is_dir():
        return []
    return [profile for profile in sorted(folder.iterdir()) if not _owner_lives(profile.name)]


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


def _owner_lives(name: str) -> bool:
    pid, _, rest = name.partition("-")
    started = rest.partition("-")[0]
    if not (pid.isdecimal() and started.isdecimal()):
        return False  # not a name of ours: nobody owns it
    if int(started) == 0:
        return _is_running(int(pid))
    return start_time(int(pid)) == int(started)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
