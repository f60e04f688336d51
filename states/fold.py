"""The reducers of the task chart: pure `(context, event) -> context`, one fact folded each.

A payload's finite fields go to `control`, its `record` to the record. Reducers decide nothing:
what is allowed next is the guards' business (L3).
"""

from collections.abc import Callable, Mapping
from typing import Any

from states.catalogue import words
from states.events import Event
from states.messages import Message, ModelTurn, ToolCall
from states.page import PageState
from states.policy import READ_ACTIONS
from states.task import (
    FAILURES_MAX,
    REPAIRS_MAX,
    Context,
    Control,
    Record,
    Refusal,
    Request,
    SentCommand,
    StepOutcome,
    StepResult,
)

Reducer = Callable[[Context, Event], Context]


def take_task(context: Context, event: Event) -> Context:
    """Begin with the person's instruction and the page that is open."""
    given = _record(event)
    instruction = str(given.get("instruction", ""))
    record = context.record._replace(
        instruction=instruction,
        language=given.get("language", "en"),
        page=PageState.model_validate(given.get("page", {})),
        conversation=(Message(role="user", text=instruction),),
    )
    return Context(context.control, record)


def take_plan(context: Context, event: Event) -> Context:
    """Keep the text of the first reply as the plan, and the reply as any other."""
    turn = _record(event).get("turn", {})
    folded = take_turn(context, event)
    return Context(folded.control, folded.record._replace(plan=str(turn.get("text", ""))))


def take_turn(context: Context, event: Event) -> Context:
    """Fold one reply of the model: its words, its cost, and the call it asks for."""
    given = _record(event)
    control = context.control._replace(
        reply=event.payload["reply"],
        effect=event.payload["effect"],
        claims=event.payload["claims"],
        source="model",
        asked="new",
        approved=False,
    )
    record = context.record._replace(
        request=Request.model_validate(given.get("request", {})),
        calls_left=tuple(ToolCall.model_validate(c) for c in given.get("calls_left", ())),
    )
    if (turn_document := given.get("turn")) is not None:
        record = _with_turn(record, ModelTurn.model_validate(turn_document))
    if control.reply not in ("invalid", "none"):
        control = control._replace(repairs=0)
    return Context(control, record)


def _with_turn(record: Record, turn: ModelTurn) -> Record:
    said = Message(role="assistant", text=turn.text, tool_calls=turn.tool_calls)
    return record._replace(
        conversation=(*record.conversation, said),
        usage=record.usage.plus(turn.usage),
        model_calls=record.model_calls + 1,
        answer=turn.text if not turn.tool_calls else record.answer,
    )


def count_repair(context: Context, event: Event) -> Context:
    """Tell the model what was wrong with its output, and count the attempt."""
    control = context.control._replace(repairs=min(context.control.repairs + 1, REPAIRS_MAX))
    note = str(_record(event).get("note", ""))
    return Context(control, _without_calls(_with_note(context.record, note, failed=True)))


def take_ask(context: Context, event: Event) -> Context:
    """Fold one browserAction of the running skill (S5)."""
    control = context.control._replace(
        reply="call", effect=event.payload["effect"], source="skill", asked="new", approved=False
    )
    request = Request.model_validate(_record(event).get("request", {}))
    return Context(control, context.record._replace(request=request))


def start_of_skill(context: Context, event: Event) -> Context:
    """Remember the call that the skill will answer when it ends."""
    control = context.control._replace(skill="running")
    return Context(control, context.record._replace(skill_request=context.record.request))


def take_refusal(context: Context, event: Event) -> Context:
    """Turn the policy's refusal into the result of the request."""
    refusal = context.record.request.refusal or Refusal(reason="refused")
    message = str(_record(event).get("refusal_text", "")) or refusal.reason
    return _with_result(context, StepResult(success=False, error=refusal.reason, message=message))


def take_repeated_question(context: Context, event: Event) -> Context:
    """A command that the person already refused is not asked again (design section 2)."""
    message = str(_record(event).get("refusal_text", "")) or "rejected_before"
    return _with_result(
        context, StepResult(success=False, error="rejected_before", message=message)
    )


