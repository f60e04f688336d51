"""The MCP servers of one task: started at their first use, held to their pins, restarted, ended.

Order of a call, each step a refusal: the tool is an approved one; the arguments fit the approved
schema; the server runs; it offers the tool exactly as approved. Only then is anything sent.
"""

import asyncio
import os
from collections.abc import Iterable, Mapping
from typing import Any

from actions.mcp.content import McpResult, read_result
from actions.mcp.errors import (
    McpArgumentsError,
    McpCallError,
    McpError,
    McpStartError,
    McpToolChangedError,
)
from actions.mcp.process import Log
from actions.mcp.schema import check_arguments, first_wrong
from actions.mcp.session import McpSession
from states.catalogue import Lang
from states.mcp import McpServer, McpTool, ToolOffer, find_tool, pin_of
from states.settings import McpLimits

_NAME_CHARS = 200


class McpPool:
    """Calls the approved tools of *servers*, which are handed variables of *environment*."""

    def __init__(
        self,
        servers: Iterable[McpServer],
        limits: McpLimits,
        log: Log,
        language: Lang = "en",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._servers = tuple(servers)
        self._limits = limits
        self._log = log
        self._language: Lang = language
        self._environment = os.environ if environment is None else environment
        self._seats = {server.name: _Seat() for server in self._servers}

    @property
    def pids(self) -> tuple[int, ...]:
        """The process groups of the servers that run."""
        running = [seat.session.pid for seat in self._seats.values() if seat.session]
        return tuple(pid for pid in running if pid is not None)

    def check(self, name: str, arguments: Mapping[str, Any]) -> tuple[McpServer, McpTool]:
        """Return whose tool *name* is, once *arguments* fit its approved schema; nothing is sent.

        Raises:
            McpArgumentsError: there is no such approved tool, or they do not fit.
        """
        found = find_tool(self._servers, name)
        if found is None:
            raise McpArgumentsError("mcp_tool_unknown", tool=name[:_NAME_CHARS])
        check_arguments(name, found[1].input_schema, arguments, self._limits.arguments_chars_max)
        return found

    async def call(self, name: str, arguments: Mapping[str, Any]) -> McpResult:
        """Call the tool whose full name is *name* and return what its server answered.

        Raises:
            McpError: see `actions.mcp.errors`; but for a McpCallError nothing was sent.
        """
        server, tool = self.check(name, arguments)
        seat = self._seats[server.name]
        # One call at a time: most servers are made for one, and a person approves one.
        async with seat.lock:
            session = await self._started(server, seat)
            offer = await self._offered(session, server, tool)
            raw = await session.call(tool.name, arguments)
        structured = raw.structured_content
        if offer.output_schema is not None and not raw.is_error:
            wrong = first_wrong(offer.output_schema, structured)
            if wrong is not None:
                why = f"{wrong.where}: {wrong.rule}"
                raise McpCallError("mcp_result_wrong", server=server.name, why=why)
        return read_result(raw, self._limits.result_chars_max, self._language)

    async def close(self, *, at_once: bool = False) -> None:
        """End every server: in order, or with *at_once* without asking; none is left behind."""
        sessions = [seat.session for seat in self._seats.values() if seat.session]
        ends = [session.kill() if at_once else session.close() for session in sessions]
        try:
            await asyncio.gather(*ends)
        except asyncio.CancelledError:
            for session in sessions:
                session.kill_now()
            raise

    async def _started(self, server: McpServer, seat: "_Seat") -> McpSession:
        if seat.session is not None and seat.session.is_alive:
            return seat.session
        if seat.session is not None:
            await seat.session.kill()
        if seat.starts > self._limits.restarts_max:
            raise McpStartError("mcp_restarts_spent", server=server.name, starts=seat.starts)
        seat.starts += 1
        seat.session = McpSession(server, self._limits, self._log, self._environment)
        self._log("mcp_server_starting", server=server.name, number=seat.starts)
        try:
            await seat.session.start()
        except McpError as error:
            self._log("mcp_server_failed", level="WARNING", server=server.name, why=str(error))
            raise
        return seat.session

    async def _offered(self, session: McpSession, server: McpServer, tool: McpTool) -> ToolOffer:
        """Return *tool* as it is offered now.

        Raises:
            McpToolChangedError: that is not what was approved.
        """
        if session.is_stale:
            await session.list_anew()
        offers = [offer for offer in session.offers if offer.name == tool.name]
        # Of two tools with one name nobody can say which would be called.
        if len(offers) != 1 or pin_or_none(offers[0]) != tool.pin:
            self._log("mcp_tool_changed", level="WARNING", server=server.name, tool=tool.name)
            raise McpToolChangedError("mcp_tool_changed", server=server.name, tool=tool.name)
        return offers[0]


class _Seat:
    """The place of one server: its session, if it was started, and how often it was."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.session: McpSession | None = None
        self.starts = 0


def pin_or_none(offer: ToolOffer) -> str | None:
    """Return the pin of *offer*, None when it has no canonical form: it is never approved."""
    try:
        return pin_of(offer)
    except ValueError:
        return None
