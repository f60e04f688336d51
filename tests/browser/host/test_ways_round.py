"""What the browser's request pause does not see is switched off, seen from the other side."""

import json
from collections.abc import AsyncIterator
from urllib.parse import unquote

import pytest
import pytest_asyncio

from tests.support.site import Asked, Reply
from tests.support.two_hosts import THERE, TwoHosts, two_hosts
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

# Each ends by telling what became of {place}: "shut", or why it did not even begin.
SOCKET = "new Promise(end => { new WebSocket('{scheme}://{place}/x').onclose = () => end('shut') })"
STREAM = "new WebSocketStream('ws://{place}/x').opened.then(() => 'open', () => 'shut')"
TRANSPORT = "new WebTransport('https://{place}/x').ready.then(() => 'open', () => 'shut')"
PEER = """Promise.resolve(new RTCPeerConnection({iceTransportPolicy: 'relay', iceServers:
    [{urls: 'turn:{place}?transport=tcp', username: 'x', credential: 'x'}]})).then(pc => {
        pc.createDataChannel('x');
        return pc.createOffer().then(offer => pc.setLocalDescription(offer));
    })"""
FED_CM = """navigator.credentials.get({identity: {providers:
    [{configURL: 'http://{place}/x', clientId: 'x'}]}}).then(() => 'open', () => 'shut')"""

PAYMENT = """new PaymentRequest([{supportedMethods: 'https://{place}/pay'}],
    {total: {label: 'x', amount: {currency: 'EUR', value: '1'}}}).canMakePayment()"""

WINDOWS = {
    "a fresh frame": "document.body.appendChild(document.createElement('iframe')).contentWindow",
    "a fresh popup": "open('')",
    "a loading popup": "open('/')",
}
SAID = "new Promise(end => { THE_WORKER.onmessage = said => end(said.data) })"


def begun(code: str) -> str:
    """Return *code* as a promise that tells what it could not even begin with."""
    return f"Promise.resolve().then(() => {' '.join(code.split())}).catch(e => e.name)"


def script(source: str) -> str:
    """Return an address of *source* as a script."""
    return f"URL.createObjectURL(new Blob([`{source}`], {{type: 'text/javascript'}}))"


def in_window(window: str, code: str) -> str:
    """Return *code* run with the constructors of *window*."""
    return begun(f"{{const w = {window}; return {code.replace('new ', 'new w.')}}}")


def in_worker(code: str, kind: str = "classic") -> str:
    """Return *code* run in a dedicated worker of *kind*."""
    address = script(f"{begun(code)}.then(t => postMessage(t))")
    return SAID.replace("THE_WORKER", f"(window.kept = new Worker({address}, {{type: '{kind}'}}))")


def in_shared_worker(code: str) -> str:
    """Return *code* run in a shared worker."""
    address = script(f"onconnect = e => {begun(code)}.then(t => e.ports[0].postMessage(t))")
    return SAID.replace("THE_WORKER", f"(window.kept = new SharedWorker({address}).port)")


def in_nested_worker(code: str) -> str:
    """Return *code* run in a worker of a worker, which passes on what it is told."""
    inner = json.dumps(f"{begun(code)}.then(t => postMessage(t))")
    blob = f"new Blob([{inner}], {{type: 'text/javascript'}})"
    outer = f"(self.k = new Worker(URL.createObjectURL({blob}))).onmessage = e => postMessage"
    return SAID.replace("THE_WORKER", f"(window.kept = new Worker({script(outer + '(e.data)')}))")


def in_service_worker(code: str) -> str:
    """Return *code* run in the service worker `/answerer?CODE`."""
    source = f"onmessage = e => {begun(code)}.then(t => e.source.postMessage(t))"
    return f"""new Promise(end => {{
        navigator.serviceWorker.onmessage = said => end(said.data);
        navigator.serviceWorker.register('/answerer?' + encodeURIComponent({json.dumps(source)}))
            .then(() => navigator.serviceWorker.ready)
            .then(ready => ready.active.postMessage(''));
    }})"""


SOCKETS = {
    "web socket": begun(SOCKET),
    "web socket of a worker": in_worker(SOCKET),
    "web socket of a shared worker": in_shared_worker(SOCKET),
    "web socket of a nested worker": in_nested_worker(SOCKET),
    "web socket stream": begun(STREAM),
    "web socket stream of a worker": in_worker(STREAM),
    "federated login": begun(FED_CM),
}
GONE = {
    "web transport": begun(TRANSPORT),
    "web transport of a worker": in_worker(TRANSPORT),
    "web transport of a module worker": in_worker(TRANSPORT, "module"),
    "web transport of a shared worker": in_shared_worker(TRANSPORT),
    "web transport of a nested worker": in_nested_worker(TRANSPORT),
    "web transport of a service worker": in_service_worker(TRANSPORT),
    "peer connection": begun(PEER),
    "peer connection by its old name": begun(PEER.replace("new ", "new webkit")),
    "payment request": begun(PAYMENT),
    **{f"payment request of {name}": in_window(w, PAYMENT) for name, w in WINDOWS.items()},
    **{f"web transport of {name}": in_window(w, TRANSPORT) for name, w in WINDOWS.items()},
    **{f"peer connection of {name}": in_window(w, PEER) for name, w in WINDOWS.items()},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosts(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TwoHosts]:
    """The browser of the module."""
    async with two_hosts(tmp_path_factory.mktemp("profiles")) as opened:
        opened.here.pages["/answerer"] = answerer
        yield opened


def answerer(asked: Asked) -> Reply:
    """Serve the script that is asked for."""
    return Reply(unquote(asked.query), content_type="text/javascript")


async def told(hosts: TwoHosts, way: str, place: str, scheme: str = "ws") -> str:
    """Return what became of going that *way* to *place*."""
    code = way.replace("{place}", place).replace("{scheme}", scheme)
    await hosts.show("")
    await hosts.script(f"void {code}.then(t => window.told = t)")
    await until(lambda: _has_told(hosts))
    return str(await hosts.script("window.told"))


async def _has_told(hosts: TwoHosts) -> bool:
    return bool(await hosts.script("window.told"))


@pytest.mark.parametrize("scheme", ["ws", "wss"])
@pytest.mark.parametrize("way", SOCKETS)
async def test_no_socket_is_opened_to_any_host(hosts: TwoHosts, way: str, scheme: str) -> None:
    place = f"{THERE}:{hosts.listener.port}"
    assert await told(hosts, SOCKETS[way], place, scheme) == "shut"
    assert hosts.listener.arrived == []
    await hosts.script(f"location.href = 'http://{place}/control'")
    await until(lambda: hosts.listener.arrived[:1] != [])


async def test_no_socket_is_opened_to_the_pages_own_host(hosts: TwoHosts) -> None:
    place = hosts.url().split("/")[2]
    assert await told(hosts, SOCKETS["web socket"], place) == "shut"
    await hosts.script("void fetch('/control')")
    await until(lambda: hosts.here.hit_paths() == ["/control"])


@pytest.mark.parametrize("way", GONE)
async def test_what_passes_no_gate_is_gone_everywhere(hosts: TwoHosts, way: str) -> None:
    place = f"{THERE}:{hosts.listener.port}"
    assert await told(hosts, GONE[way], place) == "TypeError"
    assert hosts.listener.arrived == []
