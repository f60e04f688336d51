"""The reducers of the task chart: pure `(context, event) -> context`, one fact folded each.

A payload's finite fields go to `control`, its `record` to the record. Reducers decide nothing:
what is allowed next is the guards' business (L3).
"""

from collections.abc import Callable
from typing import Literal

from states.conversation import closed_with, with_note, without_calls
from states.events import Event
from states.fold_model import (
    ask_question,
    count_overflow,
    count_pause,
    count_repair,
    decided,
    take_answer,
    take_no_answer,
    take_plan,
    take_try,
    take_turn,
    tell_no_evidence,
)
from states.fold_resume import (
    outcome_of,
    record_of,
    take_finished_step,
    take_new_life,
    take_resumption,
    told_now,
    used_up,
)
from states.messages import Message
from states.page import PageState
from states.policy import REPEATABLE
from states.task import (
    FAILURES_MAX,
    NOT_THE_BROWSERS,
    UNKNOWN_ERRORS,
    UNKNOWN_OUTCOME,
    Context,
    Control,
    Record,
    Refusal,
    Request,
    SentCommand,
    StepResult,
)

Reducer = Callable[[Context, Event], Context]


def take_task(context: Context, event: Event) -> Context:
    """Begin with the person's instruction and the page that is open."""
    given = record_of(event)
    instruction = str(given.get("instruction", ""))
    steps = event.payload.get("step_mode", context.control.step_mode)
    control = context.control._replace(step_mode=steps)
    record = context.record._replace(
        instruction=instruction,
        language=given.get("language", "en"),
        page=PageState.model_validate(given.get("page", {})),
        conversation=(Message(role="user", text=instruction),),
    )
    return Context(control, record)


def take_ask(context: Context, event: Event) -> Context:
    """Fold one browserAction of the running skill (S5)."""
    effect = event.payload["effect"]
    control = context.control._replace(reply="call", effect=effect, source="skill")
    request = Request.model_validate(record_of(event).get("request", {}))
    return Context(control, context.record._replace(request=request))


def start_of_skill(context: Context, event: Event) -> Context:
    """Remember the call that the skill will answer when it ends."""
    control = decided(context.control)._replace(skill="running")
    record = context.record
    began = record._replace(skill_request=record.request, skill_began=len(record.commands))
    return Context(control, began)


def take_refusal(context: Context, event: Event) -> Context:
    """Turn the policy's refusal into the result of the request."""
    refusal = context.record.request.refusal or Refusal(reason="refused")
    message = str(record_of(event).get("refusal_text", "")) or refusal.reason
    context = Context(decided(context.control), context.record)
    return _with_result(context, StepResult(success=False, error=refusal.reason, message=message))


def take_repeated_question(context: Context, event: Event) -> Context:
    """A command that the person already refused is not asked again (design section 2)."""
    context = Context(context.control, context.record._replace(in_flight=False))
    message = str(record_of(event).get("refusal_text", "")) or "rejected_before"
    return _with_result(
        context, StepResult(success=False, error="rejected_before", message=message)
    )


def take_response(context: Context, event: Event) -> Context:
    """Fold the browser's answer to the command."""
    given = record_of(event)
    request = context.record.request
    result = StepResult.model_validate(given["result"])
    sent = SentCommand(
        seq=result.seq,
        action=request.action,
        params=request.params,
        success=result.success,
        approved_by=request.approved_by,
        error=result.error,
    )
    record = context.record._replace(
        result=result,
        page=PageState.model_validate(given.get("page", {})),
        page_text=result.page_text or context.record.page_text,
        commands=_with_sent(context.record, sent),
        unknown=_with_unknown(context.record, result.error),
        in_flight=False,
    )
    return Context(context.control, record)


def _with_sent(record: Record, sent: SentCommand) -> tuple[SentCommand, ...]:
    """Return the commands that went to the browser; an MCP tool's call did not."""
    return record.commands if record.request.tool in NOT_THE_BROWSERS else (*record.commands, sent)


def _with_unknown(record: Record, error: str) -> tuple[str, ...]:
    """Return the calls whose outcome nobody knows, and the last one if it may have acted."""
    request = record.request
    if error not in UNKNOWN_ERRORS or request.action in REPEATABLE:
        return record.unknown
    return (*record.unknown, request.call_digest)


