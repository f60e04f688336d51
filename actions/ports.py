"""What the task's services are given: the ports through which they touch the world."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from actions.browser.link import BrowserLink
from actions.llm.provider import Provider
from actions.perception.marks import Mark
from skills.registry import Library
from skills.sandbox import SkillSandbox
from states.catalogue import Lang
from states.mcp import McpTool
from states.page import AomNode, PageState
from states.policy import Policy
from states.settings import Settings
from states.task import StepResult


class ToolAnswer(NamedTuple):
    """What an MCP tool gave back, cleaned and bounded."""

    text: str
    is_error: bool = False


class ToolDesk(Protocol):
    """The MCP servers of the task (R6); a tool is known by its full name."""

    tools: Mapping[str, McpTool]

    def why_not(self, name: str, arguments: Any) -> str:
        """Return what is wrong with *arguments* by the approved schema, "" for nothing."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call the tool once.

        Raises:
            ActionError: it was refused, or no answer came.
        """
        ...

    async def close(self) -> None:
        """End every server."""
        ...


class NoTools:
    """No MCP servers."""

    tools: Mapping[str, McpTool] = MappingProxyType({})

    def why_not(self, name: str, arguments: Any) -> str:
        """Say that there is no such tool."""
        del arguments
        return f"no tool {name}"

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Say that there is no such tool."""
        return ToolAnswer(self.why_not(name, arguments), is_error=True)

    async def close(self) -> None:
        """Nothing to end."""


class Clock(Protocol):
    """Seconds that only go forward."""

    def monotonic(self) -> float:
        """Return seconds since some fixed point."""
        ...


@dataclass
class PageView:
    """The newest look at the page: what refs, selectors and marks are checked against."""

    page: PageState = field(default_factory=PageState)
    nodes: tuple[AomNode, ...] = ()
    marks: tuple[Mark, ...] = ()
    dialog: str = ""


@dataclass
class Ports:
    """Everything a service may use.

    *blobs* keeps pictures out of events and ledger: an event holds their digest only.
    *mark* draws the random part of a fence around page text.
    *skill_answers* carries the result of a skill's call back into its session.
    """

    trace_id: str
    policy: Policy
    settings: Settings
    language: Lang
    link: BrowserLink
    provider: Provider
    library: Library
    sandbox: SkillSandbox
    clock: Clock
    log: Callable[..., None]
    view: PageView = field(default_factory=PageView)
    blobs: dict[str, str] = field(default_factory=dict)
    desk: ToolDesk = field(default_factory=NoTools)
    mark: Callable[[], str] = field(default=lambda: secrets.token_hex(4))
    skill_answers: asyncio.Queue[StepResult] = field(default_factory=lambda: asyncio.Queue(1))

    @property
    def mcp_tools(self) -> Mapping[str, McpTool]:
        """Return the approved MCP tools by their full names."""
        return self.desk.tools

    def whole(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return *data* with its blobs put back."""
        return with_blobs(data, self.blobs)


def with_blobs(data: Mapping[str, Any], blobs: Mapping[str, str]) -> dict[str, Any]:
    """Return *data* with each digest replaced by its blob, or by "" when that is not there."""
    return {
        key: blobs.get(value["sha256"], "") if _is_blob(value) else value
        for key, value in data.items()
    }


def _is_blob(value: object) -> bool:
    return isinstance(value, dict) and set(value) == {"sha256", "chars"}
