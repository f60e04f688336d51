"""Only the other end of this session, in this direction, in this order, is believed."""

import json
from typing import Any

import pytest

from engine.pipe.envelope import UNSEALED, Envelope
from engine.pipe.errors import EnvelopeError, UnsendableMessageError
from states.wire import Command, CommandSecurity, Mac, Response

KEY = bytes(range(32))
SESSION = "session-1"


def agent_side(session: str = SESSION, key: bytes = KEY) -> Envelope:
    return Envelope(key, session, "agent>host")


def command(seq: int, **fields: Any) -> Command:
    security = CommandSecurity(hmac=UNSEALED, expected_domain="erp.example.com")
    return Command(seq=seq, action="click", params={"selector": "#go"}, security=security, **fields)


def sent(message: Command | Response, envelope: Envelope) -> dict[str, Any]:
    """Return the document as it comes out of the pipe."""
    document: dict[str, Any] = json.loads(
        json.dumps(envelope.seal(message).model_dump(mode="json"))
    )
    return document


def refusal(envelope: Envelope, document: dict[str, Any]) -> str:
    before = envelope.seq.last
    with pytest.raises(EnvelopeError) as caught:
        envelope.verify(document)
    assert envelope.seq.last == before
    return caught.value.code


def test_messages_in_order_are_accepted() -> None:
    host = agent_side()
    for seq in (1, 2, 3):
        host.verify(sent(command(seq), agent_side()))
    assert host.seq.last == 3


@pytest.mark.parametrize(
    "change",
    [
        {"action": "type"},
        {"params": {"selector": "#delete"}},
        {"params": {}},
        {"extra": 1},
        {"seq": 2},
        {"type": "confirm_request"},
    ],
)
def test_a_changed_message_is_refused(change: dict[str, Any]) -> None:
    document = sent(command(1), agent_side())
    assert refusal(agent_side(), {**document, **change}) == "bad_hmac"
    agent_side().verify(document)


def test_a_changed_expected_domain_is_refused() -> None:
    document = sent(command(1), agent_side())
    document["security"]["expected_domain"] = "evil.test"
    assert refusal(agent_side(), document) == "bad_hmac"


@pytest.mark.parametrize("proof", ["0" * 64, "", "é" * 64, "\ud83d", None, 5, ["0" * 64]])
def test_any_other_proof_is_refused(proof: object) -> None:
    document = sent(command(1), agent_side())
    document["security"]["hmac"] = proof
    assert refusal(agent_side(), document) == "bad_hmac"


@pytest.mark.parametrize("security", [None, [], "x", {}])
def test_a_message_without_proof_is_refused(security: object) -> None:
    assert (
        refusal(agent_side(), {**sent(command(1), agent_side()), "security": security})
        == "bad_hmac"
    )


def test_a_reflected_message_is_refused() -> None:
    answer = Response(seq=1, success=True, security=Mac(hmac=UNSEALED))
    document = sent(answer, Envelope(KEY, SESSION, "host>agent"))
    assert refusal(agent_side(), document) == "bad_hmac"
    Envelope(KEY, SESSION, "host>agent").verify_answer(document, 1)


def test_another_session_and_another_key_are_refused() -> None:
    assert refusal(agent_side(), sent(command(1), agent_side("session-2"))) == "bad_hmac"
    assert refusal(agent_side(), sent(command(1), agent_side(key=bytes(32)))) == "bad_hmac"


def test_session_and_direction_cannot_be_shifted_into_each_other() -> None:
    document = sent(command(1), Envelope(KEY, SESSION + "agent>", "agent>host"))
    assert refusal(agent_side(), document) == "bad_hmac"


def test_a_replay_and_a_gap_are_told_apart_and_neither_advances() -> None:
    host = agent_side()
    first, second, fourth = (sent(command(seq), agent_side()) for seq in (1, 2, 4))
    host.verify(first)
    assert refusal(host, first) == "seq_replayed"
    assert refusal(host, fourth) == "seq_gap"
    host.verify(second)


@pytest.mark.parametrize("seq", [True, "1", 1.0, None])
def test_a_seq_that_is_no_integer_is_refused(seq: object) -> None:
    assert refusal(agent_side(), {**sent(command(1), agent_side()), "seq": seq}) == "bad_hmac"


def test_an_invalid_proof_does_not_advance_the_seq() -> None:
    host = agent_side()
    bad = sent(command(1), agent_side(key=bytes(32)))
    assert refusal(host, bad) == "bad_hmac"
    host.verify(sent(command(1), agent_side()))


def test_an_answer_must_be_to_the_open_request() -> None:
    agent = Envelope(KEY, SESSION, "host>agent")
    answer = Response(seq=2, success=True, security=Mac(hmac=UNSEALED))
    document = sent(answer, Envelope(KEY, SESSION, "host>agent"))
    agent.verify_answer(document, 2)
    with pytest.raises(EnvelopeError, match="came again"):
        agent.verify_answer(document, 3)
    with pytest.raises(EnvelopeError, match="one is missing"):
        agent.verify_answer(document, 1)


def test_the_document_as_sent_is_what_counts_not_the_model() -> None:
    document = sent(command(1), agent_side())
    spelled = json.loads(json.dumps(document, indent=3, sort_keys=True))
    agent_side().verify(spelled)  # another spelling of the same document
    del document["params"]  # the default would fill it: another document all the same
    assert refusal(agent_side(), document) == "bad_hmac"


@pytest.mark.parametrize("value", [2**53, "\ud83d"])
def test_what_json_cannot_hold_is_not_sealed(value: object) -> None:
    with pytest.raises(UnsendableMessageError):
        agent_side().seal(
            Response(seq=1, success=True, data={"a": value}, security=Mac(hmac=UNSEALED))
        )
