"""A choice is exactly the option that was meant, in a native list and in lists that pages draw."""

import pytest

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall
from states.policy import Effect
from states.settings import BrowserLimits
from tests.support.host_lab import HostLab, TabLab
from tests.support.widgets import widget_page

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

QUICK = BrowserLimits(option_wait_ms=600)


def nobody_agrees(call: ResolvedCall) -> Approval:
    return NEEDS_CONFIRMATION if call.effect is Effect.CONFIRM else ALLOW


async def lists(lab: HostLab) -> TabLab:
    return await lab.open(widget_page("lists"), limits=QUICK)


@pytest.mark.parametrize(
    ("selector", "value", "shown"),
    [
        ("#city", "city 7", "#city_word"),
        ("#city", "city 243", "#city_word"),
        ("#city", "city 299", "#city_word"),
        ("#dept", "人事部", "#dept"),
        ("#status", "sent", "#status"),
        ("#s2", "Bob", "#s2_word"),
        ("#fruit", "pear", "#fruit span"),
    ],
)
async def test_a_list_of_the_page_gets_exactly_the_one(
    lab: HostLab, selector: str, value: str, shown: str
) -> None:
    tab = await lists(lab)
    outcome = await tab.do("select", selector=selector, value=value)
    assert outcome.error is None
    assert outcome.data == {"selected": value}
    assert await tab.text(shown) == value
    assert await tab.script("clicked.join()") == value
    assert await tab.script("document.querySelector('.pop')") is None


async def test_a_list_that_is_always_there_needs_no_opening(lab: HostLab) -> None:
    tab = await lists(lab)
    assert (await tab.do("select", selector="#always", value="two")).error is None
    assert await tab.script("always.lastElementChild.ariaSelected") == "true"


async def test_what_is_chosen_already_is_not_chosen_again(lab: HostLab) -> None:
    tab = await lists(lab)
    assert (await tab.do("select", selector="#status", value="draft")).error is None
    assert (await tab.do("select", selector="#tags", value="red")).error is None
    assert await tab.script("clicked.join()") == ""
    assert (await tab.do("select", selector="#tags", value="blue")).error is None
    assert await tab.script("clicked.join()") == "blue"
    assert await tab.script("document.querySelector('.pop')") is None


@pytest.mark.parametrize(
    ("selector", "value", "code", "words"),
    [
        ("#status", "sen", "option_not_found", "draft | sent | sent back"),
        ("#status", "SENT", "option_not_found", "draft | sent"),
        ("#dept", "停用", "option_not_found", "disabled"),
        ("#city", "city 300", "option_not_found", "(300 in all)"),
        ("#twins", "same", "option_ambiguous", "2 options"),
        ("#shut", "any", "list_did_not_open", "Shut"),
        ("#deaf", "other", "choice_did_not_stick", "“same”"),
        ("#plain", "any", "element_no_select", "opens no list"),
        ("body", "sent", "element_no_select", "opens no list"),
    ],
)
async def test_what_is_not_clearly_meant_is_not_chosen(
    lab: HostLab, selector: str, value: str, code: str, words: str
) -> None:
    tab = await lists(lab)
    outcome = await tab.do("select", selector=selector, value=value)
    assert outcome.error is not None
    assert outcome.error.code == code
    assert words in outcome.error.message
    assert await tab.script("clicked.join()") == ("other" if selector == "#deaf" else "")
    assert await tab.script("document.querySelector('.pop')") is None


async def test_an_option_with_a_risky_word_needs_a_person(lab: HostLab) -> None:
    tab = await lists(lab)
    asked = await tab.do("select", approve=nobody_agrees, selector="#deeds", value="作废")
    assert asked.confirmation is not None
    assert await tab.script("document.querySelector('.pop')") is None
    harmless = await tab.do("select", approve=nobody_agrees, selector="#deeds", value="keep")
    assert harmless.error is None
    assert (await tab.do("select", selector="#deeds", value="作废")).error is None
    assert await tab.text("#deeds") == "作废"


