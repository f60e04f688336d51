"""The MCP servers of a task as its tools: the pool behind the port of the services (R6)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from actions.mcp.errors import McpError
from actions.mcp.pool import McpPool
from actions.ports import NoTools, ToolAnswer, ToolDesk
from states.catalogue import Lang
from states.mcp import McpServer, McpTool, full_name
from states.settings import McpLimits


class PoolDesk:
    """Calls the approved tools of the servers in *pool*."""

    def __init__(self, pool: McpPool, servers: tuple[McpServer, ...], lang: Lang) -> None:
        self._pool, self._lang = pool, lang
        self.tools: Mapping[str, McpTool] = MappingProxyType(
            {full_name(server.name, tool.name): tool for server in servers for tool in server.tools}
        )

    def why_not(self, name: str, arguments: Any) -> str:
        """Return what is wrong with *arguments* by the approved schema, "" for nothing."""
        try:
            self._pool.check(name, arguments)
        except McpError as error:
            return error.text(self._lang)
        return ""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call the tool once.

        Raises:
            McpError: see `actions.mcp.errors`.
        """
        result = await self._pool.call(name, arguments)
        return ToolAnswer(result.text, result.is_error)

    async def close(self) -> None:
        """End every server."""
        await self._pool.close(at_once=True)


def desk_of(
    servers: tuple[McpServer, ...], limits: McpLimits, log: Callable[..., None], lang: Lang
) -> ToolDesk:
    """Return the desk of *servers*; they start when they are first used."""
    if not servers:
        return NoTools()
    return PoolDesk(McpPool(servers, limits, log, lang), servers, lang)
