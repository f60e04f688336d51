"""Ask the model what to do next, or take the next call of its last reply (R1)."""

from collections.abc import Mapping
from typing import Any

from actions.judge import Remembered, judge_call, judge_turn
from actions.llm.provider import ModelRequest
from actions.ports import Ports, with_blobs
from guards.output import output_is_sound
from states.catalogue import Lang
from states.messages import Message, ModelTurn
from states.secrets import strike, strike_all
from states.task import Context, Record


async def think(context: Context, ports: Ports) -> dict[str, Any]:
    """Return the judged reply: the payload of `done.invoke.think`.

    Raises:
        ProviderError: the model cannot answer.
    """
    waiting = context.record.calls_left
    if waiting:
        payload = judge_call(waiting[0], ports, _remembered(context.record)).payload(ports)
        payload["record"]["calls_left"] = [call.model_dump() for call in waiting[1:]]
        return payload
    return await ask_model(context, ports)


async def ask_model(context: Context, ports: Ports) -> dict[str, Any]:
    """Make one model call and return its judged reply."""
    record = context.record
    request = request_of(record, ports.trace_id, ports.language, ports.blobs)
    started = ports.clock.monotonic()
    turn = await ports.provider.complete(request)
    took_ms = round(1000 * (ports.clock.monotonic() - started))
    ports.log("model_called", provider=ports.provider.name, call=request.call_number,
              duration_ms=took_ms, usage=turn.usage.model_dump())  # fmt: skip
    payload = judge_turn(turn, ports, _remembered(record)).payload(ports)
    payload["record"]["turn"] = _recorded(turn, ports).model_dump(mode="json")
    payload["record"]["calls_left"] = [call.model_dump() for call in turn.tool_calls[1:]]
    if payload["reply"] == "invalid":
        payload["record"]["calls_left"] = []
    return payload


def request_of(record: Record, trace_id: str, lang: Lang, blobs: Mapping[str, str]) -> ModelRequest:
    """Return what the model is asked next in the task of *record*; *blobs* are put back (M5).

    Pure, and the only place where a request is put together: the live agent asks it of its own
    record, a projection of the one that the ledger's rows come to. What has the form of a secret
    is struck, as it is in those rows.
    """
    result = record.result
    return ModelRequest(
        trace_id=trace_id,
        instruction=strike(record.instruction),
        conversation=tuple(map(_struck, record.conversation)),
        page_text=strike(record.page_text),
        language=lang,
        call_number=record.model_calls + 1,
        last_data=_returned(with_blobs(_plain(result.data), blobs)) if result else {},
        last_message=strike(result.message) if result else "",
        last_error=result.error if result else "",
    )


def _struck(message: Message) -> Message:
    """Return *message* without secrets; *message* itself when it holds none."""
    text = strike(message.text)
    calls = tuple(
        call.model_copy(update={"input": strike_all(call.input, by_key=False)})
        for call in message.tool_calls
    )
    if text == message.text and calls == message.tool_calls:
        return message
    return message.model_copy(update={"text": text, "tool_calls": calls})


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = strike_all(data, by_key=False)
    return plain


def _remembered(record: Record) -> Remembered:
    return Remembered(record.rejected, record.unknown)


def _recorded(turn: ModelTurn, ports: Ports) -> ModelTurn:
    """Return *turn* as the ledger can hold it: of unsound output only the beginning is kept."""
    if output_is_sound(turn, ports.settings.task):
        return turn
    shown = repr(turn.broken or turn.text or turn.tool_calls)
    return ModelTurn(broken=shown[: ports.settings.task.report_chars_max], usage=turn.usage)


def _returned(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a skill gave back as `data`, or the command's own data."""
    inner = data.get("data")
    return inner if isinstance(inner, dict) else data
