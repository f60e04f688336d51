"""The browser is found, started clean, and leaves nothing: no process, no profile."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from browser.host.chromium import Chromium, find_browser
from browser.host.errors import (
    BrowserLostError,
    LaunchError,
    NoBrowserError,
    ProfilesFolderError,
)
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
from tests.support.raw_listener import listening
from tests.support.until import until

GONE_SECONDS = 20
CARRIED = "fetch('http://erp.example.com/in').catch(() => 0)"
NOT_CARRIED = """Promise.all([
    new Promise(end => { new WebSocket('ws://erp.example.com/socket').onclose = end }),
    fetch('http://erp.example.com:8080/port').catch(() => 0),
    fetch('http://evil.example.com/host').catch(() => 0),
    fetch('https://erp.example.com/scheme').catch(() => 0),
])"""


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


def proxies(folder: Path, **more: object) -> list[str]:
    """Return the flags about proxies."""
    return [
        flag
        for flag in browser_flags(options(folder, **more), folder)
        if flag.startswith("--proxy")
    ]


def test_the_proxy_of_the_desktop_is_never_used(tmp_path: Path) -> None:
    direct = "http=direct://;https=direct://;socks=socks5://nowhere.invalid:1"
    flags = [f"--proxy-server={direct}", "--proxy-bypass-list=<-loopback>"]
    assert proxies(tmp_path) == flags
    given = BrowserLimits(proxy_server="http://proxy.example.com:3128")
    demo = {"erp.example.com": "127.0.0.1:8443"}
    assert proxies(tmp_path, limits=given, host_map=demo) == flags


def test_the_proxy_of_the_settings_has_an_address(tmp_path: Path) -> None:
    given = options(tmp_path, limits=BrowserLimits(proxy_server="http://proxy.example.com:3128"))
    rules = resolver_rules(given).split(", ")
    assert "MAP proxy.example.com:3128 proxy.example.com:3128" in rules
    assert rules[-1] == "MAP * ~NOTFOUND"
    assert not any("direct" in flag for flag in proxies(tmp_path, limits=given.limits))


@pytest.mark.parametrize(
    "proxy", ["proxy:3128", "http://u:p@proxy:3128", "http://p:1;https=x", "x"]
)
def test_a_proxy_that_is_no_plain_address_is_refused(proxy: str) -> None:
    with pytest.raises(ValidationError):
        BrowserLimits(proxy_server=proxy)


def test_the_sandbox_is_off_for_root_only(tmp_path: Path) -> None:
    flags = browser_flags(options(tmp_path), tmp_path)
    assert ("--no-sandbox" in flags) == (os.geteuid() == 0)
    assert "--headless=new" in flags
    assert "--headless=new" not in browser_flags(options(tmp_path, headed=True), tmp_path)


# --- its life


@pytest.mark.chromium
async def test_a_proxy_of_the_settings_carries_what_the_policy_names_and_no_more(
    tmp_path: Path,
) -> None:
    hosts = [{"host": "erp.example.com", "scheme": "http", "allow": ["*"]}]
    policy = Policy.model_validate({"version": 1, "hosts": hosts})
    with listening() as proxy:
        limits = BrowserLimits(proxy_server=f"http://127.0.0.1:{proxy.port}")
        given = options(tmp_path, policy=policy, limits=limits)
        async with await Chromium.launch(given) as chromium:
            send = chromium.transport.send
            page = (await send("Target.createTarget", {"url": "about:blank"}))["targetId"]
            attached = await send("Target.attachToTarget", {"targetId": page, "flatten": True})
            for code in NOT_CARRIED, CARRIED:
                asked = {"expression": code, "awaitPromise": True}
                await send("Runtime.evaluate", asked, attached["sessionId"])
    asked_for = {said.split(b" ")[1] for _, said in proxy.arrived}
    assert asked_for == {b"http://erp.example.com/in"}


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


async def test_a_start_that_is_called_off_leaves_no_browser_and_no_profile(tmp_path: Path) -> None:
    started_at = tmp_path / "pid"
    silent = tmp_path / "silent"
    silent.write_text(f"#!/bin/sh\necho $$ > {started_at}\nexec sleep 300\n")
    silent.chmod(0o755)
    starting = asyncio.create_task(Chromium.launch(options(tmp_path, browser=silent)))
    await until(lambda: started_at.exists() and started_at.read_text() != "")
    assert profiles_in(tmp_path) != []
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert profiles_in(tmp_path) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(started_at.read_text()), 0)


async def test_a_browser_that_never_came_up_is_not_called_lost(tmp_path: Path) -> None:
    with pytest.raises(LaunchError) as caught:
        await Chromium.launch(options(tmp_path, browser=executable(tmp_path / "false")))
    assert "立即退出" in caught.value.text("zh-CN")
    assert "it ended at once" in caught.value.text("en")


# --- the sweep


async def test_the_profile_of_a_living_owner_stays(tmp_path: Path) -> None:
    profile = new_profile(tmp_path)
    assert await sweep_profiles(tmp_path) == []
    assert profile.is_dir()


async def test_a_stranger_with_the_owners_pid_does_not_keep_its_profile(tmp_path: Path) -> None:
    old = tmp_path / FOLDER / f"{os.getpid()}-{start_time(os.getpid()) + 1}-0123456789ab"
    old.mkdir(parents=True)
    assert await sweep_profiles(tmp_path) == [old.name]
    assert not old.exists()


async def test_only_what_has_a_profiles_name_is_swept(tmp_path: Path) -> None:
    left = tmp_path / FOLDER / "1-99999999999-0123456789ab"
    left.mkdir(parents=True)
    for name in ("documents", "1-99999999999", "1-99999999999-0123456789AB", f"{left.name}x"):
        (left.parent / name).mkdir()
    assert await sweep_profiles(tmp_path) == [left.name]
    assert len(profiles_in(tmp_path)) == 4


async def test_no_link_leads_the_sweep_to_the_folders_of_others(tmp_path: Path) -> None:
    name = "1-99999999999-0123456789ab"
    theirs = tmp_path / "theirs"
    (theirs / name).mkdir(parents=True)
    linked, inside = tmp_path / "linked", tmp_path / "inside"
    linked.mkdir()
    (linked / FOLDER).symlink_to(theirs)
    (inside / FOLDER).mkdir(parents=True)
    (inside / FOLDER / name).symlink_to(theirs / name)
    assert await sweep_profiles(linked) == await sweep_profiles(inside) == []
    with pytest.raises(ProfilesFolderError, match="link"):
        new_profile(linked)
    assert [entry.name for entry in theirs.iterdir()] == [name]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
async def test_a_folder_of_another_user_is_left_alone(tmp_path: Path) -> None:
    left = tmp_path / FOLDER / "1-99999999999-0123456789ab"
    left.mkdir(parents=True)
    os.chown(left, 65534, 65534)
    assert await sweep_profiles(tmp_path) == []
    os.chown(left, os.geteuid(), -1)
    assert await sweep_profiles(tmp_path) == [left.name]
    os.chown(left.parent, 65534, 65534)
    with pytest.raises(ProfilesFolderError, match="another user"):
        new_profile(tmp_path)


def test_profiles_are_for_their_owner_only(tmp_path: Path) -> None:
    profile = new_profile(tmp_path / "profiles")
    for folder in (profile, *profile.parents[:2]):
        assert folder.stat().st_mode & 0o777 == 0o700


async def test_what_still_uses_a_swept_profile_is_ended(tmp_path: Path) -> None:
    old = tmp_path / FOLDER / "1-99999999999-0123456789ab"
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
