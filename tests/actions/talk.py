"""A model whose replies are a list, as a remote one gives them, and the questions of its tools."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.llm.chunks import Chunk, Hear, nobody
from actions.llm.provider import ModelRequest
from actions.mcp.errors import McpCallError, McpToolChangedError
from actions.ports import ToolAnswer
from states.mcp import McpTool
from states.messages import Message, ModelTurn, ToolCall

READ_TOOL, WRITE_TOOL = "mcp__time__now", "mcp__files__write"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


class Talk:
    """Gives *replies* in order; each is a turn, an error, or chunks and one of both."""

    name = "talk"
    runs_lists = False

    def __init__(self, *replies: Any) -> None:
        self._replies: Iterator[Any] = iter(replies)
        self.requests: list[ModelRequest] = []

    def skip(self, calls: int) -> None:
        """Nothing to pass over."""

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Return the next reply."""
        self.requests.append(request)
        reply = next(self._replies)
        *chunks, end = reply if isinstance(reply, list) else [reply]
        for chunk in chunks:
            hear(chunk)
        if isinstance(end, Exception):
            raise end
        turn: ModelTurn = end
        return turn

    async def close(self) -> None:
        """Nothing is open."""


class Desk:
    """Two tools; the one that writes may answer with an error, or with none."""

    def __init__(self, *answers: ToolAnswer | BaseException) -> None:
        self.tools: Mapping[str, McpTool] = {
            READ_TOOL: tool("now", read_only=True),
            WRITE_TOOL: tool("write", read_only=False),
        }
        self.called: list[tuple[str, Mapping[str, Any]]] = []
        self._answers = list(answers)

    def why_not(self, name: str, arguments: Any) -> str:
        """Refuse a text that is none."""
        del name
        is_fit = isinstance(arguments, dict) and isinstance(arguments.get("text", ""), str)
        return "" if is_fit else "text: not a string"

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Give the next answer."""
        self.called.append((name, arguments))
        answer = self._answers.pop(0) if self._answers else ToolAnswer("done")
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def close(self) -> None:
        """Nothing to end."""


SILENT = McpCallError("mcp_result_wrong", server="files", why="x")
CHANGED = McpToolChangedError("mcp_tool_changed", server="files", tool="write")


def tool(name: str, *, read_only: bool) -> McpTool:
    """Return an approved tool."""
    return McpTool(name=name, input_schema=SCHEMA, read_only=read_only, pin="0" * 64)


def call(name: str, input_: Any = None, raw: str = "", id_: str = "a") -> ToolCall:
    """Return a call; with *raw* it was written as no JSON."""
    return ToolCall(id=id_, name=name, input=input_, raw=raw)


def browse(action: str, id_: str = "a", /, **params: Any) -> ToolCall:
    """Return a call of the browser."""
    return call("browser_action", {"action": action, "params": params}, id_=id_)


def turn(*calls: ToolCall, **more: Any) -> ModelTurn:
    """Return a reply."""
    return ModelTurn(tool_calls=calls, **more)


def faults(conversation: Sequence[Message]) -> list[str]:
    """Return what neither provider's API would take of *conversation*, nothing when it is sound.

    Each call has one answer, and the answers stand straight behind the reply with the calls.
    """
    found: list[str] = []
    open_: list[str] = []
    for number, message in enumerate(conversation):
        if message.role == "tool":
            if message.call_id in open_:
                open_.remove(message.call_id)
            else:
                found.append(f"{number}: answers no open call: {message.call_id!r}")
            continue
        if open_:
            found.append(f"{number}: {message.role} while {open_} wait")
        open_ = [each.id for each in message.tool_calls]
        if len(set(open_) - {""}) < len(open_):
            found.append(f"{number}: ids {open_}")
    return [*found, *([f"at the end {open_} wait"] if open_ else [])]


def heard(*chunks: Chunk) -> list[Chunk]:
    """Return *chunks* as the beginning of a reply."""
    return list(chunks)
