"""While a picture is taken no password can be read in it; afterwards the page is as it was."""

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import PageLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

FIELDS = "<input id=p type=password value=hunter22><input id=plain value=hello>"


async def look(lab: PageLab, field: str) -> str:
    return str(await lab.run(f"getComputedStyle({field}).webkitTextSecurity"))


async def test_a_password_switched_to_text_is_covered_and_restored(open_page: Open) -> None:
    lab = await open_page(FIELDS)
    await lab.run("p.type = 'text'; plain.style.color = 'red'")
    covered = await lab.ask("cover")
    assert (await look(lab, "p"), await look(lab, "plain")) == ("disc", "none")
    assert await lab.ask("uncover", **covered) == {}
    assert await look(lab, "p") == "none"
    assert await lab.run("p.getAttribute('style')") in (None, "")


async def test_a_copy_in_another_field_is_covered_too(open_page: Open) -> None:
    lab = await open_page(FIELDS)
    await lab.run("plain.value = 'it is hunter22'")
    await lab.ask("cover")
    assert await look(lab, "plain") == "disc"


@pytest.mark.parametrize(
    "reveal",
    [
        "p.style.removeProperty('-webkit-text-security')",
        "document.body.append(Object.assign(document.createElement('input'), {value: p.value}))",
        "p.remove()",
    ],
)
async def test_a_picture_is_refused_when_the_cover_was_lifted(open_page: Open, reveal: str) -> None:
    lab = await open_page(FIELDS)
    await lab.run("p.type = 'text'")
    covered = await lab.ask("cover")
    await lab.run(reveal)
    assert (await lab.ask("uncover", **covered))["error"]["code"] == "password_shown"


async def test_another_document_was_never_covered(open_page: Open) -> None:
    lab = await open_page(FIELDS)
    refused = await lab.ask("uncover", document_id="0" * 32)
    assert refused["error"]["code"] == "stale_document"
    assert (await lab.ask("uncover"))["error"]["code"] == "password_shown"


MASKS = {"https://erp.example.com": ["#salary", "#drawn"]}
SECRETS = (
    "<input id=card name=cardNo value=70431298><p id=copy>70431298</p>"
    "<p id=pan>4111111111111111</p>"
    "<p id=said>18500</p><div id=salary style='transition: opacity 9s;'><b>18500</b></div>"
    "<svg id=drawn width=9 height=9><text>77</text></svg><p id=other>4111111111111112</p>"
)
LOOKS = (
    "((look) => ['card', 'copy', 'pan', 'said', 'other'].map((id) => look(id).webkitTextSecurity)"
    ".concat(['salary', 'drawn'].map((id) => look(id).opacity)).join(' '))"
    "((id) => getComputedStyle(document.getElementById(id)))"
)


async def test_cards_and_what_the_policy_masks_are_covered_and_the_page_is_as_before(
    open_page: Open,
) -> None:
    lab = await open_page(SECRETS)
    before = await lab.run("document.documentElement.outerHTML")
    covered = await lab.ask("cover")
    assert await lab.run(LOOKS) == "disc disc disc none none 1 1"
    assert await lab.ask("uncover", **covered) == {}
    await lab.ask("configure", masks=MASKS)
    covered = await lab.ask("cover")
    assert await lab.run(LOOKS) == "disc disc disc disc none 0 0"
    assert await lab.ask("uncover", **covered) == {}
    assert await lab.run(LOOKS) == "none none none none none 1 1"
    assert await lab.run("document.documentElement.outerHTML") == before


async def test_a_covered_field_is_no_password_afterwards(open_page: Open) -> None:
    lab = await open_page(SECRETS)
    covered = await lab.ask("cover")
    await lab.ask("uncover", **covered)
    assert not (await lab.ask("resolve", action="type", selector="#card"))["is_password"]


async def test_a_frame_of_the_same_origin_is_covered_with_the_page(open_page: Open) -> None:
    lab = await open_page("<iframe srcdoc='<input name=cvc value=7431>'></iframe>")
    await lab.run("new Promise((done) => setTimeout(done, 300))")
    inner = "getComputedStyle(frames[0].document.querySelector('input')).webkitTextSecurity"
    assert await lab.run(inner) == "none"
    covered = await lab.ask("cover")
    assert await lab.run(inner) == "disc"
    assert await lab.ask("uncover", **covered) == {}
    assert await lab.run(inner) == "none"


async def test_a_picture_is_refused_when_a_mask_was_lifted(open_page: Open) -> None:
    lab = await open_page(SECRETS)
    await lab.ask("configure", masks=MASKS)
    covered = await lab.ask("cover")
    await lab.run("salary.style.setProperty('opacity', '1', 'important')")
    assert (await lab.ask("uncover", **covered))["error"]["code"] == "password_shown"
