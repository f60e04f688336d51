"""Auto-wait: an element is ready when a click would reach it, else the condition is named."""

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

SOON_MS = 20_000
BRIEF_MS = 150
CLICKED = "<script>addEventListener('click', e => window.met = e.target.id)</script>"


@pytest.mark.parametrize(
    "markup",
    [
        "<button id=x>a</button>",
        "<div style='height:3000px'></div><button id=x>a</button>",
        "<div style='position:fixed;top:0;height:99px;width:100%;background:red;z-index:9'></div>"
        "<div style='height:3000px'></div><button id=x>a</button><div style='height:3000px'></div>",
        "<div style='overflow:auto;height:50px'><div style='height:900px'></div>"
        "<button id=x>a</button></div>",
        "<div style='width:30px'><a id=x href='#'>one two three four</a></div>",
        "<div style='position:relative'><button id=x style='width:200px'>a</button>"
        "<i style='position:absolute;left:80px;width:40px;top:0;height:30px;background:red'></i>",
    ],
)
async def test_the_point_hits_the_element(open_page: Open, markup: str) -> None:
    lab = await open_page(markup + CLICKED)
    answer = await lab.ask("ready", selector="#x", need="click", timeout_ms=SOON_MS)
    await lab.click(answer["x"], answer["y"])
    assert await lab.run("window.met") == "x"
    assert answer["target"]["tag"] in ("button", "a")


@pytest.mark.parametrize(
    ("markup", "need", "why"),
    [
        ("<p>no</p>", "click", "not_attached"),
        ("<p>no</p>", "visible", "not_attached"),
        ("<p>no</p>", "attached", "not_attached"),
        ("<button id=x style='display:none'>a</button>", "click", "not_visible"),
        ("<button id=x style='visibility:hidden'>a</button>", "visible", "not_visible"),
        (
            "<button id=x style='width:0;height:0;padding:0;border:0'></button>",
            "click",
            "not_visible",
        ),
        ("<button id=x disabled>a</button>", "click", "disabled"),
        ("<button id=x aria-disabled=true>a</button>", "click", "disabled"),
        ("<fieldset disabled><button><b id=x>a</b></button></fieldset>", "click", "disabled"),
        ("<input id=x readonly>", "edit", "readonly"),
        ("<button id=x style='position:fixed;top:-99px'>a</button>", "click", "out_of_view"),
        ("<p id=x>a</p>", "hidden", "still_visible"),
        (
            "<button id=x>a</button><div id=veil style='position:fixed;inset:0'>请稍候</div>",
            "click",
            "covered by div#veil",
        ),
        (
            "<div id=x style='width:200px'><button style='width:200px'>删除</button></div>",
            "click",
            'covered by button "删除"',
        ),
    ],
)
async def test_the_condition_that_failed_is_named(
    open_page: Open, markup: str, need: str, why: str
) -> None:
    lab = await open_page(markup)
    answer = await lab.ask("ready", selector="#x", need=need, timeout_ms=BRIEF_MS)
    assert answer == {"error": {"code": "timeout", "detail": why}}


async def test_a_moving_element_is_not_clicked(open_page: Open) -> None:
    lab = await open_page(
        "<style>@keyframes m{to{transform:translateX(600px)}}"
        "#x{animation:m 1s linear infinite alternate}</style><button id=x>a</button>"
    )
    answer = await lab.ask("ready", selector="#x", need="click", timeout_ms=BRIEF_MS)
    assert answer["error"]["detail"] == "moving"
    await lab.run("document.querySelector('#x').style.animation = 'none'")
    assert "x" in await lab.ask("ready", selector="#x", need="click", timeout_ms=SOON_MS)


