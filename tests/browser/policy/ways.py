# ruff: noqa: E501 - a page on one line reads better than one in pieces
"""How a page of the good site may reach another server: what it says, and what Chromium does.

In every text `ADDRESS` is the address to reach (or `TLS` the same over https, where its mark is in the
host's name). *top* needs a tab of its own; *kept_in* says why the way is shut inside the policy
too; *why_never* why even an ungated Chromium sends nothing.
"""

from tests.browser.policy.way import (
    AHEAD,
    HEADLESS,
    LOOKUP,
    NOT_HERE,
    PERSON,
    QUIET,
    Way,
    js,
)  # fmt: skip
from tests.browser.policy.way_scripts import SCRIPTS

DOCUMENTS: tuple[Way, ...] = (
    js("link", "add('a', {href: 'ADDRESS'}).click()", top=True),
    js("link to a new tab", "add('a', {href: 'ADDRESS', target: '_blank'}).click()", top=True),
    js(
        "link without opener",
        "add('a', {href: 'ADDRESS', target: '_blank', rel: 'noopener noreferrer'}).click()",
        top=True,
    ),
    Way(
        "drawn link",
        "<svg><a href='ADDRESS' id=go><text y=20>x</text></a></svg><script>press(go)</script>",
        top=True,
    ),
    Way(
        "old drawn link",
        "<svg><a xlink:href='ADDRESS' id=go><text y=20>x</text></a></svg><script>press(go)</script>",
        top=True,
    ),
    Way(
        "map",
        "<img usemap=#m><map name=m><area href='ADDRESS' id=go></map><script>go.click()</script>",
        top=True,
    ),
    Way(
        "base of a link",
        "<base href='ADDRESS/'><a href=x id=go>x</a><script>go.click()</script>",
        top=True,
    ),
    Way(
        "base of a form",
        "<base href='ADDRESS/'><form action=x id=go></form><script>go.submit()</script>",
        top=True,
    ),
    Way("base of a picture", "<base href='ADDRESS/'><img src=x.png>"),
    js("location", "location = 'ADDRESS'", top=True),
    js("location.assign", "location.assign('ADDRESS')", top=True),
    js("location.replace", "location.replace('ADDRESS')", top=True),
    js(
        "location.host",
        "location.host = 'NAMED'",
        top=True,
        kept_in="a sub-domain is another host",
    ),
    js("navigation.navigate", "navigation.navigate('ADDRESS').finished.catch(() => 0)", top=True),
    Way("refresh", "<meta http-equiv=refresh content='0;url=ADDRESS'>", top=True),
    Way("late refresh", "<meta http-equiv=refresh content='0.3;url=ADDRESS'>"),
    Way("refresh header", "x", headers=(("Refresh", "0;url=ADDRESS"),), top=True),
    *(
        Way(f"redirect {s}", "x", headers=(("Location", "ADDRESS"),), status=s, top=True)
        for s in (301, 302, 303, 307, 308)
    ),
    Way(
        "redirect with a user",
        "x",
        headers=(("Location", "USER"),),
        status=302,
        top=True,
        kept_in="a user before the host",
    ),
    js("form", "add('form', {action: 'ADDRESS'}).submit()", top=True),
    js(
        "posted form",
        "add('form', {action: 'ADDRESS', method: 'post'}).submit()",
        top=True,
        kept_in=PERSON,
    ),
    js(
        "posted parts",
        "add('form', {action: 'ADDRESS', method: 'post', enctype: 'multipart/form-data'}).submit()",
        top=True,
        kept_in=PERSON,
    ),
    Way(
        "button's own action",
        "<form><button formaction='ADDRESS' id=go>x</button></form><script>go.click()</script>",
        top=True,
    ),
    js(
        "form into a new tab",
        "add('form', {action: 'ADDRESS', target: '_blank'}).submit()",
        top=True,
    ),
    Way(
        "form into a frame",
        "<iframe name=in></iframe><form action='ADDRESS' target=in method=post id=go></form><script>go.submit()</script>",
    ),
    Way("picture button", "<form action=/x><input type=image src='ADDRESS'></form>"),
    js("window.open", "void open('ADDRESS')", top=True),
    js("window.open without opener", "void open('ADDRESS', '_blank', 'noopener')", top=True),
    js(
        "blank window sent on",
        "const w = open(''); setTimeout(() => { w.location = 'ADDRESS'; }, 100)",
        top=True,
    ),
    js("written window", "const w = open(''); w.document.write('<img src=ADDRESS>')", top=True),
    js(
        "window to a path and then away",
        "const w = open('/empty'); setTimeout(() => { w.location = 'ADDRESS'; }, 300)",
        top=True,
    ),
    js(
        "state pushed and loaded anew",
        "history.pushState(0, '', '/away?ADDRESS'); location.reload()",
        top=True,
    ),
    Way(
        "download", "<a href='ADDRESS' download=x id=go>x</a><script>go.click()</script>", top=True
    ),
    Way("frame", "<iframe src='ADDRESS'></iframe>"),
    Way("sandboxed frame", "<iframe sandbox src='ADDRESS'></iframe>"),
    Way("frame without credentials", "<iframe credentialless src='ADDRESS'></iframe>"),
    Way("lazy frame", "<iframe loading=lazy src='ADDRESS'></iframe>"),
    Way("object", "<object data='ADDRESS' type=text/html></object>"),
    Way("picture object", "<object data='ADDRESS' type=image/png></object>"),
    Way("embed", "<embed src='ADDRESS' type=text/html>"),
    Way("document frame", '<iframe srcdoc="<img src=ADDRESS>"></iframe>'),
    Way("sandboxed document frame", '<iframe sandbox srcdoc="<img src=ADDRESS>"></iframe>'),
    Way("frame in a frame", '<iframe srcdoc="<iframe src=ADDRESS>"></iframe>'),
    Way("script frame", "<iframe src=\"javascript:'<img src=ADDRESS>'\"></iframe>"),
    Way(
        "data frame",
        "<iframe src='data:text/html,<img src=ADDRESS>'></iframe>",
    ),
    js(
        "blob frame",
        "add('iframe', {src: URL.createObjectURL(new Blob(['<img src=ADDRESS>'], {type: 'text/html'}))})",
    ),
    js(
        "frame written by the page",
        "const d = add('iframe', {}).contentDocument; d.open(); d.write('<img src=ADDRESS>'); d.close()",
    ),
    js(
        "page written anew",
        "addEventListener('load', () => { document.open(); document.write('<img src=ADDRESS>'); document.close(); })",
    ),
    Way("drawn document", "<iframe srcdoc=\"<svg><image href='ADDRESS' /></svg>\"></iframe>"),
)