def take_response(context: Context, event: Event) -> Context:
    """Fold the browser's answer to the command."""
    given = _record(event)
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
        commands=(*context.record.commands, sent),
    )
    return Context(context.control._replace(approved=False), record)


def take_act_error(context: Context, event: Event) -> Context:
    """The command was sent or could not be; no answer came, so its effect is not known."""
    request = context.record.request
    seq = int(_record(event).get("seq", 0))
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
        commands=(*context.record.commands, sent),
    )
    return Context(context.control._replace(approved=False), record)


def take_confirmation(context: Context, event: Event) -> Context:
    """The host wants a person's yes for exactly this digest."""
    given = _record(event)
    request = context.record.request.model_copy(update={"host_digest": str(given["digest"])})
    control = context.control._replace(asking="call", approved=False)
    return Context(control, context.record._replace(request=request))


def ask_about_call(context: Context, event: Event) -> Context:
    """The next question is about the request."""
    del event
    return Context(context.control._replace(asking="call", approved=False), context.record)


def ask_about_step(context: Context, event: Event) -> Context:
    """The next question is whether to go on (`--step`)."""
    del event
    return Context(context.control._replace(asking="step"), context.record)


def take_approval(context: Context, event: Event) -> Context:
    """The person said yes to exactly this command; the host will let it pass once."""
    given = _record(event)
    request = context.record.request.model_copy(
        update={
            "host_digest": str(given.get("digest", "")),
            "approved_by": str(given.get("approved_by", "")) or None,
        }
    )
    control = context.control._replace(approved=True)
    return Context(control, context.record._replace(request=request))


def take_rejection(context: Context, event: Event) -> Context:
    """The person said no: remember the digest, and tell the model."""
    given = _record(event)
    digest = str(given.get("digest", ""))
    rejected = context.record.rejected
    if digest:
        own = rejected_mark(context.record.request.call_digest, context.record.page.document_id)
        rejected = (*rejected, digest, own)
    record = context.record._replace(rejected=rejected)
    if context.control.source == "skill":
        record = record._replace(request=record.skill_request)
    record = _without_calls(_with_note(record, str(given.get("note", "")), failed=True))
    # A no costs a step: a model cannot ask without end.
    record = record._replace(
        steps=record.steps + 1,
        result=StepResult(success=False, error="rejected", message=str(given.get("note", ""))),
    )
    control = context.control._replace(
        evidence="bad",
        approved=False,
        skill="idle",
        source="model",
        steps=event.payload.get("steps", "left"),
    )
    return Context(control, record)


def rejected_mark(call_digest: str, document_id: str) -> str:
    """Return how a rejected call is known before the host resolves it: the call, on this page."""
    return f"{call_digest}@{document_id}"


def take_unresolved(context: Context, event: Event) -> Context:
    """The host could not find what to ask about; the request failed."""
    given = _record(event)
    error, message = str(given.get("error", "")), str(given.get("message", ""))
    return _with_result(context, StepResult(success=False, error=error, message=message))


def take_skill_result(context: Context, event: Event) -> Context:
    """The skill returned: its result answers the run_skill call."""
    result = StepResult.model_validate(_record(event)["result"])
    return _end_of_skill(context, result)


def take_skill_error(context: Context, event: Event) -> Context:
    """The skill was stopped: by its limits, its own error, or a crash."""
    code, text = str(event.payload.get("error", "")), str(event.payload.get("text", ""))
    return _end_of_skill(context, StepResult(success=False, error=code, message=text))


def _end_of_skill(context: Context, result: StepResult) -> Context:
    control = context.control._replace(skill="idle", source="model", reply="skill")
    record = context.record._replace(request=context.record.skill_request, result=result)
    return Context(control, record)


