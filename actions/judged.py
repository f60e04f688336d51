"""A judged call of the model: the request, what the rules say of it, and the event payload."""

from collections.abc import Collection
from typing import Any, NamedTuple

from actions.ports import Ports
from states.canonical import sha256_of
from states.messages import ToolCall
from states.policy import Effect
from states.task import Refusal, Request
from states.verdict import Verdict

Rejected = Collection[str]


class Remembered(NamedTuple):
    """What the task's record says of calls.

    *rejected* marks, digests of *unknown* ones, and the numbers of the steps that are *proven*.
    """

    rejected: Rejected = ()
    unknown: Collection[str] = ()
    proven: Collection[int] = ()


class Judged(NamedTuple):
    """A request and what the rules say of it.

    *answer* and *citations* are those of `finish`. *repaired* says how broken output was read, and
    *found* is the call that was read in it, be it in the text of a reply without one.
    """

    reply: str
    effect: Effect
    request: Request
    verdict: Verdict
    claims: bool = False
    answer: str | None = None
    citations: tuple[int, ...] = ()
    repaired: tuple[str, ...] = ()
    found: ToolCall | None = None

    def payload(self, ports: Ports) -> dict[str, Any]:
        """Return the event payload: finite fields, and under `record` the rest."""
        text = self.verdict.text(ports.language)
        record: dict[str, Any] = {
            "request": self.request.model_dump(mode="json"),
            "refusal_text": text,
            "note": text,
        }
        if self.answer is not None:
            record |= {"answer": self.answer, "citations": list(self.citations)}
        if self.repaired:
            record["repaired"] = list(self.repaired)
        return {
            "reply": self.reply,
            "effect": self.effect.value,
            "claims": self.claims,
            "record": record,
        }


def with_refusal(request: Request, verdict: Verdict) -> Request:
    """Return *request* with *verdict* in it, if that does not allow."""
    if verdict:
        return request
    refusal = Refusal(reason=verdict.reason, facts=dict(verdict.facts))
    return request.model_copy(update={"refusal": refusal})


def invalid(verdict: Verdict, call_id: str = "") -> Judged:
    """Return that the output cannot be run, and why; the model is told."""
    return Judged("invalid", Effect.READ, Request(call_id=call_id), verdict)


def digest_of_call(document: Any) -> str:
    """Return the digest by which the same call is known again."""
    return sha256_of({"call": document})