LINKS: tuple[Way, ...] = (
    *(
        Way(f"link {rel}", f"<link rel='{rel}' href='ADDRESS'>")
        for rel in ("stylesheet", "alternate stylesheet", "modulepreload")
    ),
    Way("link icon", "<link rel=icon href='ADDRESS'>", top=True, why_never=HEADLESS),
    Way("link manifest", "<link rel=manifest href='ADDRESS'>", top=True, why_never=HEADLESS),
    Way("link prefetch", "<link rel=prefetch href='ADDRESS'>", top=True),
    *(
        Way(f"link preload {kind}", f"<link rel=preload as={kind} href='ADDRESS' crossorigin>")
        for kind in ("image", "script", "style", "fetch", "font", "track")
    ),
    Way("link preconnect", "<link rel=preconnect href='TLS'>", why_never=HEADLESS),
    Way(
        "link dns-prefetch",
        "<link rel=dns-prefetch href='ADDRESS'>",
        why_never=LOOKUP,
    ),
    Way(
        "link prerender",
        "<link rel=prerender href='ADDRESS'>",
        top=True,
        kept_in=AHEAD,
        why_never=NOT_HERE,
    ),
    Way("link dictionary", "<link rel=compression-dictionary href='ADDRESS'>", top=True),
    Way(
        "link header preload",
        "x",
        headers=(("Link", "<ADDRESS>; rel=preload; as=image"),),
        top=True,
    ),
    Way(
        "link header style",
        "x",
        headers=(("Link", "<ADDRESS>; rel=stylesheet"),),
        top=True,
        why_never=NOT_HERE,
    ),
    Way(
        "link header preconnect",
        "x",
        headers=(("Link", "<TLS>; rel=preconnect"),),
        top=True,
        why_never=HEADLESS,
    ),
    Way("link header prefetch", "x", headers=(("Link", "<ADDRESS>; rel=prefetch"),), top=True),
    Way(
        "ping of a link",
        "<a href=/empty target=_blank ping='ADDRESS' id=go>x</a><script>go.click()</script>",
        top=True,
        kept_in=QUIET,
    ),
    Way(
        "ping of a map",
        "<map><area href=#x ping='ADDRESS' id=go></map><script>go.click()</script>",
        top=True,
        kept_in=QUIET,
    ),
    Way(
        "rules to load ahead",
        '<script type=speculationrules>{"prefetch":[{"urls":["TLS/"],"eagerness":"immediate"}]}</script>',
        top=True,
        why_never="a page without TLS loads nothing ahead",
        kept_in=AHEAD,
    ),
    Way(
        "rules to show ahead",
        '<script type=speculationrules>{"prerender":[{"urls":["ADDRESS"],"eagerness":"immediate"}]}</script>',
        top=True,
        why_never="only a page of the same site is shown ahead",
        kept_in=AHEAD,
    ),
    Way("header of rules", "x", headers=(("Speculation-Rules", '"ADDRESS"'),), top=True),
    Way(
        "import map",
        '<script type=importmap>{"imports":{"x":"ADDRESS"}}</script><script type=module>import "x"</script>',
    ),
    Way(
        "report of a broken policy",
        "<img src=data:,x>",
        headers=(("Content-Security-Policy", "img-src 'none'; report-uri ADDRESS"),),
    ),
    Way(
        "report alone",
        "<img src=data:,x>",
        headers=(("Content-Security-Policy-Report-Only", "img-src 'none'; report-uri ADDRESS"),),
    ),
    Way(
        "reporting endpoint",
        "<img src=data:,x>",
        headers=(
            ("Reporting-Endpoints", 'a="TLS/x"'),
            ("Content-Security-Policy-Report-Only", "img-src 'none'; report-to a"),
        ),
        top=True,
        why_never="only a page over TLS sets up reports",
        kept_in=QUIET,
    ),
)

