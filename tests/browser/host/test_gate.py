"""What leaves the policy is stopped before the request reaches the other server."""

import pytest

from tests.support.host_lab import HostLab
from tests.support.site import Reply, redirect
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

# How a page may ask for {url}; the same way must work for an address inside the policy.
DOCUMENTS = {
    "link": "link('{url}').click()",
    "form": "send('{url}')",
    "location.href": "location.href = '{url}'",
    "meta refresh": "refresh('{url}')",
    "iframe": "frame('{url}')",
    "window.open": "void open('{url}')",
    "window.open without opener": "void open('{url}', '_blank', 'noopener')",
    "blank popup sent on": "w = open(''); setTimeout(() => w.location = '{url}', 20); 1",
    "link to a new tab": "link('{url}', {{target: '_blank', rel: 'noopener'}}).click()",
    "download link": "link('{url}', {{download: 'x'}}).click()",
}
RESOURCES = {
    "image": "new Image().src = '{url}'",
    "fetch": "void fetch('{url}', {{mode: 'no-cors'}}).catch(() => 0)",
    "preflight": "void fetch('{url}', {{method: 'PUT', headers: {{a: 'b'}}}}).catch(() => 0)",
    "beacon": "navigator.sendBeacon('{url}', 'x')",
    "style": "document.body.style.background = 'url({url})'",
    "event source": "void new EventSource('{url}')",
    "worker": "worker(\"fetch('{url}', {{mode: 'no-cors'}})\")",
    "srcdoc frame": "srcdoc('<img src={url}>')",
    "blob frame": "blob('<img src={url}>')",
    "written popup": "w = open('about:blank'); w.document.write('<img src={url}>'); 1",
}
PAGE = """<body><script>
const add = (tag, fields) =>
  document.body.appendChild(Object.assign(document.createElement(tag), fields));
const link = (href, more) => add('a', {href, textContent: 'x', ...more});
const send = (action) => add('form', {action}).submit();
const refresh = (url) => { add('meta', {httpEquiv: 'refresh', content: '0;url=' + url}); };
const frame = (src) => { add('iframe', {src}); };
const srcdoc = (srcdoc) => { add('iframe', {srcdoc}); };
const blob = (html) => frame(URL.createObjectURL(new Blob([html], {type: 'text/html'})));
const worker = (js) => { window.kept = new Worker(URL.createObjectURL(new Blob([js]))); };
</script>"""


async def heard(lab: HostLab, path: str) -> None:
    """Wait until the good site was asked for *path*."""
    await until(lambda: path in lab.good.hit_paths())


async def stopped(lab: HostLab, url: str) -> None:
    """Wait until the gate stopped *url*."""
    await until(lambda: any(blocked.url.startswith(url) for blocked in lab.blocked))


@pytest.mark.parametrize("way", [*DOCUMENTS, *RESOURCES])
async def test_a_way_out_is_open_inside_the_policy_and_shut_outside(lab: HostLab, way: str) -> None:
    script = {**DOCUMENTS, **RESOURCES}[way]
    tab = await lab.open(PAGE)
    await tab.script(script.format(url=lab.bad.url("/secret")))
    await stopped(lab, lab.bad.url("/secret"))
    await tab.do("navigate", url=lab.good.url())
    await tab.script(script.format(url=lab.good.url("/inside")))
    await heard(lab, "/inside")
    assert lab.bad.hits == []


@pytest.mark.parametrize("way", ["link", "iframe", "window.open"])
async def test_a_redirect_is_judged_hop_by_hop(lab: HostLab, way: str) -> None:
    tab = await lab.open(PAGE, redirect("/2"), redirect(lab.bad.url("/secret")))
    await tab.script(DOCUMENTS[way].format(url=lab.good.url("/1")))
    await stopped(lab, lab.bad.url("/secret"))
    assert lab.good.hit_paths() == ["/1", "/2"]
    assert lab.bad.hits == []


async def test_a_redirected_picture_is_stopped_at_the_second_hop(lab: HostLab) -> None:
    tab = await lab.open(PAGE, redirect(lab.bad.url("/secret")))
    await tab.script("new Image().src = '/1'")
    await stopped(lab, lab.bad.url("/secret"))
    assert lab.bad.hits == []


async def test_a_page_keeps_its_document_when_it_is_led_outside(lab: HostLab) -> None:
    tab = await lab.open(f"<h1>here</h1><a href='{lab.bad.url('/secret')}'>go</a>")
    outcome = await tab.do("click", selector="a")
    assert outcome.error is not None
    assert outcome.error.code == "navigation_blocked"
    assert lab.bad.url("/secret") in outcome.error.message
    assert outcome.page.url == lab.good.url()
    assert await tab.text("h1") == "here"
    assert lab.bad.hits == []


async def test_speculation_rules_load_nothing_ahead(lab: HostLab) -> None:
    rules = f'{{"prefetch": [{{"urls": ["{lab.bad.url("/secret")}"], "eagerness": "immediate"}}]}}'
    tab = await lab.open(PAGE + f'<script type="speculationrules">{rules}</script>')
    await tab.script("new Image().src = '/later'")
    await heard(lab, "/later")
    assert lab.bad.hits == []


async def test_a_service_worker_neither_answers_for_the_site_nor_asks_outside(lab: HostLab) -> None:
    worker = f"""self.oninstall = e => e.waitUntil(
        fetch('{lab.bad.url("/secret")}', {{mode: 'no-cors'}}).catch(() => 0));
    self.onfetch = e => e.respondWith(new Response('from the worker'));"""
    lab.good.pages["/sw.js"] = lambda _: Reply(worker, content_type="text/javascript")
    tab = await lab.open(PAGE, "from the site")
    await tab.script("""navigator.serviceWorker.register('/sw.js')
        .then(() => navigator.serviceWorker.ready)
        .then(() => fetch('/1')).then(r => r.text()).then(t => document.title = t); 1""")
    await stopped(lab, lab.bad.url("/secret"))
    await heard(lab, "/1")
    assert lab.bad.hits == []


async def test_a_popup_inside_the_policy_loads_and_is_reported(lab: HostLab) -> None:
    tab = await lab.open("<button onclick=\"window.open('/1')\">pop</button>", "<h1>popup</h1>")
    outcome = await tab.do("click", selector="button")
    popup = outcome.data["popup"]
    assert (popup["url"], popup["blocked"]) == (lab.good.url("/1"), False)
    assert outcome.page.url == lab.good.url("/1")
    await heard(lab, "/1")


async def test_a_popup_outside_the_policy_is_closed_and_reported(lab: HostLab) -> None:
    url = lab.bad.url("/secret")
    tab = await lab.open(f"<button onclick=\"window.open('{url}')\">pop</button>")
    outcome = await tab.do("click", selector="button")
    assert outcome.error is None
    popup = outcome.data["popup"]
    assert (popup["url"], popup["blocked"], popup["adopted"]) == (url, True, False)
    await until(lambda: _shows_no(lab, url))
    assert lab.bad.hits == []


async def test_a_popup_with_a_dialog_is_closed_and_never_answered(lab: HostLab) -> None:
    popup = "<script>document.title = String(confirm('sure?'))</script>"
    tab = await lab.open("<button onclick=\"window.open('/1')\">pop</button>", popup)
    await tab.do("click", selector="button")
    await until(lambda: _shows_no(lab, lab.good.url("/1")))
    assert (await tab.do("getText", selector="button")).success


async def _shows_no(lab: HostLab, url: str) -> bool:
    targets = await lab.gate.transport.send("Target.getTargets")
    return all(info["url"] != url for info in targets["targetInfos"])
