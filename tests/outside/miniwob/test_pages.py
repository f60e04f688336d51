"""The 130 pages of miniwob behind the gate: each is told by words, or falls to the picture by rule.

What can be pressed is asked of the page itself, whose listeners a script of the site notes, so the
snapshot's own count is checked against something that does not come from it.
"""

import base64
import logging
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from browser.host.outcome import Outcome
from guards.perception import Look, look_of
from tests.outside.miniwob.case import flat
from tests.support.host_lab import TabLab
from tests.support.wob_site import Episode, WobSite, task_names

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

PAGES = 130
# The innermost elements of the task that a person sees and the page hears presses on.
_PRESSABLE = """
(() => {
  const controls = document.querySelectorAll("button, input, select, textarea, a[href]");
  const heard = [...wobPressed, ...controls];
  const seen = new Set(heard.filter((element) => {
    if (!element.closest("#area, .ui-dialog") || element.id === "area") return false;
    if (!element.isConnected) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = element.getBoundingClientRect();
    if (box.width < 4 || box.height < 4) return false;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (element.contains(hit) || hit.contains(element));
  }));
  const holds = (one) => [...seen].some((other) => other !== one && one.contains(other));
  const inner = [...seen].filter((one) => !holds(one));
  return inner.map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { said: element.outerHTML.slice(0, 80), box: [x, y, width, height].map(Math.round) };
  });
})()
"""


class Sight(NamedTuple):
    """One page as it was met: the answer to navigate, how it is told, what can be pressed there."""

    outcome: Outcome
    look: Look
    pressable: list[dict[str, Any]]
    picture: Outcome | None


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sights(tab: TabLab, wob: WobSite) -> AsyncIterator[dict[str, Sight]]:
    """Every page, opened once."""
    found: dict[str, Sight] = {}
    for task in task_names():
        outcome = await tab.do("navigate", url=wob.url(Episode(task, 1)))
        look = look_of(outcome.page)
        picture = None
        if look != "aom":
            picture = await tab.do("pageScreenshot", som_overlay=True)
        found[task] = Sight(outcome, look, await tab.script(_PRESSABLE), picture)
    yield found


async def test_every_page_opens_behind_the_gate_and_is_told_whole(
    sights: dict[str, Sight],
) -> None:
    assert len(sights) == PAGES
    logging.getLogger(__name__).info("%s", _table(sights))
    failed = {task: each.outcome.error for task, each in sights.items() if each.outcome.error}
    assert failed == {}
    assert [t for t, each in sights.items() if each.outcome.page.truncated] == []
    assert [t for t, each in sights.items() if not each.outcome.snapshot] == []


async def test_what_words_do_not_tell_is_pictured_with_marks(sights: dict[str, Sight]) -> None:
    pictured = {task: each.picture for task, each in sights.items() if each.picture}
    assert {task: each.error for task, each in pictured.items() if each.error} == {}
    for task, picture in pictured.items():
        image = base64.b64decode(picture.data["image_base64"])
        assert image.startswith(b"\x89PNG"), task
        labels = picture.data["som_labels"]
        assert labels or not sights[task].pressable, f"{task}: a picture without marks"


async def test_what_a_page_hears_presses_on_is_a_node_or_counted_as_missed(
    sights: dict[str, Sight],
) -> None:
    lost = {}
    for task, sight in sights.items():
        boxes = [node.bounds for node in flat(sight.outcome.snapshot) if node.ref]
        left = [each["said"] for each in sight.pressable if not _met(each["box"], boxes)]
        if len(left) > sight.outcome.page.missed:
            lost[task] = left
    assert lost == {}


async def test_most_pages_are_told_by_words_alone(sights: dict[str, Sight]) -> None:
    looks = [sight.look for sight in sights.values()]
    # Neither way stands in for the other: the rule sends some pages to each.
    assert looks.count("aom") > PAGES / 2
    assert looks.count("som") + looks.count("both") > PAGES / 10


def _met(box: list[int], nodes: list[tuple[int, ...]]) -> bool:
    """Tell whether a node stands where *box* is, to a pixel of rounding and a border."""
    return any(
        all(abs(one - two) <= 3 for one, two in zip(box, node, strict=True)) for node in nodes
    )


def _table(sights: dict[str, Sight]) -> str:
    lines = [f"{'page':<28} {'look':<5} nodes missed complete marks"]
    for task, (outcome, look, _, picture) in sights.items():
        page = outcome.page
        marks = len(picture.data.get("som_labels", [])) if picture else "-"
        share = f"{page.completeness:.0%}"
        lines.append(f"{task:<28} {look:<5} {page.total:>5} {page.missed:>6} {share:>8} {marks:>5}")
    return "\n".join(lines)
