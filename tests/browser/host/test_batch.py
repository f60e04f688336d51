"""One answer may be of a list of commands: of each of them, once, in its order, and of no other."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import pytest

from browser.host.answers import Answers, HostPorts
from browser.host.approver import ApprovalCard
from browser.host.card_text import card_text
from browser.host.errors import CommandError
from browser.host.host_log import MemoryHostLog
from browser.host.memory_executor import MemoryExecutor
from browser.host.outcome import Approve, Outcome
from browser.host.task_memory import NoJournal, TaskMemory
from engine.pipe.envelope import UNSEALED
from states.page import PageState
from states.policy import HostRule, Policy, Target
from states.settings import Settings, TaskLimits
from states.wire import (
    Command,
    CommandSecurity,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    ListedCall,
    Response,
)
from tests.browser.host.host_stage import Person, Stage

HOST = "erp.example.com"
SECURITY = CommandSecurity(hmac=UNSEALED, expected_domain=HOST)
POLICY = Policy(version=1, hosts=(HostRule(host=HOST, allow=("*",)),))
PAGE = PageState(url=f"https://{HOST}/r", origin=f"https://{HOST}", document_id="d1")
ROWS = ("#1", "#2", "#3", "#4", "#5")


def approve(number: int, **changes: Any) -> Target:
    fields = {"role": "button", "name": f"批准 {number}", "serial": number, "form_state": "f"}
    return Target(**{**fields, **changes})


def click(selector: str, **params: Any) -> dict[str, Any]:
    return {"action": "click", "params": {"selector": selector, **params}}


class Page(MemoryExecutor):
    """Five rows to approve, a harmless button, and what a test makes of them."""

    def __init__(self) -> None:
        elements = {row: approve(n) for n, row in enumerate(ROWS, start=1)}
        elements["#show"] = Target(role="button", name="Show", serial=90)
        elements["#text"] = Target(role="heading", name="批准", serial=91)
        elements["#list"] = Target(role="combobox", name="状态", serial=92)
        super().__init__(POLICY, PAGE, elements)
        self.after_each: Callable[[Page], None] = lambda _: None
        self.fails: set[str] = set()
        self.hangs_on = ""

    @property
    def clicked(self) -> list[str]:
        """The selectors that were acted upon, in order."""
        return [params["selector"] for action, params in self.done if action != "getText"]

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        """Act as the page in memory does; a listed failure acts and then fails."""
        if params.get("selector") == self.hangs_on:
            await asyncio.sleep(20)
        acted = len(self.done)
        outcome = await super().execute(action, params, expected_domain, approve)
        if len(self.done) > acted and action != "getText":
            self.after_each(self)
        if outcome.success and params.get("selector") in self.fails:
            return self._failed(CommandError("click_not_delivered", name="x"))
        return outcome


class Desk:
    """The host's answers over that page; `asked` are the cards that the person saw."""

    def __init__(self, *decisions: str, **task: Any) -> None:
        self.page = Page()
        self.person = Person(*decisions)
        self.log = MemoryHostLog()
        self.now = 0.0
        self.memory = TaskMemory(TaskLimits(), lambda: self.now, NoJournal())
        ports = HostPorts(self.page, self.person, self.log, lambda: self.now)
        settings = Settings(task=TaskLimits(**task))
        self.answers = Answers(ports, settings, Stage().init, nullcontext, self.memory)

    @property
    def asked(self) -> list[ApprovalCard]:
        return self.person.asked

    async def ask(self, first: dict[str, Any], *also: dict[str, Any]) -> ConfirmResponse:
        listed = tuple(ListedCall(expected_domain=HOST, **call) for call in also)
        request = ConfirmRequest(seq=1, security=SECURITY, also=listed, **first)
        answer = await self.answers.to(request)
        assert isinstance(answer, ConfirmResponse)
        return answer

    async def do(self, call: dict[str, Any]) -> Any:
        return await self.answers.to(Command(seq=1, security=SECURITY, **call))

    async def passes(self, call: dict[str, Any]) -> bool:
        """Do *call*; tell whether it acted without a further question."""
        answer = await self.do(call)
        assert isinstance(answer, Response | ConfirmationRequired)
        return isinstance(answer, Response) and answer.success

    async def as_agent(self, *calls: dict[str, Any]) -> list[str]:
        """Do *calls* as the agent does: ask before each, with what follows; return who said yes."""
        said = []
        for place, call in enumerate(calls):
            answer = await self.ask(call, *calls[place + 1 :])
            if answer.decision == "approved":
                await self.do(call)
            said.append(answer.approved_by)
        return said


FIVE = [click(row) for row in ROWS]


async def test_five_rows_to_approve_are_one_question() -> None:
    desk = Desk("approved")
    assert await desk.as_agent(*FIVE) == ["person"] * 5
    assert desk.page.clicked == list(ROWS)
    assert len(desk.asked) == 1


