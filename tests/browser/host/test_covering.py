"""In every frame passwords are covered while a picture is taken, or there is none."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from browser.host.errors import CommandError
from browser.host.marks import Marks
from browser.host.outcome import ALLOW, Outcome
from browser.host.picture import picture_of
from browser.host.tab import Tab
from browser.page import bundle_source
from states.settings import BrowserLimits
from tests.support.two_hosts import THERE, TwoHosts, two_hosts
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

FIELD = "<body><input id=pw type=password value={}><script>{}</script>"
SHOW = "pw.type = 'text'"
STUBBORN = (
    "new MutationObserver(() => pw.removeAttribute('style')).observe(pw, {attributes: true});"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosts(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TwoHosts]:
    async with two_hosts(tmp_path_factory.mktemp("profiles")) as running:
        yield running


async def shot(hosts: TwoHosts, *, som: bool = False) -> Outcome:
    params = {"som_overlay": som}
    hosts.executor.tab.marks = Marks()  # the same numbers in each picture
    return await hosts.executor.execute("pageScreenshot", params, "localhost", lambda _: ALLOW)


async def framed(hosts: TwoHosts, inner: str, *, same: bool) -> None:
    """Show a page with *inner* in a frame of the *same* site or another."""
    (hosts.here if same else hosts.there).pages["/inner"] = inner
    host = "" if same else f"http://{THERE}:{hosts.there.port}"
    await hosts.show(f"<p>around</p><iframe src='{host}/inner'></iframe>")


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("som", [True, False])
async def test_a_password_that_a_frame_shows_is_not_in_the_picture(
    hosts: TwoHosts, same: bool, som: bool
) -> None:
    pictures = []
    for value in ("hunter22", "xxxxxxxx"):
        await framed(hosts, FIELD.format(value, SHOW), same=same)
        outcome = await shot(hosts, som=som)
        assert outcome.error is None
        pictures.append(outcome.data["image_base64"])
    assert pictures[0] == pictures[1]
    # What is no password is in the picture, so the two differ where the frame differs.
    await framed(hosts, FIELD.format("hunter22", SHOW) + "<p>words</p>", same=same)
    assert (await shot(hosts, som=som)).data["image_base64"] != pictures[0]


@pytest.mark.parametrize("same", [True, False])
async def test_a_frame_that_lifts_the_cover_leaves_no_picture(hosts: TwoHosts, same: bool) -> None:
    await framed(hosts, FIELD.format("hunter22", SHOW + ";" + STUBBORN), same=same)
    outcome = await shot(hosts)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.data) == ("picture_password", {})
    await hosts.script("document.querySelector('iframe').remove()")
    assert (await shot(hosts)).success


async def test_a_frame_of_the_same_site_is_as_before_after_a_picture(hosts: TwoHosts) -> None:
    await framed(hosts, FIELD.format("hunter22", SHOW), same=True)
    assert (await shot(hosts)).success
    look = "frames[0].getComputedStyle(frames[0].document.body.firstChild).webkitTextSecurity"
    assert await hosts.script(look) == "none"


async def test_frames_that_come_and_go_all_the_time_leave_no_picture(hosts: TwoHosts) -> None:
    await hosts.show("<p>around</p>")
    await hosts.script(
        "run = setInterval(() => { document.querySelector('iframe')?.remove(); "
        "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: 'x'})) }, 1)"
    )
    outcome = await shot(hosts)
    assert outcome.error is not None
    assert outcome.error.code == "picture_frame_uncovered"
    await hosts.script("clearInterval(run)")
    assert (await shot(hosts)).success


async def until_it_hangs(tab: Tab) -> None:
    """Return when the frame of *tab* does not answer any more."""
    (frame,) = [world for world in tab.worlds.present() if world != tab.worlds.top]
    with contextlib.suppress(TimeoutError):
        while True:
            async with asyncio.timeout(0.5):
                await tab.ask("viewport", {}, world=frame)


async def test_a_frame_that_hangs_leaves_no_picture_and_holds_nothing_up(hosts: TwoHosts) -> None:
    session = await hosts.opened.gate.open_tab()
    tab = Tab(session, bundle_source(), BrowserLimits(cdp_seconds=1))
    await tab.start()
    hosts.there.pages["/inner"] = "<body>x<script>setTimeout(() => { while (1); })</script>"
    inner = f"http://{THERE}:{hosts.there.port}/inner"
    hosts.here.pages["/hung"] = f"<p>around</p><iframe src='{inner}'></iframe>"
    await session.send("Page.navigate", {"url": hosts.url("/hung")})
    async with asyncio.timeout(20):
        await until(lambda: len(tab.worlds.present()) == 2)
        await until_it_hangs(tab)
        with pytest.raises(CommandError) as caught:
            await picture_of(tab)
        assert caught.value.code == "picture_frame_uncovered"
        script = "document.querySelector('iframe').remove()"
        await session.send("Runtime.evaluate", {"expression": script})
        await until(lambda: len(tab.worlds.present()) == 1)
        assert (await picture_of(tab))["image_base64"]
    tab.stop()
    await hosts.opened.gate.close_tab(session)
