"""One answer of the host becomes one event: done, failed, or a question that was asked before."""

from typing import Any

import pytest

from actions.act import act
from actions.browser.link import Answer, BrowserLink
from actions.errors import NoAnswerError
from actions.ports import Ports
from engine.pipe.envelope import UNSEALED, Envelope
from states.catalogue import words
from states.policy import Target
from states.task import Context, Record, Request
from states.wire import ConfirmationRequired, ConfirmResponse, Mac, Response
from tests.actions.desk import KEY, PAGE, make_ports

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