async def test_without_a_list_they_are_five() -> None:
    desk = Desk(*["approved"] * 5)
    for call in FIVE:
        await desk.ask(call)
        await desk.do(call)
    assert (desk.page.clicked, len(desk.asked)) == (list(ROWS), 5)


async def test_the_card_shows_of_each_all_that_the_answer_is_bound_to() -> None:
    desk = Desk("approved")
    await desk.ask(*FIVE[:3])
    [card] = desk.asked
    assert [item.target.name for item in card.also] == ["批准 2", "批准 3"]
    assert [item.params["selector"] for item in card.also] == ["#2", "#3"]
    assert {item.host for item in card.also} == {PAGE.origin}
    assert len({card.digest, *(item.digest for item in card.also)}) == 3
    text = card_text(card, "en")
    for said in ("these 3, in this order", "1.", "2.", "3.", "批准 1", "批准 2", "批准 3"):
        assert said in text
    assert text.count("Why:") == text.count(PAGE.origin) == 3


async def test_every_approval_of_a_list_is_spent_by_its_use() -> None:
    desk = Desk("approved")
    await desk.as_agent(*FIVE)
    for call in FIVE:
        assert not await desk.passes(call)
    assert desk.page.clicked == list(ROWS)


async def test_a_call_that_comes_along_later_is_a_new_question() -> None:
    desk = Desk("approved", "rejected")
    await desk.as_agent(*FIVE[:3])
    assert (await desk.ask(click("#4"))).decision == "rejected"
    assert (desk.page.clicked, len(desk.asked)) == (["#1", "#2", "#3"], 2)


async def test_a_call_that_was_smuggled_in_between_ends_the_list() -> None:
    desk = Desk("approved")
    await desk.ask(*FIVE[:3])
    assert await desk.passes(click("#1"))
    assert not await desk.passes(click("#4"))
    assert not await desk.passes(click("#2"))
    assert desk.page.clicked == ["#1"]


@pytest.mark.parametrize(
    "changed",
    [
        {"action": "select", "params": {"selector": "#list", "value": "作废 2"}},
        {"action": "select", "params": {"selector": "#list2", "value": "作废"}},
        {"action": "click", "params": {"selector": "#list"}},
    ],
)
async def test_a_changed_call_is_not_the_one_on_the_list(changed: dict[str, Any]) -> None:
    listed = {"action": "select", "params": {"selector": "#list", "value": "作废"}}
    for call, passes in ((listed, True), (changed, False)):
        desk = Desk("approved")
        desk.page.elements["#list2"] = desk.page.elements["#list"].model_copy(
            update={"said": "作废"}
        )
        desk.page.elements["#list"] = desk.page.elements["#list"].model_copy(
            update={"name": "作废"}
        )
        await desk.ask(click("#1"), listed)
        assert len(desk.asked[0].also) == 1
        assert await desk.passes(click("#1"))
        assert await desk.passes(call) is passes


async def test_another_order_is_another_question() -> None:
    desk = Desk("approved")
    await desk.ask(*FIVE[:3])
    assert not await desk.passes(click("#2"))
    assert not await desk.passes(click("#1"))
    assert desk.page.clicked == []
    assert (await Desk("approved").as_agent(*FIVE[:3])) == ["person"] * 3  # the control


@pytest.mark.parametrize(
    "changes", [{"serial": 77}, {"form_state": "1000000 to Mallory"}, {"name": "批准 all"}], ids=str
)
async def test_another_element_behind_a_listed_selector_is_not_approved(
    changes: dict[str, Any],
) -> None:
    desk = Desk("approved")

    def swap(page: Page) -> None:
        page.elements["#2"] = approve(2, **changes)

    desk.page.after_each = swap
    await desk.ask(*FIVE[:3])
    assert await desk.passes(click("#1"))
    assert not await desk.passes(click("#2"))
    assert not await desk.passes(click("#3"))  # the rest of the list went with it
    assert desk.page.clicked == ["#1"]


async def test_in_another_document_the_list_is_over() -> None:
    desk = Desk("approved")

    def reload(page: Page) -> None:
        page.page = PAGE.model_copy(update={"document_id": "d2"})

    desk.page.after_each = reload
    await desk.ask(*FIVE[:2])
    assert await desk.passes(click("#1"))
    assert not await desk.passes(click("#2"))
    desk.page.page = PAGE  # not even when the page looks as it did
    assert not await desk.passes(click("#2"))


async def test_a_list_ends_with_the_first_command_that_fails() -> None:
    desk = Desk("approved")
    desk.page.fails = {"#1"}
    await desk.ask(*FIVE[:2])
    assert not await desk.passes(click("#1"))
    assert not await desk.passes(click("#2"))
    assert desk.page.clicked == ["#1"]


@pytest.mark.parametrize(
    ("between", "passes"),
    [
        (click("#show"), False),
        (click("#nowhere"), False),
        ({"action": "type", "params": {"selector": "#show", "text": "x"}}, False),
        ({"action": "getText", "params": {"selector": "#text"}}, True),
        ({"action": "getText", "params": {"selector": "#nowhere"}}, True),
    ],
    ids=str,
)
async def test_whatever_else_acts_ends_the_list_and_reading_does_not(
    between: dict[str, Any], *, passes: bool
) -> None:
    desk = Desk("approved")
    await desk.ask(*FIVE[:2])
    assert await desk.passes(click("#1"))
    await desk.do(between)
    assert await desk.passes(click("#2")) is passes


