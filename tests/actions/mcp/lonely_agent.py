"""Calls a server once, says its process group, and then waits to be killed."""

import asyncio
import sys

from actions.mcp.pool import McpPool
from states.mcp import McpServer
from states.settings import McpLimits


async def main(text: str) -> None:
    """Start the server that *text* describes."""
    pool = McpPool([McpServer.model_validate_json(text)], McpLimits(), print_nothing)
    await pool.call("mcp__play__note", {})
    sys.stderr.flush()
    assert sys.__stdout__ is not None
    sys.__stdout__.write(f"{pool.pids[0]}\n")
    sys.__stdout__.flush()
    await asyncio.sleep(3_600)


def print_nothing(event: str, **fields: object) -> None:
    """Forget it."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
