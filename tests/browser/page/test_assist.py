"""What the host tells the bundle changes what is a node; what has no words is counted (O4)."""

from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import PageLab, flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]


async def listening(lab: PageLab, css: str) -> None:
    """Tell the bundle that the page listens on what *css* matches."""
    await lab.in_world(f"__sg.adopt([...document.querySelectorAll({css!r})])")


def told(answer: dict[str, Any]) -> tuple[int, float, bool]:
    page = answer["page"]
    assert (page["missed"], page["visual"]) == (answer["missed"], answer["visual"])
    return page["missed"], page["completeness"], page["visual"]


def pressable(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(node["role"], node["name"]) for node in flat(answer["nodes"]) if "ref" in node]


async def test_a_page_without_presses_is_complete(open_page: Open) -> None:
    lab = await open_page("<h1>a</h1><p>b</p><svg width=9 height=9><circle r=9 /></svg>")
    assert told(await lab.ask("snapshot")) == (0, 1.0, False)


async def test_a_page_whose_presses_have_words_is_complete(open_page: Open) -> None:
    lab = await open_page(
        "<button>a</button><a href=#><img src=x alt=b></a><button aria-label=c></button>"
        "<button title=d></button><a href=#><svg width=9 height=9><title>e</title></svg></a>"
        "<label><input type=checkbox>f</label><input><div id=card><h2>g</h2><p>h</p></div>"
        "<button><span><b>i</b></span></button><input type=submit><div tabindex=0>j</div>"
    )
    await listening(lab, "#card")
    answer = await lab.ask("snapshot", filter="interactive")
    assert len(pressable(answer)) == 11
    assert told(answer) == (0, 1.0, False)


async def test_presses_without_words_are_counted(open_page: Open) -> None:
    lab = await open_page(
        "<style>.i::before{content:'\\e001'}</style><button>a</button><button></button>"
        "<a href=#><img src=x></a><button class=i></button><div tabindex=0></div>"
        "<div onclick='a()' style='height:9px'></div>"
    )
    assert told(await lab.ask("snapshot")) == (5, 0.167, False)


async def test_a_canvas_that_is_pressed_is_missed_and_visual(open_page: Open) -> None:
    lab = await open_page("<button>a</button><canvas width=90 height=90></canvas>")
    assert told(await lab.ask("snapshot")) == (0, 1.0, False)
    await listening(lab, "canvas")
    answer = await lab.ask("snapshot")
    assert told(answer) == (1, 0.5, True)
    assert pressable(answer) == [("button", "a"), ("generic", "")]


async def test_a_large_drawing_is_visual_though_nothing_in_it_is_pressed(open_page: Open) -> None:
    lab = await open_page("<p>a</p><canvas width=900 height=600></canvas>")
    assert told(await lab.ask("snapshot")) == (0, 1.0, True)
    shapes = "<path d='M0 0L9 9'/>" * 12
    await lab.show(f"<p>a</p><svg width=900 height=600>{shapes}</svg>")
    assert told(await lab.ask("snapshot")) == (0, 1.0, True)
    await lab.show(f"<p>a</p><svg width=20 height=20>{shapes}</svg>")
    assert told(await lab.ask("snapshot")) == (0, 1.0, False)


async def test_shapes_that_are_pressed_are_nodes(open_page: Open) -> None:
    shapes = "".join(f"<rect x={n * 9} width=8 height=8 />" for n in range(12))
    lab = await open_page(
        f"<svg width=200 height=99><text y=90>轴</text>{shapes}<circle r=9><title>圆"
        "</title></circle><a href=#><text y=50>链</text></a></svg>"
    )
    assert pressable(await lab.ask("snapshot")) == [("link", "链")]
    await listening(lab, "circle, rect:nth-of-type(-n+3)")
    answer = await lab.ask("snapshot")
    assert pressable(answer) == [("generic", "")] * 3 + [("generic", "圆"), ("link", "链")]
    assert ("text", "轴") in [(node["role"], node["name"]) for node in flat(answer["nodes"])]
    assert told(answer) == (3, 0.4, True)


async def test_the_areas_of_a_picture_are_counted(open_page: Open) -> None:
    lab = await open_page(
        "<img src=x usemap=#m width=90 height=90 alt=图><map name=m>"
        "<area href=#a coords=0,0,9,9 alt=甲><area href=#b coords=9,9,9,9></map><a href=#>b</a>"
    )
    assert told(await lab.ask("snapshot")) == (2, 0.333, True)


async def test_a_drawing_of_placed_boxes_is_visual(open_page: Open) -> None:
    boxes = "".join(
        f"<div onclick='a()' style='position:absolute;left:{n * 20}px;width:9px;height:9px'></div>"
        for n in range(4)
    )
    lab = await open_page(f"<p>a</p>{boxes}")
    assert told(await lab.ask("snapshot")) == (4, 0.0, True)