@pytest.mark.parametrize(
    ("markup", "change"),
    [
        ("<div id=d></div>", "d.innerHTML = '<button id=x>a</button>'"),
        ("<button id=x style='display:none'>a</button>", "x.style.display = ''"),
        ("<button id=x disabled>a</button>", "x.disabled = false"),
        ("<button id=x>a</button><p id=v style='position:fixed;inset:0;margin:0'>", "v.remove()"),
        ("<p id=x>1</p><p id=y></p><b id=x></b>", "document.querySelector('b').remove()"),
    ],
)
async def test_it_waits_until_the_page_is_ready(open_page: Open, markup: str, change: str) -> None:
    lab = await open_page(f"{markup}<script>setTimeout(() => {{ {change} }}, 200)</script>")
    answer = await lab.ask("ready", selector="#x", need="click", timeout_ms=SOON_MS)
    assert answer["count"] == 1
    assert answer["y"] >= 0


async def test_a_label_over_its_hidden_control_counts(open_page: Open) -> None:
    lab = await open_page(
        "<label style='position:relative'><input id=x type=checkbox>"
        "<span style='position:absolute;inset:0;background:#ccc'></span></label>"
    )
    answer = await lab.ask("ready", selector="#x", need="click", timeout_ms=SOON_MS)
    await lab.click(answer["x"], answer["y"])
    assert await lab.run("document.querySelector('#x').checked") is True


async def test_a_wait_for_visible_takes_any_match_and_a_click_does_not(open_page: Open) -> None:
    lab = await open_page("<p style='display:none'>1</p><p>2</p><p>3</p>")
    assert "error" not in await lab.ask("ready", selector="p", need="visible", timeout_ms=SOON_MS)
    refused = await lab.ask("ready", selector="p", need="click", timeout_ms=BRIEF_MS)
    assert refused["error"]["code"] == "ambiguous"


async def test_a_wait_for_hidden_ends_when_it_is_gone(open_page: Open) -> None:
    lab = await open_page(
        "<p id=x>a</p><script>setTimeout(() => document.querySelector('#x').remove(), 200)</script>"
    )
    answer = await lab.ask("ready", selector="#x", need="hidden", timeout_ms=SOON_MS)
    assert answer == {"count": 0, "hidden": True}


async def test_another_origin_is_refused_at_once(open_page: Open) -> None:
    lab = await open_page("<button id=x>a</button>")
    asked = {"selector": "#x", "need": "click", "timeout_ms": SOON_MS}
    answer = await lab.ask("ready", **asked, expected_origin="https://erp.example.com")
    assert answer["error"]["code"] == "origin_changed"
    assert "error" not in await lab.ask("ready", **asked, expected_origin="null")


async def test_elements_in_shadow_roots_and_frames_are_reached(open_page: Open) -> None:
    lab = await open_page(
        "<div style='height:40px'></div><x-a></x-a>"
        "<iframe style='border:5px solid' srcdoc='<button id=in>里</button>'></iframe>"
        "<script>document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML ="
        "'<button onclick=\"window.met = 1\">影</button>'</script>"
    )
    answer = await lab.ask("ready", selector="x-a >>> button", need="click", timeout_ms=SOON_MS)
    await lab.click(answer["x"], answer["y"])
    assert await lab.run("window.met") == 1
    await lab.run("document.querySelector('iframe').contentDocument.onclick = () => window.met = 2")
    nodes = (await lab.ask("snapshot", filter="interactive"))["nodes"]
    [inner] = [node for node in flat(nodes) if node["name"] == "里"]
    answer = await lab.ask("ready", selector=inner["ref"], need="click", timeout_ms=SOON_MS)
    await lab.click(answer["x"], answer["y"])
    assert await lab.run("window.met") == 2


async def test_the_page_comes_to_rest_or_the_time_is_up(open_page: Open) -> None:
    lab = await open_page("<p>quiet</p>")
    assert (await lab.ask("settled", ms_max=SOON_MS))["settled"] is True
    await lab.run("setInterval(() => document.body.append('.'), 5)")
    answer = await lab.ask("settled", ms_max=300)
    assert answer["settled"] is False
