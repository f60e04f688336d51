"""No address that is written to deceive reaches another host, by command or by a page's hand."""

import json
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import NamedTuple

import ada_url
import pytest
import pytest_asyncio

from tests.browser.policy.evil_lab import EvilLab, lab
from tests.browser.policy.url_corpus import (
    ALLOWED,
    HOSTILE,
    ONLY_CHROMIUM_READS,
    Hostile,
    spelled,
)
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

# How a page may carry `url`; each row of the corpus is tried in all of these ways.
WAYS = {
    "image": "add('img', {src: url})",
    "fetch": "fetch(url, {mode: 'no-cors'}).catch(() => 0)",
    "beacon": "navigator.sendBeacon(url, 'x')",
    "frame": "add('iframe', {src: url, name: where})",
    "frame's location": "add('iframe', {}).contentWindow.location = url",
    "link": "add('iframe', {name: where}); add('a', {href: url, target: where}).click()",
    "form": "add('iframe', {name: where}); add('form', {action: url, target: where}).submit()",
    "posted form": "add('iframe', {name: where});"
    " add('form', {action: url, target: where, method: 'post'}).submit()",
}
READS = """(urls) => urls.map((url) => {
    try { const read = new URL(url); return [read.protocol, read.hostname, read.port]; }
    catch { return null; }
})"""


# Hundreds of requests and frames each, eight pages at once, on whatever machine this is.
_PAGES_S = 90.0
# One of these is enough to show that an address is real.
SHORT = ("image", "frame")


def page_of(rows: list[tuple[int, str]], ways: Iterable[str]) -> str:
    """Return a page that carries each url of *rows* in each of *ways*, then asks for /done."""
    numbers = {name: number for number, name in enumerate(WAYS)}
    tried = "\n".join(
        f"attempt('w{numbers[way]}', (url, where) => {{ {WAYS[way]}; }});" for way in ways
    )
    return f"""<body><script>
const rows = {json.dumps(rows)};
const add = (tag, fields) =>
  document.body.appendChild(Object.assign(document.createElement(tag), fields));
const attempt = (way, carry) => {{
  for (const [number, url] of rows) {{
    const where = `u${{number}}${{way}}x`;
    try {{ carry(url.replaceAll('TOKEN', where), where); }} catch (refusal) {{ void refusal; }}
  }}
}};
{tried}
// Its word may be lost among hundreds of other requests, so it is said until it is heard.
const say = () => fetch('/done?' + location.pathname).catch(() => setTimeout(say, 500));
const over = () => setTimeout(() => {{ over.once ??= say(); }}, 300);
addEventListener('load', over);
setTimeout(over, 2500);
</script>"""


def chunks(rows: list[tuple[int, str]], size: int) -> list[list[tuple[int, str]]]:
    """Return *rows* in parts of *size*."""
    return [rows[at : at + size] for at in range(0, len(rows), size)]


async def carried_by_pages(
    tab: EvilLab, urls: Iterable[str], ways: Iterable[str] = tuple(WAYS)
) -> None:
    """Have pages of the good site try all *urls* in all *ways*."""
    parts = chunks(list(enumerate(urls)), 35)
    for number, part in enumerate(parts):
        tab.good.pages[f"/page{number}"] = page_of(part, ways)
    tab.good.pages["/done"] = "done"
    pages = {f"http://good.test/page{n}": f"/page{n}" for n in range(len(parts))}
    before = len(tab.good.hits)

    def over(url: str) -> bool:
        said = [hit.query for hit in tab.good.hits[before:] if hit.path == "/done"]
        return pages[url] in said

    assert await tab.visit(pages, over, _PAGES_S) == []


def token(row: Hostile) -> str:
    """Return the mark under which a command carries *row*."""
    return f"u{HOSTILE.index(row)}nav"


class Control(NamedTuple):
    """What a browser without a gate makes of the corpus."""

    by_page: frozenset[str]
    reached: frozenset[str]
    read: list[list[str] | None]


