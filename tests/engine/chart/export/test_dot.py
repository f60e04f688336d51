"""The DOT file shows each row where it stands, and Graphviz draws it without a complaint."""

import re
from xml.etree import ElementTree as Xml

import pytest

from engine.chart.export.dot import LINE_CHARS_MAX, dot
from engine.chart.export.labels import event_of
from states.catalogue import Lang
from tests.engine.chart.coin_walk import TEXTS, loaded
from tests.engine.chart.sample import chart_of, sample
from tests.support.oracles import rendered_by_graphviz

SVG = "{http://www.w3.org/2000/svg}"
LANGUAGES: tuple[Lang, ...] = ("en", "zh-CN")


def _drawn(text: str) -> Xml.Element:
    return Xml.fromstring(rendered_by_graphviz(text))  # noqa: S314 - what dot wrote


def _words(picture: Xml.Element) -> str:
    """Return the picture's words in order; a wrapped line is one again."""
    return " ".join(text.text or "" for text in picture.iter(f"{SVG}text"))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_graphviz_draws_every_state_and_every_row(name: str, lang: Lang) -> None:
    chart = loaded(TEXTS[name])[0]
    picture = _drawn(dot(chart, lang))
    words = _words(picture)
    for state in chart.states.values():
        assert state.path.rpartition(".")[2] in words
        assert state.description.text(lang).replace(" ", "") in words.replace(" ", "")
    edges = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "edge"]
    moving = [row for row in chart.rows() if row.target not in (None, row.source)]
    compounds = [state for state in chart.states.values() if state.children]
    assert len(edges) == len(moving) + len(compounds) + 1
    clusters = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "cluster"]
    assert len(clusters) == len(compounds)


@pytest.mark.parametrize("name", TEXTS)
def test_the_rows_of_a_state_stand_in_the_order_they_are_tried(name: str) -> None:
    chart = loaded(TEXTS[name])[0]
    lines = {line.strip().split(" [label=<")[0]: line for line in dot(chart).splitlines()}
    for state in chart.states.values():
        told = re.findall(r'PORT="r\d+"[^>]*>([^ <]+(?: #\d+)?)', lines[f'"{state.path}"'])
        assert told == [event_of(row, chart) for row in state.rows]


def test_an_edge_starts_at_its_row_and_bears_no_label() -> None:
    lines = [line.strip() for line in dot(sample("loan")).splitlines()]
    rows = sample("loan").states["active.evaluate"].rows
    at = next(at for at, row in enumerate(rows) if row.number == 4)
    assert f'"active.evaluate":r{at}:e -> "active.confirm":head;' in lines
    assert not any("->" in line and "label=" in line for line in lines)


def test_a_row_of_a_compound_state_stands_at_the_head_of_its_cluster() -> None:
    lines = [line.strip() for line in dot(sample("loan")).splitlines()]
    cluster = lines.index('subgraph "cluster_active" {')
    assert lines[cluster + 2].startswith('"active" [label=<')
    assert "abort" in lines[cluster + 2]
    assert '"active":head:e -> "active.planning":head [style=dashed];' in lines
    assert '"idle":r0:e -> "active":head [lhead="cluster_active"];' in lines


def test_a_row_that_draws_no_edge_says_where_it_goes() -> None:
    text = dot(sample("loan"))
    assert "note [loud] / count_failure, ring (internal)" in text
    assert re.search(r"approve \(to itself\)", text)


def test_chinese_words_are_drawn_in_a_font_that_has_them() -> None:
    picture = _drawn(dot(loaded(TEXTS["task"])[0], "zh-CN"))
    assert "任务进行中" in _words(picture)
    fonts = {text.get("font-family", "") for text in picture.iter(f"{SVG}text")}
    assert all(font.startswith("Noto Sans CJK SC, ") for font in fonts)


def test_nothing_in_a_description_breaks_the_file() -> None:
    odd = r'"a;  <b> & \"c\" \\N \x01 ]]>\n' + "x" * (LINE_CHARS_MAX + 9) + '"'
    text = f"id: odd\nversion: 1\ndescription: {odd}\ninitial: one\nevents: {{abort: {{}}}}\n"
    text += f"states:\n  one: {{description: {odd}, on: {{abort: two}}}}\n  two: {{type: final}}\n"
    words = _words(_drawn(dot(chart_of(text))))
    assert words.count('a; <b> & "c" \\N \ufffd ]]>') == 2
    assert "x" * LINE_CHARS_MAX in words
