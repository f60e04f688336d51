"""Downloads: kept under harmless names, from allowed places only, bounded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from browser.host.downloads import Downloads, free_path, harmless_name
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab
from tests.support.site import Page, Reply
from tests.support.until import until

LIMITS = BrowserLimits(downloads_max=3, download_bytes_max=100_000)


class Shelf:
    """A folder for downloads, and a tab that may fill it."""

    def __init__(self, downloads: Downloads, tab: TabLab, refused: list[tuple[str, str]]) -> None:
        self.downloads = downloads
        self.tab = tab
        self.refused = refused

    async def click(self, markup: str) -> None:
        """Show *markup* and click its link."""
        self.tab.lab.good.pages["/"] = markup
        assert (await self.tab.do("navigate", url=self.tab.lab.good.url())).success
        await self.tab.do("click", selector="a")

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
    yield Shelf(downloads, await lab.blank(downloads=downloads), refused)
    downloads.stop()


def files_in(folder: Path) -> list[str]:
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
    await shelf.click(WAYS[way])
    await shelf.kept(1)
    [download] = shelf.tab.executor.downloads
    assert (download.name, download.size) == ("report.csv", 3)
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
    await shelf.click(WAYS["attachment"])
    url, why = await shelf.refusal()
    assert (url, "100000" in why) == (lab.good.url("/file"), True)
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
    await tab.do("click", selector="a")
    assert tab.executor.downloads == ()
    assert files_in(tmp_path) == []


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
