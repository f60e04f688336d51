"""One Chromium of our own: found, started, watched, ended, and its profile removed.

The rule: whatever happens, after `close()` no process of that browser runs and its profile is
gone; what a SIGKILL of this process leaves is swept at the next start.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from browser.host.errors import (
    BrowserLostError,
    CdpError,
    CdpTimeoutError,
    HostError,
    LaunchError,
    NoBrowserError,
)
from browser.host.launch_flags import LaunchOptions, browser_environment, browser_flags
from browser.host.pipe_transport import PipeTransport
from browser.host.profiles import new_profile, remove_profile, sweep_profiles, users_of
from browser.host.spawn import Child, spawn

BROWSER_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
_STDERR_BYTES_KEPT = 16_384
_CLOSE_SECONDS = 3.0
_TERM_SECONDS = 2.0
_KILL_SECONDS = 5.0
_POLL_S = 0.02


def find_browser(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the browser to start: `SGCLAW_BROWSER`, else the first known name on PATH.

    Raises:
        NoBrowserError: there is none; its sentence says how to get one.
    """
    named = environ.get("SGCLAW_BROWSER", "")
    path = environ.get("PATH", os.defpath)
    if named:
        found = shutil.which(named, path=path)
        if found is None:
            raise NoBrowserError(f"SGCLAW_BROWSER={named}")
        return Path(found)
    for name in BROWSER_NAMES:
        found = shutil.which(name, path=path)
        if found is not None:
            return Path(found)
    raise NoBrowserError(", ".join(BROWSER_NAMES))


class Chromium:
    """A running browser; make one with `Chromium.launch`, end it with `close` or `async with`."""

    def __init__(
        self, child: Child, profile: Path, transport: PipeTransport, stderr: "_Stderr"
    ) -> None:
        self.profile = profile
        self.transport = transport
        self.version = ""
        self._popen = child.popen
        self._stderr = stderr
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    async def launch(cls, options: LaunchOptions) -> "Chromium":
        """Start a browser and return it when it answers.

        Raises:
            NoBrowserError: there is none on this machine.
            ProfilesFolderError: the folder of the profiles is not our own.
            LaunchError: it ended, or did not answer in time.
        """
        browser = options.browser or find_browser()
        await sweep_profiles(options.profiles_root)
        profile = new_profile(options.profiles_root)
        try:
            child = spawn(str(browser), browser_flags(options, profile), browser_environment())
        except OSError as error:
            await remove_profile(profile)
            raise LaunchError(str(browser), str(error)) from error
        stderr = await _Stderr.open(child.stderr_fd)
        limits = options.limits
        transport = await PipeTransport.open(
            child.read_fd,
            child.write_fd,
            message_bytes_max=limits.cdp_message_bytes_max,
            timeout_s=limits.cdp_seconds,
        )
        self = cls(child, profile, transport, stderr)
        try:
            answer = await transport.send("Browser.getVersion", timeout_s=limits.launch_seconds)
        except HostError as error:
            await self.close()
            # It never came up, so nothing was lost with it.
            why = HostError("ended_at_start") if isinstance(error, BrowserLostError) else error
            raise LaunchError(str(browser), why, stderr.tail()) from error
        except BaseException:  # Ctrl-C while it starts: no browser and no profile stays behind
            await self.close()
            raise
        except asyncio.CancelledError:
            await self.close()
            raise
        self.version = str(answer.get("product", ""))
        return self

    @property
    def pid(self) -> int:
        """The pid of the browser's first process, which leads its session."""
        return self._popen.pid

    @property
    def lost(self) -> asyncio.Event:
        """Set once the browser is gone."""
        return self.transport.lost

    async def close(self) -> None:
        """End the browser and remove its profile; a second call waits for the first."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        # Ending is not to be cut short by whoever waits for it.
        await asyncio.shield(self._closing)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _close(self) -> None:
        answers = bool(self.version) and not self.lost.is_set()
        if answers:
            with contextlib.suppress(CdpError, CdpTimeoutError, BrowserLostError):
                await self.transport.send("Browser.close", timeout_s=_CLOSE_SECONDS)
        ended = answers and await self._ended(_CLOSE_SECONDS)
        if not ended:
            self._signal(signal.SIGTERM)
            ended = await self._ended(_TERM_SECONDS)
        # The first process is not reaped yet, so its group is still its own.
        self._signal(signal.SIGKILL)
        if not ended:
            await self._ended(_KILL_SECONDS)
        for pid in users_of(self.profile):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._popen.poll()
        self.transport.end("it was closed")
        self._stderr.close()
        await remove_profile(self.profile)
        # Let the loop close the pipes before it may itself be closed.
        await asyncio.sleep(0)

    async def _ended(self, seconds: float) -> bool:
        """Wait until the browser ended, without reaping it."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while loop.time() < deadline:
            if self._popen.returncode is not None:
                return True
            if _has_ended(self._popen.pid):
                return True
            await asyncio.sleep(_POLL_S)
        return False

    def _signal(self, number: signal.Signals) -> None:
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, number)


def _has_ended(pid: int) -> bool:
    """Tell whether our child *pid* ended, leaving it to be reaped."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


class _Stderr(asyncio.Protocol):
    """Drain what the browser writes and keep its end."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._transport: asyncio.ReadTransport | None = None

    @classmethod
    async def open(cls, fd: int) -> "_Stderr":
        """Return a drain of *fd*, which it now owns."""
        loop = asyncio.get_running_loop()
        self = cls()
        self._transport, _ = await loop.connect_read_pipe(lambda: self, os.fdopen(fd, "rb", 0))
        return self

    def data_received(self, data: bytes) -> None:
        self._kept += data
        del self._kept[:-_STDERR_BYTES_KEPT]

    def tail(self) -> str:
        """Return what was kept, as text."""
        return self._kept.decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Stop draining."""
        if self._transport is not None:
            self._transport.close()
