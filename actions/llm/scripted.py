"""The scripted model that ships with the product: line n of a JSON Lines file is model call n.

A line is one reply: `{"thinking", "text", "tool_calls", "usage", "stop"}`, or `{"raw": "..."}` for
broken output, or `{"error": {"status": 529}}`. `delay_s` beside a reply delays it; a line with
nothing but `delay_s` waits and then reads on. A script that runs out ends the task in failed.
"""

import asyncio
import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from actions.errors import ProviderError
from actions.llm.chunks import Hear, nobody
from actions.llm.provider import ModelRequest
from states.messages import ModelTurn, Stop, ToolCall, Usage

DELAY_S_MAX = 3600.0


class _Error(BaseModel):
    model_config = ConfigDict(extra="ignore")
    status: int


class _Usage(BaseModel):
    model_config = ConfigDict(extra="ignore")
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cache_read_tokens: int = Field(default=0, ge=0)
    cache_write_tokens: int = Field(default=0, ge=0)


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")
    thinking: str = ""
    text: str = ""
    tool_calls: list[ToolCall] = []
    usage: _Usage = _Usage()
    stop: Stop = "done"
    raw: str | None = None
    error: _Error | None = None
    delay_s: float = Field(default=0, ge=0, le=DELAY_S_MAX)


class ScriptedProvider:
    """Replies with the lines of a script, in order."""

    name = "scripted"
    runs_lists = True

    def __init__(self, script: str, source: str = "script") -> None:
        """Read *script*, the text of the file *source*.

        Raises:
            ProviderError: a line is not a reply; it names the line.
        """
        self._source = source
        self._lines = [
            _parse(text, number, source)
            for number, text in enumerate(script.split("\n"), start=1)
            if text.strip()
        ]
        self._next = 0

    def skip(self, calls: int) -> None:
        """Pass over the first *calls* replies: they were given before the agent was killed."""
        given = 0
        while given < calls and self._next < len(self._lines):
            given += bool(self._lines[self._next].model_fields_set - {"delay_s"})
            self._next += 1

    async def close(self) -> None:
        """Nothing is open."""

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Return the next line as a reply."""
        line = await self._line(request)
        if line.error is not None:
            raise ProviderError("script_error", status=line.error.status)
        usage = Usage(**line.usage.model_dump())
        if line.raw is not None:
            return ModelTurn(broken=line.raw, usage=usage)
        return ModelTurn(
            thinking=line.thinking,
            text=line.text,
            tool_calls=tuple(line.tool_calls),
            usage=usage,
            stop=line.stop,
        )

    async def _line(self, request: ModelRequest) -> _Line:
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            if line.delay_s:
                await asyncio.sleep(line.delay_s)
            if line.model_fields_set - {"delay_s"}:
                return line
        raise ProviderError("script_ended", line=request.call_number, file=self._source)


def _parse(text: str, number: int, source: str) -> _Line:
    try:
        document: Any = json.loads(text)
        return _Line.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        why = str(error)
    raise ProviderError("script_broken", line=number, file=source, why=why)
