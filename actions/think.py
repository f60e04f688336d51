"""Ask the model what to do next, or take the next call of its last reply (R1)."""

from collections.abc import Callable, Mapping
from typing import Any

from actions.judge_turn import judge_turn, judge_written
from actions.judged import Judged, Remembered
from actions.llm.provider import ModelRequest
from actions.ports import Ports, with_blobs
from actions.telling import Telling
from guards.output import output_is_sound
from states.catalogue import Lang
from states.messages import Message, ModelTurn
from states.secrets import strike, strike_all
from states.task import Context, Record

# Replies whose calls are called: nothing of one that is not whole is left to run.
_RUNS = frozenset({"call", "skill", "dialog", "tool", "question"})
Emit = Callable[[str, Mapping[str, Any]], None]


async def think(context: Context, ports: Ports, emit: Emit) -> dict[str, Any]:
    """Return the judged reply: the payload of `done.invoke.think`.

    Raises:
        ProviderError: the model cannot answer.
    """
    waiting = context.record.calls_left
    if waiting:
        judged = judge_written(waiting[0], ports, _remembered(context.record))
        payload = judged.payload(ports)
        payload["record"]["calls_left"] = [call.model_dump() for call in waiting[1:]]
        return payload
    return await ask_model(context, ports, Telling(ports.log, emit))


async def ask_model(context: Context, ports: Ports, telling: Telling) -> dict[str, Any]:
    """Make one model call and return its judged reply; *telling* hears it come."""
    record = context.record
    request = request_of(record, ports.trace_id, ports.language, ports.blobs)
    started = ports.clock.monotonic()
    turn = await ports.provider.complete(request, telling)
    # Not after an error: a line that broke off may end in half of a secret.
    telling.close()
    took_ms = round(1000 * (ports.clock.monotonic() - started))
    turn = _reported(turn, ports, took_ms)
    judged = judge_turn(turn, ports, _remembered(record))
    turn = _with_found(turn, judged)
    ports.log("model_called", provider=turn.report.provider, model=turn.report.model,
              call=request.call_number, duration_ms=took_ms, stop=turn.stop,
              usage=turn.usage.model_dump())  # fmt: skip
    payload = judged.payload(ports)
    payload["record"]["turn"] = _recorded(turn, ports).model_dump(mode="json")
    # A model that plans on one page for the next one guesses: only its first call runs (R5).
    runs = ports.provider.runs_lists and payload["reply"] in _RUNS
    left = turn.tool_calls[1:] if runs else ()
    payload["record"]["calls_left"] = [call.model_dump() for call in left]
    return payload


def _reported(turn: ModelTurn, ports: Ports, took_ms: int) -> ModelTurn:
    """Return *turn* with who gave it and how long it took, if its provider did not say."""
    if turn.report.provider:
        return turn
    named = {"provider": ports.provider.name, "duration_ms": took_ms}
    return turn.model_copy(update={"report": turn.report.model_copy(update=named)})


def _with_found(turn: ModelTurn, judged: Judged) -> ModelTurn:
    """Return *turn* with its first call as it was read, so that it is answered as that."""
    if judged.found is None:
        return turn
    return turn.model_copy(update={"tool_calls": (judged.found, *turn.tool_calls[1:])})


def request_of(record: Record, trace_id: str, lang: Lang, blobs: Mapping[str, str]) -> ModelRequest:
    """Return what the model is asked next in the task of *record*; *blobs* are put back (M5).

    Pure, and the only place where a request is put together: the live agent asks it of its own
    record, a projection of the one that the ledger's rows come to. What has the form of a secret
    is struck, as it is in those rows.
    """
    result = record.result
    whole = with_blobs(_plain(result.data), blobs) if result else {}
    picture = whole.get("image_base64", "")
    return ModelRequest(
        trace_id=trace_id,
        instruction=strike(record.instruction),
        conversation=tuple(map(_struck, record.conversation)),
        page_text=strike(record.page_text),
        picture=picture if isinstance(picture, str) else "",
        squeeze=record.squeeze,
        language=lang,
        call_number=record.model_calls + 1,
        last_data=_returned(whole),
        last_message=strike(result.message) if result else "",
        last_error=result.error if result else "",
    )


def _struck(message: Message) -> Message:
    """Return *message* without secrets; *message* itself when it holds none."""
    text = strike(message.text)
    calls = tuple(
        call.model_copy(
            update={"input": strike_all(call.input, by_key=False), "raw": strike(call.raw)}
        )
        for call in message.tool_calls
    )
    blocks = strike_all(list(message.blocks), by_key=False)
    if (text, calls, tuple(blocks)) == (message.text, message.tool_calls, message.blocks):
        return message
    changed = {"text": text, "tool_calls": calls, "blocks": tuple(blocks)}
    return message.model_copy(update=changed)


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = strike_all(data, by_key=False)
    return plain


def _remembered(record: Record) -> Remembered:
    proven = tuple(step.number for step in record.history if step.success)
    return Remembered(record.rejected, record.unknown, proven)


def _recorded(turn: ModelTurn, ports: Ports) -> ModelTurn:
    """Return *turn* as the ledger can hold it: of unsound output only the beginning is kept.

    Calls that cannot be told apart can have no answer each, so they are none.
    """
    ids = {call.id for call in turn.tool_calls} - {""}
    if len(ids) == len(turn.tool_calls) and output_is_sound(turn, ports.settings.task):
        return turn
    shown = repr(turn.broken or turn.text or turn.tool_calls)
    kept = {"usage": turn.usage, "report": turn.report, "stop": turn.stop}
    return ModelTurn(broken=shown[: ports.settings.task.report_chars_max], **kept)


def _returned(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a skill gave back as `data`, or the command's own data."""
    inner = data.get("data")
    return inner if isinstance(inner, dict) else data
