"""The reducers of what the model says: its replies, its tries, and its questions (R1, R4, R5)."""

from states.catalogue import words
from states.conversation import closed_with, without_calls
from states.events import Event
from states.fold_resume import record_of, told_now, used_up
from states.messages import Message, ModelTurn, ToolCall, Usage
from states.policy import Effect
from states.task import REPAIRS_MAX, Context, Control, Record, Request

NO_EFFECT = Effect.READ.value
# Replies whose effect class says something.
_ACTING = frozenset({"call", "skill", "dialog", "tool", "question"})
# Replies after which the same is asked again, at most twice in a row.
_UNFINISHED = frozenset({"invalid", "cut", "paused", "overflow", "none"})
_NO_ANSWERS = _UNFINISHED | {"declined"}


def take_plan(context: Context, event: Event) -> Context:
    """Keep the text of the first reply as the plan, and the reply as any other."""
    turn = ModelTurn.model_validate(record_of(event).get("turn", {}))
    folded = take_turn(context, event)
    return Context(folded.control, folded.record._replace(plan=turn.text))


def take_turn(context: Context, event: Event) -> Context:
    """Fold one reply of the model: its words, its cost, and the call it asks for."""
    given = record_of(event)
    reply, effect, claims = (event.payload[name] for name in ("reply", "effect", "claims"))
    control = context.control._replace(
        reply=reply,
        effect=effect if reply in _ACTING else NO_EFFECT,
        claims=claims and reply == "text",
        source="model",
    )
    record = context.record._replace(
        request=Request.model_validate(given.get("request", {})),
        calls_left=tuple(ToolCall.model_validate(c) for c in given.get("calls_left", ())),
    )
    if (turn_document := given.get("turn")) is not None:
        turn = ModelTurn.model_validate(turn_document)
        record = _with_turn(record, turn)
        # Only a whole text is an answer: not what was cut, declined or meant as a call.
        is_answer = reply not in _NO_ANSWERS and not turn.tool_calls
        record = record._replace(answer=turn.text if is_answer else "", citations=())
    if "answer" in given:
        cited = tuple(int(number) for number in given.get("citations", ()))
        record = record._replace(answer=str(given["answer"]), citations=cited)
    if control.reply not in _UNFINISHED:
        control = control._replace(repairs=0)
    return Context(control, record)


def _with_turn(record: Record, turn: ModelTurn) -> Record:
    said = Message(
        role="assistant",
        text=turn.text or turn.broken or "",
        tool_calls=turn.tool_calls,
        blocks=turn.blocks,
        family=turn.family,
    )
    # What a full window left of a reply is asked for again as a whole.
    spoke = turn.stop != "overflow" and bool(said.text or said.tool_calls or said.blocks)
    return record._replace(
        conversation=(*record.conversation, said) if spoke else record.conversation,
        usage=record.usage.plus(turn.usage),
        model=record.model.plus(turn.report),
        model_calls=record.model_calls + 1,
    )


def take_try(context: Context, event: Event) -> Context:
    """Fold one failed try: what it cost, and that there was one (R4, A4)."""
    record, given = context.record, record_of(event)
    usage = Usage.model_validate(given.get("usage", {}))
    model = record.model.plus_try(usage, given.get("cost_microusd"))
    failed = record.failed_tries + 1
    sums = record._replace(failed_tries=failed, usage=record.usage.plus(usage), model=model)
    return Context(context.control, sums)


def count_repair(context: Context, event: Event) -> Context:
    """Tell the model what was wrong with its output, and count the attempt."""
    control = _asked_again(context.control)
    note = str(record_of(event).get("note", ""))
    return Context(control, closed_with(context.record, note, failed=True))


def count_pause(context: Context, event: Event) -> Context:
    """Go on where the provider paused: what it said so far is given back, and it is told to go on.

    Without a word of the user's the request would end in the model's own, which many models refuse.
    """
    del event
    record = without_calls(context.record)
    if record.conversation and record.conversation[-1].role == "assistant":
        told = Message(role="user", text=words("model_go_on", record.language))
        record = record._replace(conversation=(*record.conversation, told))
    return Context(_asked_again(context.control), record)


def count_overflow(context: Context, event: Event) -> Context:
    """The model's window was full: the same is asked with a shorter conversation (R7)."""
    del event
    record = without_calls(context.record)
    return Context(_asked_again(context.control), record._replace(squeeze=record.squeeze + 1))


def _asked_again(control: Control) -> Control:
    return control._replace(repairs=min(control.repairs + 1, REPAIRS_MAX), reply="none")


def ask_question(context: Context, event: Event) -> Context:
    """The next question is the model's own: what only the person knows."""
    del event
    return Context(decided(context.control)._replace(asking="question"), context.record)


def take_answer(context: Context, event: Event) -> Context:
    """Fold what the person answered; a question costs a step."""
    return _answered(context, event, failed=False)


def take_no_answer(context: Context, event: Event) -> Context:
    """The person does not answer: the model is told, and nothing else changes."""
    return _answered(context, event, failed=True)


def _answered(context: Context, event: Event, *, failed: bool) -> Context:
    note = str(record_of(event).get("note", ""))
    record = closed_with(context.record, note, failed=failed)
    if record.told_later:  # the question outlived its agent: the browser may be a new one
        record = told_now(record, record.told_later)._replace(told_later="")
    steps = event.payload.get("steps", context.control.steps)
    control = context.control._replace(asking="call", steps=steps)
    return Context(control, record._replace(steps=record.steps + 1))


def tell_no_evidence(context: Context, event: Event) -> Context:
    """Tell the model once that nothing it did backs its answer."""
    del event
    note = words("no_evidence_told", context.record.language)
    # An answer that nothing backs is not kept as one.
    record = closed_with(context.record, note, failed=True)
    control = used_up(context.control)._replace(told=True)
    return Context(control, record._replace(request=Request(), answer="", citations=()))


def decided(control: Control) -> Control:
    """Return *control* with the verdict on the call read."""
    return control._replace(reply="call", effect=NO_EFFECT)
