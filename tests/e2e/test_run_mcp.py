"""MCP tools in a whole run: approved, asked about, lost in the middle, and gone at its end (R6)."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sgclaw.mcp_store import load_servers, save_servers
from tests.actions.mcp.lab import Lab, tool
from tests.e2e.conftest import Run
from tests.e2e.model_desk import CANARY, LOOK, ModelDesk, holders, model_desk
from tests.support.model_lab import Reply, finish

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]
TIME_SERVER = str(Path(sys.executable).with_name("mcp-server-time"))
NOTE = Reply(name="mcp__play__note", arguments={"text": "hello"})
ASK = Reply(
    name="ask_person", arguments={"question": "Which invoice?", "options": ["FP0001", "FP0002"]}
)
ANSWER = {"decision": "approve", "text": "the first"}
YES = {"decision": "approve"}
NO = {"decision": "reject"}


class ToolDesk(ModelDesk):
    """A desk with a small server of its own, whose calls are counted where they arrive."""

    lab: Lab

    @property
    def file(self) -> Path:
        """The file of servers and approved tools."""
        return self.folder / "config" / "mcp.json"

    def approve(self, *tools: dict[str, Any], **play: Any) -> None:
        """Have the small server offer *tools*, all of them approved as side-effecting."""
        self.lab.play(*tools, **play)
        server = self.lab.server(*tools, env=("PLAY_WORD", "ANTHROPIC_API_KEY"))
        save_servers(self.file, [*load_servers(self.file), server])

    def servers(self) -> list[int]:
        """Return the process ids of the small server."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.lab.folder / "play.json").encode() in words:
                found.append(int(entry.name))
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ToolDesk]:
    with model_desk(tmp_path, "claude", ToolDesk) as desk:
        assert isinstance(desk, ToolDesk)
        desk.lab = Lab(tmp_path)
        yield desk
        # A server keeps the words of its command line in a group of its own.
        desk.until(lambda: desk.servers() == [], seconds=5)


def asked(run: Run) -> int:
    """Return how often the person was asked."""
    path: list[str] = run.result["path"]
    return path.count("confirm")


def test_a_question_a_reading_tool_and_a_writing_tool_in_one_task(desk: ToolDesk) -> None:
    """The reading tool is the real `mcp-server-time`, approved on the command line."""
    added = desk.run("mcp", "add", "time", "--", TIME_SERVER, "--local-timezone", "UTC")
    assert added.code == 0, added.stderr
    allowed = desk.run("mcp", "approve", "time", "get_current_time", "--read-only", "--yes")
    assert allowed.code == 0, allowed.stderr
    desk.approve(tool(), tool("tell"), calls={"tell": "environment"})
    desk.env |= {"PLAY_WORD": "handed on", "OTHER_WORD": "kept back"}
    now = Reply(name="mcp__time__get_current_time", arguments={"timezone": "UTC"})
    desk.server.plays(ASK, now, NOTE, Reply(name="mcp__play__tell"), LOOK, finish("Noted.", 2, 3))
    run = desk.ask("note it", "--approve", desk.answers(ANSWER, YES, YES))
    assert run.code == 0, run.stdout + run.stderr
    assert (run.result["answer"], run.result["citations"]) == ("Noted.", [2, 3])
    assert asked(run) == 3
    told = [desk.server.said_to_it(number) for number in range(6)]
    assert "The person answers: the first" in told[1]
    assert "get_current_time succeeded" in told[2]
    assert "UTC" in told[2]
    assert desk.lab.calls == ["note", "tell"]
    assert "handed on" in told[4]
    assert "kept back" not in told[4]
    # The key is no tool's business, whoever named its variable.
    assert "ANTHROPIC_API_KEY" not in told[4]
    assert holders(desk.folder, CANARY) == []
    _audit_is_whole(desk, run.result["trace_id"])


def _audit_is_whole(desk: ToolDesk, trace: str) -> None:
    """Check that the two sides fit together, and that question and tools are named."""
    shown = desk.run("audit", "show", trace)
    assert shown.code == 0, shown.stdout + shown.stderr
    for words in ("Which invoice?", "mcp__time__get_current_time", "mcp__play__note"):
        assert words in shown.stdout
    found = desk.run("audit", "query", "--trace", trace, "--action", "mcp__play__note")
    assert found.code == 0, found.stdout + found.stderr
    assert "mcp__play__note" in found.stdout


def test_a_tool_that_is_refused_is_never_called(desk: ToolDesk) -> None:
    desk.approve(tool())
    desk.server.plays(NOTE, NOTE, LOOK, finish("Nothing was noted.", 3))
    run = desk.ask("note it", "--approve", desk.answers(NO, YES))
    assert (run.code, run.result["answer"]) == (0, "Nothing was noted."), run.stdout + run.stderr
    assert desk.lab.calls == []
    assert asked(run) == 1
    assert "The person refused mcp__play__note" in desk.server.said_to_it(1)


def test_an_abort_in_the_middle_of_a_call_leaves_no_server(desk: ToolDesk) -> None:
    desk.approve(tool(), calls={"note": "hang"})
    desk.server.plays(NOTE)
    child = desk.begin("note it", "--approve", desk.answers(YES))
    desk.until(lambda: desk.lab.calls == ["note"])
    os.kill(child.pid, signal.SIGINT)
    run = desk.finish(child)
    assert (run.code, run.result["state"]) == (3, "aborted"), run.stdout + run.stderr
    assert "Traceback" not in run.stderr
