"""The SDK's two streams of messages, joined to the pipes of a server's process."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from actions.mcp.clean import one_line
from actions.mcp.process import Log, ServerProcess

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

_SHOWN_BYTES, _SHOWN_CHARS = 200, 300


@contextlib.asynccontextmanager
async def joined(
    process: ServerProcess, ending: asyncio.Event, log: Log
) -> "AsyncIterator[tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]]":
    """Yield what the SDK reads from and writes to; set *ending* when the server is gone."""
    import anyio
    from mcp.shared.message import SessionMessage

    to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async with to_client:
                async for message in _messages(process, log):
                    await to_client.send(SessionMessage(message))
        ending.set()

    async def write() -> None:
        with contextlib.suppress(OSError):
            async with from_client:
                async for sent in from_client:
                    text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.write(text.encode("utf-8") + b"\n")
        ending.set()

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield from_server, to_server
        finally:
            from_server.close()
            to_server.close()
            group.cancel_scope.cancel()


async def _messages(process: ServerProcess, log: Log) -> AsyncIterator[Any]:
    """Yield each message of *process*; a line that is none is skipped, too many end it."""
    from mcp_types import jsonrpc_message_adapter

    left = process.limits.junk_lines_max
    async for line in process.lines():
        if not line.strip():
            continue
        try:
            yield jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            left -= 1
            shown = line[:_SHOWN_BYTES].decode("utf-8", "replace")
            log("mcp_junk_line", level="DEBUG", line=one_line(shown, _SHOWN_CHARS))
            if left < 0:
                process.fail("mcp_not_mcp")
                return
