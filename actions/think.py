"""Ask the model what to do next, or take the next call of its last reply (R1)."""

from typing import Any

from actions.judge import Remembered, judge_call, judge_turn
from actions.llm.provider import ModelRequest
from actions.ports import Ports
from guards.output import output_is_sound
from states.messages import ModelTurn
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
    result = record.result
    request = ModelRequest(
        trace_id=ports.trace_id,
        instruction=record.instruction,
        conversation=record.conversation,
        page_text=record.page_text,
        language=ports.language,
        call_number=record.model_calls + 1,
        last_data=_returned(ports.whole(result.data)) if result else {},
        last_message=result.message if result else "",
        last_error=result.error if result else "",
    )
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