async def test_an_element_that_is_listened_on_keeps_its_ref_and_place(open_page: Open) -> None:
    lab = await open_page("<div id=a>甲</div><ul><li>一<li id=b>二</ul>")
    await listening(lab, "#a, #b")
    answer = await lab.ask("snapshot")
    assert pressable(answer) == [("generic", "甲"), ("listitem", "二")]
    refs = [node["ref"] for node in flat(answer["nodes"]) if "ref" in node]
    for ref in refs:
        assert (await lab.ask("resolve", selector=ref))["count"] == 1
    await lab.in_world("__sg.forget([...document.querySelectorAll('#a')])")
    assert pressable(await lab.ask("snapshot")) == [("listitem", "二")]


async def test_a_control_in_or_around_it_stands_for_a_listener(open_page: Open) -> None:
    lab = await open_page(
        "<div id=a><button>甲</button></div><button><span id=b>乙</span></button>"
        "<div id=c><p id=d>丙</p></div><div id=e><button hidden>x</button>丁</div>"
    )
    await listening(lab, "#a, #b, #c, #d, #e")
    assert pressable(await lab.ask("snapshot")) == [
        ("button", "甲"), ("button", "乙"), ("generic", "丙"), ("generic", "丁"),
    ]  # fmt: skip


async def test_what_listens_inside_something_that_is_pressed_is_a_control_of_its_own(
    open_page: Open,
) -> None:
    lab = await open_page(
        "<div id=row>海伦 你好 <span id=star title=星标>☆</span>"
        "<span id=bin title=删>🗑</span></div>"
        "<div style='cursor:pointer'><span id=reply>回复</span> <span id=on>转发</span></div>"
        "<div style='cursor:pointer'>卡片</div>"
    )
    await listening(lab, "#row, #star, #bin, #reply, #on")
    offered = [name for _, name in pressable(await lab.ask("snapshot"))]
    assert "海伦 你好" in offered[0]
    assert len(offered) == 6
    assert offered[3:] == ["回复", "转发", "卡片"]


async def test_a_closed_root_that_was_adopted_is_read_like_an_open_one(open_page: Open) -> None:
    lab = await open_page("<div id=h><i slot=s>槽</i></div><p>后</p>")
    before = await lab.ask("snapshot")
    assert [node["name"] for node in flat(before["nodes"])] == ["槽", "后"]
    adopted = await lab.in_world(
        "root = document.getElementById('h').attachShadow({mode: 'closed'});"
        "root.innerHTML = '<label for=f>栏</label><input id=f value=1><slot name=s></slot>';"
        "__sg.adopt([root])"
    )
    assert adopted == {"adopted": 1}
    answer = await lab.ask("snapshot")
    field = next(node for node in flat(answer["nodes"]) if node["role"] == "textbox")
    assert (field["name"], field["value"], field["selector"]) == ("栏", "1", "#h >>> #f")
    assert (await lab.ask("resolve", selector="#h >>> #f"))["ref"] == field["ref"]
    ready = await lab.ask("ready", selector=field["ref"], need="click", timeout_ms=1000)
    assert ready["target"]["name"] == "栏"


async def test_a_password_in_a_closed_root_is_masked_as_well(open_page: Open) -> None:
    lab = await open_page("<div id=h></div><p>hunter2</p>")
    await lab.in_world(
        "root = document.getElementById('h').attachShadow({mode: 'closed'});"
        "root.innerHTML = '<input type=password value=hunter2 aria-label=口令>';__sg.adopt([root])"
    )
    answer = await lab.ask("snapshot")
    assert "hunter2" not in str(answer)
    assert [node["role"] for node in flat(answer["nodes"])] == ["textbox", "text"]


async def test_candidates_are_asked_about_again_but_not_for_ever(open_page: Open) -> None:
    lab = await open_page(
        "<x-a style='display:block;height:9px'></x-a><x-b>有字</x-b><div style='height:9px'></div>"
        "<div></div><p>字</p><span hidden></span>"
    )
    asked = "(__sg.unseen() ?? []).map(each => each.localName)"
    assert await lab.in_world(asked) == ["x-a", "x-b", "div"]
    assert await lab.in_world(asked) == ["x-a"]
    assert await lab.in_world(asked) == ["x-a"]
    assert await lab.in_world(asked) == []


async def test_too_many_candidates_are_counted_as_missed(open_page: Open) -> None:
    lab = await open_page("<x-a style='display:block;height:9px'></x-a>" * 80)
    assert len(await lab.in_world("__sg.unseen().map(() => 1)")) == 50
    assert told(await lab.ask("snapshot"))[0] == 30
