"""Typing holds on fields that resist it; what does not hold is told, with what is there instead."""

import pytest

from tests.support.host_lab import HostLab, TabLab
from tests.support.widgets import widget_page

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]


async def editors(lab: HostLab) -> TabLab:
    return await lab.open(widget_page("editors"))


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("#model", "新的文字"),
        ("#controlled", "新的"),
        ("#tracked", "new"),
        ("#composing", "拼音"),
        ("#late", "later"),
        (".once", "new element"),
        ("#number", "12.50"),
        ("#area", "two\nlines"),
    ],
)
async def test_what_is_typed_is_what_the_field_holds(
    lab: HostLab, selector: str, text: str
) -> None:
    tab = await editors(lab)
    outcome = await tab.do("type", selector=selector, text=text)
    assert outcome.error is None
    assert outcome.data == {"typed": text}
    assert (await tab.text(selector)).strip() == text


async def test_the_page_hears_of_it_as_of_a_person(lab: HostLab) -> None:
    tab = await editors(lab)
    await tab.do("type", selector="#tracked", text="new")
    assert await tab.text("#said") == "changed to new"
    await tab.do("type", selector="#composing", text="字")
    assert await tab.text("#said") == "heard 字"


@pytest.mark.parametrize(("selector", "start"), [("#model", "old"), ("#controlled", "old")])
async def test_text_is_appended_when_nothing_is_cleared(
    lab: HostLab, selector: str, start: str
) -> None:
    tab = await editors(lab)
    outcome = await tab.do("type", selector=selector, text="!", clear=False)
    assert outcome.data == {"typed": "!", "value": f"{start}!"}


async def test_an_empty_text_clears_an_editor_of_the_page(lab: HostLab) -> None:
    tab = await editors(lab)
    assert (await tab.do("type", selector="#model", text="")).success
    assert (await tab.text("#model")).strip() == ""


@pytest.mark.parametrize(
    ("selector", "text", "value"),
    [
        ("#phone", "13800138000", "138-0013-8000"),
        ("#money", "1234567", "¥ 1,234,567"),
        ("#inline", "Ber", "Berlin"),
        ("#email", "a@例子.cn", "a@xn--fsqu00a.cn"),
    ],
)
async def test_a_format_of_the_page_is_told_as_the_value(
    lab: HostLab, selector: str, text: str, value: str
) -> None:
    tab = await editors(lab)
    outcome = await tab.do("type", selector=selector, text=text)
    assert outcome.error is None
    assert outcome.data == {"typed": text, "value": value}


@pytest.mark.parametrize(
    ("selector", "text", "got", "code"),
    [
        ("#clears", "abc", "", "value_did_not_stick"),
        ("#rewrites", "abc", "something else", "value_did_not_stick"),
        ("#refuses", "abc", "kept", "value_did_not_stick"),
        ("#cents", "1500", "15.00", "value_did_not_stick"),
        ("#number", "twelve", "", "value_did_not_stick"),
        ("#short", "123456789", "12345", "value_was_cut"),
    ],
)
async def test_what_does_not_stick_fails_and_says_what_is_there(
    lab: HostLab, selector: str, text: str, got: str, code: str
) -> None:
    tab = await editors(lab)
    outcome = await tab.do("type", selector=selector, text=text)
    assert outcome.error is not None
    assert outcome.error.code == code
    assert text in outcome.error.message
    assert f"“{got}”" in outcome.error.message
    assert outcome.data == {"typed": text, "value": got}


async def test_a_line_break_in_one_line_is_sent_to_keys(lab: HostLab) -> None:
    tab = await editors(lab)
    outcome = await tab.do("type", selector="#controlled", text="new\n")
    assert outcome.error is not None
    assert outcome.error.code == "text_has_newline"
    assert 'keys ["Enter"]' in outcome.error.message
    assert await tab.script("controlled.value") == "old"
    assert (await tab.do("type", selector="#controlled", text="new")).success


async def test_nothing_at_all_is_no_command(lab: HostLab) -> None:
    tab = await editors(lab)
    outcome = await tab.do("type", selector="#controlled", text="", clear=False)
    assert outcome.error is not None
    assert outcome.error.code == "nothing_to_type"


async def test_typing_reaches_a_frame(lab: HostLab) -> None:
    tab = await lab.open("<iframe src=/1></iframe>", widget_page("editors"))
    assert (await tab.do("type", selector="iframe >>> #controlled", text="in")).success
    assert await tab.script("frames[0].controlled.value") == "in"


# --- date pickers


async def test_a_picker_that_takes_no_typing_is_clicked(lab: HostLab) -> None:
    tab = await lab.open(widget_page("dates"))
    refused = await tab.do("type", selector="#picked", text="2026-03-05", clear=True)
    assert refused.error is not None
    await tab.do("click", selector="#picked")
    await tab.do("click", selector="[aria-label='next month']")
    assert (await tab.do("click", selector="[aria-label='2026-03-05']")).success
    assert await tab.text("#picked") == "2026-03-05"


async def test_a_picker_that_can_be_typed_into_is_typed_into(lab: HostLab) -> None:
    tab = await lab.open(widget_page("dates"))
    outcome = await tab.do("type", selector="#typed", text="2026-03-05", keys=["Enter"])
    assert outcome.error is None
    assert await tab.text("#typed") == "2026-03-05"
    assert await tab.script("document.querySelector('.cal')") is None


async def test_a_range_is_two_clicks(lab: HostLab) -> None:
    tab = await lab.open(widget_page("dates"))
    for selector in ("#from", "[aria-label='2026-02-03']", "[aria-label='2026-02-09']"):
        assert (await tab.do("click", selector=selector)).success
    assert [await tab.text("#from"), await tab.text("#to")] == ["2026-02-03", "2026-02-09"]
