"""The proof of an answer, and the very bytes that a proof is of."""

import hashlib
import hmac
import json
from typing import Any

import pytest

from engine.pipe.envelope import UNSEALED, Envelope
from engine.pipe.errors import EnvelopeError
from states.wire import Mac, Response

KEY = bytes(range(32))


def sealed(seq: int = 1) -> dict[str, Any]:
    answer = Response(seq=seq, success=True, security=Mac(hmac=UNSEALED))
    host = Envelope(KEY, "session-1", "host>agent")
    return host.seal(answer).model_dump(mode="json")


def refusal(document: dict[str, Any], seq: int = 1) -> str:
    with pytest.raises(EnvelopeError) as caught:
        Envelope(KEY, "session-1", "host>agent").verify_answer(document, seq)
    return caught.value.code


def test_an_answer_counts_when_its_proof_and_its_number_are_right() -> None:
    Envelope(KEY, "session-1", "host>agent").verify_answer(sealed(3), 3)


def test_an_answer_that_was_changed_or_is_to_another_request_is_refused() -> None:
    assert refusal({**sealed(), "success": False}) == "bad_hmac"
    assert refusal(sealed(1), 2) == "seq_replayed"
    assert refusal(sealed(3), 2) == "seq_gap"


def test_a_proof_is_of_context_session_and_direction_each_with_its_length_and_the_document() -> (
    None
):
    document = sealed()
    proof = document["security"].pop("hmac")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    said = b"".join(
        len(part).to_bytes(4, "big") + part
        for part in (b"sgclaw pipe 1", b"session-1", b"host>agent")
    )
    assert proof == hmac.new(KEY, said + text.encode(), hashlib.sha256).hexdigest()
