"""Provider-neutral messages of the reason/act loop (R1): what a model says and is told."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Closed):
    """One tool call of a model; *input* is whatever JSON it wrote."""

    id: str
    name: str
    input: Any = None


class Usage(_Closed):
    """Tokens of one model call."""

    input_tokens: Annotated[int, Field(ge=0)] = 0
    output_tokens: Annotated[int, Field(ge=0)] = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class ModelTurn(_Closed):
    """One complete reply of a model; *broken* holds output that is no reply at all."""

    thinking: str = ""
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    broken: str | None = None


class Message(_Closed):
    """One line of the conversation that the next model call is given."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    failed: bool = False
