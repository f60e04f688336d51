"""Crash, hang and death: each command still ends, with what is known, and nothing stays behind."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from browser.host.profiles import users_of
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, host_lab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

PAGE = "<p id=p>here</p><button id=b>go</button>"
FOREVER = "<script>onclick = () => { for (;;) ; }</script>"


async def test_a_crash_ends_the_command_and_the_tab_can_be_used_again(lab: HostLab) -> None:
    tab = await lab.open(PAGE)
    waiting = asyncio.create_task(tab.do("waitForSelector", selector="#x", timeout_ms=60_000))
    await asyncio.sleep(0.2)
    crash = asyncio.create_task(tab.executor.tab.session.send("Page.crash"))
    outcome = await asyncio.wait_for(waiting, 20)
    await asyncio.gather(crash, return_exceptions=True)
    assert outcome.error is not None
    assert outcome.error.code == "page_crashed"
    outcome = await tab.do("getText", selector="#p")
    assert outcome.error is not None
    assert outcome.error.code == "page_crashed"
    assert (await tab.do("navigate", url=lab.good.url())).success
    assert await tab.text("#p") == "here"


async def test_a_hanging_page_is_a_clear_error_and_is_stopped(lab: HostLab) -> None:
    limits = BrowserLimits(cdp_seconds=1.5)
    tab = await lab.open(PAGE + FOREVER, limits=limits)
    outcome = await tab.do("click", selector="#b")
    assert outcome.error is not None
    assert outcome.error.code in {"unknown_outcome", "cdp_timeout"}
    assert await tab.text("#p") == "here"


async def test_a_select_whose_page_goes_away_at_once_is_not_repeated(lab: HostLab) -> None:
    page = """<select id=s onchange="fetch('/count', {method: 'POST'}); location.href = '/1'">
    <option>a<option>b</select>"""
    lab.good.pages["/count"] = "ok"
    tab = await lab.open(page, "<h1>next</h1>")
    outcome = await tab.do("select", selector="#s", value="b")
    assert outcome.success or (outcome.error and outcome.error.code == "unknown_outcome")
    assert await tab.text("h1") == "next"
    assert lab.good.hit_paths().count("/count") == 1


async def test_a_browser_killed_in_mid_command_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    async with host_lab(tmp_path) as lab:
        tab = await lab.open(PAGE)
        profile = lab.opened.chromium.profile
        waiting = asyncio.create_task(tab.do("waitForSelector", selector="#x", timeout_ms=60_000))
        await asyncio.sleep(0.2)
        started = time.monotonic()
        os.kill(lab.opened.chromium.pid, signal.SIGKILL)
        outcome = await asyncio.wait_for(waiting, 20)
        assert time.monotonic() - started < 2
        assert outcome.error is not None
        assert outcome.error.code == "browser_lost"
        again = await tab.do("getText")
        assert again.error is not None
        assert again.error.code == "browser_lost"
        assert await tab.executor.last_picture() is None
    assert not profile.exists()
    assert users_of(profile) == []