async def test_a_list_expires() -> None:
    desk = Desk("approved", approval_seconds=10)
    await desk.ask(*FIVE[:3])
    desk.now = 9.0
    assert await desk.passes(click("#1"))
    desk.now = 11.0
    assert not await desk.passes(click("#2"))


async def test_a_no_is_a_no_to_all_that_was_listed_and_to_nothing_else() -> None:
    desk = Desk("rejected", "approved")
    assert (await desk.ask(*FIVE[:3])).decision == "rejected"
    for call in FIVE[:3]:
        answer = await desk.do(call)
        assert (answer.success, answer.error.code) == (False, "rejected_before")
        assert (await desk.ask(call)).decision == "rejected"
    assert len(desk.asked) == 1
    assert (await desk.ask(click("#4"))).decision == "approved"


async def test_no_answer_is_no_answer_to_any_of_them() -> None:
    desk = Desk("expired", "approved")
    assert (await desk.ask(*FIVE[:3])).decision == "expired"
    assert not await desk.passes(click("#1"))
    assert not await desk.passes(click("#2"))
    assert (await desk.ask(click("#2"))).decision == "approved"


@pytest.mark.parametrize(
    ("between", "names"),
    [
        (click("#nowhere"), ["批准 2"]),
        (click("#show"), ["批准 2"]),
        (click("#2"), ["批准 2"]),
        ({"action": "click", "params": {"selector": 5}}, ["批准 2"]),
        ({"action": "eval", "params": {}}, ["批准 2"]),
        ({"action": "dialog_response", "params": {"accept": True}}, ["批准 2"]),
        ({"action": "navigate", "params": {"url": "https://evil.test/"}}, ["批准 2"]),
        ({"action": "getText", "params": {"selector": "#text"}}, ["批准 2", "批准 3"]),
    ],
    ids=str,
)
async def test_the_list_ends_before_what_acts_and_cannot_stand_on_it(
    between: dict[str, Any], names: list[str]
) -> None:
    desk = Desk("approved")
    await desk.ask(click("#1"), click("#2"), between, click("#3"))
    assert [item.target.name for item in desk.asked[0].also] == names
    assert desk.page.done == []  # resolved, and nothing done


async def test_what_was_refused_before_is_not_put_on_a_list() -> None:
    desk = Desk("rejected", "approved")
    await desk.ask(click("#2"))
    await desk.ask(*FIVE[:3])
    assert desk.asked[1].also == ()


async def test_a_list_that_cannot_be_looked_up_in_time_is_shorter() -> None:
    desk = Desk("approved", listing_seconds=0.05)
    desk.page.hangs_on = "#3"
    async with asyncio.timeout(10):
        await desk.ask(*FIVE)
    assert [item.target.name for item in desk.asked[0].also] == ["批准 2"]


async def test_a_listed_call_is_answered_without_the_person_only_in_its_turn() -> None:
    desk = Desk("approved", "rejected")
    first = await desk.ask(*FIVE[:3])
    again = await desk.ask(*FIVE[:3])
    assert (again.decision, again.approved_by, again.digest) == ("approved", "person", first.digest)
    assert len(desk.asked) == 1
    assert (await desk.ask(click("#3"))).decision == "rejected"  # #1 and #2 come first
    assert len(desk.asked) == 2


async def test_what_is_asked_about_by_itself_is_answered_by_the_person_each_time() -> None:
    desk = Desk("approved", "rejected")
    await desk.ask(click("#1"))
    assert (await desk.ask(click("#1"))).decision == "rejected"


async def test_the_log_names_each_command_that_was_listed() -> None:
    desk = Desk("approved")
    await desk.as_agent(*FIVE[:2])
    [line] = [line for line in desk.log.lines if line.startswith("CONFIRM: ASK ALSO")]
    assert desk.asked[0].also[0].digest in line
    assert sum(line.startswith("APPROVAL_USED") for line in desk.log.lines) == 2


async def test_over_the_pipe_a_list_is_one_question_and_every_command_is_reported_approved() -> (
    None
):
    stage = Stage("approved")
    listed = ListedCall(action="click", params={"selector": "#delete"}, expected_domain=HOST)
    async with stage.playing() as agent:
        question = agent.question("click", selector="#void").model_copy(update={"also": (listed,)})
        await agent.end.writer.send(agent.sealing.seal(question))
        answer = await agent.next()
        assert isinstance(answer, ConfirmResponse)
        for selector in ("#void", "#delete"):
            assert (await agent.do("click", selector=selector)).success
        await agent.complete()
    assert [report.approved_by for report in stage.completed.commands] == ["person"] * 2
    assert len(stage.person.asked) == 1
