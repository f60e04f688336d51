"""A play for the small server, and pools whose processes are all gone when a test ends."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from actions.mcp.approval import approved_tool
from actions.mcp.pool import McpPool
from actions.mcp.session import McpSession
from states.mcp import McpServer, ToolOffer
from states.settings import McpLimits
from tests.support.until import until

SCRIPT = Path(__file__).parent / "server.py"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}}


def tool(name: str = "note", **more: Any) -> dict[str, Any]:
    """Return the definition of a tool as a server lists it."""
    return {"name": name, "description": f"{name} it", "inputSchema": SCHEMA, **more}


def offer_of(listed: Mapping[str, Any]) -> ToolOffer:
    """Return *listed* as the product reads it."""
    return ToolOffer(
        listed["name"],
        listed.get("description"),
        listed["inputSchema"],
        listed.get("outputSchema"),
        listed.get("annotations"),
    )


class Log:
    """Keeps what was logged."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, event: str, **fields: Any) -> None:
        self.rows.append((event, fields))

    def events(self) -> list[str]:
        """Return the names of what was logged."""
        return [event for event, _ in self.rows]


class Lab:
    """One play in *folder*, and everything that was started for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = Log()
        self._pools: list[McpPool] = []
        self._groups: set[int] = set()

    def play(self, *tools: Mapping[str, Any], **play: Any) -> None:
        """Write the play that the next start reads."""
        text = json.dumps({"tools": tools, **play})
        (self.folder / "play.json").write_text(text, encoding="utf-8")

    @property
    def calls(self) -> list[str]:
        """The calls that reached the server."""
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    def server(self, *tools: Mapping[str, Any], env: tuple[str, ...] = ()) -> McpServer:
        """Return the server with *tools* approved as they are given here."""
        command = (sys.executable, "-I", "-S", str(SCRIPT), str(self.folder / "play.json"))
        approved = [approved_tool(offer_of(one), McpLimits(), read_only=False) for one in tools]
        return McpServer(name="play", command=command, env=env, tools=tuple(approved))

    def pool(
        self, *servers: McpServer, env: Mapping[str, str] | None = None, **limits: Any
    ) -> McpPool:
        """Return a pool of *servers*, ended at the end of the test."""
        pool = McpPool(servers, McpLimits(**limits), self.log, environment=env)
        self._pools.append(pool)
        return pool

    async def approved(self, server: McpServer) -> McpServer:
        """Return *server* with all that it offers now approved."""
        session = McpSession(server, McpLimits(), self.log, os.environ)
        await session.start()
        await session.close()
        tools = [approved_tool(offer, McpLimits(), read_only=False) for offer in session.offers]
        return server.model_copy(update={"tools": tuple(tools)})

    def seen(self) -> None:
        """Remember the groups of the servers that run now."""
        for pool in self._pools:
            self._groups.update(pool.pids)

    async def close(self) -> None:
        """End everything and check that it is gone."""
        self.seen()
        for pool in self._pools:
            await pool.close(at_once=True)
        assert await gone(self._groups)


def alive(groups: Iterable[int]) -> list[int]:
    """Return the processes of *groups* that run; one that is dead and not yet reaped does not."""
    wanted, found = set(groups), []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(group) in wanted and state != "Z":
            found.append(int(path.parent.name))
    return found


async def gone(groups: Iterable[int], seconds: float = 30) -> bool:
    """Tell whether no process of *groups* runs, waiting for the kernel to have ended it."""
    wanted = set(groups)
    await until(lambda: not alive(wanted), seconds)
    return True