def take_act_error(context: Context, event: Event) -> Context:
    """The command was sent or could not be; no answer came, so its effect is not known."""
    request = context.record.request
    seq = int(record_of(event).get("seq", 0))
    message = str(event.payload.get("text", ""))
    code = str(event.payload.get("error", "no_response"))
    sent = SentCommand(
        seq=seq,
        action=request.action,
        params=request.params,
        success=False,
        approved_by=request.approved_by,
        error=code,
    )
    record = context.record._replace(
        result=StepResult(seq=seq, success=False, error=code, message=message),
        commands=_with_sent(context.record, sent),
        unknown=_with_unknown(context.record, code),
        in_flight=False,
    )
    return Context(context.control, record)


def take_confirmation(context: Context, event: Event) -> Context:
    """The host wants a person's yes for exactly this digest."""
    given = record_of(event)
    request = context.record.request.model_copy(update={"host_digest": str(given["digest"])})
    return Context(context.control, context.record._replace(request=request, in_flight=False))


def ask_about_call(context: Context, event: Event) -> Context:
    """The next question is about the request."""
    del event
    return Context(decided(context.control), context.record)


def ask_about_step(context: Context, event: Event) -> Context:
    """The next question is whether to go on (`--step`)."""
    del event
    return Context(context.control._replace(asking="step"), context.record)


def take_approval(context: Context, event: Event) -> Context:
    """The person said yes to exactly this command; the host will let it pass once."""
    given = record_of(event)
    request = context.record.request.model_copy(
        update={
            "host_digest": str(given.get("digest", "")),
            "approved_by": str(given.get("approved_by", "")) or None,
        }
    )
    return Context(context.control, context.record._replace(request=request, in_flight=True))


def take_step_approval(context: Context, event: Event) -> Context:
    """The person said that the task may go on (`--step`)."""
    del event
    return Context(context.control._replace(asking="call"), context.record)


def take_rejection(context: Context, event: Event) -> Context:
    """The person said no: remember the digest, and tell the model."""
    given = record_of(event)
    digest = str(given.get("digest", ""))
    rejected = context.record.rejected
    if digest:
        own = rejected_mark(context.record.request.call_digest, context.record.page.document_id)
        rejected = (*rejected, digest, own)
    record = context.record._replace(rejected=rejected)
    if context.control.source == "skill":
        record = record._replace(request=record.skill_request)
    record = closed_with(record, str(given.get("note", "")), failed=True)
    # A no costs a step: a model cannot ask without end.
    record = record._replace(
        steps=record.steps + 1,
        result=StepResult(success=False, error="rejected", message=str(given.get("note", ""))),
    )
    control = context.control._replace(
        evidence="bad",
        skill="idle",
        source="model",
        asking="call",
        steps=event.payload.get("steps", "left"),
    )
    return Context(control, record)


def rejected_mark(call_digest: str, document_id: str) -> str:
    """Return how a rejected call is known before the host resolves it: the call, on this page."""
    return f"{call_digest}@{document_id}"


def take_unresolved(context: Context, event: Event) -> Context:
    """The host could not find what to ask about; the request failed."""
    given = record_of(event)
    error, message = str(given.get("error", "")), str(given.get("message", ""))
    return _with_result(context, StepResult(success=False, error=error, message=message))


def take_skill_result(context: Context, event: Event) -> Context:
    """The skill returned: its result answers the run_skill call."""
    result = StepResult.model_validate(record_of(event)["result"])
    return _end_of_skill(_call_cut_short(context), result)


def take_skill_error(context: Context, event: Event) -> Context:
    """The skill was stopped: by its limits, its own error, or a crash."""
    code, text = str(event.payload.get("error", "")), str(event.payload.get("text", ""))
    result = StepResult(success=False, error=code, message=text)
    return _end_of_skill(_call_cut_short(context), result)


def _call_cut_short(context: Context) -> Context:
    """A call that the skill did not wait for, or died in, ends with it: nobody knows how."""
    if not context.record.in_flight:
        return context
    return take_act_error(context, Event("", {"error": UNKNOWN_OUTCOME}))


def _end_of_skill(context: Context, result: StepResult) -> Context:
    control = context.control._replace(skill="idle", source="model", reply="skill")
    record = context.record._replace(request=context.record.skill_request, result=result)
    return Context(control, record)