async def test_an_option_that_says_more_than_its_label_is_not_clicked_unasked(
    lab: HostLab,
) -> None:
    page = (
        "<div id=x role=combobox tabindex=0 aria-haspopup=listbox aria-label=X "
        "onclick='p.hidden = false'>a</div><div id=p role=listbox hidden>"
        "<div role=option title='TITLE' onclick='x.textContent = `b`'>b</div></div>"
    )
    tab = await lab.open(page.replace("TITLE", "delete all"), limits=QUICK)
    outcome = await tab.do("select", approve=nobody_agrees, selector="#x", value="b")
    assert outcome.error is not None
    assert outcome.error.code == "option_risky"
    assert await tab.text("#x") == "a"
    tab = await lab.open(page.replace("TITLE", "the second"), limits=QUICK)
    assert (await tab.do("select", approve=nobody_agrees, selector="#x", value="b")).error is None
    assert await tab.text("#x") == "b"


async def test_a_button_with_a_risky_name_is_not_pressed_to_see_its_list(lab: HostLab) -> None:
    page = '<button id=x aria-haspopup=listbox onclick="x.dataset.hit = 1">NAME</button>'
    for name, hits in (("Delete", None), ("Colour", "1")):
        tab = await lab.open(page.replace("NAME", name), limits=QUICK)
        await tab.do("select", approve=nobody_agrees, selector="#x", value="b")
        assert await tab.script("x.dataset.hit ?? null") == hits


async def test_a_submit_button_is_no_list(lab: HostLab) -> None:
    page = "<form action=/1><button id=x aria-haspopup=listbox TYPE>Colour</button></form>"
    tab = await lab.open(page.replace("TYPE", ""), "sent", limits=QUICK)
    outcome = await tab.do("select", selector="#x", value="b")
    assert outcome.error is not None
    assert outcome.error.code == "element_no_select"
    assert lab.good.hit_paths() == []


async def test_a_list_in_a_frame_is_chosen_from(lab: HostLab) -> None:
    tab = await lab.open(
        "<iframe src=/1 width=900 height=500></iframe>", widget_page("lists"), limits=QUICK
    )
    assert (await tab.do("select", selector="iframe >>> #status", value="sent")).error is None
    assert await tab.script("frames[0].document.getElementById('status').textContent") == "sent"


# --- native lists

NATIVE = widget_page("native_lists")


@pytest.mark.parametrize(
    ("value", "chosen"), [("2", "2"), ("B", "2"), ("Old / A", "1"), ("New / A", "3")]
)
async def test_an_option_is_called_by_value_label_or_group(
    lab: HostLab, value: str, chosen: str
) -> None:
    tab = await lab.open(NATIVE)
    assert (await tab.do("select", selector="#one", value=value)).error is None
    assert await tab.script("one.value") == chosen


@pytest.mark.parametrize(
    ("selector", "value", "code"),
    [
        ("#one", "A", "option_ambiguous"),
        ("#one", "C", "option_not_found"),
        ("#one", "A\nB", "option_not_found"),
        ("#many", "d", "option_not_found"),
        ("#many", "b\nx", "option_not_found"),
    ],
)
async def test_a_native_list_is_left_alone_when_nothing_is_clearly_meant(
    lab: HostLab, selector: str, value: str, code: str
) -> None:
    tab = await lab.open(NATIVE)
    before = await tab.script("[...document.querySelectorAll(':checked')].map(o => o.text).join()")
    outcome = await tab.do("select", selector=selector, value=value)
    assert outcome.error is not None
    assert outcome.error.code == code
    after = await tab.script("[...document.querySelectorAll(':checked')].map(o => o.text).join()")
    assert after == before


async def test_a_list_of_many_holds_exactly_the_lines_given(lab: HostLab) -> None:
    tab = await lab.open(NATIVE)
    assert (await tab.do("select", selector="#many", value="b\nc")).data == {"selected": "b\nc"}
    assert await tab.script("[...many.selectedOptions].map(o => o.text).join()") == "b,c"
    assert (await tab.do("select", selector="#many", value="")).error is None
    assert await tab.script("many.selectedOptions.length") == 0
