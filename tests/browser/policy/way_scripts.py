# ruff: noqa: E501 - a page on one line reads better than one in pieces
"""The ways out that a page's scripts take (see `ways`)."""

from tests.browser.policy.way import OFF, Way, js

SECRET_FETCH = "fetch('ADDRESS', {mode: 'no-cors'}).catch(() => 0)"
SCRIPTS: tuple[Way, ...] = (
    js("fetch", "fetch('ADDRESS').catch(() => 0)"),
    js("plain fetch", SECRET_FETCH),
    js(
        "fetch kept alive",
        "fetch('ADDRESS', {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'}).catch(() => 0)",
    ),
    js("preflight", "fetch('ADDRESS', {method: 'PUT', headers: {a: 'b'}}).catch(() => 0)"),
    js("fetch on leaving", "fetchLater('ADDRESS', {activateAfter: 0})"),
    js("request object", "const x = new XMLHttpRequest(); x.open('POST', 'ADDRESS'); x.send('x')"),
    js(
        "request that waits",
        "const x = new XMLHttpRequest(); x.open('GET', 'ADDRESS', false); x.send()",
    ),
    js("beacon", "navigator.sendBeacon('ADDRESS', 'x')"),
    js("event stream", "window.kept = new EventSource('ADDRESS')"),
    js("dynamic import", "import('ADDRESS').catch(() => 0)"),
    js("font face", "new FontFace('f', 'url(ADDRESS)').load().catch(() => 0)"),
    js("cache", "caches.open('c').then(c => c.add('ADDRESS')).catch(() => 0)"),
    js("worker", f"window.kept = new Worker(script(`{SECRET_FETCH}`))"),
    js("script of a worker", "window.kept = new Worker(script(`importScripts('ADDRESS')`))"),
    js(
        "module of a worker",
        "window.kept = new Worker(script(`import 'ADDRESS'`), {type: 'module'})",
    ),
    js(
        "worker in a worker",
        f"window.kept = new Worker(script('new Worker(URL.createObjectURL(new Blob([\"' + `{SECRET_FETCH}` + '\"])))'))",
    ),
    js("shared worker", f"window.kept = new SharedWorker(script(`{SECRET_FETCH}`))"),
    js(
        "script of a shared worker",
        "window.kept = new SharedWorker(script(`importScripts('ADDRESS')`))",
    ),
    js("service worker", "navigator.serviceWorker.register('/asks?ADDRESS', {scope: '/s1/'})"),
    js(
        "script of a service worker",
        "navigator.serviceWorker.register('/imports?ADDRESS', {scope: '/s2/'})",
    ),
    js(
        "worklet of sound",
        "new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule('ADDRESS').catch(() => 0)",
    ),
    js("worklet of paint", "CSS.paintWorklet.addModule('ADDRESS').catch(() => 0)"),
    js("web socket", "window.kept = new WebSocket('WS')", kept_in=OFF),
    js(
        "web socket of a worker",
        "window.kept = new Worker(script(`new WebSocket('WS')`))",
        kept_in=OFF,
    ),
    js("web socket stream", "window.kept = new WebSocketStream('WS')", kept_in=OFF),
    js(
        "fetch in the background",
        "navigator.serviceWorker.register('/imports?', {scope: '/s3/'})"
        ".then(r => new Promise(go => setTimeout(() => go(r), 200)))"
        ".then(r => r.backgroundFetch.fetch('b', ['ADDRESS']))",
        why_never="it asks for a permission that nobody gives",
        kept_in="it asks for a permission that nobody gives",
    ),
    js(
        "payment method",
        "new PaymentRequest([{supportedMethods: 'TLS/pay'}], {total: {label: 'x',"
        " amount: {currency: 'EUR', value: '1'}}}).canMakePayment().catch(() => 0)",
        kept_in=OFF,
    ),
    js(
        "related passkey",
        "navigator.credentials.get({publicKey: {challenge: new Uint8Array(8),"
        " rpId: 'TLSHOST'}}).catch(() => 0)",
        kept_in="it is no request of the page",
    ),
)
