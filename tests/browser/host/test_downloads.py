"""Downloads: kept under harmless names, from allowed places only, bounded."""

import hashlib
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from browser.host.downloads import Downloads, free_path, harmless_name
from browser.host.outcome import Outcome
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab
from tests.support.site import Asked, Page, Reply
from tests.support.until import until

LIMITS = BrowserLimits(downloads_max=3, download_bytes_max=100_000, download_wait_ms=2_000)


SHA256 = hashlib.sha256(b"a,b").hexdigest()


class Shelf:
    """A folder for downloads, and a tab that may fill it."""

    def __init__(self, downloads: Downloads, tab: TabLab, refused: list[tuple[str, str]]) -> None:
        self.downloads = downloads
        self.tab = tab
        self.refused = refused

    async def click(self, markup: str) -> Outcome:
        """Show *markup* and click its link."""
        self.tab.lab.good.pages["/"] = markup
        assert (await self.tab.do("navigate", url=self.tab.lab.good.url())).success
        return await self.tab.do("click", selector="a")

    async def kept(self, count: int) -> None:
        """Wait until *count* downloads are finished."""
        await until(lambda: len(self.downloads.finished) >= count)

    async def refusal(self) -> tuple[str, str]:
        """Wait for a refusal and return it."""
        await until(lambda: bool(self.refused) and not self.downloads.running)
        return self.refused[-1]


@pytest_asyncio.fixture(loop_scope="module")
async def shelf(lab: HostLab, tmp_path: Path) -> AsyncIterator[Shelf]:
    refused: list[tuple[str, str]] = []
    downloads = Downloads(
        lab.gate.transport, lab.policy, tmp_path / "kept", LIMITS, lambda *why: refused.append(why)
    )
    yield Shelf(downloads, await lab.blank(LIMITS, downloads), refused)
    downloads.stop()


def files_in(folder: Path | None) -> list[str]:
    assert folder is not None
    return [path.name for path in folder.iterdir()]


def attachment(body: bytes, name: str) -> Page:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return lambda _: Reply(body, content_type="application/octet-stream", headers=headers)


WAYS = {
    "attachment": "<a href=/file>get</a>",
    "download link": "<a href=/file download='report.csv'>get</a>",
    "data": "<a href='data:text/csv,a%2Cb' download='report.csv'>get</a>",
    "blob": """<a id=a download='report.csv'>get</a>
        <script>a.href = URL.createObjectURL(new Blob(['a,b']))</script>""",
}


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("way", WAYS)
async def test_a_download_is_kept_under_its_name(lab: HostLab, shelf: Shelf, way: str) -> None:
    lab.good.pages["/file"] = attachment(b"a,b", "report.csv")
    outcome = await shelf.click(WAYS[way])
    assert outcome.success
    told = {"name": "report.csv", "size": 3, "state": "completed", "sha256": SHA256}
    assert outcome.data["download"] == told
    [download] = shelf.tab.executor.downloads
    assert (download.name, download.size, download.sha256) == ("report.csv", 3, SHA256)
    assert download.path.read_bytes() == b"a,b"
    assert [path.name for path in download.path.parent.iterdir()] == ["report.csv"]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_hostile_name_stays_in_the_folder(lab: HostLab, shelf: Shelf) -> None:
    lab.good.pages["/file"] = attachment(b"x", "../../.bashrc")
    await shelf.click(WAYS["attachment"])
    await shelf.kept(1)
    [download] = shelf.downloads.finished
    assert download.path.parent.name == "kept"
    assert not download.name.startswith(".")


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_download_too_large_is_refused_and_removed(lab: HostLab, shelf: Shelf) -> None:
    lab.good.pages["/file"] = attachment(b"x" * 200_000, "big.bin")
    outcome = await shelf.click(WAYS["attachment"])
    url, why = await shelf.refusal()
    assert (url, "100000" in why) == (lab.good.url("/file"), True)
    told = outcome.data["download"]
    assert (told["state"], "100000" in told["why"], told["size"]) == ("refused", True, 0)
    assert "sha256" not in told
    assert shelf.downloads.finished == ()
    await until(lambda: not files_in(shelf.downloads.folder))


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_the_number_of_downloads_is_bounded(lab: HostLab, shelf: Shelf) -> None:
    lab.good.pages["/file"] = attachment(b"x", "same.bin")
    for count in range(1, LIMITS.downloads_max + 1):
        await shelf.click(WAYS["attachment"])
        await shelf.kept(count)
    await shelf.click(WAYS["attachment"])
    assert "more than 3" in (await shelf.refusal())[1]
    names = [download.name for download in shelf.downloads.finished]
    assert names == ["same.bin", "same (2).bin", "same (3).bin"]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_without_a_folder_nothing_is_kept(lab: HostLab, tmp_path: Path) -> None:
    lab.good.pages["/file"] = attachment(b"x", "no.bin")
    tab = await lab.open(WAYS["attachment"])
    outcome = await tab.do("click", selector="a")
    assert tab.executor.downloads == ()
    assert files_in(tmp_path) == []
    told = outcome.data["download"]
    assert (told["state"], "keeps no downloads" in told["why"]) == ("refused", True)


