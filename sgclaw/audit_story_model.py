"""What a ledger tells of its model calls: who answered, how it ended, what it took, what failed.

The rule: a row may say anything. What is no number counts as 0, and a sum without one of its
prices is no sum.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sgclaw.audit_story_rows import Row, mapping_in, number_in, text_in

REPLIES = frozenset({"done.invoke.plan", "done.invoke.think"})
TRIED = "model_tried"
# How a reply can end without being one: nothing of it was run.
UNFINISHED = frozenset({"cut", "declined", "paused", "overflow"})
_NUMBER_MAX = 2**53


class Tokens(NamedTuple):
    """Tokens of one model call or more; *taken_in* is the whole prompt, cached or not."""

    taken_in: int = 0
    put_out: int = 0
    cache_read: int = 0
    cache_write: int = 0
    thinking: int = 0

    def plus(self, other: "Tokens") -> "Tokens":
        """Return the sum of both."""
        return Tokens(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class ModelCall(NamedTuple):
    """One reply of a model, in the ledger's *row*; *cost_microusd* is None without a price.

    *repaired* is how output that was no strict JSON was read all the same.
    """

    row: int
    provider: str
    model: str
    stop: str
    tokens: Tokens
    duration_ms: int
    first_token_ms: int
    cost_microusd: int | None
    repaired: tuple[str, ...]


class FailedTry(NamedTuple):
    """One try of a model call that failed; *discarded* when a part of it had been shown."""

    row: int
    number: int
    kind: str
    code: str
    text: str
    wait_ms: int
    duration_ms: int
    discarded: bool
    tokens: Tokens


class ModelTotals(NamedTuple):
    """What all model calls of a run came to."""

    models: tuple[str, ...] = ()
    calls: int = 0
    failed_tries: int = 0
    tokens: Tokens = Tokens()
    duration_ms: int = 0
    cost_microusd: int | None = 0


def call_in(row: int, payload: Mapping[str, Any]) -> ModelCall | None:
    """Return the model call that ended with *payload*, None when the model was not asked."""
    record = mapping_in(payload, "record")
    turn = mapping_in(record, "turn")
    if not turn:
        return None  # the next call of the reply before
    report = mapping_in(turn, "report")
    repaired = record.get("repaired")
    how = repaired if isinstance(repaired, list | tuple) else ()
    return ModelCall(
        row=row,
        provider=text_in(report, "provider"),
        model=text_in(report, "model"),
        stop=text_in(turn, "stop") or "done",
        tokens=_tokens(turn),
        duration_ms=_number(report, "duration_ms"),
        first_token_ms=_number(report, "first_token_ms"),
        cost_microusd=None if report.get("cost_microusd") is None
        else _number(report, "cost_microusd"),
        repaired=tuple(str(each) for each in how),
    )  # fmt: skip


def try_in(row: int, payload: Mapping[str, Any]) -> FailedTry:
    """Return the failed try that *payload* tells."""
    record = mapping_in(payload, "record")
    return FailedTry(
        row=row,
        number=_number(record, "number"),
        kind=text_in(payload, "kind"),
        code=text_in(record, "code"),
        text=text_in(record, "text"),
        wait_ms=_number(record, "wait_ms"),
        duration_ms=_number(record, "duration_ms"),
        discarded=record.get("discarded") is True,
        tokens=_tokens(record),
    )


def totals_of(calls: Iterable[ModelCall], tries: Iterable[FailedTry]) -> ModelTotals:
    """Return what *calls* and failed *tries* come to; a try may have cost tokens too."""
    calls, tries = list(calls), list(tries)
    tokens = Tokens()
    for spent in (*(call.tokens for call in calls), *(each.tokens for each in tries)):
        tokens = tokens.plus(spent)
    costs = [call.cost_microusd for call in calls]
    known = [cost for cost in costs if cost is not None]
    return ModelTotals(
        models=tuple(dict.fromkeys(name for call in calls if (name := name_of(call)))),
        calls=len(calls),
        failed_tries=len(tries),
        tokens=tokens,
        duration_ms=sum(call.duration_ms for call in calls),
        cost_microusd=sum(known) if len(known) == len(costs) else None,
    )


def totals_in(rows: Iterable[Row]) -> ModelTotals:
    """Return what the model calls in *rows* come to."""
    calls, tries = [], []
    for row in rows:
        event = mapping_in(row, "event")
        kind, payload, seq = event.get("type"), mapping_in(event, "payload"), _number(row, "seq")
        if kind == TRIED:
            tries.append(try_in(seq, payload))
        elif kind in ("done.invoke.plan", "done.invoke.think"):
            call = call_in(seq, payload)
            calls += [call] if call is not None else []
    return totals_of(calls, tries)


def name_of(call: ModelCall) -> str:
    """Return the provider of *call* and its model."""
    return f"{call.provider} {call.model}".strip()


def answer_in(payload: Mapping[str, Any]) -> str:
    """Return the answer that *payload* gives: of `finish` its summary, else the reply's text."""
    record = mapping_in(payload, "record")
    return text_in(record, "answer") or text_in(mapping_in(record, "turn"), "text")


def citations_in(payload: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the numbers of the steps that the answer in *payload* cites."""
    found = mapping_in(payload, "record").get("citations")
    cited = found if isinstance(found, list | tuple) else ()
    return tuple(dict.fromkeys(each for each in cited if type(each) is int))


def _tokens(document: Mapping[str, Any]) -> Tokens:
    usage = mapping_in(document, "usage")
    names = ("input", "output", "cache_read", "cache_write", "thinking")
    return Tokens(*(_number(usage, f"{name}_tokens") for name in names))


def _number(document: Mapping[str, Any], key: str) -> int:
    found = number_in(document, key)
    return found if 0 <= found < _NUMBER_MAX else 0
