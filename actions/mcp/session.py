"""One connection to one running MCP server: what it offers, and calls of it.

The SDK's client lives in one task from start to end, as its cancel scopes demand; calls come from
other tasks. Results are read by plain requests, so that nothing a server listed is compiled or
applied here; requests of the server to sample or to ask a person are refused.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from actions.mcp.clean import one_line
from actions.mcp.errors import McpCallError, McpError, McpStartError
from actions.mcp.process import Log, ServerProcess, start_process
from actions.mcp.transport import joined
from states.mcp import McpServer, ToolOffer
from states.settings import McpLimits

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_types import CallToolResult, Tool

_WHY_CHARS = 300
_Answer = TypeVar("_Answer")


class McpSession:
    """A started server. *offers* holds its tools as they were listed at the start."""

    def __init__(
        self, server: McpServer, limits: McpLimits, log: Log, environment: Mapping[str, str]
    ) -> None:
        self._server = server
        self._limits = limits
        self._log = log
        self._environment = environment
        self._process: ServerProcess | None = None
        self._client: Client | None = None
        self._ending = asyncio.Event()
        self._ready: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self.offers: tuple[ToolOffer, ...] = ()
        self.is_stale = False

    @property
    def is_alive(self) -> bool:
        """Whether calls can still be sent."""
        return self._client is not None and not self._ending.is_set()

    @property
    def pid(self) -> int | None:
        """The process, and group, of the server's holder."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the server, greet it and list its tools.

        Raises:
            McpStartError: it cannot be started, does not speak MCP, or took too long.
        """
        self._ready = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(self._ready), name=f"mcp-{self._server.name}")
        seconds = self._limits.start_seconds
        try:
            async with asyncio.timeout(seconds):
                await asyncio.shield(self._ready)
        except TimeoutError:
            await self.kill()
            why = self._last_words()
            raise McpStartError(
                "mcp_start_timeout", server=self._server.name, seconds=seconds, why=why
            ) from None
        except BaseException:
            await self.kill()
            raise

    async def list_anew(self) -> None:
        """List the server's tools again: it said that they changed.

        Raises:
            McpStartError: it did not answer, or not with a list; no call was sent.
        """
        from mcp.shared.exceptions import MCPError

        seconds, name = self._limits.start_seconds, self._server.name
        self.is_stale = False
        try:
            self.offers = await self._asked(self._list, seconds)
        except BaseException as error:
            self.is_stale = True  # nothing is called by a list that is known to be old
            if not isinstance(error, McpCallError | MCPError):
                raise
            if isinstance(error, McpCallError) and error.code == "mcp_call_timeout":
                why = self._last_words()
                raise McpStartError(
                    "mcp_start_timeout", server=name, seconds=seconds, why=why
                ) from None
            said = error.facts.get("why") if isinstance(error, McpCallError) else error
            why = one_line(str(said or getattr(error, "code", "?")), _WHY_CHARS)
            raise McpStartError("mcp_start_failed", server=name, why=why) from None

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> "CallToolResult":
        """Call *tool* and return the server's answer; an error that it sends is one too.

        Raises:
            McpCallError: no usable answer came; the server was ended unless it still answers.
        """
        from mcp.shared.exceptions import MCPError
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent

        params = CallToolRequestParams(name=tool, arguments=dict(arguments))

        async def ask(client: "Client") -> "CallToolResult":
            request = CallToolRequest(params=params)
            return await client.session.send_request(request, CallToolResult)

        try:
            return await self._asked(ask, self._limits.call_seconds)
        except MCPError as error:
            # Some servers refuse a call by an error of the protocol, others by a result.
            said = TextContent(type="text", text=error.error.message)
            return CallToolResult(content=[said], is_error=True)

    async def close(self) -> None:
        """End the server in order and wait for its end."""
        self._ending.set()
        await self._finished()

    async def kill(self) -> None:
        """End the server at once and wait for its end."""
        self.kill_now()
        await self._finished()

    def kill_now(self) -> None:
        """Have the server dead when this returns; what it leaves in this process ends later."""
        self._ending.set()
        if self._process is not None:
            self._process.kill()
        elif self._task is not None:
            self._task.cancel()

    async def _finished(self) -> None:
        if self._task is None:
            return
        try:
            await asyncio.wait([self._task])
        except asyncio.CancelledError:
            # Whoever waits is itself being ended: nothing is asked nicely any more.
            self.kill_now()
            raise

    async def _asked(
        self, ask: Callable[["Client"], Coroutine[Any, Any, _Answer]], seconds: float
    ) -> _Answer:
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED
        from pydantic import ValidationError

        if self._client is None or not self.is_alive:
            raise self._lost()
        try:
            async with asyncio.timeout(seconds):
                return await ask(self._client)
        except TimeoutError:
            # What was begun must not go on behind the back of whoever was told that it failed.
            await self.kill()
            name = self._server.name
            raise McpCallError("mcp_call_timeout", server=name, seconds=seconds) from None
        except asyncio.CancelledError:
            await self.kill()
            raise
        except ValidationError as error:
            raise self._unusable(str(error)) from None
        except MCPError as error:
            if error.code != CONNECTION_CLOSED and self.is_alive:
                raise
            await self.kill()
            raise self._lost() from None

    async def _run(self, ready: asyncio.Future[None]) -> None:
        """Hold the connection from start to end; tell *ready* how the start went."""
        try:
            await self._connected(ready)
        except Exception as error:  # noqa: BLE001 - the edge to a foreign SDK: told, never lost
            first = _first(error)
            _tell(ready, self._start_failed(first))
            self._log("mcp_session_ended", level="DEBUG", why=one_line(str(first), _WHY_CHARS))
        finally:
            self._ending.set()
            self._client = None
            if self._process is not None:
                self._process.kill()
            _tell(ready, self._start_failed(None))

    async def _connected(self, ready: asyncio.Future[None]) -> None:
        from mcp.client.client import Client

        # Each line that it cannot read would be a traceback on our stderr.
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        logging.getLogger("mcp").propagate = False
        self._process = await start_process(
            self._server, self._limits, self._log, self._environment
        )
        try:
            transport = joined(self._process, self._ending, self._log)
            async with Client(transport, cache=None, message_handler=self._heard) as client:
                self.offers = await self._list(client)
                self._client = client
                if not ready.done():
                    ready.set_result(None)
                await self._ending.wait()
                self._client = None
        finally:
            await self._process.stop()

    async def _list(self, client: "Client") -> tuple[ToolOffer, ...]:
        from mcp_types import ListToolsRequest, ListToolsResult, PaginatedRequestParams

        offers: list[ToolOffer] = []
        cursor: str | None = None
        while True:
            params = PaginatedRequestParams(cursor=cursor)
            page = await client.session.send_request(
                ListToolsRequest(params=params), ListToolsResult
            )
            for tool in page.tools:
                offers.append(_offer(tool))
            cursor = page.next_cursor
            if len(offers) > self._limits.listed_max or (cursor and not page.tools):
                raise McpStartError(
                    "mcp_too_many_tools", server=self._server.name, most=self._limits.listed_max
                )
            if not cursor:
                return tuple(offers)

    async def _heard(self, message: object) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self.is_stale = True

    def _lost(self) -> McpCallError:
        failure = self._process.failure if self._process else ""
        code = failure or "mcp_ended"
        return McpCallError(code, server=self._server.name, why=self._last_words())

    def _unusable(self, why: str) -> McpCallError:
        shown = one_line(why, _WHY_CHARS)
        return McpCallError("mcp_result_wrong", server=self._server.name, why=shown)

    def _start_failed(self, error: BaseException | None) -> McpError:
        if isinstance(error, McpError):
            return error
        if self._process is not None and self._process.failure:
            return McpStartError(self._process.failure, server=self._server.name)
        said = one_line(str(error or ""), _WHY_CHARS)
        why = " / ".join(part for part in (said, self._last_words()) if part)
        return McpStartError("mcp_start_failed", server=self._server.name, why=why or "?")

    def _last_words(self) -> str:
        return self._process.last_words if self._process else ""


def _offer(tool: "Tool") -> ToolOffer:
    hints = tool.annotations
    said = hints.model_dump(by_alias=True, exclude_none=True, mode="json") if hints else None
    return ToolOffer(tool.name, tool.description, tool.input_schema, tool.output_schema, said)


def _tell(ready: asyncio.Future[None], error: McpError) -> None:
    if not ready.done():
        ready.set_exception(error)
        ready.exception()  # it may be that nobody waits any more


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
