"""Card numbers, and what the policy masks, leave a page only as bullets; everything else stays.

Each secret has its control: without the mask the same page tells it.
"""

import json
import random
from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import PageLab, flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

# A page without an address keeps to every mask of the policy.
ANYWHERE = "https://erp.example.com"
CARDS = {
    "4111111111111111": "••••••••••••1111",
    "5500 0055 5555 5559": "•••• •••• •••• 5559",
    "2221-0000-0000-0009": "••••-••••-••••-0009",
    "3782 822463 10005": "•••• •••••• •0005",
    "6222020200123456": "6222020200123456",
    "6250941006528599": "••••••••••••8599",
    "6250 9410 0652 8599": "•••• •••• •••• 8599",
    "６２５０９４１００６５２８５９９": "••••••••••••８５９９",
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1": "• • • • • • • • • • • • 1 1 1 1",
    "VISA4111111111111111": "VISA••••••••••••1111",
    "4111 1111 1111 1111 12/27 123": "•••• •••• •••• 1111 12/27 123",
}
BENIGN = (
    "4111111111111112", "4006381333931", "1764500123456", "2026-11-30 12:30:45", "20261130123045",
    "PO-20261130-0001", "13800138000", "+86 138 0013 8000", "400-820-8820", "021-5888 8888",
    "44001911301234567890", "044001911304 12345678", "26442000000012345678", "¥1,234,567.89",
    "0.4111111111111111", "4012345678901234567", "91440300MA5FXXXX0X", "620102199001010014",
    "SF1234567890123", "1000 2000 3000 4000", "4500000123 4500000124",
    "3e0f4111-1111-4111-8111-111111111111",
)  # fmt: skip


async def read(lab: PageLab, text: str) -> str:
    """Return how a page tells *text*, in its snapshot, its text and its HTML alike."""
    await lab.run(f"document.querySelector('p').textContent = {json.dumps(text)}")
    (node,) = (await lab.ask("snapshot"))["nodes"]
    plain = (await lab.ask("text"))["text"]
    html = (await lab.ask("html", selector="p"))["html"]
    assert node["name"] == plain
    assert html == f"<p>{plain}</p>"
    return str(plain)


async def everything(lab: PageLab) -> str:
    """Return all that a page tells of itself."""
    answers: list[Any] = [await lab.ask("snapshot"), await lab.ask("text"), await lab.ask("html")]
    for node in flat(answers[0]["nodes"]):
        if "ref" in node:
            asked = {"selector": node["ref"], "action": "click"}
            target = (await lab.ask("resolve", **asked))["target"]
            answers += [target["name"], await lab.ask("text", selector=node["ref"])]
            answers += [await lab.ask("value_after", selector=node["ref"])]
    return json.dumps(answers, ensure_ascii=False)


async def test_card_numbers_keep_their_last_four_digits_only(open_page: Open) -> None:
    lab = await open_page("<p></p>")
    for number, shown in CARDS.items():
        assert await read(lab, number) == shown
        assert await read(lab, f"卡号{number}，已付") == f"卡号{shown}，已付"


async def test_other_numbers_stay_as_they_are(open_page: Open) -> None:
    lab = await open_page("<p></p>")
    for number in BENIGN:
        assert await read(lab, number) == number


async def test_no_number_of_a_business_is_taken_for_a_card(open_page: Open) -> None:
    chance = random.Random(4)  # noqa: S311
    pick = chance.randrange
    numbers: list[str] = []
    for _ in range(400):
        day = f"20{pick(20, 30)}{pick(1, 13):02}{pick(1, 29):02}"
        numbers += [
            f"SO{day}{pick(10**6):06}", f"{day}{pick(10**8):08}", f"1{pick(3, 10)}{pick(10**9):09}",
            f"{pick(10**8):08}", f"{pick(10**12):012}", f"{pick(10**20):020}",
            f"690{pick(10**10):010}",
            f"{pick(1, 10**9):,}.{pick(100):02}", f"{pick(100, 1000)}-{pick(10**7):07}",
            f"{pick(11, 66)}{pick(10**4):04}{day}{pick(10**3):03}X", f"45{pick(10**8):08}",
        ]  # fmt: skip
    text = "；".join(numbers)
    lab = await open_page("<p></p>")
    await lab.run(f"document.querySelector('p').textContent = {json.dumps(text)}")
    assert (await lab.ask("text", max_chars=10**6))["text"] == text


@pytest.mark.parametrize(
    "field",
    [
        "<input autocomplete=cc-number value={}>",
        "<input autocomplete='section-a billing cc-csc' value={}>",
        "<input name=cardNo value={}>",
        "<input id=card_number value={}>",
        "<input name=cvv2 value={}>",
        "<label>银行卡号 <input value={}></label>",
        "<label for=a>请输入卡号</label><input id=a value={}>",
        "<input placeholder='Card number' value={}>",
        "<input aria-label=CVC value={}>",
    ],
)
async def test_what_a_card_field_holds_is_told_nowhere(open_page: Open, field: str) -> None:
    lab = await open_page(
        field.format("70431298") + "<p>70431298</p><p>7043 1298</p><b>170431298</b>"
    )
    told = await everything(lab)
    assert "70431298" not in told.replace("170431298", "")
    assert "7043 1298" not in told
    assert "170431298" in told


