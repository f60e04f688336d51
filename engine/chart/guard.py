"""What a guard tree answers, and how the functions behind its names are called.

`and` stops at the first refusal and answers with it, so that its reason survives; `or` answers
with the first permission or the last refusal; `not` turns a permission into a refusal of its
own. Each named guard that was asked is recorded with its verdict.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine.chart.declaration import Guard
from engine.chart.errors import ChartFaultError
from engine.chart.step import GuardFunction, Reducer
from states.events import Event
from states.verdict import ALLOWED, Verdict, refused

Asked = list[tuple[str, Verdict]]
Judge = Callable[[Any, Event, Asked], Verdict]


def judge_of(guard: Guard, guards: Mapping[str, GuardFunction]) -> Judge:
    """Return *guard* as one function `(context, event, asked) -> Verdict`."""
    if guard.op == "name":
        return _named(guard.name, guards[guard.name])
    parts = tuple(judge_of(part, guards) for part in guard.parts)
    if guard.op == "not":
        return _negated(guard.parts[0].text(), parts[0])
    return _first(parts, stop_when=guard.op == "or")


def _named(name: str, function: GuardFunction) -> Judge:
    def judge(context: Any, event: Event, asked: Asked) -> Verdict:
        verdict = ask(name, function, context, event)
        asked.append((name, verdict))
        return verdict

    return judge


def _negated(text: str, part: Judge) -> Judge:
    def judge(context: Any, event: Event, asked: Asked) -> Verdict:
        if part(context, event, asked).allowed:
            return refused("guard_negated", guard=text)
        return ALLOWED

    return judge


def _first(parts: tuple[Judge, ...], *, stop_when: bool) -> Judge:
    def judge(context: Any, event: Event, asked: Asked) -> Verdict:
        verdict = ALLOWED
        for part in parts:
            verdict = part(context, event, asked)
            if verdict.allowed is stop_when:
                break
        return verdict

    return judge


def ask(name: str, function: GuardFunction, context: Any, event: Event) -> Verdict:
    """Return the verdict of the guard *name*.

    Raises:
        ChartFaultError: it raised, or answered with something else than a Verdict.
    """
    try:
        verdict = function(context, event)
    except Exception as error:
        raise ChartFaultError("guard", name, _cause(error)) from error
    # A truthy non-verdict would let a step pass without a reason: fail closed.
    if type(verdict) is not Verdict or type(verdict.allowed) is not bool:
        raise ChartFaultError("guard", name, f"answered {verdict!r:.80}, not a Verdict")
    return verdict


def reduce_with(name: str, function: Reducer, context: Any, event: Event) -> Any:
    """Return the context that the reducer *name* makes of *context*.

    Raises:
        ChartFaultError: it raised.
    """
    try:
        return function(context, event)
    except Exception as error:
        raise ChartFaultError("reducer", name, _cause(error)) from error


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
