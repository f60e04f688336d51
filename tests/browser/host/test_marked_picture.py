"""The set-of-mark picture numbers what a person could press, in every frame, unseen by the page."""

import base64
import io
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image

from browser.host.marked_picture import marked_picture
from browser.host.outcome import ALLOW, Outcome
from states.policy import Policy
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab
from tests.support.two_hosts import THERE, TwoHosts, two_hosts

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

COUNTING = (
    "<p id=said></p><script>addEventListener('click', (e) => "
    "{ document.title = said.textContent = e.target.id; })</script>"
)
WATCHING = """
  window.seen = 0;
  new MutationObserver((records) => { seen += records.length; })
    .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  window.before = document.documentElement.outerHTML
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosts(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TwoHosts]:
    async with two_hosts(tmp_path_factory.mktemp("profiles")) as running:
        yield running


async def do(hosts: TwoHosts, action: str, domain: str = "localhost", **params: Any) -> Outcome:
    return await hosts.executor.execute(action, params, domain, lambda _: ALLOW)


async def labels_of(outcome: Outcome) -> dict[str, dict[str, Any]]:
    """Return the labels of a picture by name."""
    assert outcome.error is None, outcome.error
    return {label["name"]: label for label in outcome.data["som_labels"]}


async def marked(hosts: TwoHosts, body: str) -> dict[str, dict[str, Any]]:
    await hosts.show(body)
    return await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))


def picture(outcome: Outcome) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(outcome.data["image_base64"])))


async def test_everything_that_can_be_pressed_has_a_number_a_ref_and_its_bounds(
    hosts: TwoHosts,
) -> None:
    body = (
        "<button style='position:absolute;left:50px;top:40px;width:90px;height:30px'>Save</button>"
    )
    outcome_labels = await marked(hosts, body + "<p>words</p><a href=#>Go</a><input aria-label=No>")
    assert set(outcome_labels) == {"Save", "Go", "No"}
    save = outcome_labels["Save"]
    assert save["role"] == "button"
    assert save["bounds"] == (50, 40, 90, 30)
    assert save["ref"].startswith("@")
    assert save["selector"] == "body > button"
    assert len({label["id"] for label in outcome_labels.values()}) == 3


async def test_a_click_by_number_meets_the_element_that_was_numbered_in_every_frame(
    hosts: TwoHosts,
) -> None:
    hosts.here.pages["/same"] = f"<body><button id=same>Same</button>{COUNTING}"
    hosts.there.pages["/cross"] = f"<body><p>x<p><button id=cross>Cross</button>{COUNTING}"
    frames = f"<iframe src=/same></iframe><iframe src='http://{THERE}:{hosts.there.port}/cross'>"
    body = f"<button id=a>A</button><button id=top>Top</button>{COUNTING}{frames}</iframe>"
    labels = await marked(hosts, body)
    assert set(labels) == {"A", "Top", "Same", "Cross"}
    for name in ("Top", "Same", "Cross"):
        domain = labels[name].get("host", "localhost")
        clicked = await do(hosts, "click", domain, selector=f"[{labels[name]['id']}]")
        assert clicked.error is None, (name, clicked.error)
    assert labels["Cross"]["host"] == f"{THERE}:{hosts.there.port}"
    titles = await hosts.script("[document.title, frames[0].document.title]")
    assert titles == ["top", "same"]
    for selector, text in (
        (labels["Cross"]["selector"], "Cross"),
        ("iframe:nth-of-type(2) >>> #said", "cross"),
    ):
        inside = await do(hosts, "getText", labels["Cross"]["host"], selector=selector)
        assert inside.data["text"] == text


async def test_the_page_sees_nothing_of_it(hosts: TwoHosts) -> None:
    await hosts.show("<button>Save</button><input type=password value=hunter22>")
    await hosts.script(WATCHING)
    assert (await do(hosts, "pageScreenshot", som_overlay=True)).success
    assert await hosts.script("[seen, document.documentElement.outerHTML === before]") == [0, True]
    await hosts.script("document.body.append('x')")
    assert await hosts.script("[seen, document.documentElement.outerHTML === before]") == [1, False]


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("cover.hidden = false", "cover.hidden = true"),
        ("b.style.width = b.style.padding = b.style.border = 0", "b.style.width = '90px'"),
        ("box.scrollTop = 200", "box.scrollTop = 0"),
        ("box.style.display = 'none'", "box.style.display = ''"),
        ("b.style.visibility = 'hidden'", "b.style.visibility = ''"),
        ("b.style.position = 'fixed'; b.style.top = '5000px'", "b.style.position = ''"),
    ],
)
async def test_what_nobody_can_press_now_has_no_number(
    hosts: TwoHosts, hidden: str, shown: str
) -> None:
    await hosts.show(
        "<div id=box style='height:60px;overflow:auto'><button id=b>B</button>"
        "<div style='height:500px'></div></div><div id=cover hidden style='position:fixed;inset:0;"
        "background:#fff'></div>"
    )
    await hosts.script(hidden)
    assert "B" not in await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))
    await hosts.script(shown)
    assert "B" in await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))


async def test_what_lies_under_an_overlay_of_the_page_around_its_frame_has_no_number(
    hosts: TwoHosts,
) -> None:
    hosts.there.pages["/cross"] = "<body><button>Cross</button>"
    await hosts.show(
        f"<iframe src='http://{THERE}:{hosts.there.port}/cross'></iframe><div id=cover style="
        "'position:fixed;inset:0;background:#fff'></div>"
    )
    assert await labels_of(await do(hosts, "pageScreenshot", som_overlay=True)) == {}
    await hosts.script("cover.remove()")
    assert set(await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))) == {"Cross"}


async def test_what_the_policy_does_not_let_be_read_has_no_label(hosts: TwoHosts) -> None:
    hosts.there.pages["/cross"] = "<body><button>Cross</button>"
    await hosts.show(
        f"<button>Here</button><iframe src='http://{THERE}:{hosts.there.port}/cross'></iframe>"
    )
    here = {"host": "localhost", "port": hosts.here.port, "scheme": "http", "allow": ["*"]}
    there = {"host": THERE, "port": hosts.there.port, "scheme": "http"}
    named = []
    for allow in (["navigate"], ["navigate", "getAomSnapshot"]):
        hosts_now = [here, {**there, "allow": allow}]
        policy = Policy.model_validate({"version": 1, "hosts": hosts_now})
        taken = await marked_picture(hosts.executor.tab, policy)
        named.append([label["name"] for label in taken["som_labels"]])
    assert named == [["Here"], ["Here", "Cross"]]


async def test_one_control_is_numbered_once_and_two_twice(hosts: TwoHosts) -> None:
    one = "<div onclick=1 style='width:90px'><button style='width:90px'>One</button></div>"
    two = "<div onclick=1 style='width:400px'>Row <button>Two</button></div>"
    labels = await marked(hosts, one + two)
    assert len(labels) == 3
    assert [label["role"] for label in labels.values()] == ["button", "generic", "button"]


async def test_a_link_as_wide_as_the_page_is_boxed_by_its_words(hosts: TwoHosts) -> None:
    labels = await marked(hosts, "<a href=# style='display:block'>Short</a>"
                          "<button style='display:block;width:100%'>Wide</button>")  # fmt: skip
    assert labels["Short"]["bounds"][2] < 100
    assert labels["Wide"]["bounds"][2] > 1000


async def test_a_number_that_is_not_in_the_newest_picture_is_refused(hosts: TwoHosts) -> None:
    labels = await marked(hosts, f"<button id=one>One</button>{COUNTING}")
    mark = f"[{labels['One']['id']}]"
    assert (await do(hosts, "click", selector=mark)).success
    await hosts.go(hosts.url())
    gone = await do(hosts, "click", selector=mark)
    assert gone.error is not None
    assert gone.error.code == "stale_mark"
    assert mark in gone.error.message
    again = await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))
    assert again["One"]["id"] != labels["One"]["id"]
    assert (await do(hosts, "click", selector=f"[{again['One']['id']}]")).success
    assert await hosts.script("document.title") == "one"


async def test_an_element_keeps_its_number_from_picture_to_picture(hosts: TwoHosts) -> None:
    labels = await marked(hosts, "<button id=a>One</button><button>Two</button>")
    await hosts.script(
        "a.before(Object.assign(document.createElement('button'), {textContent:'New'}))"
    )
    again = await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))
    assert [again[name]["id"] for name in ("One", "Two")] == [
        labels[name]["id"] for name in ("One", "Two")
    ]
    assert again["New"]["id"] not in {label["id"] for label in labels.values()}


async def test_a_page_that_moves_gets_no_numbers_until_it_stands(hosts: TwoHosts) -> None:
    await hosts.show("<div id=d style='position:absolute'><button>Run</button></div>")
    await hosts.script(
        "window.x = 0; run = setInterval(() => { x = (x + 9) % 900; d.style.left = x + 'px' }, 2)"
    )
    moving = await do(hosts, "pageScreenshot", som_overlay=True)
    assert moving.error is not None
    assert moving.error.code == "picture_moves"
    await hosts.script("clearInterval(run)")
    assert "Run" in await labels_of(await do(hosts, "pageScreenshot", som_overlay=True))


async def test_what_moves_alone_is_left_out_and_counted(hosts: TwoHosts) -> None:
    await hosts.show("<div id=d style='position:absolute;top:90px'><button>Run</button></div>"
                     "<button>A</button><button>B</button>")  # fmt: skip
    await hosts.script(
        "window.x = 0; setInterval(() => { x = (x + 9) % 900; d.style.left = x + 'px' }, 2)"
    )
    outcome = await do(hosts, "pageScreenshot", som_overlay=True)
    assert set(await labels_of(outcome)) == {"A", "B"}
    assert outcome.data["moving"] == 1


async def test_a_finer_screen_gives_more_pixels_and_the_same_bounds(hosts: TwoHosts) -> None:
    labels = await marked(hosts, "<button>Save</button>")
    screen = {"width": 800, "height": 500, "deviceScaleFactor": 2, "mobile": False}
    tab = hosts.executor.tab
    await tab.send("Emulation.setDeviceMetricsOverride", screen)
    try:
        outcome = await do(hosts, "pageScreenshot", som_overlay=True)
    finally:
        await tab.send("Emulation.clearDeviceMetricsOverride", {})
    assert picture(outcome).size == (1600, 1000)
    assert (outcome.data["width"], outcome.data["height"]) == (800, 500)
    assert (await labels_of(outcome))["Save"]["bounds"] == labels["Save"]["bounds"]


async def test_numbers_are_for_what_is_in_view_so_full_page_is_refused(hosts: TwoHosts) -> None:
    await hosts.show("<button>Save</button>")
    both = await do(hosts, "pageScreenshot", som_overlay=True, full_page=True)
    assert both.error is not None
    assert both.error.code == "picture_marks_full_page"
    assert (await do(hosts, "pageScreenshot", full_page=True)).success


async def test_labels_pixels_and_bytes_are_bounded(lab: HostLab) -> None:
    rows = "".join(f"<button>Row {row}</button>" for row in range(30))
    limits = BrowserLimits(som_labels_max=10, som_pixels_max=200_000, som_bytes_max=9_000)
    tab = await lab.open(rows, limits=limits)
    outcome = await tab.do("pageScreenshot", som_overlay=True)
    assert (len(outcome.data["som_labels"]), outcome.data["more"]) == (10, 20)
    shown = picture(outcome)
    assert shown.width * shown.height <= 200_000
    assert len(base64.b64decode(outcome.data["image_base64"])) <= 9_000
    assert outcome.data["mime"] == "image/jpeg"
    whole = await (await lab.open(rows)).do("pageScreenshot", som_overlay=True)
    assert (len(whole.data["som_labels"]), whole.data["mime"]) == (30, "image/png")
    assert "more" not in whole.data


async def test_a_number_too_large_to_draw_is_a_plain_failure(lab: HostLab) -> None:
    tab = await lab.open("<button>A</button>", limits=BrowserLimits(som_bytes_max=10))
    error = (await tab.do("pageScreenshot", som_overlay=True)).error
    assert error is not None
    assert error.code == "picture_too_large"
