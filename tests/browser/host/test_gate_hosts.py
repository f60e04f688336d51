"""A page of one host of the policy sends nothing to another, however early, late or hidden."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.site import Asked, Reply
from tests.support.two_hosts import TwoHosts, two_hosts
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

# How a page asks for {url} where a gate per tab or frame is not there yet, or no more.
EDGES = {
    "sandboxed frame's first script": """frame({sandbox: 'allow-scripts',
        srcdoc: "<script>fetch('{url}', {mode: 'no-cors'})</script>"})""",
    "sandboxed frame's first image": "frame({sandbox: '', srcdoc: '<img src={url}>'})",
    "shared worker": """new SharedWorker(URL.createObjectURL(
        new Blob(["fetch('{url}', {mode: 'no-cors'})"])))""",
    "nested worker": """window.kept = new Worker(script(
        `new Worker('${script("fetch('{url}', {mode: 'no-cors'})")}')`))""",
    "beacon of a closing popup": "closing(w => w.navigator.sendBeacon('{url}', 'x'))",
    "fetch of a closing popup": """closing(w => w.fetch('{url}',
        {keepalive: true, method: 'POST', mode: 'no-cors', body: 'x'}))""",
}
# What a page sends while it is left for a page of the host it sends to.
FAREWELLS = {
    "beacon": "navigator.sendBeacon('{url}', 'x')",
    "fetch": "fetch('{url}', {keepalive: true, method: 'POST', mode: 'no-cors', body: 'x'})",
    "preflight": "fetch('{url}', {keepalive: true, method: 'PUT', headers: {a: 'b'}})",
    "image": "new Image().src = '{url}'",
    "image without referrer": "Object.assign(new Image(), {referrerPolicy: 'no-referrer'}).src"
    " = '{url}'",
    "beacon of a frame": """{
        const sent = () => frames[0].navigator.sendBeacon('{url}', 'x');
        frames[0].addEventListener('pagehide', sent);
        sent();
    }""",
}
PAGE = """<script>
const script = (js) => URL.createObjectURL(new Blob([js], {type: 'text/javascript'}));
const frame = (fields) =>
  document.body.appendChild(Object.assign(document.createElement('iframe'), fields));
const closing = (send) => {
  const popup = open('/empty');
  const ready = setInterval(() => {
    if (popup.location.pathname !== '/empty' || popup.document.readyState !== 'complete') return;
    clearInterval(ready);
    popup.addEventListener('pagehide', () => send(popup));
    popup.close();
  }, 20);
};
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TwoHosts]:
    """The browser of the module."""
    async with two_hosts(tmp_path_factory.mktemp("profiles")) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def hosts(shared: TwoHosts) -> TwoHosts:
    """The browser with the helpers' page open."""
    for site in (shared.here, shared.there):
        site.pages.clear()
        site.pages["/empty"] = "empty"
    await shared.show(PAGE)
    return shared


async def heard(hosts: TwoHosts, path: str) -> None:
    """Wait until the page's own host was asked for *path*."""
    await until(lambda: path in hosts.here.hit_paths())


@pytest.mark.parametrize("way", EDGES)
async def test_no_request_slips_by_at_the_edge_of_a_tab_or_frame(hosts: TwoHosts, way: str) -> None:
    secret = hosts.there.url("/secret")
    await hosts.script(f"{{{EDGES[way].replace('{url}', secret)}}}; 1")
    await hosts.stopped(secret)
    await hosts.show(PAGE)
    await hosts.script(f"{{{EDGES[way].replace('{url}', hosts.url('/inside'))}}}; 1")
    await heard(hosts, "/inside")
    assert "/secret" not in hosts.there.hit_paths()


@pytest.mark.parametrize("way", FAREWELLS)
async def test_a_page_that_is_left_sends_nothing_to_the_next_host(
    hosts: TwoHosts, way: str
) -> None:
    secret, inside = hosts.there.url("/secret"), hosts.url("/inside")
    await hosts.show(PAGE + "<iframe srcdoc=x></iframe>")
    for url in (secret, inside):
        farewell = FAREWELLS[way].replace("{url}", url)
        await hosts.script(f"addEventListener('pagehide', () => {{{farewell}}})")
    outcome = await hosts.go(hosts.there.url("/empty"))
    assert outcome.error is None
    await hosts.stopped(secret)
    if "referrer" not in way:  # nothing names its sender, so it is taken for either page's
        await heard(hosts, "/inside")
    assert "/secret" not in hosts.there.hit_paths()


@pytest.mark.parametrize("where", ["top", "frame"])
async def test_a_page_gains_nothing_from_a_navigation_that_does_not_come_about(
    hosts: TwoHosts, where: str
) -> None:
    hosts.there.pages["/nothing"] = lambda _: Reply(status=204)
    window = "window" if where == "top" else "frame({}).contentWindow"
    await hosts.script(f"const w = {window}; w.location.href = '{hosts.there.url('/nothing')}'; 1")
    await until(lambda: "/nothing" in hosts.there.hit_paths())
    for url in (hosts.there.url("/secret"), hosts.url("/inside")):
        await hosts.script(f"w.fetch('{url}', {{mode: 'no-cors', keepalive: true}}); 1")
    await _asked_both(hosts)


@pytest.mark.parametrize("where", ["top", "frame"])
async def test_a_page_gains_nothing_while_another_hosts_page_is_awaited(
    hosts: TwoHosts, where: str
) -> None:
    answered = threading.Event()

    def late(_: Asked) -> Reply:
        answered.wait(30)
        return Reply("late")

    hosts.there.pages["/late"] = late
    window = "window" if where == "top" else "frame({}).contentWindow"
    urls = [hosts.there.url("/secret"), hosts.url("/inside")]
    asks = f"for (const url of {urls}) w.fetch(url, {{mode: 'no-cors', keepalive: true}})"
    try:
        # A tab that is about to go elsewhere takes no more scripts from us.
        await hosts.script(f"""const w = {window}; setTimeout(() => {{ {asks} }}, 500);
            w.location.href = '{hosts.there.url("/late")}'; 1""")
        await _asked_both(hosts)
    finally:
        answered.set()


async def _asked_both(hosts: TwoHosts) -> None:
    await hosts.stopped(hosts.there.url("/secret"))
    await heard(hosts, "/inside")
    assert "/secret" not in hosts.there.hit_paths()


async def test_a_page_of_the_next_host_has_all_it_asks_for_at_once(hosts: TwoHosts) -> None:
    hosts.there.pages["/"] = """<link rel=stylesheet href=/style>
        <script src=/script></script><img src=/image><iframe srcdoc="<img src=/framed>"></iframe>
        <script>new Worker('/worker'); fetch('/put', {method: 'PUT', headers: {a: 'b'}})</script>"""
    worker = "fetch('/from-worker')"
    hosts.there.pages["/worker"] = lambda _: Reply(worker, content_type="text/javascript")
    paths = {"/style", "/script", "/image", "/framed", "/worker", "/put", "/from-worker"}
    for _ in range(5):  # which of the browser's wires is faster is not the same each time
        await hosts.show(PAGE)
        async with asyncio.timeout(20):
            assert (await hosts.go(hosts.there.url())).error is None
        await until(lambda: paths <= set(hosts.there.hit_paths()))
        assert hosts.blocked == []
