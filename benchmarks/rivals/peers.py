"""One way of driving a page: what each peer must be able to do, and the two that are not ours.

Both rivals are child processes with a line of JSON for a line of JSON; every answer is waited for.
"""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from benchmarks.rivals.install import BROWSER_USE, MCP
from browser.host.chromium import find_browser
from browser.page.build import find_tools

_LINE_BYTES_MAX = 64 * 1024 * 1024


class Peer(Protocol):
    """A browser under some agent tool; each step returns what its model would read."""

    name: str

    async def start(self) -> None:
        """Start the tool and its browser."""

    async def navigate(self, url: str) -> None:
        """Open *url* and wait until it is there."""

    async def snapshot(self) -> str:
        """Return the page as the model gets it."""

    async def click(self, element_id: str) -> None:
        """Click the element with that id."""

    async def type(self, element_id: str, text: str) -> None:
        """Fill the field with that id."""

    async def get_text(self) -> str:
        """Return the page's text."""

    async def marked(self) -> int:
        """Take the picture for the model; return its size in bytes."""

    def pids(self) -> list[int]:
        """Return the processes of the tool itself, without the browser's."""

    async def close(self) -> None:
        """End it."""


class _Lines:
    """A child that answers each line with a line."""

    def __init__(self, command: Sequence[str], cwd: Path) -> None:
        self._command = command
        self._cwd = cwd
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=self._cwd,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LINE_BYTES_MAX,
            start_new_session=True,
        )

    async def write(self, document: dict[str, Any]) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(document).encode() + b"\n")
        await self.process.stdin.drain()

    async def read(self) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            raise EOFError(self._command[0])
        document: dict[str, Any] = json.loads(line)
        return document

    async def close(self) -> None:
        process = self.process
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            async with asyncio.timeout(20):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


class McpPeer:
    """Playwright MCP over stdio, as an agent would start it."""

    name = "mcp"

    def __init__(self, folder: Path) -> None:
        node = find_tools().node
        flags = ("--headless", "--no-sandbox", "--isolated", "--executable-path")
        self._lines = _Lines((*node, str(MCP), *flags, str(find_browser())), folder)
        self._calls = 0

    async def start(self) -> None:
        """Start the server and its browser."""
        await self._lines.start()
        client = {"name": "bench", "version": "1"}
        about = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client}
        await self._ask("initialize", about)
        await self._lines.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        await self._tool("browser_navigate", url="about:blank")

    async def navigate(self, url: str) -> None:
        """Open *url*."""
        await self._tool("browser_navigate", url=url)

    async def tools(self) -> list[dict[str, Any]]:
        """Return its tools as it tells a client of them."""
        answer = await self._ask("tools/list", {})
        listed: list[dict[str, Any]] = answer["result"]["tools"]
        return listed

    async def snapshot(self) -> str:
        """Return the accessibility snapshot."""
        return _text_of(await self._tool("browser_snapshot"))

    async def click(self, element_id: str) -> None:
        """Click by selector."""
        await self._tool("browser_click", target=f"#{element_id}", element=element_id)

    async def type(self, element_id: str, text: str) -> None:
        """Fill by selector."""
        await self._tool("browser_type", target=f"#{element_id}", element=element_id, text=text)

    async def get_text(self) -> str:
        """Return the body's text: it has no tool for it but script."""
        script = "() => document.body.innerText"
        return _text_of(await self._tool("browser_evaluate", function=script))

    async def marked(self) -> int:
        """Take its screenshot, which has no marks."""
        content = await self._tool("browser_take_screenshot", type="png")
        return max((len(part.get("data", "")) for part in content), default=0)

    def pids(self) -> list[int]:
        """Return the server."""
        process = self._lines.process
        return [process.pid] if process is not None else []

    async def close(self) -> None:
        """End the server by closing its stdin."""
        await self._lines.close()

    async def _tool(self, name: str, **arguments: Any) -> list[dict[str, Any]]:
        answer = await self._ask("tools/call", {"name": name, "arguments": arguments})
        content: list[dict[str, Any]] = answer["result"]["content"]
        if answer["result"].get("isError"):
            raise RuntimeError(_text_of(content))
        return content

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        call = {"jsonrpc": "2.0", "id": self._calls, "method": method, "params": params}
        await self._lines.write(call)
        while True:
            answer = await self._lines.read()
            if answer.get("id") == self._calls:
                return answer


class BrowserUsePeer:
    """browser-use in its own Python, told what to do line by line (`browser_use_side.py`)."""

    name = "browser_use"

    def __init__(self, folder: Path) -> None:
        side = Path(__file__).parent / "browser_use_side.py"
        self._lines = _Lines((str(BROWSER_USE), str(side), str(find_browser())), folder)

    async def start(self) -> None:
        """Start it and its browser."""
        await self._lines.start()
        await self._lines.read()

    async def navigate(self, url: str) -> None:
        """Open *url*."""
        await self._do("navigate", url=url)

    async def prompt(self, task: str, done: str) -> dict[str, str]:
        """Return what its agent sends for *task* after one step of which *done* tells."""
        told = await self._do("prompt", task=task, done=done)
        assert isinstance(told, dict)
        return told

    async def snapshot(self) -> str:
        """Return its page state as its model reads it."""
        return str(await self._do("snapshot"))

    async def click(self, element_id: str) -> None:
        """Click by its index of the element."""
        await self._do("click", id=element_id)

    async def type(self, element_id: str, text: str) -> None:
        """Fill by its index of the field."""
        await self._do("type", id=element_id, text=text)

    async def get_text(self) -> str:
        """Return the body's text through its own tool for script."""
        return str(await self._do("get_text"))

    async def marked(self) -> int:
        """Take its highlighted picture."""
        size = await self._do("marked")
        return int(str(size))

    def pids(self) -> list[int]:
        """Return its process."""
        process = self._lines.process
        return [process.pid] if process is not None else []

    async def close(self) -> None:
        """End it."""
        await self._lines.close()

    async def _do(self, step: str, **arguments: Any) -> object:
        await self._lines.write({"step": step, **arguments})
        answer = await self._lines.read()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]


def _text_of(content: list[dict[str, Any]]) -> str:
    return "\n".join(str(part.get("text", "")) for part in content)