def take_observation(context: Context, event: Event) -> Context:
    """Fold what the critic saw: the counters, and the words for the model."""
    payload, given = event.payload, record_of(event)
    good = payload["outcome"] == "ok"
    control = context.control._replace(
        failures=0 if good else min(context.control.failures + 1, FAILURES_MAX),
        same_failures=payload["same_failures"],
        repeats=payload["repeats"],
        steps=payload["steps"],
        evidence=_evidence(context, good=good),
    )
    record = context.record
    outcome = outcome_of(record)
    record = record._replace(history=(*record.history, outcome), steps=record.steps + 1)
    if record.request.source == "model":
        record = with_note(record, str(given.get("observation", "")), failed=not good)
    if record.told_later:  # it goes on in a new browser: what else was asked for is not there
        record = told_now(without_calls(record), record.told_later)._replace(told_later="")
    # What a skill's own call came to is the skill's business: its run goes on. What the model asked
    # for besides a call that was the only one to run is answered all the same.
    dropped = record.request.source == "model" and (not good or not record.calls_left)
    return Context(control, without_calls(record) if dropped else record)


def _evidence(context: Context, *, good: bool) -> Literal["none", "good", "bad"]:
    """Return what the answer could stand on now; that a manual was read proves nothing."""
    if good and context.record.request.tool == "use_skill":
        return context.control.evidence
    return "good" if good else "bad"


def next_turn(context: Context, event: Event) -> Context:
    """What the critic read is used up: the model or the skill goes on."""
    del event
    return Context(used_up(context.control), context.record)


def _with_result(context: Context, result: StepResult) -> Context:
    return Context(context.control, context.record._replace(result=result))


def _failure(reason: str, *facts: str) -> Reducer:
    """Return a reducer that names *reason* as the task's end, with *facts* from the event."""

    def fail(context: Context, event: Event) -> Context:
        named = [(fact, str(event.payload.get(fact, ""))) for fact in facts]
        request = context.record.request
        named += [("action", request.action or request.tool), ("steps", str(context.record.steps))]
        last = context.record.result.message if context.record.result else ""
        named.append(("last", last))
        record = context.record._replace(reason=reason, reason_facts=tuple(named))
        return Context(context.control, record)

    fail.__doc__ = f"End the task with the reason {reason}."
    return fail


def take_abort(context: Context, event: Event) -> Context:
    """Note why the person stopped the task."""
    why = str(record_of(event).get("reason", ""))
    record = context.record._replace(reason="aborted", reason_facts=(("why", why),))
    return Context(context.control, record)


def start_of_command(context: Context, event: Event) -> Context:
    """The command goes out now."""
    del event
    return Context(decided(context.control), context.record._replace(in_flight=True))


REDUCERS: dict[str, Reducer] = {
    reducer.__name__: reducer
    for reducer in (
        take_task, take_plan, take_turn, count_repair, take_ask, start_of_skill, take_refusal,
        take_repeated_question, take_response, take_act_error, take_confirmation, ask_about_call,
        ask_about_step, take_approval, take_step_approval, next_turn, take_rejection,
        take_unresolved, take_skill_result,
        take_skill_error, take_observation, tell_no_evidence, take_abort, take_finished_step,
        take_new_life,
        take_resumption, start_of_command, take_try, count_pause, count_overflow, ask_question,
        take_answer, take_no_answer,
    )
} | {
    "fail_budget": _failure("budget_spent"),
    "fail_loop": _failure("loop"),
    "fail_breaker": _failure("breaker_open"),
    "fail_no_evidence": _failure("no_evidence"),
    "fail_invalid_output": _failure("invalid_output"),
    "fail_approval_expired": _failure("approval_expired"),
    "fail_declined": _failure("model_declined"),
    "fail_cut": _failure("output_cut"),
    "fail_paused": _failure("model_paused"),
    "fail_overflow": _failure("window_full"),
    "fail_model": _failure("model_failed", "error", "text"),
    "fail_model_silent": _failure("model_silent"),
    "fail_ask": _failure("ask_failed", "error", "text"),
    "fail_observe": _failure("internal_error", "error", "text"),
    "fail_fault": _failure("internal_error", "error", "text"),
    "fail_out_of_turn": _failure("skill_out_of_turn"),
    "fail_time": _failure("time_spent"),
}  # fmt: skip

__all__ = ["REDUCERS", "Control", "Reducer"]
