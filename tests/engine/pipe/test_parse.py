"""Wire models are closed and strict: nothing unknown, nothing that merely looks like a number."""

from typing import Any

import pytest

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.parse import parse_agent_message, parse_host_message
from states.wire import Command, Ping

COMMAND: dict[str, Any] = {
    "type": "command",
    "seq": 7,
    "action": "click",
    "params": {"selector": "#go"},
    "security": {"hmac": "0" * 64, "expected_domain": "erp.example.com"},
}


def test_a_good_message_becomes_its_model() -> None:
    assert isinstance(parse_agent_message(COMMAND), Command)
    assert parse_host_message({"type": "ping", "nonce": "1"}) == Ping(nonce="1")


@pytest.mark.parametrize(
    "change",
    [
        {"type": "run"},
        {"type": 5},
        {"extra": "field"},
        {"seq": "7"},
        {"seq": True},
        {"seq": 7.5},
        {"seq": 0},
        {"seq": 2**53},
        {"action": 5},
        {"params": []},
        {"params": None},
        {"security": {"hmac": "0" * 64}},
        {"security": {"hmac": "0" * 63, "expected_domain": "x"}},
        {"security": {"hmac": "0" * 64, "expected_domain": "x" * 500}},
        {"security": {"hmac": "0" * 64, "expected_domain": "x", "more": 1}},
    ],
)
def test_anything_else_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ProtocolViolationError) as caught:
        parse_agent_message({**COMMAND, **change})
    assert caught.value.code == "message_schema"


def test_a_message_of_the_other_direction_is_refused() -> None:
    with pytest.raises(ProtocolViolationError):
        parse_host_message(COMMAND)
    with pytest.raises(ProtocolViolationError):
        parse_agent_message({"type": "ping"})


def test_the_refusal_names_the_field_and_the_seq_but_never_the_value() -> None:
    secret = "p4ssw0rd"
    with pytest.raises(ProtocolViolationError) as caught:
        parse_agent_message({**COMMAND, "action": [secret]})
    assert caught.value.seq == 7
    assert "action" in str(caught.value)
    assert secret not in str(caught.value)
