"""mcp.json is this account's alone, and what was taken back meanwhile does not come back (R6)."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.lock import lock_file
from sgclaw.errors import RefusedError
from sgclaw.mcp_store import change_servers, load_servers, save_servers
from states.mcp import McpServer
from tests.actions.mcp.lab import SCRIPT, tool
from tests.sgclaw.commands.conftest import Cli

SERVER = McpServer(name="a", command=("b",))
# Puts the file of servers that a test prepared into place when it is started, then serves.
MEANWHILE = f"""
import os, runpy, sys
target = sys.argv.pop()
if os.path.exists(target + ".next"):
    os.replace(target + ".next", target)
sys.argv.pop(0)
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""


class Meanwhile:
    """A server of two tools, of which *pay* is approved; somebody changes the file at its start."""

    def __init__(self, cli: Cli, folder: Path) -> None:
        self.path = folder / "config" / "mcp.json"
        cli.env["SGCLAW_CONFIG_DIR"] = str(self.path.parent)
        (folder / "play.json").write_text(
            json.dumps({"tools": [tool(), tool("pay")]}), encoding="utf-8"
        )
        script = folder / "meanwhile.py"
        script.write_text(MEANWHILE, encoding="utf-8")
        play = (str(folder / "play.json"), str(self.path))
        command = (sys.executable, "-I", "-S", str(script), "-", *play)
        assert cli("mcp", "add", "play", "--", *command).code == 0
        assert cli("mcp", "approve", "play", "pay", "--yes").code == 0
        [self.server] = load_servers(self.path)

    def then(self, *servers: McpServer) -> None:
        """Have *servers* in the file from the next start of the server on."""
        save_servers(self.path.with_name("mcp.json.next"), servers)

    @property
    def tools(self) -> dict[str, list[str]]:
        """The approved tools of each server that stands in the file."""
        servers = load_servers(self.path)
        return {server.name: [tool.name for tool in server.tools] for server in servers}


@pytest.fixture
def meanwhile(cli: Cli, tmp_path: Path) -> Meanwhile:
    return Meanwhile(cli, tmp_path)


def test_an_approval_that_was_taken_back_meanwhile_stays_so(cli: Cli, meanwhile: Meanwhile) -> None:
    meanwhile.then(meanwhile.server.model_copy(update={"tools": ()}), SERVER)
    said = cli("mcp", "approve", "play", "note", "--yes")
    assert (said.code, said.err) == (0, "")
    assert meanwhile.tools == {"play": ["note"], "a": []}


def test_a_server_that_was_removed_meanwhile_stays_so(cli: Cli, meanwhile: Meanwhile) -> None:
    meanwhile.then(SERVER)
    said = cli("mcp", "approve", "play", "note", "--yes")
    assert said.code == 4
    assert "removed or changed" in said.err
    assert meanwhile.tools == {"a": []}


@pytest.mark.parametrize("change", [{"command": ("rm",)}, {"env": ("OTHER",)}, {"cwd": "/"}])
def test_a_server_that_is_another_by_now_gets_no_approval(
    cli: Cli, meanwhile: Meanwhile, change: dict[str, object]
) -> None:
    meanwhile.then(meanwhile.server.model_copy(update=change))
    assert cli("mcp", "approve", "play", "note", "--yes").code == 4
    assert meanwhile.tools == {"play": ["pay"]}


@pytest.mark.parametrize("now", ["gone", "read_only"])
def test_a_tool_that_somebody_else_decided_about_meanwhile_is_looked_at_again(
    cli: Cli, meanwhile: Meanwhile, now: str
) -> None:
    (pay,) = meanwhile.server.tools
    kept = (pay.model_copy(update={"read_only": True}),) if now == "read_only" else ()
    meanwhile.then(meanwhile.server.model_copy(update={"tools": kept}))
    assert cli("mcp", "approve", "play", "pay", "--yes").code == 4
    [server] = load_servers(meanwhile.path)
    assert server.tools == kept
    assert cli("mcp", "approve", "play", "pay", "--yes").code == 0
    assert meanwhile.tools == {"play": ["pay"]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "config" / "mcp.json"
    save_servers(made, [SERVER])
    return made


@pytest.fixture
def held(path: Path) -> Iterator[None]:
    fd = os.open(path.with_name(".mcp.json.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    assert lock_file(fd)
    yield
    os.close(fd)


@pytest.mark.usefixtures("held")
def test_two_commands_do_not_change_the_file_at_once(path: Path) -> None:
    with pytest.raises(RefusedError) as caught:
        change_servers(path, lambda _: [], seconds=0.05)
    assert caught.value.code == "mcp_file_busy"
    assert load_servers(path) == (SERVER,)


def test_a_change_is_made_of_what_stands_in_the_file(path: Path) -> None:
    added = McpServer(name="c", command=("d",))
    change_servers(path, lambda servers: (*servers, added))
    assert load_servers(path) == (SERVER, added)
    change_servers(path, lambda servers: servers[1:])
    assert load_servers(path) == (added,)


def test_a_change_that_fails_lets_go_of_the_file(path: Path) -> None:
    def fail(_: tuple[McpServer, ...]) -> list[McpServer]:
        raise RefusedError("mcp_server_changed", server="a")

    with pytest.raises(RefusedError):
        change_servers(path, fail)
    change_servers(path, lambda _: [], seconds=0)
    assert load_servers(path) == ()


@pytest.mark.parametrize("mode", [0o720, 0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_refused(path: Path, mode: int) -> None:
    path.parent.chmod(mode)
    with pytest.raises(RefusedError) as caught:
        load_servers(path)
    assert caught.value.code == "mcp_folder_open"
    path.parent.chmod(0o755)
    assert load_servers(path) == (SERVER,)


@pytest.mark.parametrize("which", ["file", "folder"])
def test_a_file_of_another_account_is_refused(path: Path, which: str) -> None:
    if os.geteuid():
        path = Path("/etc/passwd")  # nobody but root can give a file away
    else:
        os.chown(path if which == "file" else path.parent, 12_345, -1)
    with pytest.raises(RefusedError) as caught:
        load_servers(path)
    assert caught.value.code == "mcp_file_foreign"
