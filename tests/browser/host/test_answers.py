"""The host's last word by itself, on whatever an executor says it met."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from browser.host.answers import Answers, HostPorts
from browser.host.approvals import lasting_of
from browser.host.approver import ApprovalCard, Decision
from browser.host.host_log import MemoryHostLog
from browser.host.outcome import Approve, Outcome, ResolvedCall
from browser.host.task_memory import NoJournal, TaskMemory
from engine.pipe.envelope import UNSEALED
from states.page import PageState
from states.policy import Effect, Target
from states.settings import BrowserLimits, Settings, TaskLimits
from states.wire import (
    Command,
    CommandReport,
    CommandSecurity,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    Response,
)
from tests.browser.host.host_stage import Stage

SECURITY = CommandSecurity(hmac=UNSEALED, expected_domain="erp.example.com")
BUTTON = Target(role="button", name="Show", form_state="secret of the form", serial=3)


class OnePage:
    """An executor that meets *call* whatever it is asked for, and acts when it may."""

    def __init__(self, call: ResolvedCall) -> None:
        self.call = call
        self.acted = 0
        self.hangs = False

    async def page_state(self) -> PageState:
        return PageState()

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        del action, params, expected_domain
        if self.hangs:
            await asyncio.sleep(20)
        return self._decided(approve)

    async def answer_dialog(
        self, accept: bool, text: str, expected_domain: str, approve: Approve
    ) -> Outcome:
        del accept, text, expected_domain
        return self._decided(approve)

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        del call
        return None

    def _decided(self, approve: Approve) -> Outcome:
        approval = approve(self.call)
        if approval.kind == "needs_confirmation":
            return Outcome(False, {}, None, PageState(), confirmation=self.call)  # noqa: FBT003
        self.acted += approval.kind == "allow"
        return Outcome(approval.kind == "allow", {"code": approval.code}, None, PageState())


class Person:
    def __init__(self, *decisions: str) -> None:
        self.decisions = list(decisions)
        self.asked: list[ApprovalCard] = []

    async def ask(self, card: ApprovalCard) -> Decision:
        self.asked.append(card)
        if not self.decisions:
            await asyncio.sleep(20)
        return Decision(self.decisions.pop(0), "person")  # type: ignore[arg-type]


def quiet() -> AbstractContextManager[None]:
    return nullcontext()


class Desk:
    """Answers of a host whose page is *call*; `acted` counts what was done."""

    def __init__(self, call: ResolvedCall, *decisions: str) -> None:
        self.page = OnePage(call)
        self.person = Person(*decisions)
        self.memory = TaskMemory(TaskLimits(), lambda: 0.0, NoJournal())
        ports = HostPorts(self.page, self.person, MemoryHostLog(), lambda: 0.0)
        soon = TaskLimits(approval_seconds=0.01, command_seconds=0.01)
        settings = Settings(task=soon, browser=BrowserLimits(cdp_seconds=0.01))
        self.answers = Answers(ports, settings, Stage().init, quiet, self.memory)

    async def do(self) -> Any:
        command = Command(seq=1, action="click", params={"selector": "#b"}, security=SECURITY)
        return await self.answers.to(command)

    async def ask(self, digest: str = "") -> ConfirmResponse:
        answer = await self.answers.to(
            ConfirmRequest(
                seq=1, action="click", params={"selector": "#b"}, digest=digest, security=SECURITY
            )
        )
        assert isinstance(answer, ConfirmResponse)
        return answer


def met(effect: Effect, action: str = "click") -> ResolvedCall:
    origin = "https://erp.example.com"
    return ResolvedCall(action, {"selector": "#b"}, origin, "d1", BUTTON, effect)


@pytest.mark.parametrize(
    ("effect", "action", "acted"),
    [
        (Effect.ACT, "click", 1),
        (Effect.READ, "getText", 1),
        (Effect.CONFIRM, "click", 0),
        (Effect.DENY, "click", 0),
        (Effect.ACT, "dialog_response", 0),
    ],
)
async def test_only_what_needs_nobody_passes_by_itself(
    effect: Effect, action: str, acted: int
) -> None:
    desk = Desk(met(effect, action))
    await desk.do()
    assert desk.page.acted == acted


async def test_what_is_denied_passes_with_no_approval() -> None:
    desk = Desk(met(Effect.CONFIRM), "approved")
    assert (await desk.ask()).decision == "approved"
    desk.page.call = met(Effect.DENY)
    answer = await desk.do()
    assert isinstance(answer, Response)
    assert (answer.data["code"], desk.page.acted) == ("refused", 0)


async def test_what_acts_takes_every_other_approval_back() -> None:
    desk = Desk(met(Effect.CONFIRM), "approved")
    await desk.ask()
    desk.page.call = met(Effect.ACT)._replace(params={"selector": "#other"})
    await desk.do()
    desk.page.call = met(Effect.CONFIRM)
    assert isinstance(await desk.do(), ConfirmationRequired)


async def test_a_read_takes_no_approval_back() -> None:
    desk = Desk(met(Effect.CONFIRM), "approved")
    await desk.ask()
    desk.page.call = met(Effect.READ, "getText")
    await desk.do()
    desk.page.call = met(Effect.CONFIRM)
    assert isinstance(await desk.do(), Response)
    assert desk.page.acted == 2


async def test_a_question_about_another_target_is_not_put() -> None:
    desk = Desk(met(Effect.CONFIRM), "approved")
    answer = await desk.ask("0" * 64)
    assert (answer.decision, desk.person.asked) == ("rejected", [])


async def test_what_a_form_holds_is_told_to_nobody() -> None:
    desk = Desk(met(Effect.CONFIRM), "approved")
    asked = await desk.do()
    confirmed = await desk.ask()
    for told in (asked, confirmed):
        assert (told.target.name, told.target.form_state) == ("Show", "")


async def test_a_no_names_nobody_as_the_one_who_approved() -> None:
    desk = Desk(met(Effect.CONFIRM), "rejected")
    answer = await desk.ask()
    assert (answer.decision, answer.approved_by) == ("rejected", "")


async def test_a_person_who_says_nothing_lets_the_question_expire() -> None:
    desk = Desk(met(Effect.CONFIRM))
    answer = await asyncio.wait_for(desk.ask(), 4)
    assert (answer.decision, len(desk.person.asked)) == ("expired", 1)
    assert isinstance(await desk.do(), ConfirmationRequired)


async def test_a_command_that_comes_to_no_end_is_ended() -> None:
    desk = Desk(met(Effect.ACT))
    desk.page.hangs = True
    answer = await asyncio.wait_for(desk.do(), 4)
    assert answer.error.code == "command_over_time"
    assert desk.page.acted == 0


async def test_what_may_have_acted_before_a_kill_needs_a_person() -> None:
    call = met(Effect.ACT)
    sent = CommandReport(seq=1, action="click", params={}, success=False, error="unknown_outcome")
    row = {"kind": "intent", "command": sent.model_dump(mode="json"), "lasting": lasting_of(call)}
    desk = Desk(call, "approved")
    desk.memory.restore([row])
    assert isinstance(await desk.do(), ConfirmationRequired)
    assert (await desk.ask()).decision == "approved"
    assert isinstance(await desk.do(), Response)
    assert desk.page.acted == 1


async def test_what_an_earlier_host_sent_without_an_answer_needs_a_person_in_any_document() -> None:
    desk = Desk(met(Effect.ACT), "approved")
    row = {"kind": "intent", "command": {"seq": 1, "action": "click", "success": False,
            "error": "unknown_outcome"}, "lasting": lasting_of(met(Effect.ACT))}  # fmt: skip
    desk.memory.restore([row])
    desk.page.call = met(Effect.ACT)._replace(document_id="d2")
    held = await desk.do()
    assert isinstance(held, ConfirmationRequired)
    assert "was sent before" in held.reason
    assert desk.page.acted == 0
    assert (await desk.ask()).decision == "approved"
    assert "was sent before" in desk.person.asked[0].reason
    assert isinstance(await desk.do(), Response)
    assert desk.page.acted == 1
    desk.page.call = met(Effect.ACT)._replace(origin="https://b.example.com")
    assert isinstance(await desk.do(), Response)  # the control: another command passes
    assert desk.page.acted == 2


async def test_what_is_denied_and_was_sent_before_stays_denied() -> None:
    desk = Desk(met(Effect.DENY))
    desk.memory.restore(
        [{"kind": "intent", "command": {"seq": 1, "action": "click", "success": False,
          "error": "unknown_outcome"}, "lasting": lasting_of(met(Effect.DENY))}]
    )  # fmt: skip
    assert isinstance(await desk.do(), Response)
    assert desk.page.acted == 0


SHOWN = PageState(url="https://erp.example.com/r", document_id="d1")


async def test_a_new_agent_is_shown_the_page() -> None:
    desk = Desk(met(Effect.READ, "getAomSnapshot"))
    assert await desk.answers.look(SHOWN) is not None
    assert desk.page.acted == 1


@pytest.mark.parametrize("url", ["https://other.example.com/r", "about:blank", ""])
async def test_a_page_that_may_not_be_read_is_not_shown(url: str) -> None:
    desk = Desk(met(Effect.READ, "getAomSnapshot"))
    assert await desk.answers.look(PageState(url=url)) is None
    assert desk.page.acted == 0


async def test_a_page_that_cannot_be_read_in_time_is_not_waited_for() -> None:
    desk = Desk(met(Effect.READ, "getAomSnapshot"))
    desk.page.hangs = True
    async with asyncio.timeout(5):
        assert await desk.answers.look(SHOWN) is None


class SlowPage(OnePage):
    """A page whose picture takes three seconds."""

    now = 0.0

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        self.now += 3.0
        return await super().picture_of_target(call)


@pytest.mark.parametrize(("allowed", "left"), [(300.0, 297.0), (2.0, 1.0)])
async def test_a_person_has_what_is_left_of_the_agents_time(allowed: float, left: float) -> None:
    page = SlowPage(ResolvedCall("click", {}, "erp.example.com", "d", BUTTON, Effect.CONFIRM))
    person = Person("approved")
    memory = TaskMemory(TaskLimits(), lambda: 0.0, NoJournal())
    ports = HostPorts(page, person, MemoryHostLog(), lambda: page.now)
    settings = Settings(task=TaskLimits(approval_seconds=allowed))
    answers = Answers(ports, settings, Stage().init, quiet, memory)
    asked = ConfirmRequest(seq=1, action="click", params={"selector": "#b"}, security=SECURITY)
    answer = await answers.to(asked)
    assert isinstance(answer, ConfirmResponse)
    assert answer.decision == "approved"
    # The agent counts from its question on, the host took three seconds before it asked.
    assert [card.seconds for card in person.asked] == [left]
