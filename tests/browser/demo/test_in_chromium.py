"""A real Chromium, started as a demo run starts it, can query and export the report."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from browser.demo import HOST, policy
from browser.demo.certificate import DemoCertificate
from browser.demo.server import DemoCompany
from browser.host.chromium import Chromium
from browser.host.errors import CdpError
from browser.host.launch_flags import LaunchOptions
from browser.host.target_session import TargetSession

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
PATIENCE_SECONDS = 60
POLL_SECONDS = 0.05


@pytest.fixture
async def browser(
    tmp_path: Path, certificate: DemoCertificate, company: DemoCompany
) -> AsyncIterator[Chromium]:
    options = LaunchOptions(
        policy=policy(),
        profiles_root=tmp_path / "profiles",
        host_map={HOST: f"127.0.0.1:{company.port}"},
        spki=(certificate.spki_sha256_base64,),
    )
    async with await Chromium.launch(options) as running:
        yield running


async def opened(browser: Chromium, path: str) -> TargetSession:
    """Return a session with a new tab that is loading *path*."""
    send = browser.transport.send
    target = (await send("Target.createTarget", {"url": f"https://{HOST}{path}"}))["targetId"]
    attached = await send("Target.attachToTarget", {"targetId": target, "flatten": True})
    return TargetSession(browser.transport, attached["sessionId"], target, "page")


async def run(tab: TargetSession, script: str) -> object:
    """Return what *script* gives in the page."""
    told = await tab.send("Runtime.evaluate", {"expression": script, "returnByValue": True})
    return told["result"].get("value")


async def until(tab: TargetSession, statement: str) -> None:
    """Wait until *statement* is true in the page; a page that is still changing is asked again."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                if await run(tab, statement) is True:
                    return
            except CdpError:
                pass
            await asyncio.sleep(POLL_SECONDS)


async def query(tab: TargetSession, month: str) -> None:
    await until(tab, "document.readyState === 'complete' && !!document.querySelector('#query-btn')")
    await run(
        tab,
        f"document.querySelector('#month-picker').value = '{month}';"
        "document.querySelector('#query-btn').click()",
    )


async def test_report_is_queried_paged_exported_and_downloaded(
    browser: Chromium, company: DemoCompany, tmp_path: Path
) -> None:
    await browser.transport.send(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    tab = await opened(browser, "/report/finance")
    await query(tab, "2026-11")
    await until(tab, "!!document.querySelector('.report-table[data-state=\"ready\"]')")
    for page in ("2 / 3", "3 / 3"):
        await run(tab, "document.querySelector('#next-page').click()")
        await until(tab, f"document.querySelector('#page-info').textContent === '第 {page} 页'")
    assert await run(tab, "document.querySelector('#next-page').disabled") is True
    await run(tab, "document.querySelector('#export-btn').click()")
    await until(tab, "!document.querySelector('.export-success').hidden")
    assert await run(tab, "document.querySelector('.export-result').textContent") == (
        "已导出 3 份报表：科目汇总表、科目明细表、合规检查表（2026-11，全部，xlsx，25 行）"
    )
    file = tmp_path / company.exports[0].file_name
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not file.exists():  # noqa: ASYNC110 - the file appears when it is whole
            await asyncio.sleep(POLL_SECONDS)
    assert zipfile.is_zipfile(file)


async def test_wrong_month_shows_why_and_a_voided_invoice_shows_that_it_is(
    browser: Chromium,
) -> None:
    report = await opened(browser, "/report/finance")
    await query(report, "2026-13")
    await until(report, "!document.querySelector('.report-error').hidden")
    shown = await run(report, "document.querySelector('.report-error').textContent")
    assert "2026-13" in str(shown)
    assert await run(report, "document.querySelector('#export-btn').disabled") is True
    invoices = await opened(browser, "/invoices")
    await until(invoices, "!!document.querySelector('#void-FP0004')")
    await run(invoices, "document.querySelector('#void-FP0004').click()")
    await until(invoices, "document.querySelector('#row-FP0004').innerText.includes('已作废')")
    assert await run(invoices, "document.querySelector('#void-FP0004').disabled") is True
