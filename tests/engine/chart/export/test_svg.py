"""The picture: complete, well formed, the same everywhere; measured in a real browser."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from engine.chart.core import Core
from engine.chart.declaration import Chart
from engine.chart.export.overlay import overlay_of
from engine.chart.export.svg import lifecycle_svg, svg
from engine.chart.export.svg_card import scene_of
from engine.chart.export.svg_style import PALETTE
from sgclaw.charts import bindings_of, load_named, table_of, task_chart
from statecharts import chart_names
from states.catalogue import Lang, words
from states.task import Context
from tests.engine.chart.export.told import HOSTILE, TRACE, nasty, nasty_run, told
from tests.engine.chart.sample import sample
from tests.support.page_lab import PageLab

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "title", "style", "g", "rect", "path", "circle", "polygon", "text", "tspan"}
LANGS: tuple[Lang, ...] = ("en", "zh-CN")
CHARTS: dict[str, Callable[[], Chart]] = {
    **{name: partial(load_named, name) for name in chart_names()},
    **{name: partial(sample, name) for name in ("loan", "deep")},
    "nasty": nasty,
}
NAMES = (*CHARTS, "task-run", "nasty-run")
DENIED = {"reply": "call", "effect": "deny", "claims": False, "record": {"turn": {"text": "t"}}}
SEEN = {"outcome": "failed", "repeats": 0, "same_failures": 1, "steps": "left", "record": {}}


def task_run() -> list[dict[str, Any]]:
    """Return the rows of a task whose only call the policy refuses, and which is then aborted."""
    core = Core(task_chart(), table_of("task"), bindings_of("task"))
    sends: list[tuple[str, dict[str, Any]]] = [
        ("submit_task", {"record": {"instruction": "x"}}),
        ("done.invoke.plan", DENIED),
        ("done.invoke.observe", SEEN),
        ("abort", {}),
    ]
    return told(core, Context(), sends)


def drawn(name: str, lang: Lang) -> str:
    if name == "task-run":
        return lifecycle_svg(task_chart(), task_run(), lang)
    if name == "nasty-run":
        return lifecycle_svg(nasty(), nasty_run(), lang)
    return svg(CHARTS[name](), lang)


@cache
def picture_of(name: str, lang: Lang = "en") -> str:
    return drawn(name, lang)


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)  # noqa: S314 - our own picture


def lines_of(picture: str, state: str = "") -> list[str]:
    """Return the texts of the card of *state*, or of the head and the legend."""
    root = parsed(picture)
    groups = [g for g in root.iter(f"{SVG}g") if g.get("data-state") == state]
    return ["".join(text.itertext()) for group in groups for text in group.iter(f"{SVG}text")]


def words_of(picture: str, state: str = "") -> str:
    """Return a card's text without blanks, so that it does not matter where a line was broken."""
    return re.sub(r"\s", "", "".join(lines_of(picture, state)))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_chart_gives_the_same_bytes(name: str) -> None:
    assert drawn(name, "zh-CN") == picture_of(name, "zh-CN")
    assert drawn(name, "zh-CN") != picture_of(name, "en")


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    code = (
        "import sys;from engine.chart.export.svg import svg;from sgclaw.charts import task_chart;"
        "sys.stdout.buffer.write(svg(task_chart(), 'zh-CN').encode())"
    )
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        said = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env=env
        )
        assert said.stdout == picture_of("task", "zh-CN").encode()


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("lang", LANGS)
def test_each_card_holds_its_rows_in_declared_order(name: str, lang: Lang) -> None:
    chart, picture = CHARTS[name](), picture_of(name, lang)
    for state in chart.states.values():
        written = words_of(picture, state.path)
        assert re.sub(r"\s", "", state.path.rpartition(".")[2]) in written
        at = 0
        for number, row in enumerate(state.rows, start=1):
            guard = re.sub(r"\s", "", f"[{row.guard.text()}]") if row.guard else ""
            place = written.index(guard or "", written.index(str(number), at))
            for action in row.actions:
                place = written.index(action.name, place)
            if row.target:
                place = written.index("→", place)
            assert place >= at
            at = place


@pytest.mark.parametrize("name", CHARTS)
def test_each_row_that_moves_has_an_edge_and_an_internal_one_has_none(name: str) -> None:
    chart, root = CHARTS[name](), parsed(picture_of(name))
    edges = [g for g in root.iter(f"{SVG}g") if g.get("class") == "edge"]
    moving = sum(row.target is not None for row in chart.rows())
    initial = sum(state.initial is not None for state in chart.states.values())
    assert len(edges) == moving + initial
    assert all(edge.find(f"{SVG}title") is not None for edge in edges)


def test_the_words_are_in_the_language_asked_for() -> None:
    assert "等待任务" in words_of(picture_of("task", "zh-CN"), "idle")
    assert "Waitingforatask" in words_of(picture_of("task"), "idle")
    assert "第一个满足条件的生效" in words_of(picture_of("task", "zh-CN"))
    assert "firstenabledonewins" in words_of(picture_of("task"))
    assert not re.search("[\u4e00-\u9fff]", "".join(lines_of(picture_of("task"))))


