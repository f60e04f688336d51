"""One model call with the GenAI names of OpenTelemetry: who answered, how it ended, what it took.

The names are those of the conventions' registry; what has none there stands under `sgclaw.`. Words
of the model are left out unless *with_content*.
"""

from collections.abc import Mapping
from typing import Any

from sgclaw.otel_values import Value, as_json, count_in, items, mapping_in, text, word

# Those the conventions have a name of their own for.
_PROVIDERS = {"claude": "anthropic", "openai": "openai"}
_USAGE = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_write_tokens": "gen_ai.usage.cache_creation.input_tokens",
    "thinking_tokens": "gen_ai.usage.reasoning.output_tokens",
}
_ALWAYS = frozenset({"input_tokens", "output_tokens"})
# What a reply that was not whole ended by; a full window left no room for one.
_STOPS = {"length": "length", "refusal": "content_filter", "pause": "pause", "overflow": "length"}


class ModelSums:
    """What the model calls of a run come to."""

    def __init__(self) -> None:
        self._usage = dict.fromkeys(_USAGE, 0)
        self._calls = self._tries = self._cost = 0
        self._is_priced = True

    def add_call(self, turn: Mapping[str, Any]) -> None:
        """Count the call that gave *turn*."""
        self._add(mapping_in(turn, "usage"))
        report = mapping_in(turn, "report")
        self._calls += 1
        self._cost += count_in(report, "cost_microusd")
        # A sum without one of its prices is no sum.
        self._is_priced = self._is_priced and report.get("cost_microusd") is not None

    def add_try(self, record: Mapping[str, Any]) -> None:
        """Count a failed try: it may have cost tokens too."""
        self._add(mapping_in(record, "usage"))
        self._tries += 1

    def _add(self, usage: Mapping[str, Any]) -> None:
        for name in self._usage:
            self._usage[name] += count_in(usage, name)

    def attributes(self) -> dict[str, Value]:
        """Return the sums as attributes of the run."""
        found = usage_attributes(self._usage)
        found |= {"sgclaw.model.calls": self._calls, "sgclaw.model.failed_tries": self._tries}
        if self._calls and self._is_priced:
            found["sgclaw.cost.microusd"] = self._cost
        return found


def usage_attributes(usage: Mapping[str, Any]) -> dict[str, Value]:
    """Return the tokens of *usage*; those of caches and of thinking only where there are any."""
    return {
        name: count
        for key, name in _USAGE.items()
        if (count := count_in(usage, key)) or (key in _ALWAYS and key in usage)
    }


def chat_attributes(turn: Mapping[str, Any], *, with_content: bool) -> dict[str, Value]:
    """Return the attributes of the model call that gave *turn*, an empty one when it failed."""
    report = mapping_in(turn, "report")
    provider = word(report.get("provider"))
    found: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider) or "unknown",
    }
    if model := word(report.get("model")):
        found["gen_ai.request.model"] = model
    if not turn:
        return found
    reason = _finish_reason(turn)
    found["gen_ai.response.finish_reasons"] = (reason,)
    found |= usage_attributes(mapping_in(turn, "usage"))
    found |= _report_attributes(report)
    if with_content:
        message = {"role": "assistant", "parts": _parts(turn), "finish_reason": reason}
        found["gen_ai.output.messages"] = as_json([message])
    return found


def try_attributes(payload: Mapping[str, Any], *, with_content: bool) -> dict[str, Value]:
    """Return the attributes of a failed try."""
    record = mapping_in(payload, "record")
    counts = ("number", "wait_ms", "duration_ms")
    found: dict[str, Value] = {f"sgclaw.try.{name}": count_in(record, name) for name in counts}
    found["sgclaw.try.discarded"] = record.get("discarded") is True
    named = {"sgclaw.try.kind": payload.get("kind"), "error.type": record.get("code")}
    found |= {name: known for name, value in named.items() if (known := word(value))}
    found |= {
        n: count for n, count in usage_attributes(mapping_in(record, "usage")).items() if count
    }
    if with_content:
        found["sgclaw.try.text"] = text(record.get("text"))
    return found


def _report_attributes(report: Mapping[str, Any]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if duration := count_in(report, "duration_ms"):
        found["sgclaw.model.duration_ms"] = duration
    if first := count_in(report, "first_token_ms"):
        found["gen_ai.response.time_to_first_chunk"] = first / 1000
    if estimated := count_in(report, "estimated_tokens"):
        found["sgclaw.model.estimated_input_tokens"] = estimated
    if report.get("cost_microusd") is not None:
        found["sgclaw.cost.microusd"] = count_in(report, "cost_microusd")
    return found


def _finish_reason(turn: Mapping[str, Any]) -> str:
    stop = turn.get("stop")
    if isinstance(stop, str) and stop in _STOPS:
        return _STOPS[stop]
    return "tool_call" if list(_calls(turn)) else "stop"


def _parts(turn: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if thinking := text(turn.get("thinking")):
        parts.append({"type": "reasoning", "content": thinking})
    parts.append({"type": "text", "content": text(turn.get("text"))})
    parts += [
        {"type": "tool_call", "id": call.get("id"), "name": call.get("name"),
         "arguments": call.get("input") if not call.get("raw") else call.get("raw")}
        for call in _calls(turn)
    ]  # fmt: skip
    return parts


def _calls(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [call for call in items(turn.get("tool_calls")) if isinstance(call, Mapping)]
