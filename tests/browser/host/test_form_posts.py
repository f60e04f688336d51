"""A form is posted only when a person agreed to the command that posts it."""

import pytest

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall
from states.policy import Effect
from tests.support.host_lab import HostLab, TabLab
from tests.support.site import Reply
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

FORM = "<form id=f method=post action=/1 {more}><input name=a value=b></form>"
BUTTON = "<div role=button onclick='{js}'>Show</div>"
SENT = "document.forms[0].submit()"
# Ways to post that the element does not show.
HIDDEN = {
    "submit()": (SENT, ""),
    "a timer": (f"setTimeout(() => {SENT}, 30)", ""),
    "a script's click": ("document.forms[0].appendChild(new_button()).click()", ""),
    "a tab of its own": (SENT, "target=_blank"),
}
NEW_BUTTON = "<script>const new_button = () => document.createElement('button')</script>"


class Person:
    """Decides as the host does: acts pass, what is to be confirmed needs *agrees*."""

    def __init__(self, *, agrees: bool = False) -> None:
        self.agrees = agrees
        self.calls: list[ResolvedCall] = []

    def __call__(self, call: ResolvedCall) -> Approval:
        self.calls.append(call)
        allowed = self.agrees or call.effect is not Effect.CONFIRM
        return ALLOW if allowed else NEEDS_CONFIRMATION


def posts(lab: HostLab) -> list[str]:
    """Return the paths the site was posted to."""
    return [hit.path for hit in lab.good.hits if hit.method == "POST"]


async def opened(lab: HostLab, way: str = "submit()") -> TabLab:
    js, more = HIDDEN[way]
    page = NEW_BUTTON + FORM.format(more=more) + BUTTON.format(js=js)
    return await lab.open(page, "<h1>sent</h1>")


@pytest.mark.parametrize("way", HIDDEN)
async def test_a_form_nobody_was_asked_about_is_not_sent_and_a_second_try_asks(
    lab: HostLab, way: str
) -> None:
    tab = await opened(lab, way)
    person = Person()
    first = await tab.do("click", selector="[role=button]", approve=person)
    assert first.error is not None
    assert first.error.code == "form_submit_unapproved"
    assert lab.good.url("/1") in first.error.message
    assert posts(lab) == []
    second = await tab.do("click", selector="[role=button]", approve=person)
    assert second.confirmation == person.calls[-1]
    assert second.confirmation.effect is Effect.CONFIRM
    assert "Show" in second.confirmation.reason
    assert posts(lab) == []
    third = await tab.do("click", selector="[role=button]", approve=Person(agrees=True))
    assert third.error is None
    await until(lambda: posts(lab) == ["/1"])


async def test_an_approved_form_follows_its_redirects(lab: HostLab) -> None:
    button = "<form method=post action=/1><button>Go</button></form>"
    moved = Reply(status=307, headers={"Location": "/2"})
    tab = await lab.open(button, lambda _: moved, "<h1>sent</h1>")
    outcome = await tab.do("click", selector="button", approve=Person(agrees=True))
    assert outcome.error is None
    await until(lambda: posts(lab) == ["/1", "/2"])


async def test_an_approved_command_may_post_a_little_later(lab: HostLab) -> None:
    js = f"setTimeout(() => {SENT}, 1500)"
    tab = await lab.open(FORM.format(more="") + BUTTON.format(js=js), "sent")
    agreed = Person(agrees=True)
    await tab.do("click", selector="[role=button]", approve=Person())
    await until(lambda: len(lab.blocked) == 1)
    await tab.do("click", selector="[role=button]", approve=agreed)
    assert agreed.calls[-1].effect is Effect.CONFIRM
    await tab.do("getText", selector="[role=button]")
    await until(lambda: posts(lab) == ["/1"])


async def test_a_page_that_posts_by_itself_is_stopped(lab: HostLab) -> None:
    tab = await opened(lab)
    await tab.script(f"{SENT}; 1")
    await until(lambda: len(lab.blocked) == 1)
    assert lab.blocked[0].verdict.reason == "form_submit_unapproved"
    await tab.script("document.forms[0].method = 'get'; document.forms[0].submit(); 1")
    await until(lambda: lab.good.hit_paths() == ["/1"])
    assert posts(lab) == []


@pytest.mark.parametrize("when", ["parsing", "loaded"])
async def test_a_page_opened_by_navigate_may_post_once_a_person_agreed(
    lab: HostLab, when: str
) -> None:
    tab = await lab.blank()
    script = SENT if when == "parsing" else f"onload = () => {SENT}"
    lab.good.pages[f"/{when}"] = FORM.format(more="") + f"<script>{script}</script>"
    lab.good.pages["/1"] = "<h1>sent</h1>"
    url = lab.good.url(f"/{when}")
    first = await tab.do("navigate", url=url, timeout_ms=3_000, approve=Person())
    assert first.error is not None
    assert first.error.code == "form_submit_unapproved"
    second = await tab.do("navigate", url=url, approve=Person())
    assert second.confirmation is not None
    await tab.do("navigate", url=url, approve=Person(agrees=True))
    await until(lambda: posts(lab) == ["/1"])


async def test_gets_and_the_pages_own_requests_need_nobody(lab: HostLab) -> None:
    js = 'fetch("/1", {method: "POST"}).then(() => location.href = "/2")'
    tab = await lab.open(BUTTON.format(js=js), "answer", "<h1>next</h1>")
    outcome = await tab.do("click", selector="[role=button]", approve=Person())
    assert outcome.error is None
    await until(lambda: lab.good.hit_paths() == ["/1", "/2"])