SLOW_BODY = 4 * b"0123456789"


class SlowFile:
    """A file of which half comes at once and the rest when `go` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.cut = False

    def __call__(self, _: Asked) -> Reply:
        return Reply(
            self.parts,
            content_type="application/octet-stream",
            headers={"Content-Disposition": 'attachment; filename="slow.bin"'},
        )

    def parts(self) -> Iterator[bytes]:
        """Yield the file, or break it off."""
        yield SLOW_BODY[:20]
        self.go.wait(30)
        if self.cut:
            raise ConnectionError
        yield SLOW_BODY[20:]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("cut", [False, True])
async def test_what_still_runs_is_said_to_run_and_its_end_is_told_later(
    lab: HostLab, shelf: Shelf, cut: bool
) -> None:
    slow = SlowFile()
    slow.cut = cut
    lab.good.pages["/file"] = slow
    try:
        outcome = await shelf.click(WAYS["attachment"])
        assert outcome.data["download"]["state"] == "running"
    finally:
        slow.go.set()
    heard: list[dict[str, Any]] = []

    async def ended() -> bool:
        outcome = await shelf.tab.do("getText")
        heard.extend([outcome.data["download"]] if "download" in outcome.data else [])
        return bool(heard)

    await until(ended)
    [told] = heard
    if cut:
        assert (told["state"], "broke off" in told["why"]) == ("canceled", True)
        assert files_in(shelf.downloads.folder) == []
        return
    assert (told["state"], told["size"]) == ("completed", len(SLOW_BODY))
    assert told["sha256"] == hashlib.sha256(SLOW_BODY).hexdigest()
    assert files_in(shelf.downloads.folder) == ["slow.bin"]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_an_address_that_is_a_file_is_told_as_a_download(lab: HostLab, shelf: Shelf) -> None:
    lab.good.pages["/"] = "<h1>here</h1>"
    lab.good.pages["/file"] = attachment(b"a,b", "report.csv")
    await shelf.tab.do("navigate", url=lab.good.url())
    outcome = await shelf.tab.do("navigate", url=lab.good.url("/file"))
    assert outcome.success
    assert outcome.data["download"]["sha256"] == SHA256
    assert await shelf.tab.text("h1") == "here"


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_new_tab_that_is_only_a_file_is_told_and_not_gone_on_in(
    lab: HostLab, shelf: Shelf
) -> None:
    lab.good.pages["/file"] = attachment(b"a,b", "report.csv")
    outcome = await shelf.click("<a href=/file target=_blank>get</a><h1>here</h1>")
    assert outcome.data["download"]["state"] == "completed"
    assert not outcome.data["popup"]["adopted"]
    assert await shelf.tab.text("h1") == "here"


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("报表 2026-03.xlsx", "报表 2026-03.xlsx"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\a.dll", "a.dll"),
        (".bashrc", "bashrc"),
        ("", "download"),
        ("..", "download"),
        ("a\x00b\nc.txt", "a_b_c.txt"),
        ("CON.txt", "_CON.txt"),
        ("x\u202egnp.exe", "x_gnp.exe"),
        ("a.b/", "download"),
    ],
)
def test_a_suggested_name_becomes_harmless(suggested: str, name: str) -> None:
    assert harmless_name(suggested) == name


def test_a_long_name_is_cut_and_keeps_its_suffix() -> None:
    name = harmless_name("长" * 500 + ".xlsx")
    assert name.endswith(".xlsx")
    assert len(name.encode()) <= 255


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    assert free_path(tmp_path, "a.csv") == tmp_path / "a (2).csv"
    assert free_path(tmp_path, "b.csv") == tmp_path / "b.csv"


@asynccontextmanager
async def background_page(shelf: Shelf, page: str) -> AsyncIterator[None]:
    """Show a page in the tab, and *page* in the background."""
    lab = shelf.tab.lab
    lab.good.pages |= {"/": "<p>front", "/z": page, "/file": attachment(b"a,b", "a.csv")}
    assert (await shelf.tab.do("navigate", url=lab.good.url())).success
    hidden = await shelf.tab.do("zombieSpawn", url=lab.good.url("/z"))
    assert hidden.success
    yield
    await shelf.tab.do("zombieKill", zombie_id=hidden.data["zombie_id"])


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_background_page_does_not_end_the_downloads_of_the_tab(shelf: Shelf) -> None:
    async with background_page(shelf, "<p>z"):
        outcome = await shelf.click(WAYS["attachment"])
    assert outcome.data["download"]["name"] == "a.csv"
    assert files_in(shelf.downloads.folder) == ["a.csv"]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_a_background_page_hands_over_nothing(shelf: Shelf) -> None:
    starts = "<a id=a href=/file>get</a><script>onload = () => a.click()</script>"
    async with background_page(shelf, starts):
        await until(lambda: "/file" in shelf.tab.lab.good.hit_paths())
    assert shelf.downloads.finished == ()
    assert files_in(shelf.downloads.folder) == []
