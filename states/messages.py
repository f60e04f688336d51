"""Provider-neutral messages of the reason/act loop (R1): what a model says and is told."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Closed):
    """One tool call of a model; *input* is whatever JSON it wrote.

    *raw* is what it wrote instead when that is no strict JSON; *input* is None then, and nothing
    runs before a rule made sense of it (R5): *input* is then how it was read.
    """

    id: str
    name: str
    input: Any = None
    raw: str = ""


class Usage(_Closed):
    """Tokens of one model call.

    *input_tokens* counts the whole prompt; what of it a cache gave or took is counted beside it.
    *thinking_tokens* are a part of *output_tokens*.
    """

    input_tokens: Annotated[int, Field(ge=0)] = 0
    output_tokens: Annotated[int, Field(ge=0)] = 0
    cache_read_tokens: Annotated[int, Field(ge=0)] = 0
    cache_write_tokens: Annotated[int, Field(ge=0)] = 0
    thinking_tokens: Annotated[int, Field(ge=0)] = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        names = type(self).model_fields
        if not any(getattr(other, name) for name in names):
            return self
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in names})


class CallReport(_Closed):
    """Who answered one model call, how long it took, and what it may have cost (A4).

    *cost_microusd* is an estimate in millionths of a US dollar by the price list, None when the
    model has no price in it. *estimated_tokens* is what the prompt was taken for before it went.
    """

    provider: str = ""
    model: str = ""
    duration_ms: Annotated[int, Field(ge=0)] = 0
    first_token_ms: Annotated[int, Field(ge=0)] = 0
    estimated_tokens: Annotated[int, Field(ge=0)] = 0
    cost_microusd: Annotated[int, Field(ge=0)] | None = None


class ModelReport(_Closed):
    """What the model calls of a task came to; *cost_microusd* is None when a price is missing."""

    provider: str = ""
    model: str = ""
    calls: Annotated[int, Field(ge=0)] = 0
    failed_tries: Annotated[int, Field(ge=0)] = 0
    duration_ms: Annotated[int, Field(ge=0)] = 0
    cost_microusd: Annotated[int, Field(ge=0)] | None = None

    def plus(self, call: CallReport) -> "ModelReport":
        """Return this with one more *call*: a sum without one of its prices is no sum."""
        before = 0 if not self.calls and self.cost_microusd is None else self.cost_microusd
        costs = (call.cost_microusd, before)
        known = [cost for cost in costs if cost is not None]
        return ModelReport(
            provider=call.provider or self.provider,
            model=call.model or self.model,
            calls=self.calls + 1,
            failed_tries=self.failed_tries,
            duration_ms=self.duration_ms + call.duration_ms,
            cost_microusd=sum(known) if len(known) == len(costs) else None,
        )

    def plus_try(self, usage: Usage, cost_microusd: int | None) -> "ModelReport":
        """Return this with the cost of a failed try that used *usage*; unknown when it has none."""
        if not any(usage.model_dump().values()):
            return self
        before = 0 if not self.calls and self.cost_microusd is None else self.cost_microusd
        known = cost_microusd is not None and before is not None
        return self.model_copy(
            update={"cost_microusd": (before or 0) + (cost_microusd or 0) if known else None}
        )


# Why a model stopped: done with its reply, cut at the limit of its output, declined by the
# provider's rules, paused to be called again as it is, or its window full.
Stop = Literal["done", "length", "refusal", "pause", "overflow"]


class ModelTurn(_Closed):
    """One reply of a model; *broken* holds output that is no reply at all.

    *blocks* is the reply as its provider's own API wrote it, kept only where it must be given
    back byte-equal (signed thinking, reasoning); *family* says whose it is.
    """

    thinking: str = ""
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    broken: str | None = None
    stop: Stop = "done"
    blocks: tuple[dict[str, Any], ...] = ()
    family: str = ""
    report: CallReport = CallReport()


class Message(_Closed):
    """One line of the conversation that the next model call is given."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    failed: bool = False
    blocks: tuple[dict[str, Any], ...] = ()
    family: str = ""