@pytest.mark.parametrize("lang", LANGS)
def test_the_legend_says_that_a_colour_is_one_state_only_where_it_is_so(lang: Lang) -> None:
    said = {name: words_of(picture_of(name, lang)) for name in chart_names()}
    own = re.sub(r"\s", "", words("picture_legend_lane", lang))
    shared = re.sub(r"\s", "", words("picture_legend_arrow", lang))
    for name in chart_names():
        targets = len(scene_of(load_named(name), lang).hues)
        assert (own in said[name]) is (targets <= len(PALETTE))
        assert (shared in said[name]) is (targets > len(PALETTE))
    assert own in said["task"]
    assert shared in said["erp_write"]


def test_text_that_looks_like_markup_is_text() -> None:
    for lang in LANGS:
        picture = picture_of("nasty-run", lang)
        tags = {element.tag for element in parsed(picture).iter()}
        assert {tag.removeprefix(SVG) for tag in tags} <= SHAPES
    assert "<script>alert(1)" in "".join(parsed(picture_of("nasty")).itertext())
    assert any(char in HOSTILE for char in "\x07\u202e\ud800")
    assert not set("\x07\u202e\ud800") & set(picture_of("nasty-run"))
    picture_of("nasty-run").encode("utf-8")


def test_a_run_shows_its_path_its_refusals_and_its_end() -> None:
    picture = picture_of("task-run")
    deciding = lines_of(picture, "active.executing.deciding")
    assert "entered 1×, first at +1.00 s, 0.00 s in all" in deciding
    assert any("taken 1×, first at +1.00 s, ledger rows 2" in line for line in deciding)
    assert any(line.startswith("policy_allows said no 1×: ") for line in deciding)
    head = "\n".join(lines_of(picture))
    assert TRACE in head
    assert "2026-11-29 08:30:00 UTC" in head
    assert "3.00 s" in head
    assert "aborted - Stopped by the person" in head
    assert "active: abort / take_abort → aborted" in head
    assert "entered" not in "".join(lines_of(picture, "active.confirm"))


def test_a_run_that_stopped_in_the_middle_says_so() -> None:
    head = "\n".join(lines_of(lifecycle_svg(task_chart(), task_run()[:-1], "en")))
    assert "not ended: the ledger stops in thinking" in head
    head = "\n".join(lines_of(lifecycle_svg(task_chart(), task_run()[:-1], "zh-CN")))
    assert "未结束：账本停在 thinking" in head


def test_only_what_the_run_did_is_drawn_in_colour() -> None:
    root = parsed(picture_of("task-run"))
    edges = [g for g in root.iter(f"{SVG}g") if g.get("class") == "edge"]
    drawn = {
        str(edge.findtext(f"{SVG}title"))
        for edge in edges
        if any("ran-line" in str(path.get("class")) for path in edge)
    }
    assert len(drawn) == 7
    # What the run did lies over the rest.
    assert {str(edge.findtext(f"{SVG}title")) for edge in edges[-7:]} == drawn
    assert "active.observing: done.invoke.observe #2 / take_observation → active.evaluate" in drawn
    assert not any("confirm" in tip for tip in drawn)


def test_a_line_that_the_run_did_not_take_is_pale() -> None:
    def classes(state: str) -> list[str]:
        [card] = [
            g for g in parsed(picture_of("task-run")).iter(f"{SVG}g")
            if g.get("data-state") == state
        ]  # fmt: skip
        return [str(t.get("class")) for t in card.iter(f"{SVG}tspan") if "→" in str(t.text)]

    assert [("pale" in kind) for kind in classes("active.executing")] == [True]
    assert [("pale" in kind) for kind in classes("idle")] == [False, True]
    assert "pale" not in classes("active")[0]


def test_a_card_stands_in_the_same_column_with_and_without_a_run() -> None:
    def columns(picture: str) -> dict[str, str]:
        groups = parsed(picture).iter(f"{SVG}g")
        return {str(g.get("data-state")): str(g.get("data-box")).split()[0] for g in groups}

    assert len(columns(picture_of("task"))) > len(task_chart().states)
    assert columns(picture_of("task")) == columns(picture_of("task-run", "zh-CN"))


def test_a_picture_without_a_run_knows_nothing_of_runs() -> None:
    assert svg(nasty(), "en") == svg(nasty(), "en", None)
    assert svg(nasty(), "en", overlay_of(nasty_run())) == picture_of("nasty-run")
    assert "Trace" not in "".join(lines_of(picture_of("nasty")))


# -- how the edges run


class Way(NamedTuple):
    """One edge in the gutter: two horizontal stretches and the lane between them."""

    target: str
    begin: tuple[float, float, float]
    lane: tuple[float, float, float]
    end: tuple[float, float, float]