_CSS = {
    "background": "body { background: url(ADDRESS) }",
    "import": "@import url(ADDRESS);",
    "import in a layer": "@import 'ADDRESS' layer(x);",
    "font": "@font-face { font-family: f; src: url(ADDRESS) } body { font-family: f }",
    "cursor": "body { cursor: url(ADDRESS), auto }",
    "list": "body { display: list-item; list-style: url(ADDRESS) }",
    "border": "body { border: 9px solid; border-image: url(ADDRESS) 1 }",
    "mask": "body { mask-image: url(ADDRESS) }",
    "content": "body::before { content: url(ADDRESS) }",
    "image set": "body { background: image-set('ADDRESS' 1x) }",
    "filter": "body { filter: url(ADDRESS#f) }",
    "shape": "body { float: left; shape-outside: url(ADDRESS) }",
    "attribute guess": "input[value^='s'] { background: url(ADDRESS) }",
}
_OWN_ORIGIN = {"filter": "a filter is loaded from the page's own origin only"}
STYLES: tuple[Way, ...] = tuple(
    Way(
        f"style {name}",
        f"<style>{css}</style>x<input value=secret>",
        why_never=_OWN_ORIGIN.get(name, ""),
    )
    for name, css in _CSS.items()
)

_MEDIA = {
    "image": "<img src='ADDRESS'>",
    "image set": "<img srcset='ADDRESS 1x'>",
    "picture": "<picture><source srcset='ADDRESS'><img></picture>",
    "shared image": "<img crossorigin src='ADDRESS'>",
    "image without referrer": "<img referrerpolicy=no-referrer src='ADDRESS'>",
    "image that claims a source": "<img attributionsrc='ADDRESS' src='data:,x'>",
    "lazy image": "<img loading=lazy src='ADDRESS'>",
    "video": "<video src='ADDRESS' preload=auto></video>",
    "poster": "<video poster='ADDRESS'></video>",
    "audio": "<audio src='ADDRESS' preload=auto></audio>",
    "source": "<video preload=auto><source src='ADDRESS'></video>",
    "track": "<video src='data:video/mp4,x' crossorigin><track default src='ADDRESS' kind=captions></video>",
    "drawn image": "<svg><image href='ADDRESS' /></svg>",
    "drawn filter": "<svg><filter id=f><feImage href='ADDRESS' /></filter><rect width=9 height=9 filter='url(#f)' /></svg>",
    "body background": "<table background='ADDRESS'><tr><td>x</table>",
    "script": "<script src='ADDRESS'></script>",
    "late script": "<script async src='ADDRESS'></script>",
    "module": "<script type=module src='ADDRESS'></script>",
    "drawn script": "<svg><script href='ADDRESS'></script></svg>",
}
MEDIA: tuple[Way, ...] = tuple(
    Way(
        f"element {name}",
        body,
        why_never={
            "image that claims a source": "Attribution is not given to this page",
        }.get(name, ""),
    )
    for name, body in _MEDIA.items()
)

WAYS: tuple[Way, ...] = (*DOCUMENTS, *LINKS, *STYLES, *MEDIA, *SCRIPTS)
# The browser asks for these itself, past the gate: that the host has no address holds them.
BY_NAME_ONLY = frozenset({"related passkey"})
