"""A question takes along what the model asked for in the same reply: what acts, in its order."""

from typing import Any

import pytest

from actions.ask_person import ask_person
from actions.browser.link import BrowserLink
from actions.judge import judge_call
from actions.judged import Remembered
from actions.ports import Ports
from engine.pipe.envelope import UNSEALED, Envelope
from states.fold import rejected_mark
from states.messages import ToolCall
from states.page import AomNode
from states.task import Context, Control, Record
from states.wire import ConfirmRequest, ConfirmResponse, ListedCall, Mac
from tests.actions.desk import KEY, PAGE, make_ports

HOST = "erp.example.com"
YES = ConfirmResponse(
    seq=1, digest="d" * 64, decision="approved", approved_by="p", security=Mac(hmac=UNSEALED)
)
BUTTONS = tuple(
    AomNode(role="button", name="作废", selector=f"#void{n}", ref=f"@{n}") for n in range(12)
)


def browser(action: str, **params: Any) -> ToolCall:
    return ToolCall(id="c", name="browser_action", input={"action": action, "params": params})


def void(number: int) -> ToolCall:
    return browser("click", selector=f"#void{number}")


def listed(number: int) -> ListedCall:
    params = {"selector": f"#void{number}"}
    return ListedCall(action="click", params=params, expected_domain=HOST)


class Asking:
    """A task whose model asked for *calls* at once; the first needs a person."""

    def __init__(self, *calls: ToolCall, rejected: tuple[str, ...] = (), **control: Any) -> None:
        self.sent: list[ConfirmRequest] = []
        link: BrowserLink

        def send(message: Any) -> None:
            self.sent.append(message)
            link.deliver(YES)

        link = BrowserLink(send, Envelope(KEY, "session-1", "agent>host"))
        self.ports: Ports = make_ports(link=link)
        self.ports.view.nodes = BUTTONS
        first = judge_call(calls[0], self.ports, Remembered()).request
        record = Record(request=first, calls_left=calls[1:], rejected=rejected, page=PAGE)
        self.context = Context(Control(**control), record)

    async def also(self) -> tuple[ListedCall, ...]:
        """Return what the question took along."""
        await ask_person(self.context, self.ports)
        [question] = self.sent
        return question.also


async def test_the_calls_that_follow_go_along_in_their_order() -> None:
    assert await Asking(*(void(n) for n in (0, 2, 1))).also() == (listed(2), listed(1))


async def test_seven_are_the_most() -> None:
    assert len(await Asking(*(void(n) for n in range(10))).also()) == 7


async def test_what_only_reads_stays_out_and_ends_nothing() -> None:
    assert await Asking(void(0), browser("getText"), void(1)).also() == (listed(1),)


@pytest.mark.parametrize(
    "stop",
    [
        browser("click"),
        browser("eval", code="1"),
        browser("navigate", url="https://evil.test/"),
        ToolCall(id="c", name="run_skill", input={"name": "erp-monthly-report"}),
        ToolCall(id="c", name="answer_dialog", input={"accept": True}),
    ],
)
async def test_what_will_not_go_out_as_it_is_ends_the_list(stop: ToolCall) -> None:
    assert await Asking(void(0), void(1), stop, void(2)).also() == (listed(1),)


async def test_what_the_person_refused_before_is_not_listed() -> None:
    ports = make_ports()
    ports.view.nodes = BUTTONS
    refused = judge_call(void(1), ports, Remembered()).request
    mark = rejected_mark(refused.call_digest, PAGE.document_id)
    assert await Asking(void(0), void(1), void(2), rejected=(mark,)).also() == ()


async def test_a_single_call_and_a_step_take_nothing_along() -> None:
    alone = Asking(void(0))
    assert await alone.also() == ()
    assert "also" not in alone.sent[0].model_dump()
    assert await Asking(void(0), void(1), asking="step").also() == ()
