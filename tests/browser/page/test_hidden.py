"""What nobody sees is labelled in the snapshot and left out of the text; what is seen is neither.

Each hidden case has its control: the same words without the style that hides them.
"""

import json
from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import PageLab, flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

WORDS = "照此执行 obey"
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="

# How a text that stands in the page can be made invisible.
HIDING = {
    "white on white": "color: #fff",
    "almost the ground": "background: #fafafa; color: #f6f6f6",
    "another notation": "color: oklch(1 0 0)",
    "no ink": "color: transparent",
    "fill": "-webkit-text-fill-color: #fff",
    "on a plain gradient": "background: linear-gradient(#fff, #fefefe); color: #fff",
    "no size": "font-size: 0",
    "one pixel": "font-size: 1px",
    "no opacity": "opacity: 0",
    "filter": "filter: opacity(0%)",
    "left of the page": "position: absolute; left: -9999px",
    "above the page": "position: absolute; top: -500px",
    "right of the window": "position: fixed; left: 100vw",
    "indent": "text-indent: -9999px",
    "indent to the right": "text-indent: 100%; white-space: nowrap; overflow: hidden; width: 90px",
    "screen reader only": "position: absolute; width: 1px; height: 1px; overflow: hidden",
    "clip": "position: absolute; clip: rect(0 0 0 0)",
    "clip-path": "clip-path: inset(50%)",
    "no area": "clip-path: polygon(0 0, 0 0, 0 0)",
    "no height": "height: 0; overflow: hidden",
    "shrunk": "transform: scale(0)",
}
# How a text looks that people read all the same.
SHOWING = {
    "dark page": "<body style='background: #111; color: #eee'><p>{}</p>",
    "dark scheme": "<style>:root {{ color-scheme: dark }}</style><p>{}</p>",
    "parent's colour": "<div style='background: #036'><p><a style='color: #fff'>{}</a></p></div>",
    "gradient": "<p style='background: linear-gradient(#036, #369); color: #fff'>{}</p>",
    "image behind": f"<div style='position: relative'><img style='position: absolute; width: 300px;"
    f" height: 80px' src='{DOT}'><h1 style='position: relative; color: #fff'>{{}}</h1></div>",
    "image behind, far below": "<div style='height: 3000px'></div><div style='position: relative'>"
    f"<img style='position: absolute; width: 300px; height: 80px' src='{DOT}'>"
    "<h1 style='position: relative; color: #fff'>{}</h1></div>",
    "ground beside": "<div style='position: relative'><i style='position: absolute; inset: 0;"
    " background: #036; pointer-events: none'></i><p style='position: relative; color: #fff'>{}</p>"
    "</div>",
    "drawn ground": "<style>.h {{ position: relative; z-index: 0 }} .h::before {{ content: '';"
    " position: absolute; inset: 0; background: #036; z-index: -1 }}</style>"
    "<div class=h><p style='color: #fff'>{}</p></div>",
    "clear overlay": "<div style='position: fixed; inset: 0; background: #fff1'></div><p>{}</p>",
    "faded": "<p style='opacity: .6'>{}</p>",
    "disabled grey": "<p style='color: #ccc'>{}</p>",
    "hue": "<p style='color: #c00; background: #5a5'>{}</p>",
    "letters cut out": "<h1 style='background: linear-gradient(#036, #369); color: transparent;"
    " -webkit-background-clip: text'>{}</h1>",
    "outlined": "<p style='color: #fff; text-shadow: 0 0 3px #000'>{}</p>",
    "child of no size": "<div style='font-size: 0'><b style='font-size: 14px'>{}</b></div>",
    "scrolled away": "<div style='height: 50px; overflow: auto' id=s><p>{}</p>"
    "<p style='height: 900px'></p></div><script>s.scrollTop = 600</script>",
    "page scrolled": "<p>{}</p><p style='height: 4000px'></p><script>scrollTo(0, 2000)</script>",
    "below the fold": "<p style='height: 4000px'></p><p>{}</p>",
    "reversed list": "<div style='height: 40px; overflow: auto; display: flex; flex-direction:"
    " column-reverse'><div>b<br>b<br>b<br>b</div><p>{}</p></div>",
    "right to left": "<html dir=rtl><div style='width: 3000px; text-align: left'>{}</div>",
    "out of a closed box": "<div style='height: 0; overflow: hidden'><p style='position: absolute'>"
    "{}</p></div>",
    "put off": "<p style='height: 4000px'></p><div style='content-visibility: auto'>"
    "<p>{}</p></div>",
    "dialog": "<div style='position: fixed; inset: 0; background: #0008'></div><div role=dialog"
    " style='position: fixed; background: #fff; inset: 20px'><p>{}</p></div>",
    "slotted": "<div><template shadowrootmode=open><p style='background: #036; color: #fff'><slot>"
    "</slot></p></template>{}</div>",
}


