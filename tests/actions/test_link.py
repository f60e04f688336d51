"""One command out, one answer in: numbered, sealed, never sent twice, never left waiting."""

import asyncio

import pytest
from pydantic import BaseModel

from actions.browser.link import BrowserLink
from actions.errors import LinkClosedError, NoAnswerError
from engine.pipe.envelope import UNSEALED, Envelope
from states.wire import Command, Mac, Response
from tests.actions.desk import KEY


def make_link(sent: list[BaseModel]) -> BrowserLink:
    return BrowserLink(sent.append, Envelope(KEY, "session-1", "agent>host"))


def response(seq: int) -> Response:
    return Response(seq=seq, success=True, security=Mac(hmac=UNSEALED))


async def test_a_command_gets_its_own_answer() -> None:
    sent: list[BaseModel] = []
    link = make_link(sent)
    task = asyncio.create_task(link.command("getText", {}, "erp.example.com", 5))
    await asyncio.sleep(0)
    [command] = sent
    assert isinstance(command, Command)
    assert command.security.hmac != UNSEALED
    link.deliver(response(command.seq))
    assert (await task).seq == 1


async def test_no_answer_in_time_is_an_error_and_nothing_is_sent_again() -> None:
    sent: list[BaseModel] = []
    link = make_link(sent)
    with pytest.raises(NoAnswerError):
        await link.command("click", {"selector": "#a"}, "erp.example.com", 0.01)
    assert len(sent) == 1
    assert link.is_late(1)
    link.deliver(response(1))


async def test_a_closed_link_ends_every_wait() -> None:
    link = make_link([])
    task = asyncio.create_task(link.command("getText", {}, "erp.example.com", 5))
    await asyncio.sleep(0)
    link.close()
    with pytest.raises(LinkClosedError):
        await task
    with pytest.raises(LinkClosedError):
        await link.command("getText", {}, "erp.example.com", 5)
