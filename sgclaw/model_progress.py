"""What a person sees of a model while it answers: its words as they stream, tries, costs.

The agent tells whole lines. A line of reasoning is marked as such: it is no answer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from states.catalogue import Lang, words
from states.messages import ModelReport, Usage
from states.wire import LogEntry

SAYS, RETRY, CALLED = "model_says", "model_retry", "model_called"
_SAID, _THOUGHT = "»", "~"
_MICRO = 1_000_000


class ModelProgress:
    """Turns the model's log entries into lines for *show*, in the language *lang*."""

    def __init__(self, lang: Lang, show: Callable[[str], None]) -> None:
        self._lang: Lang = lang
        self._show = show

    def takes(self, message: LogEntry) -> bool:
        """Show *message* if it is one of the model's; tell whether it was."""
        data = message.data
        if message.event == SAYS:
            mark = _THOUGHT if data.get("kind") == "thought" else _SAID
            for line in str(data.get("text", "")).splitlines():
                self._show(f"{mark} {line.strip()}")
        elif message.event == RETRY:
            self._show(self._retry(data))
        elif message.event == CALLED:
            if data.get("model"):  # the matcher and a script are none
                self._show(self._called(data))
        else:
            return False
        return True

    def _retry(self, data: Mapping[str, Any]) -> str:
        why = str(data.get("why", "")) or str(data.get("code", ""))
        seconds = _number(data, "wait_s")
        number = round(_number(data, "number"))
        return words("progress_model_retry", self._lang, why=why, seconds=f"{seconds:g}",
                     number=number)  # fmt: skip

    def _called(self, data: Mapping[str, Any]) -> str:
        usage = data.get("usage")
        tokens: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
        facts = {
            "tokens_in": round(_number(tokens, "input_tokens")),
            "tokens_cached": round(_number(tokens, "cache_read_tokens")),
            "tokens_out": round(_number(tokens, "output_tokens")),
            "seconds": f"{_number(data, 'duration_ms') / 1000:.1f}",
        }
        return words("progress_model_called", self._lang, **facts)


def summary_of(report: ModelReport, usage: Usage, lang: Lang) -> str:
    """Return the summary's words about the model, "" when none was asked."""
    if not report.calls or not (report.model or usage.input_tokens or usage.output_tokens):
        return ""
    cost = report.cost_microusd
    unknown = words("run_cost_unknown", lang)
    return words(
        "run_model_used",
        lang,
        model=f"{report.provider} {report.model}".strip(),
        calls=report.calls,
        tries=report.failed_tries,
        tokens_in=usage.input_tokens,
        tokens_cached=usage.cache_read_tokens,
        tokens_out=usage.output_tokens,
        seconds=f"{report.duration_ms / 1000:.1f}",
        cost=unknown if cost is None else f"${cost / _MICRO:.4f}",
    )


def _number(data: Mapping[str, Any], name: str) -> float:
    """Return a number that an agent tells, 0 when it is none: it may say anything."""
    value = data.get(name)
    return float(value) if isinstance(value, int | float) and abs(value) < 2**53 else 0.0
