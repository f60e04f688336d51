"""Each rule on downloads by itself, with a browser that only says what a real one would."""

import asyncio
import hashlib
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


async def test_each_end_is_told_once_with_what_lies_on_the_disk(shelf: Shelf) -> None:
    shelf.begin("1")
    shelf.begin("2")
    shelf.complete("1", b"a,b")
    first, second = await shelf.downloads.news(0, 0.5)
    assert first.as_data("en") == {
        "name": "r.csv",
        "size": 3,
        "state": "completed",
        "sha256": hashlib.sha256(b"a,b").hexdigest(),
    }
    assert second.as_data("en")["state"] == "running"
    assert await shelf.downloads.news(2, 0) == ()
    shelf.progress("2", "canceled")
    [told] = await shelf.downloads.news(2, 0)
    assert (told.state, told.why.reason) == ("canceled", "download_broke_off")
    assert await shelf.downloads.news(2, 0) == ()


async def test_a_download_that_broke_off_leaves_nothing(shelf: Shelf) -> None:
    shelf.begin("1")
    for name in ("1", "1.crdownload"):
        (shelf.folder / name).write_bytes(b"half")
    shelf.progress("1", "canceled", received=4)
    assert list(shelf.folder.iterdir()) == []


async def test_a_file_that_vanishes_is_no_finished_download(shelf: Shelf) -> None:
    shelf.begin("1")
    shelf.progress("1", "completed")
    [told] = await shelf.downloads.news(0, 0)
    assert (told.state, shelf.downloads.finished) == ("canceled", ())


async def test_a_refusal_is_said_in_both_languages(shelf: Shelf) -> None:
    shelf.begin("1", "https://evil.test/r")
    [told] = await shelf.downloads.news(0, 0)
    assert told.state == "refused"
    assert "evil.test" in told.as_data("en")["why"]
    assert "策略" in told.as_data("zh-CN")["why"]


async def test_the_begin_of_a_download_is_waited_for(shelf: Shelf) -> None:
    begins = asyncio.create_task(shelf.downloads.begins(0, 20))
    await asyncio.sleep(0)
    assert not begins.done()
    shelf.begin("1")
    await asyncio.wait_for(begins, 1)
    await shelf.downloads.begins(1, 0.01)


async def test_without_a_folder_everything_is_refused_and_the_browser_denies() -> None:
    transport = QuietTransport()
    downloads = Downloads(transport, POLICY, None, LIMITS)
    await downloads.start()
    transport.tell("Browser.downloadWillBegin", guid="1", url=GOOD, suggestedFilename="r.csv")
    [told] = await downloads.news(0, 0)
    assert (told.state, told.why.reason) == ("refused", "download_not_kept")
    assert transport.methods() == ["Browser.setDownloadBehavior"]


async def test_without_a_folder_the_browser_is_told_to_deny() -> None:
    transport = QuietTransport()
    await deny_downloads(transport)
    assert transport.sent == [
        ("Browser.setDownloadBehavior", {"behavior": "deny", "eventsEnabled": True})
    ]
