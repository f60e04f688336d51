"""Each rule on downloads by itself, with a browser that only says what a real one would."""

from pathlib import Path

import pytest

from browser.host.downloads import Downloads, deny_downloads
from states.policy import HostRule, Policy
from states.settings import BrowserLimits
from tests.support.quiet_transport import QuietTransport
from tests.support.until import until

POLICY = Policy(version=1, hosts=(HostRule(host="erp.example.com", allow=("navigate",)),))
LIMITS = BrowserLimits(downloads_max=2, download_bytes_max=10)
GOOD = "https://erp.example.com/r"


class Shelf:
    """Downloads into *folder*, and what was refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.transport = QuietTransport()
        self.refused: list[tuple[str, str]] = []
        self.downloads = Downloads(
            self.transport, POLICY, folder, LIMITS, lambda *why: self.refused.append(why)
        )

    def begin(self, guid: str, url: str = GOOD) -> None:
        self.transport.tell(
            "Browser.downloadWillBegin", guid=guid, url=url, suggestedFilename="r.csv"
        )

    def progress(self, guid: str, state: str, *, received: int = 0, total: int = 0) -> None:
        self.transport.tell(
            "Browser.downloadProgress", guid=guid, state=state,
            receivedBytes=received, totalBytes=total,
        )  # fmt: skip

    def complete(self, guid: str, content: bytes) -> None:
        (self.folder / guid).write_bytes(content)
        self.progress(guid, "completed")

    async def until_cancelled(self, guid: str) -> None:
        await until(lambda: ("Browser.cancelDownload", {"guid": guid}) in self.transport.sent)


@pytest.fixture
async def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    await shelf.downloads.start()
    return shelf


async def test_a_download_from_an_allowed_place_is_kept_under_its_name(shelf: Shelf) -> None:
    shelf.begin("1")
    shelf.complete("1", b"a,b")
    assert [(d.name, d.size) for d in shelf.downloads.finished] == [("r.csv", 3)]
    assert shelf.refused == []


@pytest.mark.parametrize("url", ["https://evil.test/r", "blob:https://evil.test/1", "blob:x", ""])
async def test_a_download_from_elsewhere_is_cancelled_and_told(shelf: Shelf, url: str) -> None:
    shelf.begin("1", url)
    assert [refused for refused, _ in shelf.refused] == [url]
    await shelf.until_cancelled("1")
    shelf.complete("1", b"a,b")
    assert shelf.downloads.finished == ()


async def test_a_download_that_grows_too_large_is_cancelled_while_it_runs(shelf: Shelf) -> None:
    shelf.begin("1")
    shelf.begin("2")
    shelf.progress("1", "inProgress", received=11)
    shelf.progress("2", "inProgress", total=11)
    assert (shelf.downloads.running, len(shelf.refused)) == (0, 2)
    await shelf.until_cancelled("1")
    await shelf.until_cancelled("2")


async def test_a_download_whose_size_was_never_told_is_measured_at_its_end(shelf: Shelf) -> None:
    shelf.begin("1")
    shelf.complete("1", b"x" * 11)
    assert (shelf.downloads.finished, len(shelf.refused)) == ((), 1)
    assert list(shelf.folder.iterdir()) == []


async def test_those_that_run_and_those_that_ended_are_counted_together(shelf: Shelf) -> None:
    shelf.begin("1")
    shelf.complete("1", b"a")
    shelf.begin("2")
    shelf.begin("3")
    assert ["more than 2" in why for _, why in shelf.refused] == [True]
    assert shelf.downloads.running == 1
    await shelf.until_cancelled("3")


async def test_without_a_folder_the_browser_is_told_to_deny() -> None:
    transport = QuietTransport()
    await deny_downloads(transport)
    assert transport.sent == [("Browser.setDownloadBehavior", {"behavior": "deny"})]
