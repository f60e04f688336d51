"""Files reach a page only when handed over, where the policy lets them, with a yes to the bytes."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from browser.host.approvals import subject_of
from browser.host.downloads import Downloads
from browser.host.executor import Executor
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import open_browser
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall
from browser.host.tab import Tab
from browser.host.uploads import Uploads
from browser.page import bundle_source
from states.policy import Effect
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab, policy_for
from tests.support.site import Asked, Reply, serve
from tests.support.until import until
from tests.support.widgets import widget_page

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PAGE = widget_page("upload")
TEXT = "März,1\n"
SHA = hashlib.sha256(TEXT.encode()).hexdigest()
LIMITS = BrowserLimits(upload_bytes_max=1_000, upload_files_max=2, wait_ms=1_500)


class UploadLab:
    """A browser whose policy lets files in, a *folder* of handed files, and their copies."""

    def __init__(self, lab: HostLab, folder: Path, private: Path) -> None:
        self.lab, self.folder, self.private = lab, folder, private
        self.calls: list[ResolvedCall] = []

    async def page(self, page: str = PAGE, *, handed: bool = True) -> TabLab:
        self.lab.good.pages |= {"/": page, "/sent": sent}
        session = await self.lab.gate.open_tab()
        folder = self.folder if handed else None
        executor = Executor(
            self.lab.gate, Tab(session, bundle_source(), LIMITS),
            uploads=Uploads(folder, self.private, LIMITS),
        )  # fmt: skip
        await executor.start()
        tab = TabLab(self.lab, executor)
        assert (await tab.do("navigate", url=self.lab.good.url())).error is None
        return tab

    def copies(self) -> list[str]:
        return sorted(each.name for each in self.private.rglob("*") if each.is_file())

    def agree(self, call: ResolvedCall) -> Approval:
        self.calls.append(call)
        return ALLOW


def sent(asked: Asked) -> Reply:
    return Reply(f"<h1>{asked.body.count(TEXT.encode())}</h1>")


def nobody_agrees(call: ResolvedCall) -> Approval:
    return NEEDS_CONFIRMATION if call.effect is Effect.CONFIRM else ALLOW


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[HostLab]:
    with serve({}) as good, serve({}) as bad:
        policy = policy_for(good.port, upload=True)
        options = LaunchOptions(policy=policy, profiles_root=tmp_path_factory.mktemp("profiles"))
        files = tmp_path_factory.mktemp("files")
        (files / "run.csv").write_text(TEXT, encoding="utf-8")
        async with await open_browser(options, bundle_source(), files=files) as opened:
            yield HostLab(opened, policy, (good, bad))


@pytest.fixture
def uploads(open_lab: HostLab, tmp_path: Path) -> UploadLab:
    folder = tmp_path / "handed"
    folder.mkdir()
    (folder / "a.csv").write_text(TEXT, encoding="utf-8")
    (folder / "b.csv").write_text("b", encoding="utf-8")
    return UploadLab(open_lab, folder, tmp_path / "copies")


async def test_a_handed_file_is_given_and_sent(uploads: UploadLab) -> None:
    tab = await uploads.page()
    outcome = await tab.do("type", approve=uploads.agree, selector="#one", text="a.csv")
    assert outcome.error is None
    file = {"name": "a.csv", "size": len(TEXT.encode()), "sha256": SHA}
    assert outcome.data == {"typed": "a.csv", "files": [file]}
    assert await tab.text("#said") == f"a.csv: {TEXT}".strip()
    assert (await tab.do("click", selector="form button")).error is None
    assert await tab.text("h1") == "1"
    assert uploads.copies() == ["a.csv"]
    tab.executor.stop()
    assert uploads.copies() == []


async def test_the_browser_of_a_run_gives_what_was_handed_to_it(open_lab: HostLab) -> None:
    open_lab.good.pages["/"] = PAGE
    tab = TabLab(open_lab, open_lab.opened.executor)
    assert (await tab.do("navigate", url=open_lab.good.url())).error is None
    assert (await tab.do("type", selector="#one", text="run.csv")).error is None
    assert await tab.text("#said") == f"run.csv: {TEXT}".strip()
    profile = open_lab.opened.chromium.profile
    assert [each.name for each in profile.rglob("run.csv")] == ["run.csv"]


async def test_the_question_names_the_bytes_and_gives_none(uploads: UploadLab) -> None:
    tab = await uploads.page()
    outcome = await tab.do("type", approve=nobody_agrees, selector="#one", text="a.csv")
    call = outcome.confirmation
    assert call is not None
    assert call.params["files"] == [{"name": "a.csv", "size": len(TEXT.encode()), "sha256": SHA}]
    assert "One" in call.reason
    assert await tab.script("one.files.length") == 0
    assert uploads.copies() == []
    (uploads.folder / "a.csv").write_text("changed", encoding="utf-8")
    again = await tab.do("type", approve=nobody_agrees, selector="#one", text="a.csv")
    assert again.confirmation is not None
    assert again.confirmation.params["files"] != call.params["files"]
    bound = {subject_of(each, "t").digest for each in (call, again.confirmation)}
    assert len(bound) == 2


async def test_what_was_hashed_is_what_the_page_gets(uploads: UploadLab) -> None:
    tab = await uploads.page()

    def swap(call: ResolvedCall) -> Approval:
        (uploads.folder / "a.csv").write_text("swapped", encoding="utf-8")
        return uploads.agree(call)

    assert (await tab.do("type", approve=swap, selector="#one", text="a.csv")).error is None
    assert await tab.text("#said") == f"a.csv: {TEXT}".strip()
    assert uploads.calls[-1].params["files"][0]["sha256"] == SHA


async def test_several_files_and_a_hidden_field(uploads: UploadLab) -> None:
    tab = await uploads.page()
    assert (await tab.do("type", selector="#many", text="a.csv\nb.csv")).error is None
    assert await tab.script("[...many.files].map(f => f.name).join()") == "a.csv,b.csv"
    assert (await tab.do("type", selector="#veiled", text="b.csv")).error is None
    assert await tab.script("veiled.files[0].name") == "b.csv"


@pytest.mark.parametrize(
    ("selector", "text", "code"),
    [
        ("#one", "", "upload_no_name"),
        ("#one", "c.csv", "upload_not_there"),
        ("#one", "A.csv", "upload_not_there"),
        ("#one", "../handed/a.csv", "upload_name"),
        ("#one", "/etc/passwd", "upload_name"),
        ("#one", "..\\a.csv", "upload_name"),
        ("#one", ".secret", "upload_name"),
        ("#one", "a.csv\x00", "upload_name"),
        ("#one", "link.csv", "upload_no_file"),
        ("#one", "sub", "upload_no_file"),
        ("#one", "pipe", "upload_no_file"),
        ("#one", "large.csv", "upload_too_large"),
        ("#one", "a.csv\nb.csv", "element_not_editable"),
        ("#many", "a.csv\nb.csv\na.csv", "upload_too_many"),
        ("#off", "a.csv", "element_not_editable"),
        ("#folder", "a.csv", "element_not_editable"),
    ],
)
async def test_what_may_not_be_given_is_not(
    uploads: UploadLab, tmp_path: Path, selector: str, text: str, code: str
) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("outside", encoding="utf-8")
    (uploads.folder / "link.csv").symlink_to(outside)
    (uploads.folder / ".secret").write_text("s", encoding="utf-8")
    (uploads.folder / "sub").mkdir()
    os.mkfifo(uploads.folder / "pipe")
    (uploads.folder / "large.csv").write_bytes(b"x" * 1_001)
    tab = await uploads.page()
    outcome = await tab.do("type", approve=uploads.agree, selector=selector, text=text)
    assert outcome.error is not None
    assert outcome.error.code == code
    assert uploads.copies() == []
    assert await tab.script(
        "[...document.querySelectorAll('[type=file]')].every(f => !f.files.length)"
    )
    (uploads.folder / "large.csv").write_bytes(b"x" * 1_000)
    for name in ("a.csv", "large.csv"):
        assert (await tab.do("type", selector="#one", text=name)).error is None


async def test_without_a_folder_there_is_nothing_to_give(uploads: UploadLab) -> None:
    tab = await uploads.page(handed=False)
    outcome = await tab.do("type", selector="#one", text="a.csv")
    assert outcome.error is not None
    assert outcome.error.code == "upload_not_there"
    assert "--files" in outcome.error.message


async def test_the_names_that_are_there_are_told(uploads: UploadLab) -> None:
    tab = await uploads.page()
    outcome = await tab.do("type", selector="#one", text="c.csv")
    assert outcome.error is not None
    assert "a.csv | b.csv" in outcome.error.message


async def test_a_host_without_upload_gets_no_file(lab: HostLab, uploads: UploadLab) -> None:
    lab.good.pages["/"] = PAGE
    tab = await lab.open(PAGE)
    outcome = await tab.do("type", selector="#one", text="a.csv")
    assert outcome.error is not None
    assert outcome.error.code == "upload_not_allowed"
    assert "upload: true" in outcome.error.message
    tab = await uploads.page()
    assert (await tab.do("type", selector="#one", text="a.csv")).error is None


async def test_a_click_opens_no_file_chooser(uploads: UploadLab) -> None:
    tab = await uploads.page()
    for selector in ("#one", "#label"):
        outcome = await tab.do("click", selector=selector)
        assert outcome.error is not None
        assert outcome.error.code == "click_opens_chooser"
    for key in ("Enter", "Space"):
        outcome = await tab.do("type", selector="#one", text="a.csv", keys=[key])
        assert outcome.error is not None
        assert outcome.error.code == "upload_keys"
    assert (await tab.do("click", selector="#plain")).error is None


async def test_a_chooser_that_a_script_opens_is_closed_and_told(uploads: UploadLab) -> None:
    tab = await uploads.page()
    async with asyncio.timeout(20):
        outcome = await tab.do("click", selector="#styled")
    assert outcome.error is not None
    assert outcome.error.code == "chooser_refused"
    ref = next(word for word in outcome.error.message.split() if word.startswith("@")).strip(",")
    assert (await tab.do("type", selector=ref, text="a.csv")).error is None
    assert (await tab.do("click", selector="#plain")).error is None


async def test_a_download_of_this_task_can_be_given(uploads: UploadLab, tmp_path: Path) -> None:
    lab = uploads.lab
    lab.good.pages |= {
        "/": PAGE + "<a id=get href=/report download=report.csv>get</a>",
        "/report": lambda _: Reply(TEXT, 200, "text/csv"),
    }
    downloads = Downloads(lab.gate.transport, lab.policy, tmp_path / "downloads", LIMITS)
    session = await lab.gate.open_tab()
    files = Uploads(uploads.folder, uploads.private, LIMITS, lambda: downloads.finished)
    executor = Executor(lab.gate, Tab(session, bundle_source(), LIMITS), downloads, uploads=files)
    await executor.start()
    tab = TabLab(lab, executor)
    await tab.do("navigate", url=lab.good.url())
    early: Any = await tab.do("type", selector="#one", text="report.csv")
    assert early.error.code == "upload_not_there"
    await tab.do("click", selector="#get")
    await until(lambda: bool(downloads.finished))
    assert (await tab.do("type", selector="#one", text="report.csv")).error is None
    assert await tab.text("#said") == f"report.csv: {TEXT}".strip()
    (uploads.folder / "report.csv").write_text("another", encoding="utf-8")
    twice: Any = await tab.do("type", selector="#one", text="report.csv")
    assert twice.error.code == "upload_twice"
