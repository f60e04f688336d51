"""The picture: complete, well formed, the same everywhere; measured in a real browser."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from engine.chart.core import Core
from engine.chart.declaration import Chart
from engine.chart.export.overlay import overlay_of
from engine.chart.export.svg import lifecycle_svg, svg
from sgclaw.charts import bindings_of, load_named, table_of, task_chart
from statecharts import chart_names
from states.catalogue import Lang
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


def pictures() -> Iterator[tuple[str, str]]:
    for lang in LANGS:
        for name, chart in CHARTS.items():
            yield f"{name}-{lang}", svg(chart(), lang)
        yield f"task-run-{lang}", lifecycle_svg(task_chart(), task_run(), lang)
        yield f"nasty-run-{lang}", lifecycle_svg(nasty(), nasty_run(), lang)


PICTURES = dict(pictures())


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


def test_the_same_chart_gives_the_same_bytes() -> None:
    assert dict(pictures()) == PICTURES


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
        assert said.stdout == PICTURES["task-zh-CN"].encode()


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("lang", LANGS)
def test_each_card_holds_its_rows_in_declared_order(name: str, lang: Lang) -> None:
    chart, picture = CHARTS[name](), PICTURES[f"{name}-{lang}"]
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
    chart, root = CHARTS[name](), parsed(PICTURES[f"{name}-en"])
    edges = [g for g in root.iter(f"{SVG}g") if g.get("class") == "edge"]
    moving = sum(row.target is not None for row in chart.rows())
    initial = sum(state.initial is not None for state in chart.states.values())
    assert len(edges) == moving + initial
    assert all(edge.find(f"{SVG}title") is not None for edge in edges)


def test_the_words_are_in_the_language_asked_for() -> None:
    assert "等待任务" in words_of(PICTURES["task-zh-CN"], "idle")
    assert "Waitingforatask" in words_of(PICTURES["task-en"], "idle")
    assert "第一个满足条件的生效" in words_of(PICTURES["task-zh-CN"])
    assert "firstenabledonewins" in words_of(PICTURES["task-en"])
    assert not re.search("[\u4e00-\u9fff]", "".join(lines_of(PICTURES["task-en"])))


def test_text_that_looks_like_markup_is_text() -> None:
    for lang in LANGS:
        picture = PICTURES[f"nasty-run-{lang}"]
        tags = {element.tag for element in parsed(picture).iter()}
        assert {tag.removeprefix(SVG) for tag in tags} <= SHAPES
    assert "<script>alert(1)" in "".join(parsed(PICTURES["nasty-en"]).itertext())
    assert any(char in HOSTILE for char in "\x07\u202e\ud800")
    assert not set("\x07\u202e\ud800") & set(PICTURES["nasty-run-en"])
    PICTURES["nasty-run-en"].encode("utf-8")


def test_a_run_shows_its_path_its_refusals_and_its_end() -> None:
    picture = PICTURES["task-run-en"]
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
    root = parsed(PICTURES["task-run-en"])
    edges = [g for g in root.iter(f"{SVG}g") if g.get("class") == "edge"]
    drawn = {
        str(edge.findtext(f"{SVG}title"))
        for edge in edges
        if any("ran-line" in str(path.get("class")) for path in edge)
    }
    assert len(drawn) == 7
    assert "active.observing: done.invoke.observe #2 / take_observation → active.evaluate" in drawn
    assert not any("confirm" in tip for tip in drawn)


def test_a_card_stands_in_the_same_column_with_and_without_a_run() -> None:
    def columns(picture: str) -> dict[str, str]:
        groups = parsed(picture).iter(f"{SVG}g")
        return {str(g.get("data-state")): str(g.get("data-box")).split()[0] for g in groups}

    assert len(columns(PICTURES["task-en"])) > len(task_chart().states)
    assert columns(PICTURES["task-en"]) == columns(PICTURES["task-run-zh-CN"])


def test_a_picture_without_a_run_knows_nothing_of_runs() -> None:
    assert svg(nasty(), "en") == svg(nasty(), "en", None)
    assert svg(nasty(), "en", overlay_of(nasty_run())) == PICTURES["nasty-run-en"]
    assert "Trace" not in "".join(lines_of(PICTURES["nasty-en"]))


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
@pytest.mark.parametrize("name", PICTURES)
async def test_no_text_leaves_its_card_or_lies_on_another(lab: PageLab, name: str) -> None:
    found = await measured(lab, PICTURES[name])
    assert found["texts"] > 20
    assert found["bad"] == []


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="session")
async def test_a_text_outside_its_card_or_on_another_would_be_found(lab: PageLab) -> None:
    picture = PICTURES["task-en"]
    wide = picture.replace(">submit_task</tspan>", f">{'submit_task' * 9}</tspan>", 1)
    assert any("outside idle" in each for each in (await measured(lab, wide))["bad"])
    assert any("edge under" in each for each in (await measured(lab, wide))["bad"])
    moved = re.sub(r'(<text x="[\d.]+" y=")([\d.]+)', lambda m: f"{m[1]}{200}", picture)
    assert any("overlap" in each for each in (await measured(lab, moved))["bad"])


def test_the_picture_names_fonts_that_hold_chinese() -> None:
    style = PICTURES["task-zh-CN"].split("<style>")[1].split("</style>")[0]
    for family in re.findall(r"font-family:([^;}]+)", style):
        assert "'Noto Sans CJK SC'" in family
        assert "'Microsoft YaHei'" in family


def test_nothing_of_this_machine_is_in_a_picture() -> None:
    for picture in PICTURES.values():
        assert str(Path(__file__).parent) not in picture
        assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