@pytest.mark.parametrize(
    "field",
    [
        "<input name=order_no value={}>",
        "<input name=idCardNo value={}>",
        "<label>会员卡号 <input value={}></label>",
        "<input name=discard_no value={}>",
        "<input autocomplete=tel value={}>",
    ],
)
async def test_what_another_field_holds_is_told(open_page: Open, field: str) -> None:
    lab = await open_page(field.format("70431298") + "<p>70431298</p>")
    assert (await everything(lab)).count("70431298") >= 3


async def test_a_card_field_shows_the_last_digits_of_a_whole_number(open_page: Open) -> None:
    lab = await open_page("<input name=cardNo value=6222020200123456789><input name=cvc value=123>")
    number, code = (await lab.ask("snapshot"))["nodes"]
    assert (number["value"], code["value"]) == ("•••••••••••••••6789", "••••••")
    assert (await lab.ask("text", selector="[name=cvc]"))["text"] == "••••••"


async def test_a_number_over_several_elements_is_one(open_page: Open) -> None:
    lab = await open_page(
        "<p><b>4111</b> <i>1111</i> 1111 <u>1111</u></p><td data-pan=4111111111111111>"
    )
    assert "1111</b>" not in (await lab.ask("html"))["html"]
    assert "4111" not in await everything(lab)


MASKED = """<title>Pay 18500</title>
<label>薪资 <input id=salary value=18500></label><p>您的薪资是 18500 元</p><b title=18500>b</b>
<select id=grade><option>P6级别<option selected>P7级别</select><i>P7级别</i>
<div id=box data-x=9.5 onclick=1 title=秘密><span>基本 9.5</span></div>
<div onclick=1 aria-label="">Bonus <span class=bonus>95</span></div>
<div id=host><template shadowrootmode=open><b class=bonus>77188</b></template></div>
<table><tr><th>a<tr><td>77188</table><label><input type=checkbox checked id=married>已婚</label>"""
MASKS = {ANYWHERE: ["#salary", "#grade, #box", ".bonus", "#married"]}
SECRETS = ("18500", "P6级别", "P7级别", "9.5", "秘密", "Bonus 95", "77188")


async def test_what_the_policy_masks_is_told_nowhere(open_page: Open) -> None:
    lab = await open_page(MASKED)
    told = await everything(lab)
    assert [secret for secret in SECRETS if secret not in told] == []
    await lab.ask("configure", masks=MASKS)
    told = await everything(lab)
    assert [secret for secret in SECRETS if secret in told] == []
    married = next(
        node for node in flat((await lab.ask("snapshot"))["nodes"]) if node["role"] == "checkbox"
    )
    assert "checked" not in married


async def test_a_filter_does_not_tell_what_is_masked(open_page: Open) -> None:
    lab = await open_page(
        "<label>a <input id=salary value=18500></label><p>您的 18500</p><p>185</p>"
    )
    assert len((await lab.ask("snapshot", filter="1850"))["nodes"]) == 2
    await lab.ask("configure", masks=MASKS)
    assert (await lab.ask("snapshot", filter="1850"))["nodes"] == []
    assert len((await lab.ask("snapshot", filter="185"))["nodes"]) == 1


async def test_a_refusal_does_not_tell_what_is_masked(open_page: Open) -> None:
    lab = await open_page("<select id=grade><option>P6级别<option>P7级别</select>")
    asked = {"selector": "#grade", "value": "P9", "action": "select", "choice": "P9"}
    assert "P6级别" in (await lab.ask("select_option", **asked))["error"]["detail"]
    await lab.ask("configure", masks=MASKS)
    assert "P6级别" not in (await lab.ask("select_option", **asked))["error"]["detail"]


async def test_a_masked_element_keeps_its_ref(open_page: Open) -> None:
    lab = await open_page("<input id=salary value=18500><input value=1>")
    await lab.ask("configure", masks=MASKS)
    masked, plain = (await lab.ask("snapshot"))["nodes"]
    assert (masked["value"], "selector" in masked) == ("••••••", False)
    assert "selector" in plain
    assert (await lab.ask("resolve", selector=masked["ref"], action="click"))["count"] == 1
    await lab.run("salary.value = '19900'")
    assert (await lab.ask("resolve", selector=masked["ref"], action="click"))["count"] == 1


@pytest.mark.parametrize("bad", ["#a[", "[x='", "#a /*", "a >>> b", "::"])
async def test_a_mask_that_cannot_be_read_answers_nothing(open_page: Open, bad: str) -> None:
    lab = await open_page("<input id=salary value=18500>")
    await lab.ask("configure", masks={ANYWHERE: ["#salary", bad]})
    for function in ("snapshot", "text", "html", "identity", "cover"):
        assert (await lab.ask(function))["error"] == {"code": "bad_mask", "detail": bad}
    await lab.ask("configure", masks=MASKS)
    assert "nodes" in await lab.ask("snapshot")
