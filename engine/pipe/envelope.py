"""The proof on a message: HMAC-SHA256 over session, direction and the document as sent, plus seq.

What is authenticated is the JSON document that travels (the decoded object, RFC 8785), never a
model built from it: a field left out and a field written with its default are different
documents, so neither end needs the other's defaults to agree. Session and direction stand before
the document, each with its length, so that no other split of the same bytes means the same.
"""

import hmac
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from engine.pipe.errors import EnvelopeError
from engine.pipe.framing import document_of, type_of, unsendable
from engine.pipe.quick_jcs import quick_canonical_bytes
from engine.pipe.strict_json import readable_seq

Direction = Literal["agent>host", "host>agent"]
UNSEALED = "0" * 64
_CONTEXT = b"sgclaw pipe 1"

Sealed = TypeVar("Sealed", bound=BaseModel)


class SeqCounter:
    """Counts one direction's requests: strictly plus one, from 1."""

    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        """Return the number of the next request to send."""
        self.last += 1
        return self.last

    def take(self, seq: int) -> None:
        """Accept *seq* as the next one that came.

        Raises:
            EnvelopeError: seq_replayed or seq_gap; the counter stays where it was.
        """
        _expect(seq, self.last + 1)
        self.last = seq


class Envelope:
    """Seals and verifies the messages of one *direction* of one session."""

    def __init__(self, key: bytes, session_id: str, direction: Direction) -> None:
        self._key = key
        self._prefix = b"".join(
            len(part).to_bytes(4, "big") + part
            for part in (_CONTEXT, session_id.encode("utf-8"), direction.encode("ascii"))
        )
        self.seq = SeqCounter()

    def seal(self, message: Sealed) -> Sealed:
        """Return *message* with `security.hmac` set.

        Raises:
            UnsendableMessageError: it holds what JSON cannot.
        """
        try:
            proof = self._proof(document_of(message))
        except (ValueError, RecursionError) as error:
            raise unsendable(type_of(message), error) from error
        security: BaseModel = message.security  # type: ignore[attr-defined]
        return message.model_copy(update={"security": security.model_copy(update={"hmac": proof})})

    def verify(self, document: dict[str, Any]) -> None:
        """Accept a request: its proof first, then its seq, which must be the next one.

        Raises:
            EnvelopeError: bad_hmac, seq_replayed or seq_gap; seq advances only without one.
        """
        self.seq.take(self._authentic_seq(document))

    def verify_answer(self, document: dict[str, Any], seq: int) -> None:
        """Accept an answer to request *seq*.

        Raises:
            EnvelopeError: bad_hmac, seq_replayed or seq_gap.
        """
        _expect(self._authentic_seq(document), seq)

    def _authentic_seq(self, document: dict[str, Any]) -> int:
        seq = readable_seq(document)
        security = document.get("security")
        claimed = security.get("hmac") if isinstance(security, dict) else None
        if not isinstance(claimed, str) or seq is None:
            raise EnvelopeError("bad_hmac", seq)
        try:
            proof = self._proof(document)
        except ValueError:
            raise EnvelopeError("bad_hmac", seq) from None
        if not hmac.compare_digest(proof.encode("ascii"), claimed.encode("utf-8", "replace")):
            raise EnvelopeError("bad_hmac", seq)
        return seq

    def _proof(self, document: dict[str, Any]) -> str:
        security = {k: v for k, v in document["security"].items() if k != "hmac"}
        content = quick_canonical_bytes({**document, "security": security})
        return hmac.new(self._key, self._prefix + content, "sha256").hexdigest()


def _expect(seq: int, expected: int) -> None:
    if seq != expected:
        code = "seq_replayed" if seq < expected else "seq_gap"
        raise EnvelopeError(code, seq, expected=expected)
