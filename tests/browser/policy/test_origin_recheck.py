"""Whatever a page does between look and act: the approved element is acted upon, or nothing."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio

from browser.host.launch_flags import LaunchOptions
from browser.host.opened import open_browser
from browser.host.outcome import ALLOW, Approval, Outcome, ResolvedCall
from browser.page import bundle_source
from tests.support.host_lab import HostLab, TabLab, policy_for
from tests.support.site import Site, serve

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

BUTTON = "<button id=b onclick=\"parent.postMessage('WHO', '*')\">查询</button>"
# The top page keeps who was clicked, in any frame and however often it is written anew.
KEEPS = """<script>
window.clicked ??= [];
if (!window.hears) addEventListener('message', (e) => clicked.push(e.data));
window.hears = true;
</script>"""


class Ports(NamedTuple):
    """The lab, and a site of the policy on another port of the same machine."""

    lab: HostLab
    other: Site


def button(who: str) -> str:
    """Return a button that tells the top page it is *who*."""
    return BUTTON.replace("WHO", who)


@contextmanager
def _sites() -> Iterator[tuple[Site, Site, Site]]:
    with serve({}) as good, serve({}) as other, serve({}) as evil:
        yield good, other, evil


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ports]:
    """The browser of the module; two ports of one machine are in its policy, a third is not."""
    folder: Path = tmp_path_factory.mktemp("profiles")
    with _sites() as (good, other, evil):
        policy = policy_for(good.port, other.port)
        options = LaunchOptions(policy=policy, profiles_root=folder)
        async with await open_browser(options, bundle_source()) as opened:
            yield Ports(HostLab(opened, policy, (good, evil)), other)


@pytest_asyncio.fixture(loop_scope="module")
async def ports(shared: Ports) -> AsyncIterator[Ports]:
    """The lab, tidied after the test."""
    shared.other.pages["/"] = shared.other.pages["/again"] = KEEPS + button("other")
    yield shared
    await shared.lab.tidy()


def domain_of(site: Site) -> str:
    """Return the domain of *site* with its port."""
    return site.origin.removeprefix("http://")


async def clicked(tab: TabLab) -> list[str]:
    """Return who was clicked, as the top page heard it."""
    return list(await tab.script("window.clicked ?? []"))


# What the page does once its button is approved. All leave something under `#b` somewhere.
RACES = {
    "goes to another page of its own": "b.remove(); location.href = '/again'",
    "goes to another port": "b.remove(); location.href = 'OTHER/again'",
    "is replaced by a blank page": "b.remove(); location.href = 'about:blank'",
    "moves the button into a frame": "f.contentDocument.body.append("
    "f.contentDocument.adoptNode(b))",
    "moves the button into a document without a window": "document.implementation"
    ".createHTMLDocument('').body.append(b)",
    "gives the button's id to one in front of it": "b.insertAdjacentHTML('beforebegin',"
    " `<button id=b onclick=\"postMessage('twin')\">删除</button>`)",
    "takes the button away": "b.remove()",
    "writes itself anew": "document.open(); document.write('<p id=b>no button</p>');"
    " document.close()",
}


async def _click_while(tab: TabLab, script: str, selector: str, domain: str) -> Outcome:
    """Click *selector* in *domain*; the page runs *script* while the click is decided about."""
    session = tab.executor.tab.session
    running: list[asyncio.Future[object]] = []

    def approve(_: ResolvedCall) -> Approval:
        # Sent before the executor's next question, so the page runs it first.
        asked = {"expression": script}
        running.append(asyncio.ensure_future(session.send("Runtime.evaluate", asked)))
        return ALLOW

    outcome = await tab.do(
        "click", selector=selector, domain=domain, approve=approve, timeout_ms=1_500
    )
    await asyncio.gather(*running, return_exceptions=True)
    return outcome


@pytest.mark.parametrize("race", RACES)
async def test_a_page_that_changes_after_the_approval_is_not_acted_upon(
    ports: Ports, race: str
) -> None:
    lab = ports.lab
    tab = await lab.open(KEEPS + button("here") + "<iframe id=f></iframe>")
    lab.good.pages["/again"] = KEEPS + button("again")
    script = RACES[race].replace("OTHER", ports.other.origin)
    # Without a port the domain fits the other port too: the document alone must decide.
    outcome = await _click_while(tab, script, "#b", "127.0.0.1")
    assert outcome.error is not None
    assert await clicked(tab) == []
    assert lab.bad.hits == []


async def test_the_same_click_is_done_when_the_page_stays_as_it_is(ports: Ports) -> None:
    tab = await ports.lab.open(KEEPS + button("here") + "<iframe id=f></iframe>")
    outcome = await _click_while(tab, "1", "#b", "127.0.0.1")
    assert outcome.error is None
    assert await clicked(tab) == ["here"]


FRAMES = {
    "a document of the page's own": '<iframe id=f srcdoc="{button}"></iframe>',
    "a blank frame written by the page": "<iframe id=f></iframe><script>"
    "f.contentDocument.write(`{button}`); f.contentDocument.close()</script>",
}
FOREIGN = {
    "a sandboxed document": '<iframe id=f sandbox=allow-scripts srcdoc="{button}"></iframe>',
    "a data address": "<iframe id=f src='data:text/html,{button}'></iframe>",
    "another port": "<iframe id=f src='{other}/'></iframe>",
    "another port with a domain set": "<script>document.domain = document.domain</script>"
    "<iframe id=f src='{other}/'></iframe>",
}


def _framed(ports: Ports, frame: str) -> str:
    plain = button("framed").replace('"', "&quot;" if "srcdoc" in frame else '"')
    return KEEPS + frame.replace("{button}", plain).replace("{other}", ports.other.origin)


@pytest.mark.parametrize("frame", FRAMES)
async def test_a_frame_of_the_pages_own_origin_is_part_of_the_page(
    ports: Ports, frame: str
) -> None:
    tab = await ports.lab.open(_framed(ports, FRAMES[frame]))
    outcome = await tab.do("click", selector="#f >>> #b", domain=domain_of(ports.lab.good))
    assert outcome.error is None
    assert await clicked(tab) == ["framed"]


@pytest.mark.parametrize("frame", FOREIGN)
async def test_a_frame_of_another_origin_is_never_acted_upon_as_the_page(
    ports: Ports, frame: str
) -> None:
    tab = await ports.lab.open(_framed(ports, FOREIGN[frame]))
    outcome = await tab.do("click", selector="#f >>> #b", domain=domain_of(ports.lab.good))
    assert outcome.error is not None
    assert await clicked(tab) == []


async def test_a_frame_of_another_port_is_acted_upon_under_its_own_domain(ports: Ports) -> None:
    tab = await ports.lab.open(_framed(ports, FOREIGN["another port"]))
    outcome = await tab.do("click", selector="#f >>> #b", domain=domain_of(ports.other))
    assert outcome.error is None
    assert await clicked(tab) == ["other"]


async def test_a_frame_that_goes_elsewhere_after_the_approval_is_not_acted_upon(
    ports: Ports,
) -> None:
    tab = await ports.lab.open(_framed(ports, FRAMES["a document of the page's own"]))
    away = f"f.removeAttribute('srcdoc'); f.src = '{ports.other.origin}/'"
    outcome = await _click_while(tab, away, "#f >>> #b", "127.0.0.1")
    assert outcome.error is not None
    assert await clicked(tab) == []


async def test_a_frame_outside_the_policy_is_not_even_loaded(ports: Ports) -> None:
    lab = ports.lab
    tab = await lab.open(KEEPS + f"<iframe id=f src='{lab.bad.url('/x')}'></iframe>")
    outcome = await tab.do("click", selector="#f >>> #b", domain=domain_of(lab.bad))
    assert outcome.error is not None
    assert lab.bad.hits == []
