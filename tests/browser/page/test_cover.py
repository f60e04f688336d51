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