def take_observation(context: Context, event: Event) -> Context:
    """Fold what the critic saw: the counters, and the words for the model."""
    payload, given = event.payload, _record(event)
    good = payload["outcome"] == "ok"
    control = context.control._replace(
        failures=0 if good else min(context.control.failures + 1, FAILURES_MAX),
        same_failures=payload["same_failures"],
        repeats=payload["repeats"],
        steps=payload["steps"],
        evidence="good" if good else "bad",
    )
    record = context.record
    outcome = StepOutcome(
        source=record.request.source,
        action=record.request.action or record.request.tool,
        call_digest=record.request.call_digest,
        fingerprint=record.result.fingerprint if record.result else "",
        success=good,
        reads=record.request.action in READ_ACTIONS,
    )
    record = record._replace(history=(*record.history, outcome), steps=record.steps + 1)
    if record.request.source == "model":
        record = _with_note(record, str(given.get("observation", "")), failed=not good)
    # What a skill's own call came to is the skill's business: its run goes on.
    dropped = not good and record.request.source == "model"
    return Context(control, _without_calls(record) if dropped else record)


def tell_no_evidence(context: Context, event: Event) -> Context:
    """Tell the model once that nothing it did backs its answer."""
    del event
    note = words("no_evidence_told", context.record.language)
    record = _with_note(context.record._replace(request=Request()), note, failed=True)
    return Context(context.control._replace(told=True), record)


def _with_result(context: Context, result: StepResult) -> Context:
    return Context(context.control._replace(approved=False), context.record._replace(result=result))


def _with_note(record: Record, note: str, *, failed: bool) -> Record:
    """Append *note* as the answer to the model's call, or as the user's words when none is open."""
    call_id = record.request.call_id
    if call_id in _open_calls(record):
        told = Message(role="tool", text=note, call_id=call_id, failed=failed)
    else:
        told = Message(role="user", text=note)
    return record._replace(conversation=(*record.conversation, told))


def _without_calls(record: Record) -> Record:
    """Drop the calls that wait; every call of a reply gets its answer, so these too."""
    note = words("not_run", record.language)
    told = tuple(
        Message(role="tool", text=note, call_id=call_id, failed=True)
        for call_id in _open_calls(record)
    )
    return record._replace(calls_left=(), conversation=(*record.conversation, *told))


def _open_calls(record: Record) -> tuple[str, ...]:
    """Return the calls of the newest reply that have no answer yet, in order."""
    answered: set[str] = set()
    for message in reversed(record.conversation):
        if message.role == "assistant":
            return tuple(call.id for call in message.tool_calls if call.id not in answered)
        if message.role == "tool":
            answered.add(message.call_id)
    return ()


def _record(event: Event) -> Mapping[str, Any]:
    found = event.payload.get("record", {})
    return found if isinstance(found, Mapping) else {}


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
    why = str(_record(event).get("reason", ""))
    record = context.record._replace(reason="aborted", reason_facts=(("why", why),))
    return Context(context.control, record)


def start_of_command(context: Context, event: Event) -> Context:
    """An approval is spent by the command that goes out now."""
    del event
    return Context(context.control._replace(approved=False), context.record)


REDUCERS: dict[str, Reducer] = {
    reducer.__name__: reducer
    for reducer in (
        take_task, take_plan, take_turn, count_repair, take_ask, start_of_skill, take_refusal,
        take_repeated_question, take_response, take_act_error, take_confirmation, ask_about_call,
        ask_about_step, take_approval, take_rejection, take_unresolved, take_skill_result,
        take_skill_error, take_observation, tell_no_evidence, take_abort, start_of_command,
    )
} | {
    "fail_budget": _failure("budget_spent"),
    "fail_loop": _failure("loop"),
    "fail_breaker": _failure("breaker_open"),
    "fail_no_evidence": _failure("no_evidence"),
    "fail_invalid_output": _failure("invalid_output"),
    "fail_approval_expired": _failure("approval_expired"),
    "fail_model": _failure("model_failed", "error", "text"),
    "fail_model_silent": _failure("model_silent"),
    "fail_ask": _failure("ask_failed", "error", "text"),
    "fail_observe": _failure("internal_error", "error", "text"),
    "fail_fault": _failure("internal_error", "error", "text"),
    "fail_out_of_turn": _failure("skill_out_of_turn"),
    "fail_browser_lost": _failure("browser_lost"),
    "fail_time": _failure("time_spent"),
}  # fmt: skip

__all__ = ["REDUCERS", "Control", "Reducer"]
