"""No picture shows a password, however the page came to show it."""

import pytest

from tests.support.host_lab import HostLab, TabLab

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

FORM = "<form><input id=pw type=password value={}><input id=user value=amy></form>"
SHOWN = "pw.type = 'text'"


async def picture(lab: HostLab, value: str, script: str, *, full_page: bool = False) -> str:
    tab = await lab.open(FORM.format(value))
    await tab.script(script)
    outcome = await tab.do("pageScreenshot", full_page=full_page)
    assert outcome.error is None
    return str(outcome.data["image_base64"])


@pytest.mark.parametrize("full_page", [False, True])
async def test_a_shown_password_is_not_in_the_picture(lab: HostLab, full_page: bool) -> None:
    pictures = [
        await picture(lab, value, SHOWN, full_page=full_page) for value in ("hunter22", "xxxxxxxx")
    ]
    assert pictures[0] == pictures[1]
    # What is no password is in the picture, so the two differ where the page differs.
    assert await picture(lab, "hunter22", SHOWN + "; user.value = 'bob'") != pictures[0]


async def test_the_last_picture_covers_it_as_well(lab: HostLab) -> None:
    pictures = []
    for value in ("hunter22", "xxxxxxxx"):
        tab = await lab.open(FORM.format(value))
        await tab.script(SHOWN)
        pictures.append(await tab.executor.last_picture())
    assert pictures[0] is not None
    assert pictures[0] == pictures[1]


async def test_the_page_is_as_before_after_a_picture(lab: HostLab) -> None:
    tab = await lab.open(FORM.format("hunter22"))
    await tab.script(SHOWN)
    assert (await tab.do("pageScreenshot")).success
    assert await tab.script("getComputedStyle(pw).webkitTextSecurity") == "none"


async def _stubborn(lab: HostLab) -> TabLab:
    tab = await lab.open(FORM.format("hunter22"))
    show = "new MutationObserver(() => pw.removeAttribute('style')).observe(pw, {attributes: true})"
    await tab.script(f"{SHOWN}; {show}")
    return tab


async def test_a_page_that_lifts_the_cover_gets_no_picture(lab: HostLab) -> None:
    tab = await _stubborn(lab)
    outcome = await tab.do("pageScreenshot")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.data) == ("picture_password", {})
    assert await tab.executor.last_picture() is None
    await tab.script("pw.remove()")
    assert (await tab.do("pageScreenshot")).success