def ways(picture: str) -> list[Way]:
    """Return the edges, each stretch as (where, from, to)."""
    found = []
    for group in parsed(picture).iter(f"{SVG}g"):
        if group.get("class") != "edge":
            continue
        target = str(group.findtext(f"{SVG}title")).rpartition(" → ")[2]
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", str(group[-1].get("d")))]
        x0, y0, _, x, _, _, _, _, _, y1, *_, end = numbers
        spans = [(y0, x0, x), (x, y0, y1), (y1, x, end)]
        placed = [(at, min(low, high), max(low, high)) for at, low, high in spans]
        found.append(Way(target, placed[0], placed[1], placed[2]))
    return found


def lie_on_each_other(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return abs(one[0] - other[0]) < 3 and one[1] < other[2] and other[1] < one[2]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", LANGS)
def test_edges_to_different_states_may_cross_but_never_share_a_stretch(
    name: str, lang: Lang
) -> None:
    found = ways(picture_of(name, lang))
    shared = [
        (one.target, other.target)
        for place, one in enumerate(found)
        for other in found[:place]
        if one.target != other.target
        for mine, theirs in (*product((one.begin, one.end), (other.begin, other.end)),
                             (one.lane, other.lane))
        if lie_on_each_other(mine, theirs)
    ]  # fmt: skip
    assert len(found) > 5
    assert shared == []


@pytest.mark.parametrize("name", NAMES)
def test_an_edge_outside_its_own_card_touches_no_card(name: str) -> None:
    groups = [g for g in parsed(picture_of(name)).iter(f"{SVG}g") if g.get("data-state")]
    boxes = [tuple(map(float, str(g.get("data-box")).split())) for g in groups]
    for way in ways(picture_of(name)):
        for x, y, width, height in boxes:
            assert not (x < way.lane[0] < x + width and way.lane[1] < y + height < way.lane[2])
            for at, low, high in (way.begin, way.end):
                assert not (y < at < y + height and low < x + width - 1 and x + 1 < high)


# -- measured in Chromium

# Texts of a card: inside its box, and no two of all texts on one another; no edge under a text.
MEASURE = """(() => {
  const bad = [], boxes = [];
  for (const group of document.querySelectorAll('g[data-box]')) {
    const [x, y, w, h] = group.dataset.box.split(' ').map(Number);
    for (const text of group.querySelectorAll('text')) {
      const b = text.getBBox();
      if (!text.textContent.trim()) continue;
      const [top, end] = [b.y + b.height * .15, b.y + b.height * .85];
      boxes.push([b.x, top, b.x + b.width, end, text.textContent]);
      const up = b.y + b.height * .1, low = b.y + b.height * .9;
      if (b.x < x || up < y || b.x + b.width > x + w || low > y + h)
        bad.push('outside ' + group.dataset.state + ': ' + text.textContent);
    }
  }
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
    const [a, b] = [boxes[i], boxes[j]];
    if (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3])
      bad.push('overlap: ' + a[4] + ' | ' + b[4]);
  }
  for (const path of document.querySelectorAll('path.line')) {
    const length = path.getTotalLength();
    for (let at = 0; at <= length; at += 2) {
      const p = path.getPointAtLength(at);
      for (const b of boxes)
        if (p.x > b[0] && p.x < b[2] && p.y > b[1] && p.y < b[3])
          { bad.push('edge under: ' + b[4]); at = length; break; }
    }
  }
  return {bad, texts: boxes.length, fonts: document.fonts.size};
})()"""


async def measured(lab: PageLab, picture: str) -> dict[str, Any]:
    await lab.show(f"<!doctype html><body>{picture}</body>")
    found: dict[str, Any] = await lab.run(MEASURE)
    return found


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", LANGS)
async def test_no_text_leaves_its_card_or_lies_on_another(
    lab: PageLab, name: str, lang: Lang
) -> None:
    found = await measured(lab, picture_of(name, lang))
    assert found["texts"] > 20
    assert found["bad"] == []


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="session")
async def test_a_text_outside_its_card_or_on_another_would_be_found(lab: PageLab) -> None:
    picture = picture_of("task")
    wide = picture.replace(">submit_task</tspan>", f">{'submit_task' * 9}</tspan>", 1)
    assert any("outside idle" in each for each in (await measured(lab, wide))["bad"])
    assert any("edge under" in each for each in (await measured(lab, wide))["bad"])
    moved = re.sub(r'(<text x="[\d.]+" y=")([\d.]+)', lambda m: f"{m[1]}{200}", picture)
    assert any("overlap" in each for each in (await measured(lab, moved))["bad"])


def test_the_picture_names_fonts_that_hold_chinese() -> None:
    style = picture_of("task", "zh-CN").split("<style>")[1].split("</style>")[0]
    for family in re.findall(r"font-family:([^;}]+)", style):
        assert "'Noto Sans CJK SC'" in family
        assert "'Microsoft YaHei'" in family


def test_nothing_of_this_machine_is_in_a_picture() -> None:
    for picture in (picture_of(name, lang) for name in NAMES for lang in LANGS):
        assert str(Path(__file__).parent) not in picture
        assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
