"""The browser is found, started clean, and leaves nothing: no process, no profile."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from browser.host.chromium import Chromium, find_browser
from browser.host.errors import BrowserLostError, LaunchError, NoBrowserError
from browser.host.launch_flags import (
    LaunchOptions,
    browser_environment,
    browser_flags,
    resolver_rules,
)
from browser.host.profiles import FOLDER, new_profile, start_time, sweep_profiles, users_of
from states.policy import Policy
from states.settings import BrowserLimits
from tests.support.host_lab import policy_for
from tests.support.until import until

GONE_SECONDS = 20


def options(folder: Path, **more: object) -> LaunchOptions:
    return LaunchOptions.model_validate(
        {"policy": policy_for(8123), "profiles_root": folder, **more}
    )


async def gone(profile: Path) -> None:
    """Wait until no process uses *profile*."""
    await until(lambda: not users_of(profile))


def profiles_in(folder: Path) -> list[Path]:
    kept = folder / FOLDER
    return list(kept.iterdir()) if kept.is_dir() else []


def executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


def started(*words: str, close_fds: bool = True) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(words, close_fds=close_fds)


def open_files(pid: int, *fds: str) -> set[str]:
    folder = Path(f"/proc/{pid}/fd")
    return {str(fd.readlink()) for fd in folder.iterdir() if not fds or fd.name in fds}


def profile_of_a_killed_host(folder: Path) -> Path:
    words = [sys.executable, "-m", "tests.support.launch_and_wait", str(folder)]
    host = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    with host.stdout:
        line = host.stdout.readline()
        host.kill()
        host.wait()
    return Path(line.split()[1])


# --- finding it


def test_the_named_browser_wins_over_path(tmp_path: Path) -> None:
    named = executable(tmp_path / "mine")
    executable(tmp_path / "chromium")
    environ = {"SGCLAW_BROWSER": str(named), "PATH": str(tmp_path)}
    assert find_browser(environ) == named


def test_the_first_known_name_on_path_is_taken(tmp_path: Path) -> None:
    executable(tmp_path / "microsoft-edge")
    chrome = executable(tmp_path / "google-chrome")
    assert find_browser({"PATH": str(tmp_path)}) == chrome


@pytest.mark.parametrize("environ", [{"PATH": ""}, {"SGCLAW_BROWSER": "/nowhere/chromium"}])
def test_without_a_browser_the_remedy_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(NoBrowserError) as error:
        find_browser(environ)
    assert "apt-get install -y chromium" in str(error.value)
    assert "SGCLAW_BROWSER" in error.value.text("zh-CN")


# --- what it is started with


def test_the_environment_holds_no_key_of_ours() -> None:
    given = {"PATH": "/bin", "LANG": "C.UTF-8", "ANTHROPIC_API_KEY": "k", "HTTPS_PROXY": "p"}
    assert browser_environment(given) == {"PATH": "/bin", "LANG": "C.UTF-8"}


def test_only_hosts_of_the_policy_have_an_address(tmp_path: Path) -> None:
    hosts = [
        {"host": "erp.example.com", "allow": ["*"], "resources": ["cdn.example.com"]},
        {"host": "idle.example.com"},
    ]
    policy = Policy.model_validate({"version": 1, "hosts": hosts})
    host_map = {"erp.example.com": "127.0.0.1:8443"}
    rules = resolver_rules(
        LaunchOptions(policy=policy, profiles_root=tmp_path, host_map=host_map)
    ).split(", ")
    assert rules == [
        "MAP erp.example.com:443 127.0.0.1:8443",
        "MAP cdn.example.com:443 cdn.example.com:443",
        "MAP * ~NOTFOUND",
    ]


def test_the_sandbox_is_off_for_root_only(tmp_path: Path) -> None:
    flags = browser_flags(options(tmp_path), tmp_path)
    assert ("--no-sandbox" in flags) == (os.geteuid() == 0)
    assert "--headless=new" in flags
    assert "--headless=new" not in browser_flags(options(tmp_path, headed=True), tmp_path)


# --- its life


@pytest.mark.chromium
async def test_a_closed_browser_leaves_no_process_and_no_profile(tmp_path: Path) -> None:
    chromium = await Chromium.launch(options(tmp_path))
    assert "Chrom" in chromium.version
    assert users_of(chromium.profile)
    await asyncio.gather(chromium.close(), chromium.close())
    await chromium.close()
    await gone(chromium.profile)
    assert profiles_in(tmp_path) == []


@pytest.mark.chromium
async def test_the_pipe_of_the_browser_reaches_no_other_child(tmp_path: Path) -> None:
    async with await Chromium.launch(options(tmp_path)) as chromium:
        ours = open_files(chromium.pid, "3", "4")
        sleeper = started("sleep", "60", close_fds=False)
        try:
            theirs = open_files(sleeper.pid)
        finally:
            sleeper.kill()
            sleeper.wait()
        assert len(ours) == 2
        assert ours.isdisjoint(theirs)


@pytest.mark.chromium
async def test_a_killed_browser_is_noticed_and_tidied(tmp_path: Path) -> None:
    chromium = await Chromium.launch(options(tmp_path))
    call = asyncio.create_task(chromium.transport.send("Browser.getVersion"))
    await call
    os.kill(chromium.pid, signal.SIGKILL)
    async with asyncio.timeout(GONE_SECONDS):
        await chromium.lost.wait()
    with pytest.raises(BrowserLostError):
        await chromium.transport.send("Browser.getVersion")
    await chromium.close()
    await gone(chromium.profile)
    assert profiles_in(tmp_path) == []


@pytest.mark.chromium
async def test_after_a_killed_host_the_browser_ends_and_its_profile_is_swept(
    tmp_path: Path,
) -> None:
    profile = await asyncio.to_thread(profile_of_a_killed_host, tmp_path)
    await gone(profile)
    assert profiles_in(tmp_path) == [profile]
    assert await sweep_profiles(tmp_path) == [profile.name]
    assert profiles_in(tmp_path) == []


async def test_what_is_no_browser_gives_a_clear_error(tmp_path: Path) -> None:
    browser = executable(tmp_path / "browser")
    with pytest.raises(LaunchError, match="did not start"):
        await Chromium.launch(options(tmp_path, browser=browser))
    with pytest.raises(LaunchError, match="nowhere"):
        await Chromium.launch(options(tmp_path, browser=tmp_path / "nowhere"))
    assert profiles_in(tmp_path) == []


async def test_a_browser_that_never_answers_is_ended(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\necho something is wrong >&2\nexec sleep 300\n")
    silent.chmod(0o755)
    limits = BrowserLimits(launch_seconds=1.5)
    with pytest.raises(LaunchError, match="something is wrong"):
        await Chromium.launch(options(tmp_path, browser=silent, limits=limits))
    assert profiles_in(tmp_path) == []


# --- the sweep


async def test_the_profile_of_a_living_owner_stays(tmp_path: Path) -> None:
    profile = new_profile(tmp_path)
    assert await sweep_profiles(tmp_path) == []
    assert profile.is_dir()


async def test_a_stranger_with_the_owners_pid_does_not_keep_its_profile(tmp_path: Path) -> None:
    old = tmp_path / FOLDER / f"{os.getpid()}-{start_time(os.getpid()) + 1}-abc"
    old.mkdir(parents=True)
    assert await sweep_profiles(tmp_path) == [old.name]
    assert not old.exists()


async def test_what_still_uses_a_swept_profile_is_ended(tmp_path: Path) -> None:
    old = tmp_path / FOLDER / "1-99999999999-abc"
    old.mkdir(parents=True)
    wait = "import time; time.sleep(300)"
    user = started(sys.executable, "-c", wait, f"--user-data-dir={old}")
    bystander = started(sys.executable, "-c", wait, f"--user-data-dir={old}x")
    try:
        await until(lambda: bool(users_of(old)))
        assert await sweep_profiles(tmp_path) == [old.name]
        assert await asyncio.to_thread(user.wait, 20) == -signal.SIGKILL
        assert bystander.poll() is None
    finally:
        for child in (user, bystander):
            child.kill()
            child.wait()
