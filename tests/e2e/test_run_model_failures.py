"""Whatever the model's server does: the run ends as the chart says and in words that help (R4)."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sgclaw.past_run import past_run
from tests.e2e.conftest import Run
from tests.e2e.model_desk import CANARY, LOOK, ModelDesk, model_desk
from tests.support.byte_server import refusal
from tests.support.model_failures import CASES
from tests.support.model_lab import Reply, finish

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]
# Both families meet the whole table in tests/sgclaw/test_model_task.py, without a browser.
FAMILIES = {
    "key refused": "claude", "silent": "openai", "cut in a number": "claude",
}  # fmt: skip
BUSY = refusal(529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[ModelDesk]:
    with model_desk(tmp_path, "claude") as desk:
        yield desk


def tried(run: Run) -> list[str]:
    """Return the kinds of the failed tries in the ledger of *run*."""
    rows = [row["event"] for row in run.ledger if row["event"]["type"] == "model_tried"]
    return [event["payload"]["kind"] for event in rows]


@pytest.mark.parametrize("name", FAMILIES)
def test_each_failure_ends_as_the_chart_says(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    with model_desk(tmp_path, FAMILIES[name]) as desk:
        desk.env |= {f"SGCLAW_MODEL_{key.upper()}": str(v) for key, v in case.settings.items()}
        desk.server.plays(*case.answers(desk.server.wire))
        run = desk.ask("look at the invoices")
        assert (run.code, run.result["reason"]) == (1 if case.reason else 0, case.reason), (
            run.stdout
        )
        assert len(desk.server.requests) == case.tries
    assert [word for word in case.words if word not in run.stdout] == []
    assert "Traceback" not in run.stdout + run.stderr
    assert run.stderr.strip() == ""
    assert run.result["path"][-1] == ("failed" if case.reason else "completed")
    assert run.result["model"]["failed_tries"] == len(tried(run))
    # Nothing but the one look was done, whatever was half said.
    assert {c["action"] for c in run.result["commands"]} <= {"navigate"}


def test_a_server_that_is_not_there_is_named(claude: ModelDesk) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    claude.env["SGCLAW_MODEL_RETRIES_MAX"] = "1"
    run = claude.run(*claude.words("look"), "--base-url", f"http://127.0.0.1:{port}")
    assert (run.code, run.result["reason"]) == (1, "model_failed"), run.stdout + run.stderr
    for words in ("at 127.0.0.1", "cannot be reached", "check the network, --base-url"):
        assert words in run.stdout
    assert tried(run) == ["network", "network"]  # the last one too
    assert "Traceback" not in run.stdout + run.stderr


@pytest.mark.parametrize("moment", ["streams", "waits"])
def test_ctrl_c_ends_the_call_that_is_under_way(claude: ModelDesk, moment: str) -> None:
    claude.env["SGCLAW_MODEL_RETRY_SECONDS"] = "30"
    claude.server.plays(BUSY if moment == "waits" else claude.server.holds(LOOK))
    child = claude.begin("look")
    claude.until(lambda: bool(claude.server.requests))
    if moment == "waits":
        claude.until(lambda: claude.told("model_tried"))
    os.kill(child.pid, signal.SIGINT)
    run = claude.finish(child)
    assert (run.code, run.result["state"]) == (3, "aborted"), run.stdout + run.stderr
    assert run.result["path"][-1] == "aborted"
    assert "Traceback" not in run.stderr
    assert len(claude.server.requests) == 1
    if moment == "streams":
        claude.until(claude.server.requests[0].left.is_set, seconds=5)


def test_an_agent_killed_while_the_model_speaks_is_followed_by_another(claude: ModelDesk) -> None:
    server = claude.server
    server.plays(LOOK, server.holds(Reply(text="Half a\nsentence")), finish("Looked.", 1))
    child = claude.begin("look")
    claude.until(lambda: len(server.requests) == 2)
    os.kill(_agent(claude), signal.SIGKILL)
    run = claude.finish(child)
    assert (run.code, run.result["answer"]) == (0, "Looked."), run.stdout + run.stderr
    assert "the agent was killed; a new one goes on" in run.stdout
    assert len(server.requests) == 3
    # The new agent asks what the dead one had asked, but for what it is told of the loss.
    assert "I open the list." in server.said_to_it(2)
    assert "Half a" not in server.said_to_it(2)
    assert past_run(run.ledger).replayed.difference is None


def test_a_killed_host_is_resumed_with_a_key_read_anew(claude: ModelDesk) -> None:
    server = claude.server
    claude.env["SGCLAW_MODEL_THINKING"] = "enabled"
    thinks = replace(LOOK, thought="The list stands under invoices.")
    server.plays(thinks, server.holds(Reply(text="Half a sentence")))
    child = claude.begin("look")
    claude.until(lambda: len(server.requests) == 2)
    os.kill(child.pid, signal.SIGKILL)
    claude.finish(child)
    [journal] = (claude.folder / "data" / "host").glob("sgclaw-*.jsonl")
    claude.env["ANTHROPIC_API_KEY"] = f"{CANARY}_2"
    server.plays(finish("Looked.", 1))
    run = claude.run("run", "--resume", journal.stem, "--out", "out")
    assert (run.code, run.result["answer"]) == (0, "Looked."), run.stdout + run.stderr
    assert server.requests[-1].headers["authorization"] == f"Bearer {CANARY}_2"
    # The signed reasoning goes back byte by byte, before the kill and after it.
    for number in (1, 2):
        assert '"signature": "c2lnbmVk"' in server.said_to_it(number)
        assert server.requests[number].json["thinking"]["type"] == "enabled"
    assert "Half a" not in server.said_to_it()
    assert past_run(run.ledger).replayed.difference is None


def _agent(desk: ModelDesk) -> int:
    """Return the process id of the agent that runs now."""
    found: list[int] = []
    ends = time.monotonic() + 10
    while not found and time.monotonic() < ends:
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
                environ = (entry / "environ").read_bytes()
            except OSError:
                continue
            ours = f"SGCLAW_DATA_DIR={desk.folder}".encode() in environ
            if ours and words.rstrip(b"\0").endswith(b"\0agent"):
                found.append(int(entry.name))
    return max(found)
