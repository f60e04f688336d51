"""The real servers of others: what they offer is approved, called, refused and ended as planned."""

import json
import os
import sys
from pathlib import Path

import pytest

from actions.mcp.errors import McpArgumentsError, McpCallError
from browser.page.build import find_tools
from states.mcp import McpServer
from tests.actions.mcp.lab import Lab, gone

ROOT = Path(__file__).parents[3]
MODULES = ROOT / "tools" / "mcp_servers" / "node_modules" / "@modelcontextprotocol"


def time_server() -> McpServer:
    program = Path(sys.executable).with_name("mcp-server-time")
    return McpServer(name="time", command=(str(program), "--local-timezone", "UTC"))


def node_server(package: str, *arguments: str, env: tuple[str, ...] = ()) -> McpServer:
    assert MODULES.is_dir(), "run `make oracles` first"
    script = MODULES / f"server-{package}" / "dist" / "index.js"
    command = (*find_tools().node, str(script), *arguments)
    return McpServer(name=package, command=command, env=env)


async def test_the_time_server_tells_the_time(lab: Lab) -> None:
    server = await lab.approved(time_server())
    pool = lab.pool(server)
    said = await pool.call("mcp__time__convert_time", {
        "source_timezone": "Asia/Shanghai", "time": "09:30", "target_timezone": "UTC",
    })  # fmt: skip
    assert "T01:30:00" in said.text
    assert not said.is_error
    odd = await pool.call("mcp__time__get_current_time", {"timezone": "Mars/Olympus"})
    assert odd.is_error
    with pytest.raises(McpArgumentsError):
        await pool.call("mcp__time__get_current_time", {"timezone": 8})


async def test_the_file_server_stays_in_its_folder(lab: Lab) -> None:
    folder = lab.folder / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("报表 42", encoding="utf-8")
    outside = lab.folder / "secret.txt"
    outside.write_text("canary", encoding="utf-8")
    pool = lab.pool(await lab.approved(node_server("filesystem", str(folder))))
    read = "mcp__filesystem__read_text_file"
    assert (await pool.call(read, {"path": str(folder / "a.txt")})).text == "报表 42"
    refused = await pool.call(read, {"path": str(outside)})
    assert refused.is_error
    assert "canary" not in refused.text
    new = {"path": str(folder / "b.txt"), "content": "new"}
    assert not (await pool.call("mcp__filesystem__write_file", new)).is_error
    assert (folder / "b.txt").read_text(encoding="utf-8") == "new"
    with pytest.raises(McpArgumentsError):
        await pool.call("mcp__filesystem__write_file", {"path": str(folder / "c.txt")})


async def test_the_everything_server_shows_every_kind_of_answer(lab: Lab) -> None:
    server = await lab.approved(node_server("everything", env=("MINE",)))
    given = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    pool = lab.pool(server, env={**given, "MINE": "1", "OPENAI_API_KEY": "canary"})
    assert (await pool.call("mcp__everything__echo", {"message": "你好"})).text == "Echo: 你好"
    picture = await pool.call("mcp__everything__get-tiny-image", {})
    assert "[image/png: not shown]" in picture.text
    weather = await pool.call("mcp__everything__get-structured-content", {"location": "New York"})
    assert weather.structured is not None
    assert json.loads(weather.text) == weather.structured
    seen = json.loads((await pool.call("mcp__everything__get-env", {})).text)
    assert (seen["MINE"], "canary" in str(seen)) == ("1", False)
    with pytest.raises(McpArgumentsError):
        await pool.call("mcp__everything__get-sum", {"a": 1, "b": "2"})


async def test_a_long_operation_is_given_up_and_its_server_is_gone(lab: Lab) -> None:
    pool = lab.pool(await lab.approved(node_server("everything")), call_seconds=1)
    operation = "mcp__everything__trigger-long-running-operation"
    with pytest.raises(McpCallError) as caught:
        await pool.call(operation, {"duration": 60, "steps": 60})
    assert caught.value.code == "mcp_call_timeout"
    assert await gone(pool.pids)
    assert (await pool.call("mcp__everything__echo", {"message": "again"})).text == "Echo: again"