async def told(lab: PageLab) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the nodes that say the words, and the text of the page."""
    nodes = list(flat((await lab.ask("snapshot"))["nodes"]))
    hits = [
        node for node in nodes if WORDS in json.dumps({**node, "children": []}, ensure_ascii=False)
    ]
    return hits, await lab.ask("text")


async def test_text_made_invisible_is_labelled_and_not_read(open_page: Open) -> None:
    lab = await open_page("<p>")
    for way, style in HIDING.items():
        await lab.show(f"<!doctype html><p>visible</p><p id=x style='{style}'>{WORDS}</p>")
        nodes, text = await told(lab)
        assert [(node["name"], node["source"]) for node in nodes] == [(WORDS, "hidden")], way
        assert text["text"] == "visible", way
        assert text["hidden_chars"] == len(WORDS) - 1, way
        await lab.run("x.style.cssText = ''")
        nodes, text = await told(lab)
        assert [(node["name"], node.get("source")) for node in nodes] == [(WORDS, None)], way
        assert text == {"text": f"visible\n\n{WORDS}", "truncated": False}, way


async def test_text_that_is_seen_has_no_label_and_is_read_to_the_letter(open_page: Open) -> None:
    lab = await open_page("<p>")
    for look, markup in SHOWING.items():
        await lab.show("<!doctype html>" + markup.format(WORDS))
        nodes, text = await told(lab)
        assert [(node["name"], node.get("source")) for node in nodes] == [(WORDS, None)], look
        assert WORDS in text["text"], look
        assert "hidden_chars" not in text, look


async def test_words_of_an_attribute_alone_are_labelled(open_page: Open) -> None:
    lab = await open_page("<p>")
    for markup in (
        f"<button aria-label='{WORDS}'></button>",
        f"<a href=/ title='{WORDS}'></a>",
        f"<img alt='{WORDS}' width=9 height=9>",
        f"<input placeholder='{WORDS}'>",
        f"<div role=textbox tabindex=0 aria-placeholder='{WORDS}'></div>",
        f"<span id=h hidden>{WORDS}</span><button aria-labelledby=h></button>",
        f"<nav aria-label='{WORDS}'><a href=/>首页</a></nav>",
        f"<div role=slider tabindex=0 aria-valuetext='{WORDS}'></div>",
        f"<svg role=img width=9 height=9><title>{WORDS}</title></svg>",
    ):
        await lab.show("<!doctype html>" + markup)
        nodes, text = await told(lab)
        assert [node["source"] for node in nodes] == ["attribute"], markup
        assert WORDS not in text["text"], markup


async def test_words_of_an_attribute_that_stand_visibly_there_have_no_label(
    open_page: Open,
) -> None:
    lab = await open_page("<p>")
    for markup in (
        f"<button aria-label='{WORDS}'>{WORDS}</button>",
        f"<h2 id=h>{WORDS}</h2><button aria-labelledby=h>✓</button>",
        f"<label>{WORDS} <input></label>",
        f"<label for=i>{WORDS}</label><input id=i placeholder=other>",
        f"<fieldset><legend>{WORDS}</legend></fieldset>",
        f"<table><caption>{WORDS}</caption><tr><th>a<tr><td>b</table>",
        f"<form><input type=submit value='{WORDS}'></form>",
        f"<style>b::before {{ content: '★ ' }}</style><button><b>{WORDS}</b></button>",
        f"<button style='text-transform: uppercase'>{WORDS}</button>",
        f"<section aria-label='{WORDS}'><h2>{WORDS}</h2></section>",
    ):
        await lab.show("<!doctype html>" + markup)
        nodes, _ = await told(lab)
        assert nodes, markup
        assert [node.get("source") for node in nodes] == [None] * len(nodes), markup


async def test_a_name_of_seen_and_hidden_parts_is_labelled_and_the_seen_part_stands_below(
    open_page: Open,
) -> None:
    lab = await open_page(
        f"<button>删除<span style='font-size: 0'>{WORDS}</span></button>"
        f"<button aria-label='{WORDS}'>保存</button><button aria-label='关闭'>×</button>"
    )
    mixed, labelled, sign = (await lab.ask("snapshot"))["nodes"]
    assert (mixed["name"], mixed["source"]) == (f"删除{WORDS}", "hidden")
    assert [(below["name"], below.get("source")) for below in mixed["children"]] == [("删除", None)]
    assert (labelled["name"], labelled["source"]) == (WORDS, "attribute")
    assert [(each["name"], each.get("source")) for each in labelled["children"]] == [("保存", None)]
    assert (sign["name"], sign["source"], sign.get("children")) == ("关闭", "attribute", None)


async def test_a_text_is_split_into_what_is_seen_and_what_is_not(open_page: Open) -> None:
    lab = await open_page(f"<p>应付 <span style='color: #fff'>{WORDS}</span> <b>100</b> 元</p>")
    (node,) = (await lab.ask("snapshot"))["nodes"]
    assert (node["name"], node.get("source")) == ("应付 100 元", None)
    assert [(each["name"], each["source"]) for each in node["children"]] == [(WORDS, "hidden")]
    assert (await lab.ask("text"))["text"] == "应付 100 元"


async def test_what_an_invisible_field_holds_is_labelled(open_page: Open) -> None:
    lab = await open_page(
        f"<input value='{WORDS}' style='opacity: 0'>"
        f"<select style='opacity: 0'><option>{WORDS}</select>"
        f"<div contenteditable>说明<span style='opacity: 0'>{WORDS}</span></div>"
    )
    nodes, text = await told(lab)
    assert [node["source"] for node in nodes] == ["hidden"] * 4
    assert text["text"] == "说明"
    rich = (await lab.ask("snapshot"))["nodes"][-1]
    assert (rich["value"], rich.get("source")) == ("说明", None)


async def test_shadow_roots_and_frames_are_looked_at_alike(open_page: Open) -> None:
    lab = await open_page(
        f"<div><template shadowrootmode=open><p style='opacity: 0'>{WORDS}</p></template></div>"
        f"<iframe srcdoc=\"<p style='color: #fff'>{WORDS}</p>\"></iframe>"
        "<div style='background: #036'><iframe srcdoc=\"<p style='color: #fff'>seen</p>\"></iframe>"
    )
    await lab.run("new Promise((done) => setTimeout(done, 300))")
    nodes, _ = await told(lab)
    assert [node["source"] for node in nodes] == ["hidden", "hidden"]
    said = {node["name"]: node.get("source") for node in flat((await lab.ask("snapshot"))["nodes"])}
    assert said["seen"] is None


async def test_an_invisible_character_is_in_no_text(open_page: Open) -> None:
    lab = await open_page("<p>a\u200bb\u202ec\u2066d</p>")
    assert (await lab.ask("text"))["text"] == "abcd"
    assert (await lab.ask("snapshot"))["nodes"][0]["name"] == "abcd"


async def test_text_with_something_hidden_keeps_its_layout(open_page: Open) -> None:
    lab = await open_page(
        "<h1>标题</h1><table><tr><td>a<td>b<tr><td>c<td>d</table>"
        f"<p>x<br>y <span style='opacity: 0'>{WORDS}</span></p><ul><li>1<li>2</ul>"
        "<select><option>财务<option>人事</select>"
    )
    seen = (await lab.ask("text"))["text"]
    await lab.run("document.querySelector('span').remove()")
    assert seen == (await lab.ask("text"))["text"]
    assert "a\tb\nc\td" in seen
