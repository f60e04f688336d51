"""One answer of the host becomes one event: done, failed, or a question that was asked before."""

from typing import Any

import pytest

from actions.act import act
from actions.browser.link import Answer, BrowserLink
from actions.errors import NoAnswerError
from actions.judge import target_of
from actions.ports import Ports
from engine.pipe.envelope import UNSEALED, Envelope
from states.catalogue import words
from states.page import AomNode, PageState
from states.policy import Target
from states.task import Context, Record, Request
from states.wire import ConfirmationRequired, ConfirmResponse, Mac, Response
from tests.actions.desk import KEY, NODES, PAGE, make_ports

MAC = Mac(hmac=UNSEALED)
ASKED = ConfirmationRequired(
    seq=1, digest="d" * 64, target=Target(role="button", name="作废"), security=MAC
)
CLICK = Request(tool="browser_action", action="click", params={"selector": "#void"},
                expected_domain="erp.example.com")  # fmt: skip


def ports_answering(answer: Answer) -> Ports:
    """Return ports whose host gives *answer* to the first request."""
    link: BrowserLink

    def send(_: Any) -> None:
        link.deliver(answer)

    link = BrowserLink(send, Envelope(KEY, "session-1", "agent>host"))
    return make_ports(link=link)


def context(*rejected: str, request: Request = CLICK) -> Context:
    return Context(record=Record(request=request, rejected=rejected))


async def test_a_question_that_the_person_already_answered_with_no_is_marked_so() -> None:
    payload = await act(context("d" * 64), ports_answering(ASKED))
    assert (payload["outcome"], payload["asked"]) == ("confirmation", "rejected")
    assert payload["record"]["refusal_text"] == words("rejected_before", "en")


@pytest.mark.parametrize("rejected", [(), ("e" * 64,)])
async def test_any_other_question_is_a_new_one(rejected: tuple[str, ...]) -> None:
    payload = await act(context(*rejected), ports_answering(ASKED))
    assert (payload["outcome"], payload["asked"]) == ("confirmation", "new")
    assert payload["record"]["digest"] == "d" * 64


async def test_a_decision_is_no_answer_to_a_command() -> None:
    said = ConfirmResponse(seq=1, digest="", decision="approved", security=MAC)
    with pytest.raises(NoAnswerError):
        await act(context(), ports_answering(said))


async def test_a_picture_stays_out_of_the_event_and_can_be_had_again() -> None:
    picture = "QUJD" * 10_000
    answer = Response(
        seq=1, success=True, data={"image_base64": picture, "n": 1}, page=PAGE, security=MAC
    )
    ports = ports_answering(answer)
    payload = await act(context(), ports)
    data = payload["record"]["result"]["data"]
    assert picture not in str(payload)
    assert set(data["image_base64"]) == {"sha256", "chars"}
    assert ports.whole(data) == {"image_base64": picture, "n": 1}


async def test_a_small_value_stays_in_the_event() -> None:
    answer = Response(seq=1, success=True, data={"text": "hi"}, page=PAGE, security=MAC)
    payload = await act(context(), ports_answering(answer))
    assert payload["record"]["result"]["data"] == {"text": "hi"}


def button(name: str) -> AomNode:
    return AomNode(role="button", name=name, selector="#b", ref="@1")


async def page_text(answer: Response, request: Request = CLICK) -> str:
    ports = ports_answering(answer)
    payload = await act(context(request=request), ports)
    text = payload["record"]["result"]["page_text"]
    assert isinstance(text, str)
    return text


def answer_with(*nodes: AomNode, page: PageState = PAGE, **data: Any) -> Response:
    return Response(seq=1, success=True, data=data, page=page, aom_snapshot=nodes, security=MAC)


async def test_what_a_command_changed_comes_before_the_page() -> None:
    lines = (await page_text(answer_with(NODES[0], button("完成")))).split("\n")
    assert lines[:4] == [
        "changed:", '- button "查询" @2', '+ button "完成" @1',
        'page "" "https://erp.example.com/x"',
    ]  # fmt: skip
    assert lines[-1] == '- button "完成" @1'


async def test_a_command_that_changed_nothing_says_so_and_a_read_says_nothing() -> None:
    assert (await page_text(answer_with(*NODES))).startswith("changed: nothing")
    read = CLICK.model_copy(update={"action": "getText"})
    assert (await page_text(answer_with(button("x")), read)).startswith("page ")


async def test_another_page_is_no_list_of_changes() -> None:
    elsewhere = PAGE.model_copy(update={"document_id": "d2"})
    text = await page_text(answer_with(button("x"), page=elsewhere))
    assert text.startswith("changed: this is another page than before\npage ")


async def test_changes_and_page_together_keep_to_the_bound() -> None:
    nodes = [button(f"按钮 {n} " + "长" * 150) for n in range(300)]
    text = await page_text(answer_with(*nodes))
    assert len(text) <= 8_000
    assert "further lines are not listed" in text
    assert "nodes are not shown here" in text


async def test_the_marks_of_a_picture_mean_something_until_the_page_is_another() -> None:
    label = {"id": 3, "role": "button", "name": "作废", "selector": "#void", "bounds": [0, 0, 1, 1]}
    link: BrowserLink
    elsewhere = PAGE.model_copy(update={"document_id": "d2"})
    answers = [answer_with(*NODES, som_labels=[label]), answer_with(*NODES),
               answer_with(*NODES, page=elsewhere)]  # fmt: skip

    def send(message: Any) -> None:
        link.deliver(answers.pop(0).model_copy(update={"seq": message.seq}))

    link = BrowserLink(send, Envelope(KEY, "session-1", "agent>host"))
    ports = make_ports(link=link)
    meant = []
    for _ in range(3):
        await act(context(), ports)
        meant.append(target_of({"selector": "[3]"}, ports))
    assert meant == [Target(role="button", name="作废")] * 2 + [None]