async def _ungated(open_lab: EvilLab) -> Control:
    tab = await open_lab.tab()
    urls = [spelled(row.url, "t") for row in HOSTILE]
    asked = {"expression": f"({READS})({json.dumps(urls)})", "returnByValue": True}
    read = (await tab.send("Runtime.evaluate", asked))["result"]["value"]
    await carried_by_pages(open_lab, [row.url for row in HOSTILE], SHORT)
    rows = {spelled(row.url, token(row)): row for row in HOSTILE if not row.why_never}
    # What no page may carry, a person's address line does.
    missing = [url for url, row in rows.items() if not _by_page(open_lab, row)]
    await open_lab.visit(missing, lambda url: _by_line(open_lab, rows[url]))
    by_page = frozenset(row.name for row in HOSTILE if _by_page(open_lab, row))
    by_line = frozenset(row.name for row in HOSTILE if _by_line(open_lab, row))
    return Control(by_page, by_page | by_line, read)


def _by_page(tab: EvilLab, row: Hostile) -> bool:
    return tab.evil.heard(f"u{HOSTILE.index(row)}w")


def _by_line(tab: EvilLab, row: Hostile) -> bool:
    return tab.evil.heard(token(row))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def control(tmp_path_factory: pytest.TempPathFactory) -> Control:
    """What an ungated browser did with the whole corpus."""
    async with lab(tmp_path_factory.mktemp("open"), "open") as opened:
        return await _ungated(opened)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gated(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EvilLab]:
    """A browser behind the gate for which every name is at the evil server."""
    async with lab(tmp_path_factory.mktemp("gated"), "gated") as opened:
        yield opened


async def test_the_policy_reads_every_address_as_the_browser_does(control: Control) -> None:
    for row, theirs in zip(HOSTILE, control.read, strict=True):
        ours = _as_we_read(spelled(row.url, "t"))
        if row.name in ONLY_CHROMIUM_READS:
            assert (ours, theirs is None) == (None, False), row.name
        else:
            assert ours == theirs, row.name


def _as_we_read(url: str) -> list[str] | None:
    try:
        read = ada_url.URL(url)
    except ValueError:
        return None
    return [read.protocol, read.hostname, read.port]


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
async def test_without_a_gate_an_address_leads_where_the_corpus_says(
    control: Control, row: Hostile
) -> None:
    assert (row.name in control.reached) is not bool(row.why_never)


@pytest.mark.timeout(180)
async def test_no_command_and_no_page_carries_a_hostile_address_anywhere(
    gated: EvilLab, control: Control
) -> None:
    await gated.navigate("http://good.test/")
    for row in HOSTILE:
        outcome = await gated.navigate(spelled(row.url, token(row)))
        assert outcome.error is not None, row.name
        assert outcome.page.url == "http://good.test/", row.name
    await carried_by_pages(gated, tuple(row.url for row in HOSTILE))
    assert gated.evil.arrived == []
    stopped = "\n".join(request.url[:400] for request in gated.blocked)
    let_go = [row.name for row in HOSTILE if f"u{HOSTILE.index(row)}w" not in stopped]
    assert control.by_page.isdisjoint(let_go)


async def test_every_good_address_gets_through_by_command_and_page(gated: EvilLab) -> None:
    gated.good.hits.clear()
    for number, url in enumerate(ALLOWED):
        outcome = await gated.navigate(spelled(url, f"a{number}nav"))
        assert outcome.error is None, url[:80]
    await carried_by_pages(gated, ALLOWED)
    for number in range(len(ALLOWED)):
        assert gated.good_heard(f"a{number}nav")
        await _until_asked(gated, number)


async def _until_asked(gated: EvilLab, number: int) -> None:
    for way, name in enumerate(WAYS):
        mark = f"u{number}w{way}x"
        if name != "form" or "?TOKEN" not in ALLOWED[number]:  # a form writes its own query
            await until(partial(gated.good_heard, mark))
