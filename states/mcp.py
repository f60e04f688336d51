"""MCP servers as data (R6): what a person approved of each, and the pin that holds it to that.

The rule: a model is told of approved tools only, in the very words that were approved; a tool
whose definition has another pin now is another tool.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from states.canonical import sha256_of

# What the APIs of both families take as a tool's name.
FULL_NAME_CHARS_MAX = 64
_PREFIX = "mcp"
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MARK_CHARS = 8

ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
# Seen characters only: what a person reads on a card is then all there is.
ToolName = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,128}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Pin = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Word = Annotated[str, StringConstraints(max_length=4_096, pattern=r"^[^\x00]*$")]


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolOffer(NamedTuple):
    """A tool's definition exactly as its server lists it."""

    name: str
    description: str | None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None


class McpTool(_Closed):
    """One approved tool; *description* and *input_schema* are as the person was shown them.

    What a server says of its own tool (annotations) never makes it *read_only*: a person does.
    """

    name: ToolName
    description: str = ""
    input_schema: dict[str, Any]
    read_only: bool = False
    pin: Pin


class McpServer(_Closed):
    """One server that is started over stdio, and its approved tools.

    *env* are the names of the variables that it is handed; their values stand nowhere.
    """

    name: ServerName
    command: Annotated[tuple[_Word, ...], Field(min_length=1, max_length=64)]
    env: Annotated[tuple[VariableName, ...], Field(max_length=32)] = ()
    cwd: _Word = ""
    tools: tuple[McpTool, ...] = ()

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        if not self.command[0]:
            raise ValueError("the command is empty")
        names = [full_name(self.name, tool.name) for tool in self.tools]
        if len(set(names)) < len(names):
            raise ValueError("two tools have one name")
        return self


def pin_of(offer: ToolOffer) -> str:
    """Return the SHA-256 of the canonical form of *offer*.

    Raises:
        ValueError: the definition holds what canonical JSON cannot (see `states.canonical`).
    """
    return sha256_of(offer._asdict())


def full_name(server: str, tool: str) -> str:
    """Return the name by which a model calls *tool* of *server*: `mcp__server__tool`.

    A name with other characters, or too long a one, is cut and marked by a digest of the whole,
    so that two tools keep two names. No server's name holds "_": the second "__" divides.
    """
    head = f"{_PREFIX}__{server}__"
    plain = _NOT_IN_NAME.sub("_", tool)
    if plain == tool and len(head) + len(tool) <= FULL_NAME_CHARS_MAX:
        return head + tool
    mark = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]
    room = FULL_NAME_CHARS_MAX - len(head) - len(mark) - 1
    return f"{head}{plain[:room]}_{mark}"


def find_tool(servers: Iterable[McpServer], name: str) -> tuple[McpServer, McpTool] | None:
    """Return the server and the approved tool whose full name is *name*."""
    for server in servers:
        for tool in server.tools:
            if full_name(server.name, tool.name) == name:
                return server, tool
    return None
