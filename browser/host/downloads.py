"""Downloads: into one folder, from allowed places only, bounded, under harmless names.

The rule: what is told of a download is what lies on the disk; one that was refused, or broke off,
leaves nothing there.
"""

import asyncio
import contextlib
import hashlib
import re
import unicodedata
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import ada_url

from browser.host.errors import HostError
from browser.host.tasks import TaskSet
from browser.host.transport import CdpEvent, Transport
from guards.policy import url_verdict
from states.catalogue import Lang
from states.policy import Policy
from states.settings import BrowserLimits
from states.verdict import ALLOWED, Verdict, refused

_NAME_CHARS_MAX = 120
_SUFFIX_CHARS_MAX = 16
_URL_CHARS_MAX = 500
_CHUNK_BYTES = 1_048_576
_KEPT = 200
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


State = Literal["running", "completed", "refused", "canceled"]


class Download(NamedTuple):
    """One finished download."""

    name: str
    path: Path
    url: str
    size: int
    sha256: str = ""


class DownloadRecord:
    """One download from its begin to its end; *why* says why it was refused or broke off."""

    def __init__(self, serial: int, url: str, suggested: str) -> None:
        self.serial = serial
        self.url = url
        self.suggested = suggested
        self.name = harmless_name(suggested)
        self.size = 0
        self.sha256 = ""
        self.state: State = "running"
        self.why: Verdict = ALLOWED
        self.ended = asyncio.Event()

    def end(self, state: State, why: Verdict = ALLOWED) -> None:
        """Note how it ended."""
        self.state, self.why = state, why
        self.ended.set()

    def as_data(self, lang: Lang) -> dict[str, Any]:
        """Return it as a command's data."""
        told: dict[str, Any] = {"name": self.name, "size": self.size, "state": self.state}
        if self.sha256:
            told["sha256"] = self.sha256
        if not self.why:
            told["why"] = self.why.text(lang)
        return told


class Downloads:
    """What pages hand over, kept in *folder*; without one everything is refused."""

    def __init__(
        self,
        transport: Transport,
        policy: Policy,
        folder: Path | None,
        limits: BrowserLimits,
        on_refused: Callable[[str, str], None] = lambda _url, _why: None,
    ) -> None:
        self._transport = transport
        self._policy = policy
        self.folder = folder
        self._limits = limits
        self._on_refused = on_refused
        self.count = 0
        self._beginning = asyncio.Event()
        self._begun: dict[str, DownloadRecord] = {}
        self._untold: deque[DownloadRecord] = deque(maxlen=_KEPT)
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
        self._stop_listening = self._transport.subscribe(self._heard)
        if self.folder is None:
            await deny_downloads(self._transport)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
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

    async def begins(self, since: int, wait_s: float) -> None:
        """Wait, at most *wait_s*, until one after number *since* began."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while self.count <= since:
                    await self._beginning.wait()

    async def news(self, since: int, wait_s: float) -> tuple[DownloadRecord, ...]:
        """Return what began or ended since it was told last, oldest first.

        Those after number *since* are waited for, at most *wait_s* together.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                for record in tuple(self._untold):
                    if record.serial > since:
                        await record.ended.wait()
        news = tuple(r for r in self._untold if r.serial > since or r.ended.is_set())
        running = [record for record in self._untold if not record.ended.is_set()]
        self._untold.clear()
        self._untold.extend(running)
        return news

    # --- what is heard

    def _heard(self, event: CdpEvent) -> None:
        if event.method == "Browser.downloadWillBegin":
            self._began(event.params)
        elif event.method == "Browser.downloadProgress":
            self._progressed(event.params)

    def _began(self, params: Any) -> None:
        guid, url = str(params["guid"]), str(params["url"])
        self.count += 1
        record = DownloadRecord(self.count, url, str(params.get("suggestedFilename", "")))
        self._untold.append(record)
        beginning, self._beginning = self._beginning, asyncio.Event()
        beginning.set()
        why = self._refusal(url)
        if not why:
            self._refuse(guid, record, why)
            return
        self._begun[guid] = record

    def _refusal(self, url: str) -> Verdict:
        if self.folder is None:
            return refused("download_not_kept")
        if len(self._begun) + len(self._finished) >= self._limits.downloads_max:
            return refused("download_one_too_many", count=str(self._limits.downloads_max))
        # A data: URL holds its own bytes; the document that made it passed the gate.
        if url.startswith("data:"):
            return ALLOWED
        return url_verdict(self._policy, _without_blob(url))

    def _progressed(self, params: Any) -> None:
        guid = str(params["guid"])
        record = self._begun.get(guid)
        if record is None:
            return
        record.size = int(params.get("receivedBytes", 0))
        if max(record.size, params.get("totalBytes", 0)) > self._limits.download_bytes_max:
            del self._begun[guid]
            self._refuse(guid, record, self._too_large())
        elif params["state"] == "completed":
            self._keep(guid, record)
        elif params["state"] == "canceled":
            del self._begun[guid]
            self._leave_nothing(guid)
            record.end("canceled", refused("download_broke_off"))

    def _too_large(self) -> Verdict:
        return refused("download_too_large", count=str(self._limits.download_bytes_max))

    def _keep(self, guid: str, record: DownloadRecord) -> None:
        assert self.folder is not None  # noqa: S101 -- without a folder nothing begins
        source = self.folder / guid
        record.size = source.stat().st_size if source.is_file() else 0
        del self._begun[guid]
        if record.size > self._limits.download_bytes_max or not source.is_file():
            too_large = source.is_file()
            why = self._too_large() if too_large else refused("download_broke_off")
            self._leave_nothing(guid)
            record.end("refused" if too_large else "canceled", why)
            if too_large:
                self._on_refused(record.url, why.text())
            return
        path = free_path(self.folder, record.name)
        source.rename(path)
        record.name = path.name
        kept = Download(path.name, path, record.url[:_URL_CHARS_MAX], record.size)
        self._finished.append(kept)
        self._tasks.run(self._hashed(record, kept))

    async def _hashed(self, record: DownloadRecord, kept: Download) -> None:
        # The person may take it away meanwhile: what was counted stands.
        with contextlib.suppress(OSError):
            record.sha256 = await asyncio.to_thread(_sha256_of, kept.path)
        self._finished[self._finished.index(kept)] = kept._replace(sha256=record.sha256)
        record.end("completed")

    def _refuse(self, guid: str, record: DownloadRecord, why: Verdict) -> None:
        record.size = 0
        record.end("refused", why)
        self._on_refused(record.url, why.text())
        self._tasks.run(self._cancelled(guid))

    async def _cancelled(self, guid: str) -> None:
        if self.folder is None:
            return  # the browser denied it itself
        # It may have ended by itself, or the browser did.
        with contextlib.suppress(HostError):
            await self._transport.send("Browser.cancelDownload", {"guid": guid})
        self._leave_nothing(guid)

    def _leave_nothing(self, guid: str) -> None:
        if self.folder is not None:
            for name in (guid, f"{guid}.crdownload"):
                (self.folder / name).unlink(missing_ok=True)


def _sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


async def deny_downloads(transport: Transport) -> None:
    """Let no page hand over any file."""
    await transport.send("Browser.setDownloadBehavior", {"behavior": "deny", "eventsEnabled": True})


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
