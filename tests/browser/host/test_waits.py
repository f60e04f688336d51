"""A click waits until its element is ready, and names the condition that failed."""

import pytest

from tests.support.host_lab import HostLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

BUTTON = "<p id=said>no</p><button id=b onclick=\"said.textContent = 'clicked'\">go</button>"
LATER = "<script>setTimeout(() => {{ {} }}, 400)</script>"
COVER = "<div id=cover style='position:fixed;inset:0;background:#fff'>Please wait</div>"
MOVING = """<style>@keyframes m { to { margin-left: 300px } }
#b { animation: m .5s linear infinite alternate }</style>"""

# name: (what keeps the button from being clicked, what ends that, the error's code)
CONDITIONS = {
    "attached": ("<script>window.kept = b; b.remove()</script>",
                 "document.body.append(kept)", "wait_not_attached"),
    "visible": ("<style>#b { display: none }</style>",
                "document.querySelector('style').remove()", "wait_not_visible"),
    "enabled": ("<script>b.disabled = true</script>", "b.disabled = false", "wait_disabled"),
    "at rest": (MOVING, "document.querySelector('style').remove()", "wait_moving"),
    "uncovered": (COVER, "cover.remove()", "wait_covered"),
}  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
async def test_a_click_waits_until_the_element_is(lab: HostLab, condition: str) -> None:
    hindered, ends, _ = CONDITIONS[condition]
    tab = await lab.open(BUTTON + hindered + LATER.format(ends))
    outcome = await tab.do("click", selector="#b", timeout_ms=20_000)
    assert outcome.error is None
    assert await tab.text("#said") == "clicked"


@pytest.mark.parametrize("condition", CONDITIONS)
async def test_a_click_in_vain_says_the_element_is_not(lab: HostLab, condition: str) -> None:
    hindered, _, code = CONDITIONS[condition]
    tab = await lab.open(BUTTON + hindered)
    outcome = await tab.do("click", selector="#b", timeout_ms=300)
    assert outcome.error is not None
    assert outcome.error.code == code
    assert "#b" in outcome.error.message
    assert await tab.text("#said") == "no"


async def test_a_covered_element_names_what_covers_it(lab: HostLab) -> None:
    tab = await lab.open(BUTTON + COVER)
    error = (await tab.do("click", selector="#b", timeout_ms=100)).error
    assert error is not None
    assert "cover" in error.message


async def test_a_readonly_field_is_not_typed_into(lab: HostLab) -> None:
    tab = await lab.open("<input id=i readonly value=old>")
    # The field's own wait is the settings' one; the page stays read-only.
    tab.executor.tab.limits = tab.executor.tab.limits.model_copy(update={"wait_ms": 200})
    error = (await tab.do("type", selector="#i", text="x")).error
    assert error is not None
    assert error.code == "wait_readonly"
    assert await tab.script("i.value") == "old"


@pytest.mark.parametrize(
    ("state", "page"),
    [
        ("visible", "<p id=x hidden>x</p>" + LATER.format("x.hidden = false")),
        ("attached", LATER.format("document.body.innerHTML = '<p id=x hidden>x</p>'")),
        ("hidden", "<p id=x>x</p>" + LATER.format("x.remove()")),
    ],
)
async def test_waiting_for_a_state(lab: HostLab, state: str, page: str) -> None:
    tab = await lab.open(page)
    outcome = await tab.do("waitForSelector", selector="#x", state=state, timeout_ms=20_000)
    assert outcome.data == {"found": state != "hidden"}


async def test_waiting_in_vain_for_something_to_go(lab: HostLab) -> None:
    tab = await lab.open("<p id=x>x</p>")
    outcome = await tab.do("waitForSelector", selector="#x", state="hidden", timeout_ms=100)
    assert outcome.error is not None
    assert outcome.error.code == "wait_still_visible"


async def test_an_element_far_down_is_scrolled_to(lab: HostLab) -> None:
    tab = await lab.open("<div style='height:5000px'></div>" + BUTTON)
    assert (await tab.do("click", selector="#b")).success
    assert await tab.text("#said") == "clicked"
