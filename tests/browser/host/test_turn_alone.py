"""Each check of a command by itself: the origin, the policy, the approval, the same element."""

from typing import Any

import pytest

from browser.host.errors import CommandError, PolicyRefusedError
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall, deny
from browser.host.turn import ConfirmationNeededError, NotApprovedError, Request, Turn
from states.actions import PARAMS
from states.policy import Effect, HostRule, Policy
from tests.browser.host.scripted_tab import DOMAIN, ORIGIN, ScriptedTab, found

POLICY = Policy(
    version=1,
    hosts=(
        HostRule(host=DOMAIN, allow=("click", "getText", "type", "select", "navigate")),
        HostRule(host="other.example.com", allow=("click",)),
    ),
)
PARAMS_OF: dict[str, dict[str, Any]] = {
    "click": {"selector": "#b"},
    "type": {"selector": "#b", "text": "x"},
    "select": {"selector": "#b", "value": "1"},
    "getText": {},
    "scrollTo": {"selector": "#b"},
}


class Person:
    def __init__(self, approval: Approval = ALLOW) -> None:
        self.approval = approval
        self.calls: list[ResolvedCall] = []

    def __call__(self, call: ResolvedCall) -> Approval:
        self.calls.append(call)
        return self.approval


def turn(tab: ScriptedTab, person: Person, action: str = "click", domain: str = DOMAIN) -> Turn:
    params = PARAMS[action].model_validate(PARAMS_OF[action])
    return Turn(tab, POLICY, Request(action, params, domain, person), "en")


async def test_the_element_is_resolved_and_approved_before_anything_else_is_asked() -> None:
    tab, person = ScriptedTab(), Person()
    await turn(tab, person).meet("#b")
    [call] = person.calls
    assert (call.action, call.origin, call.document_id) == ("click", ORIGIN, "d1")
    assert call.effect is Effect.ACT
    assert [function for function, _ in tab.asked] == ["resolve"]


@pytest.mark.parametrize("origin", ["https://other.example.com", "https://evil.test", "null"])
async def test_a_document_of_another_origin_is_refused_before_anybody_is_asked(origin: str) -> None:
    person = Person()
    with pytest.raises(PolicyRefusedError) as caught:
        await turn(ScriptedTab(found(origin)), person).meet("#b")
    assert (caught.value.code, person.calls) == ("domain_mismatch", [])


async def test_a_blank_tab_has_no_page() -> None:
    tab = ScriptedTab(found("null"), url="about:blank")
    with pytest.raises(CommandError) as caught:
        await turn(tab, Person()).meet_document()
    assert caught.value.code == "page_not_open"


async def test_what_the_policy_denies_is_refused_before_anybody_is_asked() -> None:
    person = Person()
    with pytest.raises(PolicyRefusedError) as caught:
        await turn(ScriptedTab(), person, "scrollTo").meet("#b")
    assert (caught.value.code, person.calls) == ("action_not_allowed", [])


async def test_the_policy_judges_the_element_that_was_found() -> None:
    person = Person()
    await turn(ScriptedTab(found(name="作废")), person).meet("#b")
    with pytest.raises(PolicyRefusedError) as caught:
        await turn(ScriptedTab(found(input_type="password")), person, "type").meet("#b")
    assert caught.value.code == "password_field"
    assert [call.effect for call in person.calls] == [Effect.CONFIRM]


async def test_without_a_yes_the_turn_ends_and_tells_who_must_agree() -> None:
    with pytest.raises(ConfirmationNeededError) as caught:
        await turn(ScriptedTab(found(name="作废")), Person(NEEDS_CONFIRMATION)).meet("#b")
    assert caught.value.call.target is not None
    assert caught.value.call.target.name == "作废"


async def test_a_no_ends_the_turn_in_its_own_words() -> None:
    with pytest.raises(NotApprovedError) as caught:
        await turn(ScriptedTab(), Person(deny("rejected_before", "not again"))).meet("#b")
    assert (caught.value.code, caught.value.text()) == ("rejected_before", "not again")


async def test_every_later_question_names_the_origin_and_the_document_that_were_met() -> None:
    tab = ScriptedTab()
    met = turn(tab, Person())
    await met.meet("#b")
    await met.ask("ready", {"selector": "#b"})
    assert tab.asked[-1][1]["expected_origin"] == ORIGIN
    assert tab.asked[-1][1]["document_id"] == "d1"


async def test_before_it_acts_the_page_is_told_which_element_it_must_be() -> None:
    tab = ScriptedTab(found(serial=7))
    met = turn(tab, Person())
    await met.meet("#b")
    await met.ask_to_act("press", {"selector": "#b"})
    expected = tab.asked[-1][1]["expected_target"]
    assert (expected["role"], expected["name"], expected["tag"]) == ("button", "查询", "button")
    assert "serial" not in expected


async def test_after_a_persons_yes_everything_about_the_element_must_be_the_same() -> None:
    tab = ScriptedTab(found(name="作废", serial=7, form_state="f"))
    met = turn(tab, Person())
    await met.meet("#b")
    await met.ask_to_act("press", {"selector": "#b"})
    expected = tab.asked[-1][1]["expected_target"]
    assert (expected["serial"], expected["form_state"]) == (7, "f")


async def test_an_element_that_became_risky_since_is_not_acted_upon() -> None:
    met = turn(ScriptedTab(found(), found(said="作废")), Person())
    await met.meet("#b")
    with pytest.raises(CommandError) as caught:
        await met.ask_to_act("press", {"selector": "#b"})
    assert caught.value.code == "stale_element"
    same = turn(ScriptedTab(found(), found(said="查看")), Person())
    await same.meet("#b")
    await same.ask_to_act("press", {"selector": "#b"})
