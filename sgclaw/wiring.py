"""The one table that binds the names in the charts to functions.

A test fails on a name that is unbound, and on a function here that no chart names.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from actions.act import act
from actions.ask_person import ask_person
from actions.observe import observe
from actions.plan import plan
from actions.ports import Ports
from actions.run_skill import answer_skill, run_skill
from actions.think import think
from guards import breaker, budget, confirm, critic, flow, gate
from states.errors import SgclawError
from states.events import Event
from states.fold import REDUCERS
from states.settings import Settings
from states.task import Context
from states.verdict import Verdict

Guard = Callable[[Context, Event], Verdict]
Emit = Callable[[str, Mapping[str, Any]], None]
BoundService = Callable[[Context, Emit], Awaitable[Mapping[str, Any]]]
BoundEffect = Callable[[Context, Event], None]

GUARDS: dict[str, Guard] = {
    guard.__name__: guard
    for guard in (
        budget.budget_left, budget.repairs_left,
        breaker.breaker_closed,
        critic.no_loop, critic.answer_has_evidence,
        gate.policy_allows, gate.person_not_needed,
        confirm.approval_granted, confirm.approval_expired, confirm.target_not_found,
        confirm.asking_about_call, confirm.asking_question, confirm.not_rejected_before,
        flow.reply_is_valid, flow.reply_is_text, flow.starts_skill, flow.skill_is_running,
        flow.step_by_step, flow.not_told_yet, flow.host_wants_confirmation,
        flow.browser_is_new,
        flow.reply_is_declined, flow.reply_is_cut, flow.reply_is_paused, flow.window_is_full,
        flow.asks_person,
    )
}  # fmt: skip

_SERVICES = {"act": act, "observe": observe, "ask_person": ask_person}
# They also speak before they end: of a failed try.
_MODEL_SERVICES = {"plan": plan, "think": think}
SERVICES = frozenset({*_SERVICES, *_MODEL_SERVICES, "run_skill"})
EFFECTS = frozenset({"report", "answer_skill"})
DELAYS = frozenset({"task_seconds", "model_seconds", "approval_seconds"})

__all__ = ["DELAYS", "EFFECTS", "GUARDS", "REDUCERS", "SERVICES"]


class SpokenError(SgclawError):
    """A service's error, said in the language of the task."""

    def __init__(self, error: SgclawError, sentence: str) -> None:
        self._sentence = sentence
        super().__init__(error.code, **error.facts)

    def text(self, lang: str = "en") -> str:
        """Return the sentence, whatever *lang* asks for."""
        del lang
        return self._sentence


def bind_services(ports: Ports) -> dict[str, BoundService]:
    """Return the chart's services with *ports* in hand."""

    def spoken(service: BoundService) -> BoundService:
        async def bound(context: Context, emit: Emit) -> Mapping[str, Any]:
            try:
                return await service(context, emit)
            except SgclawError as error:
                raise SpokenError(error, error.text(ports.language)) from error

        return bound

    bound = {name: spoken(_quiet(service, ports)) for name, service in _SERVICES.items()}
    for name, speaking in _MODEL_SERVICES.items():
        bound[name] = spoken(_speaking(speaking, ports))
    return {**bound, "run_skill": spoken(lambda context, emit: run_skill(context, emit, ports))}


def _quiet(
    service: Callable[[Context, Ports], Awaitable[Mapping[str, Any]]], ports: Ports
) -> BoundService:
    return lambda context, _: service(context, ports)


def _speaking(
    service: Callable[[Context, Ports, Emit], Awaitable[Mapping[str, Any]]], ports: Ports
) -> BoundService:
    return lambda context, emit: service(context, ports, emit)


def bind_effects(ports: Ports, report: BoundEffect) -> dict[str, BoundEffect]:
    """Return the chart's effects; *report* tells the host how the task ended."""

    def answer(context: Context, event: Event) -> None:
        del event
        answer_skill(context, ports)

    return {"report": report, "answer_skill": answer}


def delays_of(settings: Settings) -> dict[str, float]:
    """Return the seconds of the chart's named delays."""
    task = settings.task
    return {
        "task_seconds": task.task_seconds,
        "model_seconds": task.model_seconds,
        "approval_seconds": task.approval_seconds,
    }
