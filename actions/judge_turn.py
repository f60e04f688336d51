"""Judge one whole reply of the model: how it ended, what it asks for, and what can be read (R5).

The rule: only a whole reply is run, and only as it was written. Output that is no strict JSON is
read all the same where nothing can change by it; for everything else the model is told exactly
what was wrong with it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from actions.judge import judge_call, known_tools
from actions.judged import Judged, Remembered, invalid
from actions.ports import Ports
from guards.output import claims_action, output_is_reply
from guards.output_fault import why_broken
from guards.output_repair import call_in_text, meant_as_call, repair_arguments
from states.messages import ModelTurn, ToolCall
from states.policy import READ_ACTIONS, Effect
from states.task import Request
from states.verdict import ALLOWED, refused

# What the chart calls each way of stopping but "done", and what the model or person is told.
_STOPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "length": ("cut", "output_cut_told"),
        "refusal": ("declined", "model_declined"),
        "pause": ("paused", "model_paused"),
        "overflow": ("overflow", "window_full"),
    }
)
# Reading tools that open nothing and take nothing.
_OWN_READS = frozenset({"use_skill"})


def judge_turn(turn: ModelTurn, ports: Ports, remembered: Remembered) -> Judged:
    """Judge a whole new reply; its first call is the one that counts now."""
    first = turn.tool_calls[0] if turn.tool_calls else None
    call_id = first.id if first else ""
    if turn.stop in _STOPS:
        reply, key = _STOPS[turn.stop]
        return invalid(refused(key), call_id)._replace(reply=reply)
    verdict = output_is_reply(turn, ports.settings.task)
    if not verdict:
        return invalid(verdict, call_id)
    if first is None:
        return _judge_text(turn.text, ports, remembered)
    return judge_written(first, ports, remembered)


def judge_written(call: ToolCall, ports: Ports, remembered: Remembered) -> Judged:
    """Judge *call* as it was written: broken arguments are read only where nothing can change."""
    if not call.raw:
        return judge_call(call, ports, remembered)
    repaired = repair_arguments(call.raw)
    if repaired is not None:
        whole = call.model_copy(update={"input": repaired.value, "raw": ""})
        judged = judge_call(whole, ports, remembered)
        if only_reads(judged):
            # What was written stays beside what was read: the ledger shows both.
            read = call.model_copy(update={"input": repaired.value})
            return judged._replace(repaired=repaired.how, found=read)
    why = why_broken(call.raw, ports.language)
    return invalid(refused("call_json", tool=call.name[:80], why=why), call.id)


def _judge_text(text: str, ports: Ports, remembered: Remembered) -> Judged:
    tools = known_tools(ports)
    found = call_in_text(text, tools)
    if found is None and meant_as_call(text, tools):
        return invalid(refused("call_in_text", tool="-"))
    if found is None:
        return Judged("text", Effect.READ, Request(), ALLOWED, claims_action(text))
    call = ToolCall(id="text-1", name=found.name, input=found.value)
    judged = judge_call(call, ports, remembered)
    if only_reads(judged):
        return judged._replace(repaired=found.how, found=call)
    return invalid(refused("call_in_text", tool=found.name[:80]))


def only_reads(judged: Judged) -> bool:
    """Tell whether *judged* can change nothing anywhere, whatever it was meant to be."""
    if judged.effect is not Effect.READ:
        return False
    request = judged.request
    return request.action in READ_ACTIONS or request.tool in _OWN_READS or request.tool == "mcp"
