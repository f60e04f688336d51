"""Downloads: into one folder, from allowed places only, bounded, under harmless names."""

import contextlib
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import ada_url

from browser.host.errors import HostError
from browser.host.tasks import TaskSet
from browser.host.transport import CdpEvent, Transport
from guards.policy import url_verdict
from states.policy import Policy
from states.settings import BrowserLimits

_NAME_CHARS_MAX = 120
_SUFFIX_CHARS_MAX = 16
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


class Download(NamedTuple):
    """One finished download."""

    name: str
    path: Path
    url: str
    size: int


class Downloads:
    """What pages hand over, kept in *folder*."""

    def __init__(
        self,
        transport: Transport,
        policy: Policy,
        folder: Path,
        limits: BrowserLimits,
        on_refused: Callable[[str, str], None] = lambda _url, _why: None,
    ) -> None:
        self._transport = transport
        self._policy = policy
        self.folder = folder
        self._limits = limits
        self._on_refused = on_refused
        self._begun: dict[str, tuple[str, str]] = {}
        self._finished: list[Download] = []
        self._tasks = TaskSet()
        self._stop_listening: Callable[[], None] = lambda: None

    @property
    def finished(self) -> tuple[Download, ...]:
        """The finished downloads, oldest first."""
        return tuple(self._finished)

    @property
    def running(self) -> int:
        """How many downloads have begun and not ended."""
        return len(self._begun)

    async def start(self) -> None:
        """Let the browser keep downloads in the folder, under names of its own for now."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._stop_listening = self._transport.subscribe(self._heard)
        await self._transport.send(
            "Browser.setDownloadBehavior",
            {
                "behavior": "allowAndName",
                "downloadPath": str(self.folder.resolve()),
                "eventsEnabled": True,
            },
        )

    def stop(self) -> None:
        """Stop listening; what runs on ends with the browser."""
        self._stop_listening()
        self._tasks.cancel()

    def _heard(self, event: CdpEvent) -> None:
        if event.method == "Browser.downloadWillBegin":
            self._began(event.params)
        elif event.method == "Browser.downloadProgress":
            self._progressed(event.params)

    def _began(self, params: Any) -> None:
        guid, url = str(params["guid"]), str(params["url"])
        why = self._refusal(url)
        if why:
            self._cancel(guid, url, why)
            return
        self._begun[guid] = (url, str(params.get("suggestedFilename", "")))

    def _refusal(self, url: str) -> str:
        if len(self._begun) + len(self._finished) >= self._limits.downloads_max:
            return f"more than {self._limits.downloads_max} downloads"
        # A data: URL holds its own bytes; the document that made it passed the gate.
        if url.startswith("data:"):
            return ""
        return url_verdict(self._policy, _without_blob(url)).text()

    def _progressed(self, params: Any) -> None:
        guid = str(params["guid"])
        if guid not in self._begun:
            return
        url, suggested = self._begun[guid]
        too_large = max(params.get("receivedBytes", 0), params.get("totalBytes", 0))
        if too_large > self._limits.download_bytes_max:
            del self._begun[guid]
            self._cancel(guid, url, f"more than {self._limits.download_bytes_max} bytes")
        elif params["state"] == "completed":
            del self._begun[guid]
            self._keep(guid, url, suggested)
        elif params["state"] == "canceled":
            del self._begun[guid]

    def _keep(self, guid: str, url: str, suggested: str) -> None:
        source = self.folder / guid
        if not source.is_file():
            return
        size = source.stat().st_size
        if size > self._limits.download_bytes_max:
            source.unlink()
            self._on_refused(url, f"more than {self._limits.download_bytes_max} bytes")
            return
        path = free_path(self.folder, harmless_name(suggested))
        source.rename(path)
        self._finished.append(Download(path.name, path, url[:500], size))

    def _cancel(self, guid: str, url: str, why: str) -> None:
        self._on_refused(url, why)
        self._tasks.run(self._cancelled(guid))

    async def _cancelled(self, guid: str) -> None:
        # It may have ended by itself, or the browser did.
        with contextlib.suppress(HostError):
            await self._transport.send("Browser.cancelDownload", {"guid": guid})
        (self.folder / guid).unlink(missing_ok=True)


async def deny_downloads(transport: Transport) -> None:
    """Let no page hand over any file."""
    await transport.send("Browser.setDownloadBehavior", {"behavior": "deny"})


def harmless_name(suggested: str) -> str:
    """Return *suggested* as a plain file name: no path, no dotfile, no reserved name, bounded."""
    name = unicodedata.normalize("NFC", suggested).replace("\\", "/").rpartition("/")[2]
    name = _UNSAFE.sub("_", name).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > _SUFFIX_CHARS_MAX:
        stem, suffix = name, ""
    stem = stem[:_NAME_CHARS_MAX].strip(" .") or "download"
    if stem.lower() in _RESERVED:
        stem = f"_{stem}"
    # Bytes count on disk: a CJK character has three.
    stem = stem.encode()[: 2 * _NAME_CHARS_MAX].decode(errors="ignore")
    return f"{stem}.{suffix}" if suffix else stem


def free_path(folder: Path, name: str) -> Path:
    """Return a path in *folder* for *name* at which nothing stands yet."""
    path = folder / name
    stem, suffix = path.stem, path.suffix
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{stem} ({number}){suffix}"
    return path


def _without_blob(url: str) -> str:
    if not url.startswith("blob:"):
        return url
    try:
        return ada_url.URL(url.removeprefix("blob:")).href
    except ValueError:
        return url
