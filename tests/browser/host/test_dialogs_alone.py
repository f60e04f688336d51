"""Each check of an answer to a dialog by itself."""

import pytest

from browser.host.dialogs import DialogTurn
from browser.host.errors import CommandError, PolicyRefusedError
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, Dialog, ResolvedCall, deny
from browser.host.turn import ConfirmationNeededError, NotApprovedError
from states.policy import Effect, HostRule, Policy
from tests.browser.host.scripted_tab import DOMAIN, ScriptedTab

POLICY = Policy(
    version=1,
    hosts=(
        HostRule(host=DOMAIN, allow=("click",)),
        HostRule(host="other.example.com", allow=("click",)),
    ),
)
ASKED = Dialog("confirm", "Delete all?")


class Person:
    def __init__(self, approval: Approval = ALLOW) -> None:
        self.approval = approval
        self.calls: list[ResolvedCall] = []

    def __call__(self, call: ResolvedCall) -> Approval:
        self.calls.append(call)
        return self.approval


async def answer(tab: ScriptedTab, person: Person, domain: str = DOMAIN) -> dict[str, object]:
    return await DialogTurn(tab, POLICY, "en").answer(True, "", domain, person)  # noqa: FBT003


def shown(url: str = f"https://{DOMAIN}/r") -> ScriptedTab:
    tab = ScriptedTab(url=url)
    tab.show(ASKED)
    return tab


async def test_with_a_yes_the_dialog_is_answered_and_the_yes_was_about_its_words() -> None:
    tab, person = shown(), Person()
    assert await answer(tab, person) == {"answered": "accepted"}
    assert tab.transport.methods() == ["Page.handleJavaScriptDialog"]
    [call] = person.calls
    assert call.target is not None
    assert (call.target.name, call.effect) == ("Delete all?", Effect.CONFIRM)


async def test_without_a_dialog_there_is_nothing_to_answer() -> None:
    with pytest.raises(CommandError) as caught:
        await answer(ScriptedTab(), Person())
    assert caught.value.code == "no_open_dialog"


@pytest.mark.parametrize(
    ("url", "domain", "code"),
    [
        ("https://evil.test/", "evil.test", "host_not_in_policy"),
        ("https://other.example.com/", DOMAIN, "domain_mismatch"),
        ("https://erp.example.com:8443/", DOMAIN, "host_not_in_policy"),
    ],
)
async def test_a_dialog_of_another_page_is_left_alone(url: str, domain: str, code: str) -> None:
    tab, person = shown(url), Person()
    with pytest.raises(PolicyRefusedError) as caught:
        await answer(tab, person, domain)
    assert (caught.value.code, person.calls, tab.transport.sent) == (code, [], [])


async def test_without_a_yes_nothing_is_answered() -> None:
    tab = shown()
    with pytest.raises(ConfirmationNeededError):
        await answer(tab, Person(NEEDS_CONFIRMATION))
    with pytest.raises(NotApprovedError):
        await answer(tab, Person(deny("rejected_before", "no")))
    assert tab.transport.sent == []
