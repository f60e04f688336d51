"""Every row of a chart is in the Mermaid text once, and Mermaid itself draws it."""

import json
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.chart.declaration import Chart
from engine.chart.export.labels import label_of
from engine.chart.export.mermaid import mermaid
from sgclaw.charts import load_named
from statecharts import chart_names
from states.catalogue import Lang
from tests.engine.chart.sample import chart_of, sample
from tests.support.oracles import mermaid_bundle
from tests.support.page_lab import PageLab, lab_browser

LANGUAGES: tuple[Lang, ...] = ("en", "zh-CN")
# Mermaid's error is a picture too; an own page shows only the one that was asked for.
DRAW = """
mermaid.render("drawn", %s).then(({svg}) => {
  document.body.innerHTML = svg;
  const drawn = document.querySelector("#drawn");
  const box = drawn.getBoundingClientRect();
  return {kind: drawn.getAttribute("aria-roledescription"), text: drawn.textContent,
          size: [box.width, box.height], arrows: drawn.querySelectorAll("path.transition").length};
})
"""
ODD = r"""
id: odd
version: 3
description: {en: "a; b: # \"c\" | d's", zh-CN: "第一行\n第二行"}
initial: one
events: {abort: {}, go: {}}
states:
  one:
    description: "x | y; \"z\" <b>bold</b> %% & {c} [d] --> e: \\ `f` *g* \x01"
    on: {abort: two, go: {actions: x}}
  two: {type: final}
"""


def _arrows(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if " --> " in line and "[*]" not in line]


def _inside(chart: Chart) -> int:
    rows = [row for row in chart.rows() if row.target is not None]
    return sum((row.target or "").startswith(f"{row.source}.") for row in rows)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PageLab]:
    async with lab_browser(tmp_path_factory.mktemp("profiles")) as browser:
        lab = await PageLab.open(browser, "<body></body>")
        await lab.run(mermaid_bundle() + ";mermaid.initialize({startOnLoad: false})")
        yield lab


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", chart_names())
@pytest.mark.parametrize("lang", LANGUAGES)
async def test_mermaid_draws_a_shipped_chart(page: PageLab, name: str, lang: Lang) -> None:
    chart = load_named(name)
    text = mermaid(chart, lang)
    drawn = await page.run(DRAW % json.dumps(text))
    assert drawn["kind"] == "stateDiagram"
    assert min(drawn["size"]) > 500
    for state in chart.states.values():
        title = f"{state.path.rpartition('.')[2]}: {state.description.text(lang)}"
        assert title.replace(";", ",").replace(" ", "") in drawn["text"].replace(" ", "")
    assert drawn["arrows"] >= len(_arrows(text))


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_mermaid_draws_whatever_a_description_says(page: PageLab) -> None:
    drawn = await page.run(DRAW % json.dumps(mermaid(chart_of(ODD))))
    assert drawn["kind"] == "stateDiagram"
    assert "x | y, 'z' ‹b›bold‹/b› % % & {c} [d] --› e: \\ `f` *g* \ufffd" in drawn["text"]
    assert 'a; b: # "c" | d\'s' in drawn["text"]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_what_mermaid_cannot_read_is_an_error_here(page: PageLab) -> None:
    with pytest.raises(AssertionError, match="Parse error"):
        await page.run(DRAW % json.dumps("stateDiagram-v2\n  one --> : two {"))


@pytest.mark.parametrize("name", ["deep", "errand", "loan", "order"])
def test_every_row_that_leaves_its_state_is_one_line_at_an_arrow(name: str) -> None:
    chart = sample(name)
    lines = [
        line for arrow in _arrows(mermaid(chart)) for line in arrow.split(" : ")[1].split("<br/>")
    ]
    rows = [row for row in chart.rows() if row.target is not None]
    told = [
        label_of(row, chart) for row in rows if not (row.target or "").startswith(f"{row.source}.")
    ]
    assert sorted(lines) == sorted(told)
    assert len(lines) == len(rows) - _inside(chart)


def test_alternatives_are_numbered_and_share_an_arrow_when_they_share_a_target() -> None:
    text = mermaid(sample("loan"))
    assert (
        "active__evaluate --> active__confirm : "
        "done.invoke.critic #4 [risky and (is_next or is_retry)]"
    ) in text
    assert (
        "active__evaluate --> active__executing : "
        "done.invoke.critic #3 [is_retry and can_retry] / count_failure<br/>"
        "done.invoke.critic #5 / take_risk, spawn reader"
    ) in text
    assert text.splitlines()[3:5] == ["stateDiagram-v2", "    [*] --> idle"]
    assert "    completed --> [*]" in text


def test_a_state_says_what_it_does() -> None:
    lines = [line.strip() for line in mermaid(sample("loan")).splitlines()]
    assert [line for line in lines if line.startswith("active__confirm : ")] == [
        "active__confirm : entry / show_card",
        "active__confirm : exit / hide_card",
        "active__confirm : after 300 s",
        "active__confirm : internal note [loud] / count_failure, ring",
    ]
    title = next(line for line in lines if line.endswith("as active"))
    assert "the task is under way · entry / show_progress" in title
    assert "spawn reader (read_aloud), emits asked" in title
    assert "asked #1 [risky] / take_risk → confirm · internal asked #2" in title


def test_every_name_used_is_declared_and_what_opens_is_closed() -> None:
    text = mermaid(sample("deep"))
    declared = set(re.findall(r'state ".*" as (\w+)', text))
    used = {end for arrow in _arrows(text) for end in arrow.split(" : ")[0].split(" --> ")}
    assert used <= declared
    assert text.count("{\n") == len(re.findall(r"^\s*}$", text, re.M)) == 3


def test_the_text_speaks_the_readers_language() -> None:
    assert "title: 'loan v1: 借出一本书'" in mermaid(sample("loan"), "zh-CN")
    assert "任务进行中" in mermaid(sample("loan"), "zh-CN")
    assert "title: 'odd v3: 第一行 第二行'" in mermaid(chart_of(ODD), "zh-CN")
